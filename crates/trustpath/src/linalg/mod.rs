//! The little dense algebra that is worth having next to faer.
//!
//! Kernels for vectors and matrices of a few dozen entries, and the few eigenpairs at one end of a dense symmetric
//! matrix. Every reduction ends in the latter: `d` eigenvectors out of `n`, where `n` is some hundred and the wanted
//! eigenvalues lie so close to the rest of the spectrum that Krylov methods would walk through nearly all of it. So
//! [`Tridiagonal`] reduces the matrix once, at `2n³/3` multiply-adds in one fused sweep per column; [`sturm`] finds the
//! wanted eigenvalues by counting, and [`lowest`] their vectors by inverse iteration, both at `O(n)` per eigenpair.

pub(crate) mod basis;
pub(crate) mod cholesky;
mod lowest;
pub(crate) mod simd;
mod sturm;
mod tridiagonal;
pub(crate) mod vector;

pub(crate) use tridiagonal::Tridiagonal;
