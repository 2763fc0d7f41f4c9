//! Random numbers in streams that can be started anywhere.
//!
//! The state of xoshiro256++ (Blackman & Vigna 2021) is filled by SplitMix64 (Steele et al. 2014) from a hash of the seed
//! and the number of the stream. Stream *i* of seed *s* therefore depends on (*s*, *i*) alone: it is the same whichever
//! thread draws from it, and whatever was drawn before.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// By how much SplitMix64 advances its state: 2⁶⁴ divided by the golden ratio.
pub const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// A stream of random numbers.
///
/// ```
/// use trustpath_path::random::Random;
/// let (mut a, mut b) = (Random::stream(1, 42), Random::stream(1, 42));
/// assert_eq!(a.next_u64(), b.next_u64());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Random(Xoshiro256PlusPlus);

impl Random {
    /// Stream number `index` of `seed`. Streams of one seed never start alike.
    pub fn stream(seed: u64, index: u64) -> Self {
        // The mixer permutes the 64-bit numbers, so distinct indices give distinct starts.
        let mut start = mix(seed).wrapping_add(finalize(index));
        let mut state = [0; 32];
        for word in state.as_chunks_mut().0 {
            *word = mix(start).to_le_bytes();
            start = start.wrapping_add(GOLDEN);
        }
        Self(Xoshiro256PlusPlus::from_seed(state))
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A whole number below `n`, each as likely as the other (Lemire 2019).
    ///
    /// # Panics
    /// If `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        assert!(n > 0, "there is no number below 0");
        let n = n as u64;
        // Of the 2⁶⁴ products' lower halves, the first 2⁶⁴ mod n would favour some numbers.
        let excess = n.wrapping_neg() % n;
        loop {
            let product = u128::from(self.next_u64()) * u128::from(n);
            if product as u64 >= excess {
                return (product >> 64) as usize;
            }
        }
    }

    /// A number in [0, 1), a multiple of 2⁻⁵³.
    pub fn uniform(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * 2f64.powi(-53)
    }

    /// A standard normal number (Marsaglia's polar method).
    pub fn normal(&mut self) -> f64 {
        loop {
            let (x, y) = (2.0 * self.uniform() - 1.0, 2.0 * self.uniform() - 1.0);
            let square = x * x + y * y;
            if square > 0.0 && square < 1.0 {
                return x * (-2.0 * square.ln() / square).sqrt();
            }
        }
    }

    /// A number with the gamma distribution of the given shape and scale 1 (Marsaglia & Tsang 2000).
    pub fn gamma(&mut self, shape: f64) -> f64 {
        if shape < 1.0 {
            // A draw of shape + 1 times U^(1/shape) has the smaller shape.
            let boost = (1.0 - self.uniform()).powf(1.0 / shape);
            return self.gamma(shape + 1.0) * boost;
        }
        let d = shape - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let x = self.normal();
            let v = (1.0 + c * x).powi(3);
            if v > 0.0 && (1.0 - self.uniform()).ln() < 0.5 * x * x + d - d * v + d * v.ln() {
                return d * v;
            }
        }
    }

    /// Puts the items into random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }

    /// `count` distinct items, in random order.
    ///
    /// # Panics
    /// If there are fewer.
    pub fn choose<T: Copy>(&mut self, items: &[T], count: usize) -> Vec<T> {
        let mut items = items.to_vec();
        for i in 0..count {
            let other = i + self.below(items.len() - i);
            items.swap(i, other);
        }
        items.truncate(count);
        items
    }
}

/// The number that SplitMix64 gives first when it starts at `x`: a hash in which every input bit reaches every output bit.
pub fn mix(x: u64) -> u64 {
    finalize(x.wrapping_add(GOLDEN))
}

/// SplitMix64's output function, a permutation of the 64-bit numbers.
fn finalize(x: u64) -> u64 {
    let x = multiply_twice(x);
    x ^ (x >> 31)
}

/// All of SplitMix64's output function but its last step, which hardly touches the upper half.
pub fn multiply_twice(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_answers() {
        // Published vectors: SplitMix64 from 1234567, xoshiro256++ from the state 1, 2, 3, 4.
        let split: Vec<u64> = (0..3).map(|i| mix(1_234_567u64.wrapping_add(GOLDEN.wrapping_mul(i)))).collect();
        assert_eq!(split, [6457827717110365317, 3203168211198807973, 9817491932198370423]);
        let mut state = [0; 32];
        (0..4).for_each(|word| state[8 * word] = word as u8 + 1);
        let mut random = Random(Xoshiro256PlusPlus::from_seed(state));
        let drawn: Vec<u64> = (0..5).map(|_| random.next_u64()).collect();
        let expected = [41943041, 58720359, 3588806011781223, 3591011842654386, 9228616714210784205];
        assert_eq!(drawn, expected);
        // Every published result draws from these streams.
        let first = [(0, 0), (1, 42), (7, u64::MAX)].map(|(s, i)| Random::stream(s, i).next_u64());
        assert_eq!(first, [9579327875526494010, 5210136117610322631, 11037867539397424773]);
    }

    #[test]
    fn streams_differ_and_repeat() {
        let first = |seed, index| Random::stream(seed, index).next_u64();
        let mut seen = std::collections::HashSet::new();
        for seed in 0..20 {
            for index in 0..500 {
                assert!(seen.insert(first(seed, index)), "seed {seed}, index {index}");
                assert_eq!(first(seed, index), first(seed, index));
            }
        }
    }

    #[test]
    fn below_is_uniform() {
        let mut random = Random::stream(3, 0);
        let mut counts = [0f64; 7];
        (0..70_000).for_each(|_| counts[random.below(7)] += 1.0);
        // χ² with 6 degrees of freedom exceeds 22.46 once in a thousand.
        let chi2: f64 = counts.iter().map(|c| (c - 10_000.0).powi(2) / 10_000.0).sum();
        assert!(chi2 < 22.46, "{chi2}");
        assert!((0..100).all(|_| random.below(1) == 0));
    }

    #[test]
    fn normal_and_gamma_have_their_moments() {
        let mut random = Random::stream(4, 0);
        let n = 200_000;
        let mut check = |draw: &mut dyn FnMut(&mut Random) -> f64, m: f64, v: f64, kurtosis: f64| {
            let xs: Vec<f64> = (0..n).map(|_| draw(&mut random)).collect();
            let n = n as f64;
            let mean = xs.iter().sum::<f64>() / n;
            let variance = xs.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
            // Five standard errors: sd/√n for the mean, √((κ + 2)/n)·σ² for the variance, where the excess kurtosis κ is 0
            // for the normal and 6/shape for the gamma.
            assert!((mean - m).abs() < 5.0 * (v / n).sqrt(), "mean {mean}");
            assert!((variance - v).abs() < 5.0 * v * ((kurtosis + 2.0) / n).sqrt(), "variance {variance}");
        };
        check(&mut Random::normal, 0.0, 1.0, 0.0);
        for shape in [0.3, 1.0, 2.0, 7.5] {
            check(&mut |r| r.gamma(shape), shape, shape, 6.0 / shape);
        }
    }

    #[test]
    fn choices_are_distinct_and_each_as_likely() {
        let mut random = Random::stream(5, 0);
        let items: Vec<usize> = (0..10).collect();
        let mut counts = [0f64; 10];
        for _ in 0..20_000 {
            let mut chosen = random.choose(&items, 3);
            chosen.iter().for_each(|&i| counts[i] += 1.0);
            chosen.sort_unstable();
            chosen.dedup();
            assert_eq!(chosen.len(), 3);
        }
        // Each count is binomial(20000, 0.3); 5 standard deviations are 324.
        assert!(counts.iter().all(|c| (c - 6000.0).abs() < 324.0), "{counts:?}");
        let mut all = items.clone();
        random.shuffle(&mut all);
        assert_ne!(all, items);
        all.sort_unstable();
        assert_eq!(all, items);
    }
}
