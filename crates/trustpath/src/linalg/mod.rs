//! The little dense algebra that is worth having next to faer.
//!
//! Kernels for vectors and matrices of a few dozen entries, and the few eigenpairs at one end of a dense symmetric
//! matrix. Every reduction ends in the latter: `d` eigenvectors out of `n`, where `n` is some hundred and the last of the
//! wanted eigenvalues lies within the bulk of the spectrum. Krylov methods are no help there: at `n = 275` a
//! shift-inverted block Lanczos method needs a basis of 245 or more. So [`Tridiagonal`] reduces the whole matrix, once, at
//! `2n³/3` multiply-adds; [`sturm`] finds the wanted eigenvalues by counting, and [`lowest`] their vectors by inverse
//! iteration with the factors of [`shifted`], at `O(n)` for each pair.
//!
//! Beyond some thousand instances `n²` is too much to store and `n³` too much to compute, but neighbourhood graphs are
//! [`sparse`]: their matrices are [`operator`]s, known by products with a [`block`] of vectors, and [`chebyshev`] finds the
//! same eigenpairs from products alone.

pub(crate) mod basis;
pub(crate) mod block;
pub(crate) mod chebyshev;
pub(crate) mod cholesky;
pub(crate) mod exp;
mod gram;
pub(crate) mod lanes;
mod lowest;
pub(crate) mod operator;
pub(crate) mod scan;
mod shifted;
pub(crate) mod simd;
pub(crate) mod sparse;
mod sturm;
mod tridiagonal;
pub(crate) mod vector;

pub(crate) use gram::gram;
pub(crate) use lowest::noise;
pub(crate) use tridiagonal::Tridiagonal;
