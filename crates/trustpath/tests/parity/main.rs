//! Agreement with the golden fixtures of `tests/golden` (see its README): nine small episodes with every intermediate
//! result at tight tolerance, computed by other programs.

mod classify;
mod common;
mod linear;
mod logistic;
mod reduce;
mod self_taught;
