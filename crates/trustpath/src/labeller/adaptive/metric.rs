//! The metric in which the scatter within classes is the same in every direction, from the labels of a first pass.
//!
//! With soft labels `p_i` (one-hot for the labelled rows) and class means `m_k`, the scatter within classes is
//!
//! ```text
//! S = (1/N) Σ_i r_i r_iᵀ,   r_i = x_i − Σ_k p_ik m_k,      S' = (1 − κ) t I + κ S,   t = tr S / rank,
//! x_i ← S'^(−1/2) x_i, back on the sphere.
//! ```
//!
//! `S` is shrunk strongly towards a multiple of the identity, because its `D(D+1)/2` entries are estimated from `N` rows and
//! from labels that may be wrong. `Σ r rᵀ = XᵀX + Mᵀ(PᵀP − 2 diag PᵀI)M`, so no residual is ever formed.

use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Accum, MatMut, MatRef, Par};

use crate::Matrix;
use crate::linalg::geometry::unit_rows;
use crate::linalg::{cholesky, vector};

/// Applies the metric to `x`; `p` holds the soft labels of the first rows. Classes without scatter are left unchanged.
pub(super) fn whiten_classes(x: &mut Matrix, p: &Matrix, shrink: f64, rank: usize) {
    let dims = x.cols();
    let mut scatter = scatter(x, p);
    let n = p.rows() as f64;
    let trace: f64 = (0..dims).map(|j| scatter[(j, j)]).sum::<f64>() / n;
    let target = trace / rank as f64;
    if target <= 1e-12 {
        return;
    }
    for i in 0..dims {
        for j in i..dims {
            scatter[(i, j)] *= shrink / (n * target);
        }
        scatter[(i, i)] += 1.0 - shrink;
    }
    // Always succeeds: every pivot is at least 1 − κ.
    cholesky::factor(scatter.as_mut_slice(), dims, 0.0);
    for j in 0..dims {
        scatter[(j, j)] = 1.0 / scatter[(j, j)];
    }
    let rows = x.rows();
    solve_lower_triangular_in_place(
        MatRef::from_column_major_slice(scatter.as_slice(), dims, dims),
        MatMut::from_column_major_slice_mut(x.as_mut_slice(), dims, rows),
        Par::Seq,
    );
    unit_rows(x);
}

/// The upper triangle of `Σ r rᵀ`.
fn scatter(x: &Matrix, p: &Matrix) -> Matrix {
    let (n, dims, classes) = (p.rows(), x.cols(), p.cols());
    let mut scatter = Matrix::zeros(dims, dims);
    let seen = x.view().subrows(0, n);
    triangular::matmul(
        MatMut::from_row_major_slice_mut(scatter.as_mut_slice(), dims, dims),
        BlockStructure::TriangularUpper,
        Accum::Replace,
        seen.transpose(),
        BlockStructure::Rectangular,
        seen,
        BlockStructure::Rectangular,
        1.0,
        Par::Seq,
    );
    let mut means = Matrix::zeros(classes, dims);
    let mut overlap = Matrix::zeros(classes, classes);
    for (row, p) in x.iter_rows().zip(p.iter_rows()) {
        for (k, pk) in p.iter().enumerate() {
            vector::add_scaled(means.row_mut(k), *pk, row);
            vector::add_scaled(overlap.row_mut(k), *pk, p);
        }
    }
    for k in 0..classes {
        // Rows of p sum to one, so each row of the overlap sums to the count of its class.
        let count: f64 = overlap.row(k).iter().sum();
        means.row_mut(k).iter_mut().for_each(|v| *v /= count);
        overlap[(k, k)] -= 2.0 * count;
    }
    let mut mixed = vec![0.0; dims];
    for k in 0..classes {
        mixed.fill(0.0);
        for (j, row) in means.iter_rows().enumerate() {
            vector::add_scaled(&mut mixed, overlap[(k, j)], row);
        }
        for (i, m) in means.row(k).iter().enumerate() {
            vector::add_scaled(&mut scatter.row_mut(i)[i..], *m, &mixed[i..]);
        }
    }
    scatter
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> (Matrix, Matrix) {
        let x = Matrix::from_fn(9, 4, |i, j| ((i * 5 + j * j * 3) as f64).sin() + 0.3 * j as f64);
        let p = Matrix::from_fn(9, 2, |i, k| {
            let first = 0.5 + 0.5 * (i as f64).cos();
            if k == 0 { first } else { 1.0 - first }
        });
        (x, p)
    }

    #[test]
    fn the_scatter_equals_that_of_the_residuals() {
        let (x, p) = sample();
        let mut means = Matrix::zeros(2, 4);
        for k in 0..2 {
            let count: f64 = (0..9).map(|i| p[(i, k)]).sum();
            for j in 0..4 {
                means[(k, j)] = (0..9).map(|i| p[(i, k)] * x[(i, j)]).sum::<f64>() / count;
            }
        }
        let residual = |i: usize, j: usize| x[(i, j)] - (0..2).map(|k| p[(i, k)] * means[(k, j)]).sum::<f64>();
        let scatter = scatter(&x, &p);
        for a in 0..4 {
            for b in a..4 {
                let direct: f64 = (0..9).map(|i| residual(i, a) * residual(i, b)).sum();
                assert!((scatter[(a, b)] - direct).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn long_axes_within_classes_are_shortened() {
        // Two classes separated along axis 0, both stretched along axis 1.
        let mut x = Matrix::from_fn(40, 3, |i, j| match j {
            0 => 1.0 - 2.0 * (i % 2) as f64,
            1 => 2.0 * (i as f64 * 1.3).sin(),
            _ => 0.2 * (i as f64 * 2.1).cos(),
        });
        let labels: Vec<usize> = (0..40).map(|i| i % 2).collect();
        let p = Matrix::one_hot(&labels, 2);
        let spread = |x: &Matrix| (0..40).map(|i| (x[(i, 1)] / x[(i, 0)]).abs()).sum::<f64>();
        let before = spread(&x);
        whiten_classes(&mut x, &p, 0.9, 3);
        assert!(spread(&x) < 0.5 * before);
        assert!(x.iter_rows().all(|row| (vector::norm(row) - 1.0).abs() < 1e-12));
    }

    #[test]
    fn classes_without_scatter_do_not_change() {
        let x = Matrix::from_vec(2, 2, vec![1.0, 0.0, 0.0, 1.0]).unwrap();
        let mut y = x.clone();
        whiten_classes(&mut y, &Matrix::one_hot(&[0, 1], 2), 0.2, 2);
        assert_eq!(x, y);
    }
}
