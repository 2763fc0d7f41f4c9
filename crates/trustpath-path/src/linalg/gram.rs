//! Inner products of all rows with each other.

use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, MatMut, Par};

use crate::Matrix;

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
