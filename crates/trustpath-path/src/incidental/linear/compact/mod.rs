//! The path with many classes, without anything of size instances × classes.
//!
//! Labels are one-hot, so with one row `b_k` of `B` per class
//!
//! ```text
//! ‖rᵢ‖² = 1 − 2 b_yᵢᵀxᵢ + xᵢᵀ(BᵀB)xᵢ,      Σᵢ wᵢ rᵢxᵢᵀ = T(w) − B A(w),
//!
//! A(w) = Σᵢ wᵢ xᵢxᵢᵀ  (d × d),      T(w)_k = Σ over the instances of class k of wᵢ xᵢ.
//! ```
//!
//! A gradient therefore takes two products of `n × d` with `d × d`, whatever the number of classes; `rows.rs` has the sums.
//! Newton's method solves at each `λ`, by conjugate gradients with `A(w)`, the matrix of reweighted least squares, as
//! preconditioner. The products inside conjugate gradients are in single precision: they only have to point the right way, and the
//! gradient that decides is in double precision. Each `λ` starts from the straight line through the last two solutions.
//!
//! Where every residual is longer than `λ`, the solution is that of all smaller `λ` too: `ρ_λ` is then `λ‖r‖` up to a constant.
//!
//! Only coefficients and norms along the path come out of it, no vanishing `λ` ([`Roots::Skipped`]).

mod rows;
mod solver;

use super::{IciRParams, Penalty, Roots};
use crate::incidental::{Keep, Path};
use crate::limits::DENSE_UNKNOWNS;
use crate::linalg::basis::Basis;
use crate::linalg::block::times;
use crate::{Matrix, Result};
use rows::CompactRows;
use solver::CompactSolver;

/// Below this fraction of the size of `Y`, residuals are rounding errors: the coordinates fit every label. Norms are the roots
/// of differences that carry rounding of some 1e-15, which at the smallest `λ` below must still be small.
const NO_RESIDUAL: f64 = 1e-5;
/// Gradient, relative to `λ`, that is small enough: an instance pulls at the coefficients with up to `λ ‖xᵢ‖`, and `‖xᵢ‖` is
/// `√(d/n)` on average, so this is the pull of a small part of one instance.
const TOLERANCE: f64 = 1e-2;

/// Whether this is the way to solve for `c` classes on `d` coordinates: its sums cost less from about half as many classes as
/// coordinates on.
pub(super) fn applies(params: &IciRParams, d: usize, c: usize, keep: Keep) -> bool {
    params.roots == Roots::Skipped
        && params.penalty == Penalty::Group
        && !keep.certificate
        && 2 * c > d
        && c * d > DENSE_UNKNOWNS
}

/// The path, without vanishing `λ`.
pub(super) fn path(params: &IciRParams, x: &Matrix, labels: &[usize], classes: usize, keep: Keep) -> Result<Path> {
    let Basis { q, back } = Basis::new(x);
    let rows = CompactRows::new(q, labels, classes);
    let mut solver = CompactSolver::new(&rows);
    let lambda_max = solver.least_squares();
    let lambda_max = if lambda_max > NO_RESIDUAL { lambda_max } else { 0.0 };
    let lambda = params.grid.lambdas(lambda_max);
    let mut gamma_norm = keep.gamma.then(|| Matrix::zeros(lambda.len(), rows.len()));
    let mut beta = keep.beta.then(Vec::new);
    let mut ended = lambda_max == 0.0;
    for (k, &at) in lambda.iter().enumerate() {
        if k > 0 && !ended {
            solver.advance(at, params.tolerance.max(TOLERANCE))?;
            ended = solver.norms().iter().all(|&norm| norm > at);
        }
        if let Some(norms) = &mut gamma_norm {
            let to = norms.row_mut(k).iter_mut().zip(solver.norms());
            to.for_each(|(to, norm)| *to = (norm - at).max(0.0));
        }
        if let Some(beta) = &mut beta {
            // One row per class on orthonormal coordinates; `β` has one column per class on the given ones.
            let by_class = times(solver.coefficients(), back.view().transpose());
            beta.push(Matrix::from_view(by_class.view().transpose()));
        }
    }
    Ok(Path { lambda, gamma_norm, beta, ..Path::default() })
}

#[cfg(test)]
mod tests;
