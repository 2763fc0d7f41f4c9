//! What is asked for: a pool to be labelled, and how.

use crate::label::Labelling;
use crate::limits::Limits;
use crate::observer::{NoObserver, Observer};
use crate::pipeline;
use crate::pool::{Origin, Pool};
use crate::represent::Represented;
use crate::spec::LabelSpec;
use crate::trust::Trust;
use crate::{Features, Result, stream};

/// Labels a pool: `labels[i]` is the given label of row `i`, if it has one. Nothing is computed before [`Label::run`].
pub fn label<'a>(features: &'a Features<'a>, labels: &'a [Option<usize>]) -> Label<'a> {
    Label {
        features,
        labels,
        origins: &[],
        groups: &[],
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
    origins: &'a [Origin],
    groups: &'a [usize],
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

    /// How the label of every row came to be given (unknown). Only labels of instances that were not chosen say what labels of the pool are like; all
    /// of them train.
    pub fn origins(mut self, of_rows: &'a [Origin]) -> Self {
        self.origins = of_rows;
        self
    }

    /// The group of every row (each by itself). Rows of a group are copies of each other, such as frames of a film or notes of a patient:
    /// their labels are held out together and count as one.
    pub fn groups(mut self, of_rows: &'a [usize]) -> Self {
        self.groups = of_rows;
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

    /// How trusted labels are chosen (the largest set of which, with 90 % confidence, 90 % are right).
    pub fn trust(mut self, trust: Trust) -> Self {
        self.spec.set_trust(trust);
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
            pool: Pool::new(self.labels, self.none_of_these, self.features.rows(), classes)?
                .with_origins(self.origins)?
                .with_groups(self.groups)?,
            spec: &self.spec,
            limits: self.limits.unwrap_or(self.spec.limits()),
            kept: self.kept,
        };
        stream::label(&request, observer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;
    use crate::label_first;

    const ROWS: usize = 240;
    const DIMS: usize = 12;

    /// Five groups, some of whose instances lie between two of them.
    fn values(rows: usize) -> Vec<f32> {
        let value = |at: usize| {
            let (i, j) = (at / DIMS, at % DIMS);
            let lean = if j == i % 5 || (i % 7 == 0 && j == (i + 1) % 5) { 1.0 } else { 0.2 };
            lean + 0.3 * ((i * i + 31 * j * i) as f32).sin().abs()
        };
        (0..rows * DIMS).map(value).collect()
    }

    fn assert_same(a: &Labelling, b: &Labelling) {
        assert_eq!((&a.labels, &a.verdicts, &a.rival), (&b.labels, &b.verdicts, &b.rival));
        assert_eq!((&a.probability, &a.credibility), (&b.probability, &b.credibility));
        assert_eq!((&a.trusted, &a.suggestions), (&b.trusted, &b.suggestions));
        assert_eq!((&a.lambda, &a.gamma_norm), (&b.lambda, &b.gamma_norm));
        assert_eq!(a.coordinates.unit().as_slice(), b.coordinates.unit().as_slice());
        assert_eq!(a.model, b.model);
    }

    #[test]
    fn a_kept_representation_gives_the_same_to_the_bit() {
        let values = values(ROWS);
        let features = Features::new(&values[..], ROWS, DIMS).unwrap();
        let pool = Represented::of(&features, &mut NoObserver).unwrap();
        for known in [15, 40] {
            let given: Vec<Option<usize>> = (0..ROWS).map(|i| (i < known && i % 5 < 4).then_some(i % 5)).collect();
            let spec = LabelSpec { suggest: 10, ..LabelSpec::default() };
            let run = || label(&features, &given).spec(&spec);
            let again = run().on(&pool).run().unwrap();
            assert_same(&again, &run().run().unwrap());
        }
        let first = label_first(&features, 7, &mut NoObserver).unwrap();
        assert_eq!(pool.label_first(7), first);
    }

    #[test]
    fn the_number_of_folds_has_two_ends() {
        for (folds, usable) in [(1, false), (2, true), (100, true), (101, false), (usize::MAX, false)] {
            let checked = LabelSpec { folds, ..LabelSpec::default() }.check();
            assert_eq!(checked.is_ok(), usable, "{folds}: {checked:?}");
        }
    }

    #[test]
    fn another_pool_is_refused() {
        let values = values(ROWS);
        let features = Features::new(&values[..], ROWS, DIMS).unwrap();
        let pool = Represented::of(&features, &mut NoObserver).unwrap();
        let given: Vec<Option<usize>> = (0..ROWS).map(|i| (i < 20).then_some(i % 5)).collect();
        let fewer = Features::new(&values[DIMS..], ROWS - 1, DIMS).unwrap();
        let error = label(&fewer, &given[1..]).on(&pool).run().unwrap_err();
        assert!(matches!(error, Error::Shape { rows: ROWS, .. }), "{error}");
    }
}
