//! How many eigenvalues of a tridiagonal matrix lie below `σ`, and by that where they lie.
//!
//! By Sylvester's law of inertia it is the number of negative pivots of `T − σI = L D Lᵀ`:
//!
//! ```text
//! q₀ = d₀ − σ,   qᵢ = dᵢ − σ − e²ᵢ₋₁ / qᵢ₋₁.
//! ```
//!
//! The recurrence is one long chain of divisions, so [`LANES`] different `σ` are counted at the price of one.

use super::simd;

/// Number of `σ` counted at a time.
pub(super) const LANES: usize = 16;

/// A tridiagonal matrix as the count wants it.
pub(super) struct Sturm<'a> {
    diagonal: &'a [f64],
    /// Squares of the off-diagonal, after a leading zero.
    squares: Vec<f64>,
    /// A pivot no smaller than this leaves `e²/q` finite.
    smallest_pivot: f64,
    /// The spectrum lies within `± bound`.
    pub(super) bound: f64,
}

impl<'a> Sturm<'a> {
    pub(super) fn new(diagonal: &'a [f64], off: &[f64]) -> Self {
        let squares: Vec<f64> = std::iter::once(0.0).chain(off.iter().map(|e| e * e)).collect();
        let largest = squares.iter().fold(1.0, |m: f64, &s| m.max(s));
        let beside = |i: usize| off.get(i).map_or(0.0, |e| e.abs());
        let bound = (0..diagonal.len())
            .fold(0.0, |m: f64, i| m.max(diagonal[i].abs() + beside(i) + if i > 0 { beside(i - 1) } else { 0.0 }));
        Self { diagonal, squares, smallest_pivot: f64::MIN_POSITIVE * largest, bound }
    }

    /// Numbers of eigenvalues below each `σ`.
    pub(super) fn count(&self, sigma: &[f64; LANES]) -> [usize; LANES] {
        simd::dispatch(
            (self, sigma),
            #[inline(always)]
            |(of, sigma)| {
                let mut pivot = [1.0; LANES];
                let mut negative = [0u64; LANES];
                for (&d, &square) in of.diagonal.iter().zip(&of.squares) {
                    for lane in 0..LANES {
                        let q = d - sigma[lane] - square / pivot[lane];
                        // A pivot that vanishes counts as negative: `σ` itself is an eigenvalue of the leading part.
                        let q = if q.abs() < of.smallest_pivot { -of.smallest_pivot } else { q };
                        negative[lane] += u64::from(q < 0.0);
                        pivot[lane] = q;
                    }
                }
                negative.map(|n| n as usize)
            },
        )
    }

    /// Brackets of the `k` lowest eigenvalues, each no wider than `width`: the `j`-th lies in `[low, high]`.
    pub(super) fn bracket(&self, k: usize, width: f64) -> Vec<(f64, f64)> {
        // A little wider than the bound, for the count itself rounds.
        let reach = self.bound * (1.0 + 1e-12) + f64::MIN_POSITIVE;
        // Nor finer than the numbers themselves.
        let width = width.max(4.0 * f64::EPSILON * reach).max(8.0 * f64::MIN_POSITIVE);
        let mut brackets = vec![(-reach, reach); k];
        loop {
            // Neighbours that are not yet separated share a bracket, and its share of the lanes.
            let mut open: Vec<(f64, f64)> = Vec::with_capacity(LANES);
            for &(low, high) in &brackets {
                let wide = high - low > width;
                if wide && open.last() != Some(&(low, high)) && open.len() < LANES {
                    open.push((low, high));
                }
            }
            if open.is_empty() {
                return brackets;
            }
            let each = LANES / open.len();
            let sigma = std::array::from_fn(|lane| {
                let (low, high) = open[(lane / each).min(open.len() - 1)];
                let at = (lane % each + 1) as f64 / (each + 1) as f64;
                low + at * (high - low)
            });
            let counts = self.count(&sigma);
            for (j, (low, high)) in brackets.iter_mut().enumerate() {
                for (&sigma, &below) in sigma.iter().zip(&counts) {
                    if below > j {
                        *high = high.min(sigma);
                    } else {
                        *low = low.max(sigma);
                    }
                }
            }
        }
    }
}
