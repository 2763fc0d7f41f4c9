//! Coordinates from the low end of the spectrum of an alignment matrix `M` over all instances.
//!
//! ```text
//! min tr Vᵀ M V,   VᵀV = I,  Vᵀ r = 0
//! ```
//!
//! where `r`, the roots of the masses of the instances, is always a null vector of `M`. A dense `M` has `r` moved to the top
//! of its spectrum, and its lowest eigenvectors are the coordinates.
//!
//! A sparse `M` is used only in products. Where the graph is not connected, `M` has the contrasts between its connected
//! components for null vectors too, exactly: these come first, and if they do not suffice, the lowest eigenvectors orthogonal
//! to all of them follow. When there are more components than dimensions, the contrasts that tell the largest apart are
//! taken.

use super::components::ConnectedComponents;
use super::{Embedding, Iteration, columns};
use crate::linalg::Tridiagonal;
use crate::linalg::chebyshev::{Lowest, lowest};
use crate::linalg::operator::Operator;
use crate::{Matrix, Result};

/// An eigenvalue below this, relative to `‖M‖`, is zero.
pub(super) const NULL: f64 = 1e-12;

/// `V` of a dense matrix in which `r` belongs to an eigenvalue of at least `norm`, its null space counted with `r`.
pub(super) fn deflated(m: &Matrix, norm: f64, d: usize) -> Result<Embedding> {
    let tridiagonal = Tridiagonal::of(m);
    let nullity = Some(tridiagonal.count_below(NULL * norm) + 1);
    Ok(Embedding { x: columns(&tridiagonal.lowest(d)?.vectors, 0), nullity, iteration: None })
}

/// `V` of a dense matrix for which `r` is the constant vector.
pub(super) fn dense(mut m: Matrix, d: usize) -> Result<Embedding> {
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

/// `V` of a sparse matrix, and the dimension of the null space as far as it is known: every component of the graph, and
/// every other null vector among the coordinates.
pub(super) fn sparse(
    m: &mut dyn Operator,
    components: &ConnectedComponents,
    roots: &[f64],
    d: usize,
) -> Result<Embedding> {
    let known = components.contrasts(roots, d);
    let (n, contrasts) = (roots.len(), known.cols() - 1);
    if contrasts == d {
        let x = Matrix::from_fn(n, d, |i, j| known[(i, j + 1)]);
        return Ok(Embedding { x, nullity: Some(components.count()), iteration: None });
    }
    let found = lowest(m, &known, d - contrasts)?;
    let null = found.values.iter().filter(|&&value| value < NULL * found.norm).count();
    let x = Matrix::from_fn(n, d, |i, j| match j.checked_sub(contrasts) {
        None => known[(i, j + 1)],
        Some(j) => found.vectors[(i, j)],
    });
    let nullity = Some(components.count() + null);
    Ok(Embedding { x, nullity, iteration: Some(iteration(&found)) })
}

/// What the eigenvectors took.
pub(super) fn iteration(found: &Lowest) -> Iteration {
    Iteration { products: found.products, residual: found.residual / found.norm }
}
