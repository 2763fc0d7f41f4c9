//! Labelling of a pool of which an even part is known here: rules are learnt from it for all other rows.

use std::sync::Arc;

use super::rules::PoolRules;
use super::run::{Labelling, PoolToLabel, Signals};
use super::{Projection, Representation};
use crate::limits::Limits;
use crate::neighbors::{Neighbors, SimilarityGraph};
use crate::observer::{Observer, Stages};
use crate::spec::LabelSpec;
use crate::split::OwnedSplit;
use crate::{Error, Features, Instances, Matrix, Result};

impl Signals {
    /// Of the neighbours of all rows of a pool, wherever the rows are: `cosines` of the smoothed instances, in the places of the neighbours,
    /// and the rows with given labels in the order in which one machine has them, under any numbers that the neighbours have as well.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there is a cosine for every neighbour; [`Error::LabelCount`].
    pub fn of_neighbors(
        neighbors: &Neighbors,
        cosines: &[f32],
        given: &[usize],
        labels: &[usize],
        classes: usize,
        spec: &LabelSpec,
    ) -> Result<Self> {
        let (n, k) = (neighbors.len(), neighbors.k());
        if cosines.len() != n * k {
            return Err(Error::Shape { rows: n, dims: k, expected: n * k, given: cosines.len() });
        }
        if given.len() != labels.len() {
            return Err(Error::LabelCount { labels: labels.len(), rows: given.len() });
        }
        let squared = |i: usize, at: usize| 2.0 - 2.0 * f64::from(cosines[i * k + at]);
        let graph = SimilarityGraph::of(neighbors, squared);
        let (given, labels) = (given.to_vec(), labels.to_vec());
        Ok(Self::of(&graph, &OwnedSplit { given, labels, open: Vec::new(), classes }, spec))
    }
}

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
    /// As [`Label::run`](super::Label::run), and for options that need all rows in one place.
    pub fn learn(
        self,
        spec: &LabelSpec,
        observer: &mut dyn Observer,
    ) -> Result<(Labelling, PoolRules)> {
        spec.check()?;
        PoolRules::check(spec)?;
        let rows = self.features.rows();
        let pool = OwnedSplit::new(self.labels, rows, self.classes)?;
        if self.coordinates.rows() != rows {
            return Err(Error::LabelCount { labels: self.coordinates.rows(), rows });
        }
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
            signals,
        };
        let limits = Limits { in_memory: 0, ..spec.limits() };
        let (labelling, rules) = represented.label(spec, limits, &mut Stages::new(observer, 4))?;
        let expected =
            "on several machines each row is labelled by a classifier: choose rounds or no-rounds";
        let rules =
            rules.ok_or_else(|| Error::parameter("labeller", labelling.labeller, expected))?;
        Ok((labelling, rules))
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
        let signals = Signals::of(&whole.graph, &split, spec);
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
            let applied = sent.apply(rows, labelling.model.clone());
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
            let applied = rules.apply(rows, labelling.model.clone());
            assert!(applied.labels == labelling.labels);
            let verdicts = applied.verdicts.iter().zip(&labelling.verdicts);
            assert!(verdicts.filter(|(a, b)| a != b).count() <= 2, "{first}");
            let pairs = applied.probability.iter().zip(&labelling.probability);
            let far = pairs.map(|(a, b)| (a - b).abs()).sum::<f64>() / 900.0;
            assert!(far < 0.002, "{first}: {far}");
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
