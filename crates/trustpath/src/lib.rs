//! Instance Credibility Inference: pseudo-labels for unlabeled data, and how far each can be trusted.
//!
//! # The problem
//! There are features of many instances, labels for a handful of them, and a classifier trained on that handful. It can
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
//! At a high price no instance deviates. As `λ` falls, those whose label does not fit their place begin to, and those
//! that fit best hold out longest. So the smallest `λ` at which `γᵢ` is still zero measures how credible the label of
//! instance `i` is: the smaller, the more credible. That is *instance credibility inference*, of Wang, Xu, Liu, Zhang and
//! Fu, "How to Trust Unlabeled Data? Instance Credibility Inference for Few-Shot Learning".
//!
//! # The rooms
//! Data walk one way:
//!
//! | room | what it does |
//! |---|---|
//! | [`Features`] → [`Instances`] | checks what comes in, and puts every instance on the unit sphere |
//! | [`reduce`] | features → few coordinates: LLE and its relatives |
//! | [`classify`] | pseudo-labels, by a small classifier on the original features |
//! | [`incidental`] | the path of `γ` as `λ` varies: ICI-R (linear) and ICI-C (logistic) |
//! | [`select`] | which instances to take in: by credibility, or as the paper's baselines do |
//! | [`SelfTaught`] | Algorithm 1: the loop over the rooms above |
//! | [`map_2d`] | a picture of the features, for the eye alone |
//! | [`identifiability()`] | when the method provably finds every correct label |
//!
//! # Why it is fast
//! Given `λ`, the best `γᵢ` is the part of the residual `rᵢ = yᵢ − βᵀxᵢ` beyond length `λ`. Put back, this leaves a Huber
//! regression in the `d × c` numbers `β` alone, solved by Newton's method in `O(n)` a step, with no `n × n` matrix
//! anywhere ([`incidental::linear`]). The logistic model reduces the same way ([`incidental::logistic`]). The classifier
//! works in the span of its few samples, on a Gram matrix that all rounds share.
//!
//! # A whole episode
//! Two classes, one labelled instance of each, and eighteen without a label:
//!
//! ```
//! use trustpath::incidental::IciRParams;
//! use trustpath::select::{Credibility, Rule};
//! use trustpath::{Features, SelfTaught, SelfTaughtParams, Task, classify, reduce};
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
//! let icir = IciRParams::default().check()?;
//! let learner = SelfTaught::new(
//!     reduce::Method::Lle.build(2, 5)?,
//!     classify::Method::Logistic.build(),
//!     Box::new(Credibility { model: Box::new(icir.clone()), rule: Rule::Continuous }),
//!     SelfTaughtParams { step: 3, cap: None },
//! )?
//! .with_judge(Box::new(icir));
//!
//! let outcome = learner.run(&Task {
//!     instances: &instances,
//!     labels: &[0, 1],
//!     unlabeled: 18,
//!     classes: 2,
//!     truth: None,
//! })?;
//! assert_eq!(outcome.labels, (2..20).map(|i| i % 2).collect::<Vec<_>>());
//! assert!(outcome.accepted_in.iter().all(Option::is_some));
//! assert_eq!(outcome.vanish.unwrap().len(), 18);
//! # Ok::<(), trustpath::Error>(())
//! ```
//!
//! # Promises
//! The same input gives the same result, bit for bit, whatever the number of threads. Every solution can be asked for a
//! certificate of optimality that is computed apart from the solver. Nothing here reads a file, prints, or panics on
//! data: what cannot be worked with is an [`Error`] that names the input and the remedy.

mod audit;
pub mod classify;
mod error;
mod features;
mod identifiability;
pub mod incidental;
pub mod label;
pub mod limits;
mod linalg;
mod map;
mod matrix;
pub mod neighbors;
mod power;
pub mod reduce;
pub mod select;
mod self_taught;
mod task;
pub mod transductive;

pub use audit::{Audit, audit, audit_within};
pub use error::{Error, Result};
pub use features::{BlockSource, Features, Instances, Values};
pub use identifiability::{Identifiability, identifiability};
pub use map::{Map, MapParams, map_2d};
pub use matrix::Matrix;
pub use self_taught::{Outcome, RoundRecord, SelfTaught, SelfTaughtParams};
pub use task::Task;
