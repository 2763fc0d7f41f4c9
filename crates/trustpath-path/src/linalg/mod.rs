//! The linear algebra that faer does not have, or not as fast at these sizes.
//!
//! Kernels for vectors and matrices of a few dozen entries, and the few eigenpairs at one end of a dense symmetric
//! matrix. Every reduction ends in the latter: `d` eigenvectors out of `n`, where `n` is some hundred and the last of the
//! wanted eigenvalues lies within the bulk of the spectrum. Krylov methods do not help there: at `n = 275` a
//! shift-inverted block Lanczos method needs a basis of 245 or more. So [`Tridiagonal`] reduces the entire matrix, once, at
//! `2n³/3` multiply-adds; `sturm` finds the wanted eigenvalues by counting, and `lowest` their vectors by inverse
//! iteration with the factors of `shifted`, at `O(n)` for each pair.
//!
//! Matrices of neighbourhood graphs are [`sparse`] and used only in products with a [`block`] of vectors. [`pca`] holds what
//! all principal components have in common.

pub mod basis;
pub mod block;
pub mod cholesky;
pub mod exp;
pub mod geometry;
pub mod lanes;
mod lowest;
pub mod pca;
mod shifted;
pub mod simd;
pub mod sparse;
mod sturm;
mod tridiagonal;
pub mod vector;

pub use block::gram;
pub use lowest::noise;
pub use tridiagonal::Tridiagonal;

use faer::linalg::solvers::SelfAdjointEigen;
use faer::{MatRef, Side};

use crate::{Error, Result};

/// All eigenpairs of a small symmetric matrix, in ascending order of the eigenvalues.
pub fn eigen(m: MatRef<'_, f64>) -> Result<SelfAdjointEigen<f64>> {
    // Fails only when the iteration inside does, which finite input does not bring about.
    let (what, reached) = ("the eigenvalue solver", f64::NAN);
    let failed = |_| Error::NotConverged { what, iterations: 0, reached, tolerance: f64::EPSILON };
    SelfAdjointEigen::new(m, Side::Lower).map_err(failed)
}
