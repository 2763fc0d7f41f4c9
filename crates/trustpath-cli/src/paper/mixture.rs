//! A mixture of Gaussians fitted to counts by expectation maximisation,
//!
//! ```text
//! p(x) = Σₖ wₖ N(x; μₖ, σₖ²),   maximising Σᵢ nᵢ log p(xᵢ),   Σₖ wₖ = 1.
//! ```

use trustpath_report::Bins;

/// Counts of values in bins of equal width: far cheaper to fit than the values, and as good where bins are narrow.
#[derive(Debug, Clone)]
pub struct BinCounts {
    low: f64,
    width: f64,
    counts: Vec<f64>,
}

impl BinCounts {
    /// Counts values in this number of bins; `None` if all values are equal.
    pub fn of(values: &[f64], bins: usize) -> Option<Self> {
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let width = (high - low) / bins as f64;
        if !(width > 0.0 && width.is_finite()) {
            return None;
        }
        let mut counts = vec![0.0; bins];
        for value in values {
            counts[(((value - low) / width) as usize).min(bins - 1)] += 1.0;
        }
        Some(Self { low, width, counts })
    }

    fn centre(&self, bin: usize) -> f64 {
        self.low + (bin as f64 + 0.5) * self.width
    }

    fn total(&self) -> f64 {
        self.counts.iter().sum()
    }

    /// The same counts in about `bins` wider bins, for a figure.
    pub fn coarser(&self, bins: usize) -> Bins {
        let merged = self.counts.len().div_ceil(bins.max(1));
        let counts = self.counts.chunks(merged).map(|bins| bins.iter().sum::<f64>() as u64);
        Bins { low: self.low, width: merged as f64 * self.width, counts: counts.collect() }
    }

    /// The centres of the bins, for a curve.
    pub fn points(&self) -> Vec<f64> {
        (0..self.counts.len()).map(|bin| self.centre(bin)).collect()
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Component {
    weight: f64,
    mean: f64,
    deviation: f64,
}

impl Component {
    fn density(&self, x: f64) -> f64 {
        let z = (x - self.mean) / self.deviation;
        self.weight * (-0.5 * z * z).exp() / (self.deviation * std::f64::consts::TAU.sqrt())
    }
}

/// A fitted mixture.
#[derive(Debug, Clone, PartialEq)]
pub struct GaussianMixture(Vec<Component>);

const ITERATIONS: usize = 1000;

impl GaussianMixture {
    /// Fits this number of components, which start at quantiles.
    pub fn fit(counts: &BinCounts, components: usize) -> Self {
        let share = 1.0 / components as f64;
        let total = counts.total();
        let start = |k: usize| {
            let wanted = (k as f64 + 0.5) * share * total;
            let mut below = 0.0;
            let bin = counts.counts.iter().position(|count| {
                below += count;
                below >= wanted
            });
            let spread = counts.width * counts.counts.len() as f64 * share / 4.0;
            Component { weight: share, mean: counts.centre(bin.unwrap_or(0)), deviation: spread }
        };
        let mut mixture = Self((0..components).map(start).collect());
        for _ in 0..ITERATIONS {
            mixture.step(counts, total);
        }
        mixture
    }

    fn step(&mut self, counts: &BinCounts, total: f64) {
        // Σ r, Σ r x, Σ r x² of each component, with responsibilities r.
        let mut sums = vec![[0.0; 3]; self.0.len()];
        for (bin, &count) in counts.counts.iter().enumerate().filter(|(_, count)| **count > 0.0) {
            let x = counts.centre(bin);
            let all = self.density(x);
            if all <= 0.0 {
                continue;
            }
            for (component, sums) in self.0.iter().zip(&mut sums) {
                let r = count * component.density(x) / all;
                sums.iter_mut().zip([1.0, x, x * x]).for_each(|(sum, power)| *sum += r * power);
            }
        }
        for (component, [r, rx, rxx]) in self.0.iter_mut().zip(sums) {
            if r > 0.0 {
                let mean = rx / r;
                // At least half a bin wide: values within a bin are not distinguished.
                let deviation = (rxx / r - mean * mean).max(0.0).sqrt().max(0.5 * counts.width);
                *component = Component { weight: r / total, mean, deviation };
            }
        }
    }

    pub fn density(&self, x: f64) -> f64 {
        self.0.iter().map(|component| component.density(x)).sum()
    }

    /// The largest difference between the distribution function of the counts and of the mixture (Kolmogorov).
    pub fn distance(&self, counts: &BinCounts) -> f64 {
        let (mut counted, mut fitted, mut worst) = (0.0, 0.0, 0.0f64);
        let total = counts.total();
        for (bin, count) in counts.counts.iter().enumerate() {
            counted += count / total;
            fitted += self.density(counts.centre(bin)) * counts.width;
            worst = worst.max((counted - fitted).abs());
        }
        worst
    }
}

#[cfg(test)]
mod tests {
    use trustpath::random::Random;

    use super::*;

    fn gaussian(count: usize, mean: f64, deviation: f64) -> impl Iterator<Item = f64> {
        let mut random = Random::stream(1, count as u64);
        (0..count).map(move |_| mean + deviation * random.normal())
    }

    #[test]
    fn three_gaussians_are_found_again() {
        let values: Vec<f64> =
            gaussian(60_000, 0.0, 0.1).chain(gaussian(20_000, 2.0, 0.3)).chain(gaussian(20_000, -3.0, 0.2)).collect();
        let counts = BinCounts::of(&values, 400).unwrap();
        let mut components = GaussianMixture::fit(&counts, 3).0;
        components.sort_by(|a, b| a.mean.total_cmp(&b.mean));
        for (component, (weight, mean, deviation)) in
            components.iter().zip([(0.2, -3.0, 0.2), (0.6, 0.0, 0.1), (0.2, 2.0, 0.3)])
        {
            assert!((component.weight - weight).abs() < 1e-3, "{component:?}");
            assert!((component.mean - mean).abs() < 0.01, "{component:?}");
            assert!((component.deviation - deviation).abs() < 0.01, "{component:?}");
        }
        let (three, one) = (GaussianMixture::fit(&counts, 3), GaussianMixture::fit(&counts, 1));
        assert!(three.distance(&counts) < 0.03 && one.distance(&counts) > 0.15);
    }

    #[test]
    fn coarser_bins_keep_every_count() {
        let values: Vec<f64> = gaussian(5000, 0.0, 1.0).collect();
        let bins = BinCounts::of(&values, 800).unwrap().coarser(100);
        assert_eq!((bins.counts.len(), bins.counts.iter().sum::<u64>()), (100, 5000));
    }

    #[test]
    fn values_without_spread_have_no_bins() {
        assert!(BinCounts::of(&[1.0, 1.0], 10).is_none());
        assert!(BinCounts::of(&[], 10).is_none());
    }
}
