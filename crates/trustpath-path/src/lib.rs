//! Instance credibility inference: how far each of many labels can be trusted, by a regression with one parameter per instance.
//!
//! Regress the labels `Y` (one-hot, `n × c`) on few coordinates `X` (`n × d`), and give every instance a parameter of its own by which it
//! may deviate from the common model, at a price:
//!
//! ```text
//! min over β, γ of   ½ ‖Y − Xβ − γ‖² + λ Σᵢ ‖γᵢ‖
//! ```
//!
//! At a high price no instance deviates. As `λ` falls, instances whose label does not fit their neighbourhood begin to deviate first, and
//! those that fit best last. So the smallest `λ` at which `γᵢ` is still zero says how credible the label of instance `i` is: the smaller,
//! the more credible.
//!
//! | module | what it computes |
//! |---|---|
//! | [`incidental::linear`] | ICI-R: the path above, as a Huber regression in `d × c` numbers |
//! | [`incidental::logistic`] | ICI-C: the same for the logistic model |
//! | [`frozen_path`] | a path that is asked about other instances, under any label |
//! | [`leave_one_out`] | a path that judges every instance without its own label |
//! | [`identifiability()`] | conditions under which the method provably finds every correct label |
//! | [`Matrix`], [`random`] | the matrix type, and reproducible random numbers |
//!
//! ```
//! use trustpath_path::incidental::{IciRParams, Incidental, Keep};
//! use trustpath_path::Matrix;
//!
//! // Two groups on a line; the last instance has the label of the other group.
//! let x = Matrix::from_vec(6, 2, vec![1., 0., 1., 0.1, 1., -0.1, 0., 1., 0.1, 1., 1., 0.05])?;
//! let labels = [0, 0, 0, 1, 1, 1];
//! let path = IciRParams::default().check()?.path(&x, &labels, 2, Keep::default())?;
//! assert!(path.vanish[..5].iter().all(|lambda| *lambda < path.vanish[5]));
//! # Ok::<(), trustpath_path::Error>(())
//! ```
//!
//! The same input gives the same result, bit for bit, whatever the number of threads. Every solution can be asked for a certificate of
//! optimality that is computed independently of the solver.

// A closure can be inlined into the code for an instruction set (`linalg/simd.rs`), the name of a function cannot.
#![allow(clippy::redundant_closure)]

/// The examples of the README are tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

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
pub mod random;

pub use error::{Error, Result};
pub use frozen_path::{FrozenPath, Judgement};
pub use identifiability::{Identifiability, identifiability};
pub use leave_one_out::LeaveOneOutPath;
pub use matrix::Matrix;
