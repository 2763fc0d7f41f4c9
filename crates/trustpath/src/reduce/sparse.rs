//! Coordinates from the low end of the spectrum of a large, sparse matrix.
//!
//! ```text
//! min tr Vᵀ M V,   VᵀV = I,  Vᵀ r = 0
//! ```
//!
//! where `r`, the roots of the masses of the instances, is a null vector of `M` always. Where the graph falls into pieces,
//! `M` has the contrasts between them for null vectors too, exactly: these come first, and if they do not suffice, the
//! lowest eigenvectors orthogonal to all of them follow. When there are more pieces than dimensions, the contrasts that
//! tell the largest apart are taken.

use super::Embedding;
use super::lle::NULL;
use super::pieces::Pieces;
use crate::linalg::chebyshev::lowest;
use crate::linalg::operator::Operator;
use crate::{Matrix, Result};

/// `V`, and the dimension of the null space as far as it was looked at: every piece of the graph, and every other null
/// vector among the coordinates.
pub(super) fn coordinates(
    m: &mut dyn Operator,
    pieces: &Pieces,
    roots: &[f64],
    d: usize,
) -> Result<Embedding> {
    let known = pieces.contrasts(roots, d);
    let (n, contrasts) = (roots.len(), known.cols() - 1);
    if contrasts == d {
        let x = Matrix::from_fn(n, d, |i, j| known[(i, j + 1)]);
        return Ok(Embedding { x, nullity: Some(pieces.count()), iteration: None });
    }
    let found = lowest(m, &known, d - contrasts)?;
    let null = found.values.iter().filter(|&&value| value < NULL * found.norm).count();
    let x = Matrix::from_fn(n, d, |i, j| match j.checked_sub(contrasts) {
        None => known[(i, j + 1)],
        Some(j) => found.vectors[(i, j)],
    });
    let nullity = Some(pieces.count() + null);
    Ok(Embedding { x, nullity, iteration: Some(found.iteration()) })
}
