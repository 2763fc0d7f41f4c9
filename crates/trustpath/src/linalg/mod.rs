//! The little dense algebra that is worth having next to faer: kernels for vectors and matrices of a few dozen entries,
//! and the few lowest eigenpairs of a symmetric matrix.

pub(crate) mod basis;
pub(crate) mod cholesky;
pub(crate) mod lowest;
pub(crate) mod simd;
mod sturm;
mod tridiagonal;
pub(crate) mod vector;
