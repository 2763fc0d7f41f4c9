//! Principal components: what all callers share.
//!
//! ```text
//! max tr Uᵀ S U,  UᵀU = I,   S = Σᵢ (xᵢ − m)(xᵢ − m)ᵀ
//! ```
//!
//! `U` are the leading eigenvectors of the scatter matrix `S`, or follow from those of the Gram matrix of the centred rows,
//! whichever is smaller ([`principal_axes`]). Where `S` is too large to form, the span of `U` comes from its products
//! ([`subspace`]). Products are negated, because the eigenvalue solver finds the lowest.

use faer::Mat;

use super::Tridiagonal;
use super::block::inner;
use super::geometry::product;
use super::vector::to_unit;
use crate::{Error, Matrix, Result};

/// A principal component of vectors of unit length with less variance than this is rounding.
const ROUNDING: f64 = 1e-14;

/// Adds the share of these rows to the mean of `n`.
pub fn add_to_mean<'a>(mean: &mut [f64], rows: impl IntoIterator<Item = &'a [f64]>, n: usize) {
    for row in rows {
        mean.iter_mut().zip(row).for_each(|(m, v)| *m += v / n as f64);
    }
}

/// The mean of these rows, and the rows seen from it.
pub fn centred<'a>(rows: impl ExactSizeIterator<Item = &'a [f64]> + Clone, dims: usize) -> (Vec<f64>, Matrix) {
    let mut mean = vec![0.0; dims];
    add_to_mean(&mut mean, rows.clone(), rows.len());
    let mut centred = Matrix::zeros(rows.len(), dims);
    for (to, row) in centred.as_mut_slice().chunks_exact_mut(dims).zip(rows) {
        to.iter_mut().zip(row).zip(&mean).for_each(|((to, v), m)| *to = v - m);
    }
    (mean, centred)
}

/// The mean of rows of unit length and their leading principal components, at most `most`, one row each.
///
/// # Errors
/// [`Error::Constant`] when all rows are the same, [`Error::OneColumn`] when they have a single column.
pub fn principal_axes(x: &Matrix, most: usize) -> Result<(Vec<f64>, Matrix)> {
    let (n, d) = (x.rows(), x.cols());
    let (mean, centred) = centred(x.iter_rows(), d);
    let wanted = most.min(d).min(n - 1);
    if wanted == 0 {
        return Err(Error::Constant { rows: n });
    }
    // Of the two products of the centred rows with themselves, the smaller has the same leading eigenvalues.
    let by_features = d <= n;
    let negated = if by_features { inner(&centred, &centred, -1.0) } else { negated_gram(&centred) };
    let vectors = leading(&negated, wanted, |_| ROUNDING * n as f64)?;
    if vectors.rows() == 0 && d == 1 {
        return Err(Error::OneColumn { rows: n });
    }
    if vectors.rows() == 0 {
        return Err(Error::Constant { rows: n });
    }
    if by_features {
        return Ok((mean, vectors));
    }
    let mut axes = Matrix::zeros(vectors.rows(), d);
    for (k, vector) in vectors.iter_rows().enumerate() {
        let axis = axes.row_mut(k);
        for (x, &weight) in centred.iter_rows().zip(vector) {
            axis.iter_mut().zip(x).for_each(|(v, x)| *v += weight * x);
        }
        to_unit(axis);
    }
    Ok((mean, axes))
}

/// The leading eigenvectors of a product of rows with themselves that comes negated, one row each; only those with an
/// eigenvalue above a floor, which may depend on the largest.
pub fn leading(negated: &Matrix, wanted: usize, floor: impl Fn(f64) -> f64) -> Result<Matrix> {
    let pairs = Tridiagonal::of(negated).lowest(wanted)?;
    let floor = floor(-pairs.values[0]);
    let count = pairs.values.iter().take_while(|v| -**v > floor).count();
    Ok(Matrix::from_fn(count, negated.rows(), |k, j| pairs.vectors[(k, j)]))
}

/// `−XXᵀ`.
fn negated_gram(x: &Matrix) -> Matrix {
    let mut gram = Matrix::zeros(x.rows(), x.rows());
    product(&mut gram, x.view(), x.view().transpose(), -1.0);
    gram
}

/// An orthonormal basis of nearly the leading directions: `V ← orth(S V)`, some times over, from products with `S`.
pub fn subspace(mut v: Mat<f64>, iterations: usize, scatter: impl Fn(&Mat<f64>) -> Mat<f64>) -> Mat<f64> {
    for _ in 0..iterations {
        v = scatter(&v.qr().compute_thin_Q());
    }
    v.qr().compute_thin_Q()
}

/// Directions of a sketch beyond those asked for.
pub const OVERSAMPLING: usize = 16;

/// A standard normal number, by Box and Muller's transform.
pub fn gaussian(state: &mut u64) -> f64 {
    let (radius, angle) = (super::noise(state) + 0.5, super::noise(state) + 0.5);
    (-2.0 * (1.0 - radius).ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_symmetric_to_the_bit() {
        // The solver reads the lower triangle only, so nothing may depend on which one it is.
        for (n, d) in [(41, 17), (300, 130), (530, 257)] {
            let x = Matrix::from_fn(n, d, |i, j| ((i * 7 + j * 3 + i * j) as f64).sin());
            for m in [inner(&x, &x, -1.0), negated_gram(&x)] {
                for i in 0..m.rows() {
                    assert!((0..i).all(|j| m[(i, j)] == m[(j, i)]), "{n} {d}");
                }
            }
        }
    }
}
