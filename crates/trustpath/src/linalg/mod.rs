//! The little dense algebra that is worth having next to faer: kernels for vectors and matrices of a few dozen entries.

pub(crate) mod basis;
pub(crate) mod cholesky;
pub(crate) mod simd;
pub(crate) mod vector;
