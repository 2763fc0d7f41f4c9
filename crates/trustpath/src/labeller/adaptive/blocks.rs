//! Work on rows in fixed blocks, so that results are the same for any number of threads.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

/// Rows per block.
pub(super) const BLOCK: usize = 2048;

/// `out = scale · left · right`, for an `out` of this shape.
pub(super) fn multiply(
    out: &mut [f64],
    [rows, columns]: [usize; 2],
    left: MatRef<'_, f64>,
    right: MatRef<'_, f64>,
    scale: f64,
) {
    let out = MatMut::from_row_major_slice_mut(out, rows, columns);
    matmul(out, Accum::Replace, left, right, scale, Par::Seq);
}

/// Runs block by block, in parallel where there are several blocks.
pub(super) fn in_blocks<T: Send>(data: &mut [T], size: usize, work: impl Fn((usize, &mut [T])) + Send + Sync) {
    if data.len() <= size {
        work((0, data));
    } else {
        data.par_chunks_mut(size).enumerate().for_each(work);
    }
}
