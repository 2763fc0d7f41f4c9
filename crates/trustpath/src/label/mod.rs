//! Labels for a pool of instances of which few are labelled, and for each how far it can be trusted and why.
//!
//! What [`label`] does, in order:
//!
//! 1. represents the pool: power transform, smoothing over neighbours, principal components (`represent.rs`);
//! 2. tells apart what belongs to none of the labelled classes ([`novelty`]);
//! 3. labels the rest: by a classifier that its most credible labels teach in rounds (`teach.rs`), or at once by the
//!    adaptive mode where the pool is small ([`Labeller`]);
//! 4. judges every label by the path of incidental parameters ([`credibility()`]);
//! 5. holds given labels out, one fold after the other, to learn how often labels of which credibility are right, and
//!    cuts the trusted set where too many would be wrong ([`precision`]);
//! 6. suggests what to label next (`suggest.rs`), and trains a model for instances that come later ([`LabelModel`]).
//!
//! ```
//! use trustpath::Features;
//! use trustpath::label::{LabelParams, Unwatched, Verdict, label};
//!
//! // Instance i leans towards axis i mod 3, and the first nine are labelled.
//! let values: Vec<f32> = (0..90 * 8)
//!     .map(|at| {
//!         let (i, j) = (at / 8, at % 8);
//!         if j == i % 3 { 2.0 } else { 0.5 + 0.3 * ((at * at) as f32).sin() }
//!     })
//!     .collect();
//! let given: Vec<Option<usize>> = (0..90).map(|i| (i < 9).then_some(i % 3)).collect();
//!
//! let features = Features::new(&values[..], 90, 8)?;
//! let labelling = label(&features, &given, 3, &LabelParams::default(), &mut Unwatched)?;
//! assert_eq!(labelling.labels[50], Some(50 % 3));
//! assert_eq!(labelling.verdicts[50], Verdict::Trusted);
//! assert!(labelling.credibility[50] > 0.5);
//! # Ok::<(), trustpath::Error>(())
//! ```

mod credibility;
mod cross_fit;
mod learner;
mod limits;
mod model;
pub mod novelty;
mod pool;
pub mod precision;
mod represent;
mod run;
mod suggest;
mod teach;

pub use credibility::{FrozenPath, Judgement, credibility};
pub use limits::Limits;
pub use model::{LabelModel, Prediction};
pub use novelty::Novelty;
pub use precision::Calibration;
pub use represent::Projection;
pub use run::{Labelling, Trusted, label};
pub use teach::Round;

pub(crate) use represent::Representation;
pub(crate) use run::{NEAREST, Stages, follow};
pub(crate) use teach::{GRID, fit};

use crate::reduce::Method;

/// How the trusted labels are chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Trust {
    /// Those at least this credible (0.5: nearer to their own class than half-way to another).
    Credibility(f64),
    /// As many as possible while at most the rest is expected to be wrong.
    Precision(f64),
    /// The most credible so many of every class, as in the paper.
    PerClass(usize),
}

/// Who labels what has no label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Labeller {
    /// The adaptive mode in small pools: up to [`SMALL`] unlabeled instances a class on average, or [`MEDIUM`] with up to
    /// [`FEW_LABELS`] given labels a class. Rounds in others. What was better, or no worse, on validation classes.
    #[default]
    Auto,
    /// The adaptive mode ([`Adaptive`](crate::transductive::Adaptive)), which labels the pool at once.
    Adaptive,
    /// A classifier that its most credible labels teach in rounds.
    Rounds,
}

/// Unlabeled instances a class up to which the adaptive mode labels, whatever the labels.
pub const SMALL: usize = 20;
/// Unlabeled instances a class up to which it labels if labels are few.
pub const MEDIUM: usize = 50;
/// Given labels a class that are few.
pub const FEW_LABELS: usize = 3;

impl Labeller {
    /// Whether the adaptive mode is to label so many instances.
    fn adapts(self, given: usize, open: usize, classes: usize) -> bool {
        match self {
            Self::Auto => {
                let few = given <= FEW_LABELS * classes;
                open <= classes * if few { MEDIUM } else { SMALL }
            }
            Self::Adaptive => true,
            Self::Rounds => false,
        }
    }
}

/// Parameters of [`label`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LabelParams {
    /// Who labels (whoever does it best for so many labels and instances).
    pub labeller: Labeller,
    /// Which labels are trusted (credibility at least 0.5).
    pub trust: Trust,
    /// Whether to tell apart what is none of the labelled classes (yes).
    pub none_of_these: bool,
    /// How many instances to suggest for labelling (0).
    pub suggest: usize,
    /// Folds of the cross-fit (5).
    pub folds: usize,
    /// Seed of the assignment of given labels to folds (0).
    pub seed: u64,
    /// The reduction whose coordinates the path is judged in (the leading principal components of the representation).
    pub reduction: Option<Method>,
    /// How much of a large pool is looked at.
    pub limits: Limits,
}

impl Default for LabelParams {
    fn default() -> Self {
        Self {
            labeller: Labeller::Auto,
            trust: Trust::Credibility(0.5),
            none_of_these: true,
            suggest: 0,
            folds: 5,
            seed: 0,
            reduction: None,
            limits: Limits::default(),
        }
    }
}

/// What is said of an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Its label was given.
    Given,
    /// Its label can be trusted.
    Trusted,
    /// Its label is the best guess.
    Doubtful,
    /// It belongs to none of the labelled classes.
    NoneOfThese,
}

/// Looks on while a pool is labelled, and may ask to stop.
pub trait Watch {
    /// A stage has begun, the `done`-th of `total`.
    fn stage(&mut self, name: &'static str, done: usize, total: usize);

    /// Whether to leave the rest.
    fn stop(&self) -> bool;
}

/// Watches nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn stage(&mut self, _: &'static str, _: usize, _: usize) {}

    fn stop(&self) -> bool {
        false
    }
}
