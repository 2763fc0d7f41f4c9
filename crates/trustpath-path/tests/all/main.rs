//! All integration tests of this crate, in one binary.
//!
//! `parity` compares with the golden fixtures of `tests/golden` (see its README): nine small episodes with every intermediate
//! result at tight tolerance, computed by other programs.

mod brute_force;
mod common;
mod degenerate;
mod icic;
mod parity {
    mod linear;
    mod logistic;
}
mod parts;
