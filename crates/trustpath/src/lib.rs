//! Instance Credibility Inference: pseudo-labels for unlabeled data, and how far each can be trusted.
//!
//! # The problem
//! There are features of many instances, labels for a few of them, and a classifier trained on these few. It can
//! label the rest, but some of those *pseudo-labels* are wrong, and a classifier retrained on wrong labels gets worse.
//! Which pseudo-labels can be trusted?
//!
//! # The idea
//! Regress the labels `Y` (one-hot, `n × c`) on few coordinates `X` (`n × d`) of the features, and give every instance a
//! parameter of its own by which it may deviate from the common model, at a price:
//!
//! ```text
//! min over β, γ of   ½ ‖Y − Xβ − γ‖² + λ Σᵢ ‖γᵢ‖
//! ```
//!
//! At a high price no instance deviates. As `λ` falls, instances whose label does not fit their neighbourhood begin to
//! deviate first, and those that fit best last. So the smallest `λ` at which `γᵢ` is still zero measures how credible the
//! label of instance `i` is: the smaller, the more credible. That is *instance credibility inference*, of Yikai Wang, Li
//! Zhang, Yuan Yao and Yanwei Fu, "How to Trust Unlabeled Data? Instance Credibility Inference for Few-Shot Learning".
//!
//! # The pipeline
//! ```text
//! features → representation → labeller → judge → trust → labels with verdicts, a model
//! ```
//!
//! | module | what it does |
//! |---|---|
//! | [`Features`] → [`Instances`] | checks the input and scales every instance to unit length |
//! | [`reduce`] | features → few coordinates: LLE and its relatives |
//! | [`classify`] | the classifiers that give pseudo-labels |
//! | [`incidental`] | the path of `γ` as `λ` varies: ICI-R (linear) and ICI-C (logistic) |
//! | [`judge`] | a score per label: credibility, and the paper's baselines |
//! | [`labeller`] | labels for a pool: self-training (Algorithm 1) and every method of [`transductive`] |
//! | [`trust`] | which labels can be relied on: calibrated precision, instances of unknown classes |
//! | [`label()`], [`audit()`] | the complete pipeline, and the judge alone on labels that exist |
//! | [`spec`] | every option of the above, declared once |
//! | [`label::regions`] | the same pipeline where rows are on several machines |
//! | [`limits`] | the sizes at which an algorithm changes |
//! | [`map_2d`] | a map of the features in two dimensions, for display only |
//! | [`identifiability()`] | conditions under which the method provably finds every correct label |
//!
//! # Why it is fast
//! Given `λ`, the best `γᵢ` is the part of the residual `rᵢ = yᵢ − βᵀxᵢ` beyond length `λ`. Substituted, this leaves a Huber
//! regression in the `d × c` numbers `β` alone, solved by Newton's method in `O(n)` per step, with no `n × n` matrix
//! anywhere ([`incidental::linear`]). The logistic model reduces the same way ([`incidental::logistic`]). The classifier
//! works in the span of its few samples, on a Gram matrix that all rounds share.
//!
//! # An episode
//! Two classes, one labelled instance of each, and eighteen without a label:
//!
//! ```
//! use trustpath::spec::SelfTrainingSpec;
//! use trustpath::{Features, Task};
//!
//! // Instance i belongs to class i mod 2, and leans towards the axis of its class.
//! let values: Vec<f32> = (0..20 * 8)
//!     .map(|at| {
//!         let (i, j) = (at / 8, at % 8);
//!         let lean = if j == i % 2 { 2.0 } else { 0.5 };
//!         lean + 0.4 * ((at * at) as f32).sin()
//!     })
//!     .collect();
//! let instances = Features::new(&values[..], 20, 8)?.normalize()?;
//!
//! let spec = SelfTrainingSpec { dim: 2, step: 3, ..Default::default() };
//! let outcome = spec.build()?.run(&Task {
//!     instances: &instances,
//!     labels: &[0, 1],
//!     unlabeled: 18,
//!     classes: 2,
//!     truth: None,
//! })?;
//! assert_eq!(outcome.labels, (2..20).map(|i| i % 2).collect::<Vec<_>>());
//! assert!(outcome.accepted_in.iter().all(Option::is_some));
//! # Ok::<(), trustpath::Error>(())
//! ```
//!
//! # Guarantees of the implementation
//! The same input gives the same result, bit for bit, whatever the number of threads. Every solution can be asked for a
//! certificate of optimality that is computed independently of the solver. Nothing here reads a file, prints, or panics on
//! data: unusable input is an [`Error`] that names the input and the remedy.

// A closure can be inlined into the code for an instruction set (`linalg/simd.rs`), the name of a function cannot.
#![allow(clippy::redundant_closure)]

/// The examples of the README are tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
extern crate self as trustpath;

mod audit;
pub mod classify;
mod duplicates;
mod features;
pub mod judge;
pub mod label;
pub mod labeller;
pub mod limits;
mod map;
pub mod neighbors;
mod observer;
mod pipeline;
mod pool;
#[doc(hidden)]
pub mod power;
mod request;
pub mod spec;
mod stream;
#[doc(hidden)]
pub mod task;
#[cfg(test)]
mod testing;
pub mod trust;

pub use audit::{Audit, AuditBuilder, AuditModel, AuditedLabel, LEAST_LABELS, WrongLabels, audit};
pub use duplicates::{Duplicates, duplicates};
pub use features::{BlockSource, Features, Instances, Values};
pub use labeller::{Labeller, Quota, RoundRecord, SelfTraining};
pub use limits::Limits;
pub use map::{Map, MapParams, map_2d};
pub use observer::{NoObserver, Observer};
pub use pool::Labels;
pub use request::{Label, label};
pub use task::Task;

pub use trustpath_path::{Error, Identifiability, Matrix, Result, identifiability, incidental, random};

pub(crate) use trustpath_path::{choices, linalg};
