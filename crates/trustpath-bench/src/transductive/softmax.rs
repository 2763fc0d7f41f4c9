//! Probabilities from scores: `p_k = exp(s_k) / Σ_j exp(s_j)`, row by row.

use std::ops::Range;

use trustpath::Matrix;
use trustpath_path::linalg::exp::exponentiate;
use trustpath_path::linalg::geometry::scaled_distances;
use trustpath_path::linalg::simd;

/// Replaces the scores of every row by probabilities.
pub(super) fn softmax(scores: &mut Matrix) {
    exponentials(scores);
    normalise(scores);
}

/// `s_ik ← exp(s_ik − max_j s_ij)`: the largest of every row becomes one, and none is below `e⁻⁷⁰⁸`.
#[expect(clippy::redundant_closure, reason = "the closure is what is inlined into the kernel")]
pub(super) fn exponentials(scores: &mut Matrix) {
    for i in 0..scores.rows() {
        let row = scores.row_mut(i);
        let top = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        row.iter_mut().for_each(|s| *s -= top);
    }
    simd::dispatch(
        scores.as_mut_slice(),
        #[inline(always)]
        |scores| exponentiate(scores),
    );
}

/// Divides every row by its sum; a row of zeros becomes uniform.
pub(super) fn normalise(p: &mut Matrix) {
    let classes = p.cols() as f64;
    for i in 0..p.rows() {
        let row = p.row_mut(i);
        let sum: f64 = row.iter().sum();
        if sum > 0.0 {
            row.iter_mut().for_each(|v| *v /= sum);
        } else {
            row.fill(1.0 / classes);
        }
    }
}

/// `p_ik ∝ exp(−½ τ ‖x_i − μ_k‖²)` for these rows of `x`.
pub(super) fn nearest(x: &Matrix, rows: Range<usize>, prototypes: &Matrix, tau: f64) -> Matrix {
    let mut p = scaled_distances(x, rows, prototypes, -0.5 * tau);
    softmax(&mut p);
    p
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_probabilities_for_any_scores() {
        let scores = vec![0.0, 1.0, 2.0, -1e300, 1e300, 0.0, 1e4, 1e4, 1e4];
        let mut p = Matrix::from_vec(3, 3, scores).unwrap();
        softmax(&mut p);
        let total = 1.0 + 1f64.exp() + 2f64.exp();
        for (k, value) in p.row(0).iter().enumerate() {
            assert!((value - (k as f64).exp() / total).abs() < 1e-15);
        }
        assert!((p[(1, 1)] - 1.0).abs() < 1e-15 && p[(2, 0)] == p[(2, 2)]);
        let mut zeros = Matrix::zeros(1, 4);
        normalise(&mut zeros);
        assert_eq!(zeros.row(0), [0.25; 4]);
    }
}
