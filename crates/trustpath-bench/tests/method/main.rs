//! The method as the paper runs it: classifiers, reductions, self-training and the methods it is compared with, against golden fixtures
//! computed by other programs (`trustpath-path/tests/golden`), and the properties that all of them must have.

mod bad_input;
#[path = "../../../trustpath-path/tests/all/brute_force.rs"]
mod brute_force;
#[path = "../../../trustpath-path/tests/all/common.rs"]
mod common;
mod parity {
    mod classify;
    mod reduce;
    mod self_training;
}
mod peers;
mod properties;
