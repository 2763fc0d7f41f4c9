//! Coordinates from the low end of the spectrum of an alignment matrix `M` over all instances.
//!
//! ```text
//! min tr Vᵀ M V,   VᵀV = I,  Vᵀ r = 0
//! ```
//!
//! where `r`, the roots of the masses of the instances, is always a null vector of `M`. It is moved to the top of the
//! spectrum of `M`, whose lowest eigenvectors are the coordinates.

use super::{Embedding, columns};
use trustpath::{Matrix, Result};
use trustpath_path::linalg::Tridiagonal;

/// An eigenvalue below this, relative to `‖M‖`, is zero.
pub(super) const NULL: f64 = 1e-12;

/// `V` of a matrix in which `r` belongs to an eigenvalue of at least `norm`, its null space counted with `r`.
pub(super) fn deflated(m: &Matrix, norm: f64, d: usize) -> Result<Embedding> {
    let tridiagonal = Tridiagonal::of(m);
    let nullity = Some(tridiagonal.count_below(NULL * norm) + 1);
    Ok(Embedding { x: columns(&tridiagonal.lowest(d)?.vectors, 0), nullity })
}

/// `V` of a matrix for which `r` is the constant vector.
pub(super) fn constant_deflated(mut m: Matrix, d: usize) -> Result<Embedding> {
    let norm = norm(&m);
    // M + c 11ᵀ/n: the constant vector moves from the bottom of the spectrum to c, all others stay.
    let each = norm / m.rows() as f64;
    m.as_mut_slice().iter_mut().for_each(|x| *x += each);
    deflated(&m, norm, d)
}

/// `‖M‖∞`, an upper bound of the spectrum.
pub(super) fn norm(m: &Matrix) -> f64 {
    m.iter_rows().fold(0.0, |largest, row| row.iter().map(|x| x.abs()).sum::<f64>().max(largest))
}
