//! Labels for a pool in which few instances have one, and for each label how far it can be trusted and why.
//!
//! [`label`] runs the pipeline representation → labeller → judge → trust:
//!
//! 1. it represents the pool: power transform, centring where that helps, smoothing over neighbours, principal components (`represent`);
//! 2. it detects instances that belong to none of the labelled classes ([`crate::trust::Novelty`]);
//! 3. folds of the given labels are hidden in turn and the pool is labelled without them, which chooses the
//!    [labeller](crate::labeller) and the ranking score (`trust`);
//! 4. the labeller labels the pool, and the path of incidental parameters judges every label
//!    ([`credibility`](crate::judge::Judgement::credibility));
//! 5. the held-out labels decide how many of the best-ranked labels can be trusted ([`crate::trust::Calibration`]);
//! 6. it suggests what to label next ([`label_first`] does in a pool without labels), and trains a model for new instances ([`LabelModel`]).
//!
//! ```
//! use trustpath::label::Verdict;
//! use trustpath::{Features, label};
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
//! let labelling = label(&features, &given).run()?;
//! assert_eq!(labelling.labels[50], Some(50 % 3));
//! assert_eq!(labelling.verdicts[50], Verdict::Trusted);
//! assert!(labelling.credibility[50] > 0.5);
//! # Ok::<(), trustpath::Error>(())
//! ```

mod candidates;
mod labelling;
mod model;
mod represent;
mod represented;
mod suggest;
mod trusted;

pub use labelling::{Labelling, Verdict};
pub use model::{LabelModel, Prediction, PredictionTrust};
pub use represent::{Projection, Reference};
pub use represented::Represented;
pub use suggest::label_first;
pub use trusted::Trusted;

pub(crate) use candidates::{candidates, judged_dims};
pub(crate) use model::ModelInput;
pub(crate) use represent::Representation;
pub(crate) use suggest::{Candidates, margins};
pub(crate) use trusted::RankedRows;

use crate::limits::Limits;
use crate::observer::{NoObserver, Observer};
use crate::pipeline;
use crate::pool::Pool;
use crate::spec::LabelSpec;
use crate::{Features, Result};

/// How trusted labels are chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Trust {
    /// As many as possible such that the expected share of correct ones is at least this.
    Precision(f64),
    /// Those whose credibility is at least this (0.5: no other label fits better).
    Credibility(f64),
    /// This many of every class, the most credible ones, as in the paper.
    PerClass(usize),
}

/// Labels a pool: `labels[i]` is the given label of row `i`, if it has one. Nothing is computed before [`Label::run`].
pub fn label<'a>(features: &'a Features<'a>, labels: &'a [Option<usize>]) -> Label<'a> {
    Label {
        features,
        labels,
        none_of_these: &[],
        classes: None,
        spec: LabelSpec::default(),
        limits: None,
        kept: None,
    }
}

/// A pool to be labelled, and how.
#[derive(Debug, Clone)]
#[must_use = "nothing is labelled before `run`"]
pub struct Label<'a> {
    features: &'a Features<'a>,
    labels: &'a [Option<usize>],
    none_of_these: &'a [usize],
    classes: Option<usize>,
    spec: LabelSpec,
    limits: Option<Limits>,
    kept: Option<&'a Represented>,
}

impl<'a> Label<'a> {
    /// The number of classes (one more than the largest label).
    pub fn classes(mut self, classes: usize) -> Self {
        self.classes = Some(classes);
        self
    }

    /// Rows that a person has found to belong to none of the classes (none). They have no label, are not labelled, and train the model to
    /// tell such instances.
    pub fn none_of_these(mut self, rows: &'a [usize]) -> Self {
        self.none_of_these = rows;
        self
    }

    /// The options (the default ones).
    pub fn spec(mut self, spec: &LabelSpec) -> Self {
        self.spec = spec.clone();
        self
    }

    /// How much of a large pool each step uses (as the options say).
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = Some(limits);
        self
    }

    /// Uses a representation of the same features that was made before (default: it is computed).
    pub fn on(mut self, pool: &'a Represented) -> Self {
        self.kept = Some(pool);
        self
    }

    /// Labels the pool.
    ///
    /// # Errors
    /// When labels and instances differ in number, a label is out of range, there are fewer than two classes or one
    /// without a given label, all instances are the same, one has no direction, or an option is outside its domain.
    pub fn run(self) -> Result<Labelling> {
        self.run_observed(&mut NoObserver)
    }

    /// The same, with progress reported to an observer that may ask to stop.
    ///
    /// # Errors
    /// As [`Label::run`], and [`Error::Stopped`](crate::Error::Stopped).
    pub fn run_observed(self, observer: &mut dyn Observer) -> Result<Labelling> {
        self.spec.check()?;
        let largest = self.labels.iter().flatten().max();
        let classes = self.classes.unwrap_or(largest.map_or(0, |label| label + 1));
        let request = pipeline::Request {
            features: self.features,
            pool: Pool::new(self.labels, self.none_of_these, self.features.rows(), classes)?,
            spec: &self.spec,
            limits: self.limits.unwrap_or(self.spec.limits()),
            kept: self.kept,
        };
        pipeline::label(&request, observer)
    }
}
