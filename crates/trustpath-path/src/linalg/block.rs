//! Blocks of vectors: row-major matrices of many rows and few columns.
//!
//! Sums over the rows are taken over strips that depend on the number of rows alone, and added in order.

use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

use crate::Matrix;

/// Strips that a sum over all rows is taken over.
const STRIPS: usize = 16;
/// Rows that are multiplied together.
const ROWS: usize = 256;

/// `s AᵀB`.
pub fn inner(a: &Matrix, b: &Matrix, s: f64) -> Matrix {
    let (p, q, strip) = (a.cols(), b.cols(), a.rows().div_ceil(STRIPS).max(1));
    let strips: Vec<Matrix> = a
        .as_slice()
        .par_chunks(strip * p.max(1))
        .zip(b.as_slice().par_chunks(strip * q.max(1)))
        .map(|(a, b)| {
            let mut part = Matrix::zeros(p, q);
            let a = MatRef::from_row_major_slice(a, a.len() / p, p);
            let b = MatRef::from_row_major_slice(b, b.len() / q, q);
            let out = MatMut::from_row_major_slice_mut(part.as_mut_slice(), p, q);
            matmul(out, Accum::Replace, a.transpose(), b, s, Par::Seq);
            part
        })
        .collect();
    let mut sum = Matrix::zeros(p, q);
    for part in &strips {
        sum.as_mut_slice().iter_mut().zip(part.as_slice()).for_each(|(s, p)| *s += p);
    }
    sum
}

/// `out = x m`, for row-major `x` and `out`.
pub fn multiply(x: &[f64], rows: usize, m: MatRef<'_, f64>, out: &mut [f64]) {
    let x = MatRef::from_row_major_slice(x, rows, m.nrows());
    let out = MatMut::from_row_major_slice_mut(out, rows, m.ncols());
    matmul(out, Accum::Replace, x, m, 1.0, Par::Seq);
}

/// `X T`.
pub fn times(x: &Matrix, t: MatRef<'_, f64>) -> Matrix {
    let (p, q) = (x.cols(), t.ncols());
    let mut y = Matrix::zeros(x.rows(), q);
    if p > 0 && q > 0 {
        let blocks = y.as_mut_slice().par_chunks_mut(ROWS * q).zip(x.as_slice().par_chunks(ROWS * p));
        blocks.for_each(|(y, x)| {
            let x = MatRef::from_row_major_slice(x, x.len() / p, p);
            let y = MatMut::from_row_major_slice_mut(y, x.nrows(), q);
            matmul(y, Accum::Add, x, t, 1.0, Par::Seq);
        });
    }
    y
}

/// `X Xᵀ`, symmetric to the bit: one half is computed and copied to the other.
pub fn gram(x: &Matrix) -> Matrix {
    let n = x.rows();
    let mut gram = Matrix::zeros(n, n);
    let x = x.view();
    triangular::matmul(
        MatMut::from_row_major_slice_mut(gram.as_mut_slice(), n, n),
        BlockStructure::TriangularLower,
        Accum::Replace,
        x,
        BlockStructure::Rectangular,
        x.transpose(),
        BlockStructure::Rectangular,
        1.0,
        Par::Seq,
    );
    for i in 0..n {
        for j in i + 1..n {
            gram[(i, j)] = gram[(j, i)];
        }
    }
    gram
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_agree_with_their_sums() {
        let a = Matrix::from_fn(531, 3, |i, j| ((i * 3 + j) as f64).sin());
        let b = Matrix::from_fn(531, 5, |i, j| ((i * 7 + j) as f64).cos());
        let ab = inner(&a, &b, -2.0);
        let y = times(&a, ab.view());
        for q in 0..5 {
            for p in 0..3 {
                let sum: f64 = (0..531).map(|i| a[(i, p)] * b[(i, q)]).sum();
                assert!((ab[(p, q)] + 2.0 * sum).abs() < 1e-11);
            }
            for i in 0..531 {
                let sum: f64 = (0..3).map(|p| a[(i, p)] * ab[(p, q)]).sum();
                assert!((y[(i, q)] - sum).abs() < 1e-10);
            }
        }
    }
}
