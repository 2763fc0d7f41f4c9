//! All integration tests of this crate, in one binary.
//!
//! `parity` compares with the golden fixtures of `tests/golden` (see its README): nine small episodes with every intermediate
//! result at tight tolerance, computed by other programs.

mod bad_input;
mod brute_force;
mod common;
mod flat;
mod icic;
mod parity {
    mod classify;
    mod linear;
    mod logistic;
    mod reduce;
    mod self_training;
}
mod parts;
mod peers;
mod properties;
