#![doc = include_str!("../README.md")]
// A closure can be inlined into the code for an instruction set (`linalg/simd.rs`), the name of a function cannot.
#![allow(clippy::redundant_closure)]

#[doc(hidden)]
pub mod choice;
mod error;
pub mod frozen_path;
mod identifiability;
pub mod incidental;
#[doc(hidden)]
pub mod labels;
pub mod leave_one_out;
mod limits;
#[doc(hidden)]
pub mod linalg;
mod matrix;
mod one_hot_fit;
pub mod random;
#[cfg(test)]
mod testing;

pub use error::{Error, Result};
pub use frozen_path::{FrozenPath, Judgement};
pub use identifiability::{Identifiability, identifiability};
pub use leave_one_out::LeaveOneOutPath;
pub use matrix::Matrix;
