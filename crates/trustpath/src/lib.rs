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
//! `pipeline.rs` is this drawing as code.
//!
//! | module | what it does |
//! |---|---|
//! | [`Features`] → [`Instances`] | checks the input and scales every instance to unit length |
//! | [`represent`] | the coordinates in which a pool is labelled and judged, and their like for new rows |
//! | [`classify`] | the classifier that gives pseudo-labels |
//! | [`judge`] | a score per label: credibility on the path of incidental parameters ([`incidental`]) |
//! | [`labeller`] | labels for a pool: self-training (Algorithm 1), the adaptive mode |
//! | [`trust`] | which labels can be relied on: calibrated precision, instances of unknown classes |
//! | [`label()`], [`audit()`] | the complete pipeline, and the judge alone on labels that exist |
//! | [`label::LabelModel`], [`AuditModel`] | what remains of both, for rows that took no part |
//! | [`spec`] | every option of the above, declared once |
//! | [`limits`] | the sizes at which an algorithm changes |
//!
//! The paths themselves are the crate `trustpath-path`; episodes, reductions and the methods of others are `trustpath-bench`.
//!
//! # Why it is fast
//! Given `λ`, the best `γᵢ` is the part of the residual `rᵢ = yᵢ − βᵀxᵢ` beyond length `λ`. Substituted, this leaves a Huber
//! regression in the `d × c` numbers `β` alone, solved by Newton's method in `O(n)` per step, with no `n × n` matrix
//! anywhere ([`incidental::linear`]). The logistic model reduces the same way ([`incidental::logistic`]). The classifier
//! works in the span of its few samples, on a Gram matrix that all rounds share.
//!
//! # A pool
//! Three groups of instances, one labelled instance of each and six more:
//!
//! ```
//! use trustpath::label::{Trust, Verdict};
//! use trustpath::trust::Promise;
//! use trustpath::{Features, label};
//!
//! // Instance i leans towards axis i mod 3, and the first thirty are labelled.
//! let value = |at: usize| if at % 8 == at / 8 % 3 { 2.0 } else { 0.5 + 0.3 * ((at * at) as f32).sin() };
//! let values: Vec<f32> = (0..90 * 8).map(value).collect();
//! let given: Vec<Option<usize>> = (0..90).map(|i| (i < 30).then_some(i % 3)).collect();
//!
//! let features = Features::new(&values[..], 90, 8)?;
//! // With 90 % confidence at least 80 % of the trusted labels are right.
//! let promise = Promise { precision: 0.8, confidence: 0.9 };
//! let labelling = label(&features, &given).trust(Trust::Precision(promise)).run()?;
//! assert_eq!((labelling.labels[50], labelling.verdicts[50]), (Some(50 % 3), Verdict::Trusted));
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
mod groups;
pub mod judge;
pub mod label;
pub mod labeller;
pub mod limits;
pub mod neighbors;
mod observer;
mod pipeline;
mod pool;
#[doc(hidden)]
pub mod power;
pub mod represent;
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
pub use observer::{NoObserver, Observer};
pub use pool::{Labels, Origin, random_order};
pub use request::{Label, label};
pub use stream::label_first;
pub use task::Task;

pub use trustpath_path::{Error, Identifiability, Matrix, Result, identifiability, incidental, random};

pub(crate) use trustpath_path::{choices, linalg};
