//! Means, unit vectors, squared distances and nearest rows.
//!
//! `‖x − μ‖² = ‖x‖² + ‖μ‖² − 2 xᵀμ`: one product of the instances with the few means, the norms of the instances
//! computed once. `O(nKD)` and no allocation after the first call. On the unit sphere the largest inner product is the
//! smallest distance: `‖x − y‖² = 2 − 2 xᵀy`.

use std::ops::Range;

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

use crate::Matrix;
use crate::linalg::{simd, vector};

/// A row shorter than this has no direction but rounding.
const NO_LENGTH: f64 = 1e-12;

/// The mean of these rows.
pub fn mean(x: &Matrix, rows: Range<usize>) -> Vec<f64> {
    let scale = 1.0 / rows.len().max(1) as f64;
    let mut mean = vec![0.0; x.cols()];
    rows.for_each(|i| vector::add_scaled(&mut mean, 1.0, x.row(i)));
    mean.iter_mut().for_each(|m| *m *= scale);
    mean
}

/// `x ← (x − m)/‖x − m‖` for these rows. A row at the mean `m` goes to the origin, which is equally far from every
/// class.
pub fn centre(x: &mut Matrix, rows: Range<usize>, mean: &[f64]) {
    for i in rows {
        let row = x.row_mut(i);
        vector::add_scaled(row, -1.0, mean);
        unit(row);
    }
}

fn norm(row: &[f64]) -> f64 {
    simd::dispatch(
        row,
        #[inline(always)]
        |row| vector::norm(row),
    )
}

/// `x ← x/‖x‖`; a row without length becomes zero.
pub fn unit(row: &mut [f64]) {
    let norm = norm(row);
    if norm > NO_LENGTH {
        row.iter_mut().for_each(|v| *v /= norm);
    } else {
        row.fill(0.0);
    }
}

/// [`unit`] for every row.
pub fn unit_rows(x: &mut Matrix) {
    (0..x.rows()).for_each(|i| unit(x.row_mut(i)));
}

/// Instances whose distances to changing means are computed repeatedly.
#[derive(Debug)]
pub struct Distances<'a> {
    x: MatRef<'a, f64>,
    norms: Vec<f64>,
}

impl<'a> Distances<'a> {
    /// Of these rows of `x`.
    pub fn new(x: &'a Matrix, rows: Range<usize>) -> Self {
        let norms = simd::dispatch(
            (x, rows.clone()),
            #[inline(always)]
            |(x, rows)| {
                let mut norms = Vec::with_capacity(rows.len());
                for i in rows {
                    norms.push(vector::dot(x.row(i), x.row(i)));
                }
                norms
            },
        );
        Self { x: x.view().subrows(rows.start, rows.len()), norms }
    }

    /// The rows themselves.
    pub fn instances(&self) -> MatRef<'a, f64> {
        self.x
    }

    /// Number of rows.
    #[expect(clippy::len_without_is_empty, reason = "nobody asks")]
    pub fn len(&self) -> usize {
        self.norms.len()
    }

    /// `out_ik = ‖x_i − μ_k‖²`, for the rows `μ_k` of `means`.
    pub fn to(&self, means: &Matrix, out: &mut Matrix) {
        product(out, self.x, means.view().transpose(), -2.0);
        for k in 0..means.rows() {
            let mean = norm(means.row(k)).powi(2);
            for (i, norm) in self.norms.iter().enumerate() {
                // Rounding must not make a distance negative.
                out[(i, k)] = (out[(i, k)] + norm + mean).max(0.0);
            }
        }
    }
}

/// Squared distances of these rows of `x` to the rows of `means`, times `scale`.
pub fn scaled_distances(x: &Matrix, rows: Range<usize>, means: &Matrix, scale: f64) -> Matrix {
    let mut out = Matrix::zeros(rows.len(), means.rows());
    Distances::new(x, rows).to(means, &mut out);
    out.as_mut_slice().iter_mut().for_each(|d| *d *= scale);
    out
}

/// `out = scale · left · right`.
pub fn product(out: &mut Matrix, left: MatRef<'_, f64>, right: MatRef<'_, f64>, scale: f64) {
    let (rows, cols) = (out.rows(), out.cols());
    let out = MatMut::from_row_major_slice_mut(out.as_mut_slice(), rows, cols);
    matmul(out, Accum::Replace, left, right, scale, Par::Seq);
}

/// The sum and the number of each class's labelled rows, which come first in `x`.
pub fn class_sums(x: &Matrix, labels: &[usize], classes: usize) -> (Matrix, Vec<f64>) {
    let (mut sums, mut counts) = (Matrix::zeros(classes, x.cols()), vec![0.0; classes]);
    for (row, &label) in x.iter_rows().zip(labels) {
        counts[label] += 1.0;
        vector::add_scaled(sums.row_mut(label), 1.0, row);
    }
    (sums, counts)
}

/// The mean of each class's labelled rows, which come first in `x`. Every class has at least one.
pub fn class_means(x: &Matrix, labels: &[usize], classes: usize) -> Matrix {
    let (mut means, counts) = class_sums(x, labels, classes);
    for (k, count) in counts.iter().enumerate() {
        means.row_mut(k).iter_mut().for_each(|s| *s /= count);
    }
    means
}

/// The columns of the `k` largest of `similarities`, largest first and equal ones in order; `except` is left out.
pub fn most_similar(similarities: &[f64], except: usize, k: usize) -> Vec<usize> {
    let mut best: Vec<usize> = Vec::with_capacity(k + 1);
    for (j, s) in similarities.iter().enumerate() {
        let full = best.len() == k;
        if j == except || (full && best.last().is_none_or(|&b| *s <= similarities[b])) {
            continue;
        }
        let at = best.partition_point(|&b| similarities[b] >= *s);
        best.insert(at, j);
        best.truncate(k);
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn centred_rows_have_unit_length_except_one_at_the_mean() {
        let mut x = Matrix::from_vec(3, 2, vec![1.0, 0.0, 0.0, 1.0, 0.5, 0.5]).unwrap();
        let mean = mean(&x, 0..2);
        centre(&mut x, 0..3, &mean);
        let half = 0.5f64.sqrt();
        for (value, expected) in x.as_slice().iter().zip([half, -half, -half, half, 0.0, 0.0]) {
            assert!((value - expected).abs() < 1e-15);
        }
    }

    #[test]
    fn distances_match_their_definition() {
        let x = Matrix::from_fn(7, 20, |i, j| ((i * 20 + j) as f64).sin());
        let means = Matrix::from_fn(3, 20, |k, j| ((k + 2 * j) as f64).cos());
        let out = scaled_distances(&x, 2..7, &means, 1.0);
        for i in 0..5 {
            for k in 0..3 {
                let pairs = x.row(i + 2).iter().zip(means.row(k));
                let expected: f64 = pairs.map(|(a, b)| (a - b) * (a - b)).sum();
                assert!((out[(i, k)] - expected).abs() < 1e-13);
            }
        }
        let x = Matrix::from_fn(1, 33, |_, j| 0.1 * j as f64);
        let to_itself = scaled_distances(&x, 0..1, &x, 1.0)[(0, 0)];
        assert!((0.0..1e-12).contains(&to_itself));
    }

    #[test]
    fn means_are_taken_class_by_class() {
        let x = Matrix::from_vec(3, 1, vec![1.0, 5.0, 3.0]).unwrap();
        assert_eq!(class_means(&x, &[1, 0, 1], 2).as_slice(), [5.0, 2.0]);
    }

    #[test]
    fn the_largest_come_first_and_equal_ones_in_order() {
        let s = [0.1, 0.9, 0.5, 0.9, 0.7];
        assert_eq!(most_similar(&s, 9, 3), [1, 3, 4]);
        assert_eq!(most_similar(&s, 1, 2), [3, 4]);
        assert_eq!(most_similar(&s, 0, 9), [1, 3, 4, 2]);
        assert_eq!(most_similar(&s, 9, 0), [] as [usize; 0]);
    }
}
