//! What is asked for: a pool to be labelled, and how.

use crate::label::{Labelling, Represented};
use crate::limits::Limits;
use crate::observer::{NoObserver, Observer};
use crate::pipeline;
use crate::pool::Pool;
use crate::spec::LabelSpec;
use crate::{Features, Result};

/// Labels a pool: `labels[i]` is the given label of row `i`, if it has one. Nothing is computed before [`Label::run`].
pub fn label<'a>(features: &'a Features<'a>, labels: &'a [Option<usize>]) -> Label<'a> {
    Label { features, labels, none_of_these: &[], classes: None, spec: LabelSpec::default(), limits: None, kept: None }
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
