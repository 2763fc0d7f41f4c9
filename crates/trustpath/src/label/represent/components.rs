//! The leading principal components of a pool, from whichever product of its rows with themselves is the smaller.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

use super::{COMPONENTS, to_unit};
use crate::linalg::Tridiagonal;
use crate::linalg::block::inner;
use crate::{Error, Matrix, Result};

/// A principal component with less variance than this is rounding; instances have unit length.
pub(super) const ROUNDING: f64 = 1e-14;

/// The mean and the leading principal components, one row each.
pub(super) fn principal_components(x: &Matrix) -> Result<(Vec<f64>, Matrix)> {
    let (n, d) = (x.rows(), x.cols());
    let mut mean = vec![0.0; d];
    for row in x.iter_rows() {
        mean.iter_mut().zip(row).for_each(|(m, v)| *m += v / n as f64);
    }
    let centred = Matrix::from_fn(n, d, |i, j| x[(i, j)] - mean[j]);
    let wanted = COMPONENTS.min(d).min(n - 1);
    if wanted == 0 {
        return Err(Error::Constant { rows: n });
    }
    // Of the two products of the centred rows with themselves, the smaller has the same leading eigenvalues.
    let by_features = d <= n;
    let size = d.min(n);
    let negated =
        if by_features { inner(&centred, &centred, -1.0) } else { negated_gram(&centred) };
    let vectors = leading(negated, wanted.min(size), n, ROUNDING)?;
    let mut basis = Matrix::zeros(vectors.rows(), d);
    for (k, vector) in vectors.iter_rows().enumerate() {
        let row = basis.row_mut(k);
        if by_features {
            row.copy_from_slice(vector);
        } else {
            for (x, &weight) in centred.iter_rows().zip(vector) {
                row.iter_mut().zip(x).for_each(|(v, x)| *v += weight * x);
            }
            to_unit(row);
        }
    }
    Ok((mean, basis))
}

/// The leading eigenvectors of a product of `n` rows with themselves that comes negated, one row each; only those with
/// more variance than rounding has.
pub(super) fn leading(
    mut negated: Matrix,
    wanted: usize,
    n: usize,
    rounding: f64,
) -> Result<Matrix> {
    let size = negated.rows();
    for i in 0..size {
        for j in 0..i {
            negated[(i, j)] = negated[(j, i)];
        }
    }
    let pairs = Tridiagonal::of(&negated).lowest(wanted)?;
    let kept = pairs.values.iter().take_while(|v| -**v > rounding * n as f64).count();
    if kept == 0 {
        return Err(Error::Constant { rows: n });
    }
    Ok(Matrix::from_fn(kept, size, |k, j| pairs.vectors[(k, j)]))
}

/// Adds `−XᵀX` for row-major values, in strips of so many rows.
pub(super) fn add_negated_scatter(x: &[f64], strip: usize, sum: &mut Matrix) {
    let d = sum.cols();
    let strips: Vec<Matrix> = x
        .par_chunks(strip * d)
        .map(|strip| {
            let mut part = Matrix::zeros(d, d);
            let strip = MatRef::from_row_major_slice(strip, strip.len() / d, d);
            let out = MatMut::from_row_major_slice_mut(part.as_mut_slice(), d, d);
            matmul(out, Accum::Replace, strip.transpose(), strip, -1.0, Par::Seq);
            part
        })
        .collect();
    for part in &strips {
        sum.as_mut_slice().iter_mut().zip(part.as_slice()).for_each(|(s, p)| *s += p);
    }
}

/// `−XXᵀ`.
fn negated_gram(x: &Matrix) -> Matrix {
    let n = x.rows();
    let mut gram = Matrix::zeros(n, n);
    let out = MatMut::from_row_major_slice_mut(gram.as_mut_slice(), n, n);
    matmul(out, Accum::Replace, x.view(), x.view().transpose(), -1.0, Par::Seq);
    gram
}
