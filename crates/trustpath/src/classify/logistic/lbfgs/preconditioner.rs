//! A simple approximation of the curvature that can be divided by.
//!
//! With `q` of `sums.rs` in place of `p (1 − p)`, the weights of class `k` and its intercept curve the objective by
//!
//! ```text
//! I₀ + C Σᵢ q_ik zᵢ zᵢᵀ  =  I₀ + C s (V + m mᵀ),   s = Σᵢ q_ik
//! ```
//!
//! with mean `m` and covariance `V` of the samples weighted by `q`, and `I₀` the penalty. Only the diagonal of `V` is kept,
//! which leaves a diagonal plus a rank-one term for each class. The rank-one term is large: the samples about whose
//! membership in a class the model is uncertain lie on one side of the others.

use super::sums::SampleSums;
use crate::linalg::vector::{add_scaled, dot};

/// Smallest share of the second moment of a coordinate that its variance may be. The intercept has no variance at all, and
/// single precision may lose that of other coordinates.
const LEAST: f64 = 0.1;

/// For every class a diagonal and a rank-one term.
#[derive(Debug, Default)]
pub(super) struct Preconditioner {
    dims: usize,
    /// One over the diagonal.
    inverse: Vec<f64>,
    /// The diagonal's inverse times `m`.
    divided: Vec<f64>,
    /// `C s / (1 + C s ⟨m, divided⟩)`.
    strength: Vec<f64>,
    mean: Vec<f64>,
}

impl Preconditioner {
    /// From sums whose last feature is always one; `price` is the penalty on a feature.
    pub fn new(c: f64, sums: &SampleSums, dims: usize, price: impl Fn(usize) -> f64) -> Self {
        let mut blocks = Self { dims, ..Self::default() };
        for (first, second) in sums.first.chunks_exact(dims).zip(sums.second.chunks_exact(dims)) {
            // Where no sample is uncertain about a class there is no curvature, but its intercept still needs some.
            let weight = first[dims - 1].max(1e-6);
            let mut product = 0.0;
            for j in 0..dims {
                let mean = first[j] / weight;
                let spread = (second[j] - mean * first[j]).max(LEAST * second[j]);
                let inverse = 1.0 / (price(j) + c * spread.max(LEAST * 1e-6));
                product += mean * mean * inverse;
                blocks.mean.push(mean);
                blocks.inverse.push(inverse);
                blocks.divided.push(mean * inverse);
            }
            blocks.strength.push(c * weight / (1.0 + c * weight * product));
        }
        blocks
    }

    /// `v ← B⁻¹ v`, by the Sherman–Morrison formula.
    pub fn divide(&self, v: &mut [f64]) {
        let classes = v.chunks_exact_mut(self.dims).zip(self.inverse.chunks_exact(self.dims));
        for (k, (v, inverse)) in classes.enumerate() {
            let of = k * self.dims..(k + 1) * self.dims;
            v.iter_mut().zip(inverse).for_each(|(v, inverse)| *v *= inverse);
            let along = self.strength[k] * dot(&self.mean[of.clone()], v);
            add_scaled(v, -along, &self.divided[of]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dividing_undoes_multiplying() {
        // Two classes of two features and the intercept; samples with weights as given.
        let samples = [([1.0, 2.0, 1.0], [0.2, 0.1]), ([0.5, -1.0, 1.0], [0.1, 0.25])];
        let mut sums = SampleSums { gradient: Vec::new(), first: vec![0.0; 6], second: vec![0.0; 6] };
        for (z, q) in samples {
            for (at, (first, second)) in sums.first.iter_mut().zip(&mut sums.second).enumerate() {
                *first += q[at / 3] * z[at % 3];
                *second += q[at / 3] * z[at % 3] * z[at % 3];
            }
        }
        let c = 7.0;
        let price = |j: usize| if j < 2 { 1.0 } else { 0.0 };
        let blocks = Preconditioner::new(c, &sums, 3, price);
        let v: Vec<f64> = (0..6).map(|i| f64::from(i * i) - 4.0).collect();
        let mut divided = v.clone();
        blocks.divide(&mut divided);
        for k in 0..2 {
            let (first, second) = (&sums.first[k * 3..k * 3 + 3], &sums.second[k * 3..k * 3 + 3]);
            let x = &divided[k * 3..k * 3 + 3];
            let along: f64 = (0..3).map(|j| first[j] * x[j]).sum::<f64>() / first[2];
            for j in 0..3 {
                let spread = (second[j] - first[j] * first[j] / first[2]).max(LEAST * second[j]);
                let product = (price(j) + c * spread) * x[j] + c * first[j] * along;
                assert!((product - v[k * 3 + j]).abs() < 1e-10, "{product} {}", v[k * 3 + j]);
            }
        }
    }
}
