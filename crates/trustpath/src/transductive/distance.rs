//! Class means, and squared distances to them.
//!
//! `‖x − μ‖² = ‖x‖² + ‖μ‖² − 2 xᵀμ`: one product of the instances with the few means, the norms of the instances taken
//! once. `O(nKD)` and no allocation after the first call.

use std::ops::Range;

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

use crate::Matrix;
use crate::linalg::{simd, vector};

/// Instances from which distances are measured again and again.
#[derive(Debug)]
pub(crate) struct Distances<'a> {
    x: MatRef<'a, f64>,
    norms: Vec<f64>,
}

impl<'a> Distances<'a> {
    /// From these rows of `x`.
    pub fn new(x: &'a Matrix, rows: Range<usize>) -> Self {
        let norms = simd::dispatch((x, rows.clone()), squared_norms);
        Self { x: x.view().subrows(rows.start, rows.len()), norms }
    }

    /// The rows themselves.
    pub fn instances(&self) -> MatRef<'a, f64> {
        self.x
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.norms.len()
    }

    /// `out_ik = ‖x_i − μ_k‖²`, for the rows `μ_k` of `means`.
    pub fn to(&self, means: &Matrix, out: &mut Matrix) {
        product(out, self.x, means.view().transpose(), -2.0);
        for k in 0..means.rows() {
            let mean = simd::dispatch(means.row(k), vector::norm).powi(2);
            for (i, norm) in self.norms.iter().enumerate() {
                // Rounding must not make a distance negative.
                out[(i, k)] = (out[(i, k)] + norm + mean).max(0.0);
            }
        }
    }
}

#[inline(always)]
fn squared_norms((x, rows): (&Matrix, Range<usize>)) -> Vec<f64> {
    let mut norms = Vec::with_capacity(rows.len());
    for i in rows {
        norms.push(vector::dot(x.row(i), x.row(i)));
    }
    norms
}

/// `out = scale · left · right`.
pub(crate) fn product(out: &mut Matrix, left: MatRef<'_, f64>, right: MatRef<'_, f64>, scale: f64) {
    let (rows, cols) = (out.rows(), out.cols());
    let out = MatMut::from_row_major_slice_mut(out.as_mut_slice(), rows, cols);
    matmul(out, Accum::Replace, left, right, scale, Par::Seq);
}

/// The mean of each class's labelled rows, which are the first ones. Every class has one.
pub(crate) fn class_means(x: &Matrix, labels: &[usize], classes: usize) -> Matrix {
    let mut means = Matrix::zeros(classes, x.cols());
    let mut counts = vec![0.0; classes];
    for (row, &label) in x.iter_rows().zip(labels) {
        counts[label] += 1.0;
        vector::add_scaled(means.row_mut(label), 1.0, row);
    }
    for (k, count) in counts.iter().enumerate() {
        means.row_mut(k).iter_mut().for_each(|s| *s /= count);
    }
    means
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_of_the_definition() {
        let x = Matrix::from_fn(7, 20, |i, j| ((i * 20 + j) as f64).sin());
        let means = Matrix::from_fn(3, 20, |k, j| ((k + 2 * j) as f64).cos());
        let mut out = Matrix::zeros(5, 3);
        Distances::new(&x, 2..7).to(&means, &mut out);
        for i in 0..5 {
            for k in 0..3 {
                let pairs = x.row(i + 2).iter().zip(means.row(k));
                let expected: f64 = pairs.map(|(a, b)| (a - b) * (a - b)).sum();
                assert!((out[(i, k)] - expected).abs() < 1e-13);
            }
        }
    }

    #[test]
    fn a_point_is_at_no_distance_from_itself() {
        let x = Matrix::from_fn(1, 33, |_, j| 0.1 * j as f64);
        let mut out = Matrix::zeros(1, 1);
        Distances::new(&x, 0..1).to(&x, &mut out);
        assert!((0.0..1e-12).contains(&out[(0, 0)]));
    }

    #[test]
    fn means_are_of_each_class() {
        let x = Matrix::from_vec(3, 1, vec![1.0, 5.0, 3.0]).unwrap();
        assert_eq!(class_means(&x, &[1, 0, 1], 2).as_slice(), [5.0, 2.0]);
    }
}
