//! Sparse matrices, a row at a time, and their product with a block of vectors.
//!
//! A block of `m` vectors is a row-major `n × m` matrix: the entries of one instance lie side by side, so that one index
//! fetches all of them. A row of the product is summed in the order of its entries, for any number of threads.

use rayon::prelude::*;

use super::simd;
use crate::Matrix;

/// Rows of a product that one thread computes at a time.
const STRIP: usize = 128;

/// A matrix in compressed rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Csr {
    cols: usize,
    /// Where each row begins in `index` and `value`, and where the last one ends.
    start: Vec<usize>,
    index: Vec<u32>,
    value: Vec<f64>,
}

impl Csr {
    /// A matrix without rows as yet.
    pub fn new(cols: usize) -> Self {
        Self { cols, start: vec![0], index: Vec::new(), value: Vec::new() }
    }

    /// Adds a row with the entries given.
    pub fn push_row(&mut self, entries: impl IntoIterator<Item = (usize, f64)>) {
        for (j, value) in entries {
            debug_assert!(j < self.cols);
            self.index.push(j as u32);
            self.value.push(value);
        }
        self.start.push(self.index.len());
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.start.len() - 1
    }

    /// Columns and values of row `i`.
    pub fn row(&self, i: usize) -> (&[u32], &[f64]) {
        let entries = self.start[i]..self.start[i + 1];
        (&self.index[entries.clone()], &self.value[entries])
    }

    /// `Aᵀ`, the entries of each row in ascending order.
    pub fn transpose(&self) -> Self {
        let mut start = vec![0; self.cols + 1];
        for &j in &self.index {
            start[j as usize + 1] += 1;
        }
        for j in 0..self.cols {
            start[j + 1] += start[j];
        }
        let mut next = start.clone();
        let mut index = vec![0; self.index.len()];
        let mut value = vec![0.0; self.index.len()];
        for i in 0..self.rows() {
            let (columns, values) = self.row(i);
            for (&j, &v) in columns.iter().zip(values) {
                let at = &mut next[j as usize];
                (index[*at], value[*at]) = (i as u32, v);
                *at += 1;
            }
        }
        Self { cols: self.rows(), start, index, value }
    }

    /// `Y ← A X`.
    pub fn multiply(&self, x: &Matrix, y: &mut Matrix) {
        let m = x.cols();
        y.as_mut_slice().par_chunks_mut(STRIP * m).enumerate().for_each(|(strip, y)| {
            simd::dispatch(
                (self, x, strip * STRIP, y),
                #[inline(always)]
                |(a, x, first, y)| {
                    for (offset, y) in y.chunks_exact_mut(m).enumerate() {
                        let row = a.row(first + offset);
                        let mut at = tiles::<32>(row, x, 0, y);
                        at = tiles::<16>(row, x, at, y);
                        at = tiles::<8>(row, x, at, y);
                        tiles::<1>(row, x, at, y);
                    }
                },
            );
        });
    }
}

/// One row of a product from column `at` on: as many tiles of `W` columns, in registers, as there is room for. Returns where
/// they end.
#[inline(always)]
fn tiles<const W: usize>((columns, values): (&[u32], &[f64]), x: &Matrix, mut at: usize, y: &mut [f64]) -> usize {
    let (x, m) = (x.as_slice(), x.cols());
    while at + W <= y.len() {
        let mut sum = [0.0; W];
        for (&j, &v) in columns.iter().zip(values) {
            let from = j as usize * m + at;
            let x = &x[from..from + W];
            for l in 0..W {
                sum[l] += v * x[l];
            }
        }
        y[at..at + W].copy_from_slice(&sum);
        at += W;
    }
    at
}

#[cfg(test)]
mod tests {
    use faer::Mat;

    use super::*;

    #[test]
    fn products_agree_with_the_dense_ones_at_every_width() {
        let (rows, cols) = (301, 17);
        let there = |i: usize, j: usize| (i * 5 + j * 3).is_multiple_of(4);
        let entry = |i: usize, j: usize| if there(i, j) { ((i * 7 + j * j) as f64).sin() } else { 0.0 };
        let dense = Matrix::from_fn(rows, cols, entry);
        let mut a = Csr::new(cols);
        for i in 0..rows {
            a.push_row((0..cols).filter(|&j| there(i, j)).map(|j| (j, entry(i, j))));
        }
        let t = a.transpose();
        assert_eq!(t.transpose(), a);
        for m in [1, 7, 8, 45] {
            let x = Matrix::from_fn(cols, m, |i, j| ((i * 3 + j) as f64).cos());
            let z = Matrix::from_fn(rows, m, |i, j| ((i + j * 2) as f64).cos());
            let (mut y, mut back) = (Matrix::zeros(rows, m), Matrix::zeros(cols, m));
            a.multiply(&x, &mut y);
            t.multiply(&z, &mut back);
            let apart = |product: &Matrix, expected: Mat<f64>| (product.view() - expected).norm_max();
            assert!(apart(&y, dense.view() * x.view()) < 1e-13);
            assert!(apart(&back, dense.view().transpose() * z.view()) < 1e-12);
        }
    }
}
