//! Labelling of a pool of which an even part is known here: rules are learnt from it for all other rows.

use std::sync::Arc;

use super::rules::{PoolRules, needs_classifier};
use super::run::{Labelling, PoolToLabel};
use super::signals::{HeldOutFolds, Signals};
use super::{Projection, Representation};
use crate::limits::Limits;
use crate::neighbors::SimilarityGraph;
use crate::observer::{Observer, Stages};
use crate::spec::LabelSpec;
use crate::split::OwnedSplit;
use crate::{Error, Features, Instances, Matrix, Result};

/// An even part of a pool, with all its given labels.
#[derive(Debug)]
pub struct PartOfPool<'a> {
    /// The features of its rows.
    pub features: &'a Features<'a>,
    /// Their coordinates, smoothed over the neighbours in the entire pool.
    pub coordinates: Matrix,
    /// How to compute coordinates of other instances.
    pub projection: Projection,
    /// The given labels.
    pub labels: &'a [Option<usize>],
    /// Number of classes.
    pub classes: usize,
    /// What the similarity graph of the entire pool says of the rows.
    pub signals: Signals,
    /// The share of the true neighbours that smoothing used.
    pub recall: f64,
}

impl PartOfPool<'_> {
    /// Labels the part, and learns the rules for the rest.
    ///
    /// # Errors
    /// As [`Label::run`](super::Label::run), for options that need all rows in one place, and where coordinates, projection or signals are
    /// not those of the rows.
    pub fn learn(
        self,
        spec: &LabelSpec,
        observer: &mut dyn Observer,
    ) -> Result<(Labelling, PoolRules)> {
        spec.check()?;
        PoolRules::check(spec)?;
        let rows = self.features.rows();
        let pool = OwnedSplit::new(self.labels, rows, self.classes)?;
        self.check_shapes()?;
        let held_out = HeldOutFolds::of(&pool, spec);
        let representation = Representation {
            smooth: Arc::new(Instances::from_unit(self.coordinates)),
            projection: self.projection,
            unit: None,
            graph: SimilarityGraph::default(),
            recall: Some(self.recall),
            neighbors: None,
        };
        let (features, signals) = (self.features, self.signals);
        let represented = PoolToLabel {
            features,
            pool: &pool,
            representation: &representation,
            reduced: None,
            held_out,
            signals,
        };
        let limits = Limits { in_memory: 0, ..spec.limits() };
        let (labelling, rules) = represented.label(spec, limits, &mut Stages::new(observer, 4))?;
        let rules = rules.ok_or_else(|| needs_classifier(labelling.labeller))?;
        Ok((labelling, rules))
    }

    /// Refuses coordinates that are not those of the rows, and a projection that does not lead from the features to them.
    fn check_shapes(&self) -> Result<()> {
        let (rows, dims) = (self.features.rows(), self.coordinates.cols());
        if self.coordinates.rows() != rows {
            let given = self.coordinates.rows() * dims;
            return Err(Error::Shape { rows, dims, expected: rows * dims, given });
        }
        let Projection { mean, basis, .. } = &self.projection;
        let pairs = [
            (self.features.dims(), mean.len()),
            (self.features.dims(), basis.cols()),
            (dims, basis.rows()),
        ];
        match pairs.into_iter().find(|(expected, given)| expected != given) {
            Some((expected, given)) => Err(Error::Dimensions { expected, given }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::label::Verdict;
    use crate::label::rules::RowsToLabel;
    use crate::observer::NoObserver;
    use crate::random::Random;

    /// Three overlapping groups, and one without any label.
    fn pool(n: usize, d: usize) -> (Vec<f64>, Vec<Option<usize>>) {
        let mut random = Random::stream(5, 0);
        let value = |at: usize| {
            let (i, j) = (at / d, at % d);
            let lean = if j == i % 4 { 2.0 } else { 0.3 };
            (lean + 0.5 * random.normal()).abs()
        };
        let values = (0..n * d).map(value).collect();
        let label = |i: usize| (i % 4 < 3 && i < 100).then_some(i % 4);
        (values, (0..n).map(label).collect())
    }

    fn learnt(spec: &LabelSpec) -> (Labelling, PoolRules, RowsToLabel) {
        learnt_from(spec, 100)
    }

    /// The labels of the first rows are given.
    fn learnt_from(spec: &LabelSpec, first: usize) -> (Labelling, PoolRules, RowsToLabel) {
        let (n, d) = (900, 10);
        let (values, mut labels) = pool(n, d);
        labels[first..].fill(None);
        let features = Features::new(&values[..], n, d).unwrap();
        let limits = Limits { in_memory: 0, ..Limits::default() };
        let mut observer = NoObserver;
        let whole =
            Representation::of(&features, limits, &mut Stages::new(&mut observer, 3)).unwrap();
        let split = OwnedSplit::new(&labels, n, 3).unwrap();
        let held_out = HeldOutFolds::of(&split, spec);
        let signals = Signals::of(&whole.graph, &split.given, &held_out.folds, spec.closed);
        let part = PartOfPool {
            features: &features,
            coordinates: whole.smooth.unit().clone(),
            projection: whole.projection.clone(),
            labels: &labels,
            classes: 3,
            signals: signals.clone(),
            recall: 1.0,
        };
        let (labelling, rules) = part.learn(spec, &mut NoObserver).unwrap();
        let accepted_in = labelling.accepted_in.clone();
        let coordinates = whole.smooth.unit().clone();
        (labelling, rules, RowsToLabel { coordinates, given: labels, signals, accepted_in })
    }

    #[test]
    fn rules_say_of_the_rows_that_they_were_learnt_from_what_was_learnt() {
        for closed in [false, true] {
            let (labelling, rules, rows) = learnt(&LabelSpec { closed, ..LabelSpec::default() });
            let novel = labelling.verdicts.iter().filter(|v| **v == Verdict::NoneOfThese).count();
            assert_eq!(novel > 100, !closed, "{novel}");
            assert!(labelling.verdicts.contains(&Verdict::Trusted));
            let sent = PoolRules::from_numbers(&rules.to_numbers()).unwrap();
            assert_eq!(sent, rules);
            let applied = sent.apply(rows, labelling.model.clone()).unwrap();
            assert!(applied.labels == labelling.labels);
            assert!(applied.credibility == labelling.credibility);
            // A small pool's classifier computes its own rows in another order, so that ranks may differ by one.
            let verdicts = applied.verdicts.iter().zip(&labelling.verdicts);
            let other = verdicts.filter(|(a, b)| a != b).count();
            assert!(other <= 2, "{other}");
            let pairs = applied.probability.iter().zip(&labelling.probability);
            let far = pairs.map(|(a, b)| (a - b).abs()).sum::<f64>() / 900.0;
            assert!(far < 0.002, "{far}");
            assert!(applied.rival == labelling.rival && applied.nearest == labelling.nearest);
        }
    }

    #[test]
    fn rules_of_few_labels_rank_rows_as_they_were_ranked() {
        // Up to three labels per class are too few to detect unknown classes.
        for first in [3, 7, 11] {
            let (labelling, rules, rows) = learnt_from(&LabelSpec::default(), first);
            assert!(labelling.novelty.is_none());
            let applied = rules.apply(rows, labelling.model.clone()).unwrap();
            assert!(applied.labels == labelling.labels);
            let verdicts = applied.verdicts.iter().zip(&labelling.verdicts);
            assert!(verdicts.filter(|(a, b)| a != b).count() <= 2, "{first}");
            let pairs = applied.probability.iter().zip(&labelling.probability);
            let far = pairs.map(|(a, b)| (a - b).abs()).sum::<f64>() / 900.0;
            assert!(far < 0.002, "{first}: {far}");
        }
    }

    #[test]
    fn rows_that_the_rules_do_not_fit_are_refused() {
        let (labelling, rules, rows) = learnt(&LabelSpec::default());
        let apply = |change: &dyn Fn(&mut RowsToLabel)| {
            let RowsToLabel { coordinates, given, signals, accepted_in } = &rows;
            let (coordinates, given) = (coordinates.clone(), given.clone());
            let (signals, accepted_in) = (signals.clone(), accepted_in.clone());
            let mut rows = RowsToLabel { coordinates, given, signals, accepted_in };
            change(&mut rows);
            rules.apply(rows, labelling.model.clone()).map(|_| ())
        };
        assert_eq!(apply(&|_| ()), Ok(()));
        let changes: [&dyn Fn(&mut RowsToLabel); 9] = [
            &|rows| rows.coordinates = Matrix::zeros(900, 3),
            &|rows| rows.coordinates = Matrix::zeros(899, rows.coordinates.cols()),
            &|rows| rows.given.truncate(899),
            &|rows| rows.given[5] = Some(3),
            &|rows| rows.accepted_in.truncate(1),
            &|rows| rows.signals.degree.truncate(899),
            &|rows| rows.signals.distance.clear(),
            &|rows| rows.signals.of_folds.truncate(4),
            &|rows| rows.signals.of_folds[2].truncate(10),
        ];
        for (at, change) in changes.into_iter().enumerate() {
            assert!(apply(change).is_err(), "{at}");
        }
        // Those of an open pool do not fit a closed one.
        let (labelling, closed, _) = learnt(&LabelSpec { closed: true, ..LabelSpec::default() });
        let error = closed.apply(rows, labelling.model.clone()).unwrap_err();
        assert!(matches!(error, Error::Parameter { name: "folds", .. }), "{error}");
    }

    #[test]
    fn a_part_that_does_not_fit_is_refused() {
        let (values, labels) = pool(90, 6);
        let features = Features::new(&values[..], 90, 6).unwrap();
        let spec = LabelSpec::default();
        let learn = |change: &dyn Fn(&mut PartOfPool<'_>)| {
            let limits = Limits { in_memory: 0, ..Limits::default() };
            let mut observer = NoObserver;
            let whole =
                Representation::of(&features, limits, &mut Stages::new(&mut observer, 3)).unwrap();
            let split = OwnedSplit::new(&labels, 90, 3).unwrap();
            let folds = HeldOutFolds::of(&split, &spec).folds;
            let mut part = PartOfPool {
                features: &features,
                coordinates: whole.smooth.unit().clone(),
                projection: whole.projection.clone(),
                labels: &labels,
                classes: 3,
                signals: Signals::of(&whole.graph, &split.given, &folds, false),
                recall: 1.0,
            };
            change(&mut part);
            part.learn(&spec, &mut NoObserver).map(|_| ())
        };
        assert_eq!(learn(&|_| ()), Ok(()));
        let changes: [&dyn Fn(&mut PartOfPool<'_>); 6] = [
            &|part| part.coordinates = Matrix::zeros(89, 6),
            &|part| part.projection.mean.truncate(5),
            &|part| part.projection.basis = Matrix::zeros(2, 6),
            &|part| part.signals.degree.truncate(89),
            &|part| part.signals.of_folds.truncate(1),
            &|part| part.signals = Signals { distance: Vec::new(), ..part.signals.clone() },
        ];
        for (at, change) in changes.into_iter().enumerate() {
            assert!(learn(change).is_err(), "{at}");
        }
    }

    #[test]
    fn numbers_that_are_no_rules_are_refused() {
        let (_, rules, _) = learnt(&LabelSpec::default());
        let numbers = rules.to_numbers();
        for end in [0, 1, 5, numbers.len() / 2, numbers.len() - 1] {
            assert!(PoolRules::from_numbers(&numbers[..end]).is_err(), "{end}");
        }
        assert!(PoolRules::from_numbers(&[numbers.clone(), vec![0.0]].concat()).is_err());
        assert!(PoolRules::from_numbers(&[f64::NAN; 9]).is_err());
    }

    #[test]
    fn options_that_need_all_rows_in_one_place_are_refused() {
        let specs = [
            LabelSpec { exact: true, ..LabelSpec::default() },
            LabelSpec { per_class: Some(3), ..LabelSpec::default() },
            LabelSpec { reduction: Some(crate::reduce::Reduction::Lle), ..LabelSpec::default() },
        ];
        for spec in specs {
            assert!(matches!(PoolRules::check(&spec), Err(Error::Parameter { .. })));
        }
    }
}
