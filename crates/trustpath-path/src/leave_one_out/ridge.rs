//! The ridge of the audit's regression, chosen by leave-one-out error.
//!
//! ```text
//! XᵀVX = U S Uᵀ,  Z = XU       f = Z (S + a n)⁻¹ ZᵀVY,   hᵢ = vᵢ Σⱼ zᵢⱼ² / (sⱼ + a n)      V the weights of the classes
//! error(a) = mean over i of ρ(‖yᵢ − fᵢ‖ / (1 − hᵢ))     ρ(r) = r²/2 up to r = 1, then r − ½
//! ```
//!
//! One decomposition serves every `a`. The residual without instance `i` is in closed form, and the loss is linear from 1 on, so that
//! wrong labels, which no `a` can predict, do not decide.

use crate::linalg::block::{inner, times};
use crate::linalg::eigen;
use crate::{Matrix, Result};

use super::{class_weights, weighted};
use crate::one_hot_fit::{Fitted, class_sums};

/// The ridge is one of these times the number of instances.
const SHARES: [f64; 7] = [1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1];
/// The least that remains of an instance's residual: it bounds what rounding can do where one instance determines a direction.
pub(super) const LEAST_REMAINDER: f64 = 1e-6;

/// The ridge `a n` with the smallest leave-one-out error, for rows of the design.
pub fn choose(x: &Matrix, labels: &[usize], classes: usize) -> Result<f64> {
    let n = x.rows() as f64;
    let weights = class_weights(labels, classes);
    let pairs = eigen(inner(x, &weighted(x, &weights), 1.0).view())?;
    let spectrum: Vec<f64> = pairs.S().column_vector().iter().map(|s| s.max(0.0)).collect();
    let z = times(x, pairs.U());
    let sums = class_sums(&z, labels, &weights, classes);
    let squares = Matrix::from_fn(z.rows(), z.cols(), |i, j| weights[i] * z[(i, j)] * z[(i, j)]);
    let error = |ridge: f64| {
        let inverse = Matrix::from_fn(spectrum.len(), 1, |j, _| 1.0 / (spectrum[j] + ridge));
        let leverage = times(&squares, inverse.view());
        let beta = Matrix::from_fn(sums.rows(), classes, |j, k| inverse[(j, 0)] * sums[(j, k)]);
        let fitted = Fitted::new(&beta);
        let losses = fitted.residuals(&z, labels).zip(leverage.as_slice()).map(|(residual, h)| {
            let r = residual / (1.0 - h).max(LEAST_REMAINDER);
            if r < 1.0 { 0.5 * r * r } else { r - 0.5 }
        });
        losses.sum::<f64>() / n
    };
    let ridges = SHARES.map(|share| share * n);
    let errors = ridges.map(error);
    let best = (0..SHARES.len()).min_by(|&a, &b| errors[a].total_cmp(&errors[b])).unwrap_or(0);
    Ok(ridges[best])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_asks_for_a_large_ridge_and_structure_for_a_small_one() {
        let structure = |i: usize, j: usize| f64::from(u8::from(i % 3 == j));
        let noise = |i: usize, j: usize| (((i * 17 + j * 31 + i * j) * 7919) as f64).sin();
        let labels: Vec<usize> = (0..90).map(|i| i % 3).collect();
        let clear = Matrix::from_fn(90, 12, |i, j| structure(i, j) + 0.01 * noise(i, j));
        let unclear = Matrix::from_fn(90, 12, |i, j| 0.3 * noise(i, j));
        assert!(choose(&clear, &labels, 3).unwrap() <= 90.0 * 1e-3);
        assert_eq!(choose(&unclear, &labels, 3).unwrap(), 90.0 * 0.1);
    }
}
