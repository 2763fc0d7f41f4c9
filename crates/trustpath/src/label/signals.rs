//! What is known of every row of a pool before any is labelled: how far it is from the labels.

use rayon::prelude::*;

use crate::incidental::check_labels;
use crate::neighbors::{Neighbors, SimilarityGraph};
use crate::spec::LabelSpec;
use crate::split::{OwnedSplit, check_support};
use crate::trust::{Fold, Groups, absorption};
use crate::{Error, Result};

/// The folds in which given labels are held out, and the groups of classes that they stand for.
#[derive(Debug)]
pub(super) struct HeldOutFolds {
    pub groups: Groups,
    pub folds: Vec<Fold>,
}

impl HeldOutFolds {
    /// Of a pool.
    pub fn of(pool: &OwnedSplit, spec: &LabelSpec) -> Self {
        let groups = Groups::of(pool);
        let folds = Fold::all(pool, &groups, spec.folds, spec.seed);
        Self { groups, folds }
    }
}

/// What the similarity graph says of every row, before any row is labelled.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Signals {
    /// The sum of the weights at the row.
    pub degree: Vec<f64>,
    /// How far it is from all given labels; empty in closed pools.
    pub distance: Vec<f64>,
    /// The same in every fold from the labels that the fold keeps.
    pub of_folds: Vec<Vec<f64>>,
}

impl Signals {
    /// Of the graph of a pool in which these rows have a given label.
    pub(super) fn of(
        graph: &SimilarityGraph,
        given: &[usize],
        folds: &[Fold],
        closed: bool,
    ) -> Self {
        let degree = graph.degree().to_vec();
        if closed {
            return Self { degree, ..Self::default() };
        }
        let mut labelled = vec![false; graph.len()];
        given.iter().for_each(|&row| labelled[row] = true);
        let distance = absorption(graph, &labelled, None);
        let of_fold = |fold: &Fold| absorption(graph, &fold.labelled(graph.len()), Some(&distance));
        let of_folds = folds.par_iter().map(of_fold).collect();
        Self { degree, distance, of_folds }
    }

    /// Of the neighbours of all rows of a pool, wherever the rows are: `cosines` of the smoothed instances, in the places of the neighbours,
    /// and the rows with given labels in the order in which one machine has them, numbered as in `neighbors`.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there is a cosine for every neighbour, [`Error::RowOutOfRange`] for a neighbour or a row with a given
    /// label that does not exist; for labels as [`Label::run`](super::Label::run).
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
        check_labels(labels, given.len(), classes)?;
        check_support(labels, classes)?;
        let mut named = given.iter().copied().chain((0..n).flat_map(|i| neighbors.indices(i)));
        if let Some(row) = named.find(|&row| row >= n) {
            return Err(Error::RowOutOfRange { row, rows: n });
        }
        let squared = |i: usize, at: usize| 2.0 - 2.0 * f64::from(cosines[i * k + at]);
        let graph = SimilarityGraph::of(neighbors, squared);
        let (given, labels) = (given.to_vec(), labels.to_vec());
        let pool = OwnedSplit { given, labels, open: Vec::new(), classes };
        let held_out = HeldOutFolds::of(&pool, spec);
        Ok(Self::of(&graph, &pool.given, &held_out.folds, spec.closed))
    }

    /// Refuses signals of another number of rows or of folds; `folds` is `None` in a closed pool, which has no distances.
    pub(super) fn check(&self, rows: usize, folds: Option<usize>) -> Result<()> {
        let holds = |values: &[f64], expected: usize| match values.len() == expected {
            true => Ok(()),
            false => Err(Error::Shape { rows: expected, dims: 1, expected, given: values.len() }),
        };
        let (given, expected) = (self.of_folds.len(), folds.unwrap_or(0));
        if given != expected {
            let expected = format!(
                "distances from the labels of {expected} folds are needed: use the same labels and options in every step"
            );
            return Err(Error::parameter("folds", given, expected));
        }
        holds(&self.degree, rows)?;
        holds(&self.distance, folds.map_or(0, |_| rows))?;
        self.of_folds.iter().try_for_each(|fold| holds(fold, rows))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_and_neighbours_that_do_not_exist_are_refused() {
        let ends = |last: u32| vec![1, 2, 0, 2, 0, 1, 0, last];
        let of = |ends: Vec<u32>, given: &[usize], labels: &[usize], classes: usize| {
            let neighbors = Neighbors::from_parts(2, ends, &[]).unwrap();
            let spec = LabelSpec::default();
            Signals::of_neighbors(&neighbors, &[0.9; 8], given, labels, classes, &spec)
        };
        assert_eq!(of(ends(2), &[0, 3], &[0, 1], 2).unwrap().distance.len(), 4);
        // A shorter list.
        assert!(of(ends(u32::MAX), &[0, 3], &[0, 1], 2).is_ok());
        let refused = |found: Result<Signals>| found.unwrap_err();
        let beyond = Error::RowOutOfRange { row: 4, rows: 4 };
        assert_eq!(refused(of(ends(4), &[0, 3], &[0, 1], 2)), beyond);
        assert_eq!(refused(of(ends(2), &[0, 4], &[0, 1], 2)), beyond);
        let without = Error::ClassWithoutSupport { class: 2 };
        assert_eq!(refused(of(ends(2), &[0, 3], &[0, 1], 3)), without);
        let unknown = Error::LabelOutOfRange { row: 1, label: 2, classes: 2 };
        assert_eq!(refused(of(ends(2), &[0, 3], &[0, 2], 2)), unknown);
        let count = Error::LabelCount { labels: 1, rows: 2 };
        assert_eq!(refused(of(ends(2), &[0, 3], &[0], 2)), count);
    }
}
