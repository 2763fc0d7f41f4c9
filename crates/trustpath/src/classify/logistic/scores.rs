//! From weights to probabilities.

use pulp::{Simd, WithSimd};

use crate::Matrix;
use crate::classify::lanes;

/// `softmax(left[rows] · rightᵀ + intercept)`, one row an instance, to be dispatched to the vector unit.
#[derive(Debug)]
pub(super) struct Scores<'a> {
    pub left: &'a Matrix,
    pub rows: &'a [usize],
    /// One row a class.
    pub right: &'a Matrix,
    pub intercept: &'a [f64],
}

impl WithSimd for Scores<'_> {
    type Output = Matrix;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Matrix {
        let (samples, classes) = (self.rows.len(), self.intercept.len());
        let stride = lanes::stride(samples);
        let mut scores = vec![0.0; classes * stride];
        let mut p = vec![0.0; classes * stride];
        for (i, &row) in self.rows.iter().enumerate() {
            let left = self.left.row(row);
            for (k, intercept) in self.intercept.iter().enumerate() {
                scores[k * stride + i] = intercept + lanes::dot(left, self.right.row(k));
            }
        }
        lanes::softmax(samples, classes, &scores, &mut p);
        Matrix::from_fn(samples, classes, |i, k| p[k * stride + i])
    }
}
