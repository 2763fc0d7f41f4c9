//! Which pseudo-labelled instances to take in next.
//!
//! In every round the unlabeled instances carry pseudo-labels, and of each pseudo-class at most a quota of them joins
//! the training set. [`Credibility`] takes those whose incidental parameter vanishes earliest, which is the method; the
//! others are what the paper compares it with: [`Random`] (RA), [`Nearest`] (NN), [`Confidence`] (CO) and
//! [`CoefficientNorm`] (CN).

mod confidence;
mod credibility;
mod nearest;
mod norm;
mod random;

use std::cell::OnceCell;

pub use confidence::Confidence;
pub use credibility::{Credibility, Rule};
pub use nearest::Nearest;
pub use norm::CoefficientNorm;
pub use random::Random;

use crate::reduce::{Embedding, Reduce};
use crate::{Instances, Result};

/// The instances of an episode that selection is about: the labelled ones first, then the unlabeled.
#[derive(Debug)]
pub struct Pool<'a> {
    /// All instances of the episode.
    pub instances: &'a Instances,
    /// How many of them, the first, have a given label.
    pub labelled: usize,
    /// How many of them, the first, are labelled or unlabeled; the others are only to be classified in the end.
    pub size: usize,
    /// Number of classes.
    pub classes: usize,
    reduce: &'a dyn Reduce,
    embedding: OnceCell<Embedding>,
}

impl<'a> Pool<'a> {
    pub(crate) fn new(
        instances: &'a Instances,
        labelled: usize,
        size: usize,
        classes: usize,
        reduce: &'a dyn Reduce,
    ) -> Self {
        Self { instances, labelled, size, classes, reduce, embedding: OnceCell::new() }
    }

    /// Few-dimensional coordinates of the pool, computed when first asked for.
    ///
    /// # Errors
    /// When the reduction fails.
    pub fn embedding(&self) -> Result<&Embedding> {
        if let Some(embedding) = self.embedding.get() {
            return Ok(embedding);
        }
        let embedding = self.reduce.reduce(self.instances, self.size)?;
        Ok(self.embedding.get_or_init(|| embedding))
    }

    /// The coordinates, if anything has asked for them.
    pub(crate) fn embedding_if_computed(&self) -> Option<&Embedding> {
        self.embedding.get()
    }
}

/// What is known at the beginning of a round.
#[derive(Debug, Clone, Copy)]
pub struct Round<'a> {
    /// Number of the round, from 0.
    pub number: usize,
    /// Given labels, then this round's pseudo-labels: one for every instance of the pool.
    pub labels: &'a [usize],
    /// Class probabilities of the unlabeled instances, one row each.
    pub probabilities: &'a crate::Matrix,
    /// Rows the classifier was trained on: labelled instances and those taken in so far.
    pub taken: &'a [usize],
    /// Rows that may be taken in, ascending.
    pub open: &'a [usize],
    /// How many may be taken in of each pseudo-class.
    pub quota: &'a [usize],
}

/// A way to select.
pub trait Select: Send + Sync + std::fmt::Debug {
    /// Its name, as on the command line.
    fn name(&self) -> &'static str;

    /// A selector for one episode.
    ///
    /// # Errors
    /// When the pool cannot be reduced to few dimensions.
    fn selector<'a>(&'a self, pool: &'a Pool<'a>) -> Result<Box<dyn Selector + 'a>>;
}

/// A selection at work on one episode.
pub trait Selector {
    /// The rows to take in, at most the quota of each pseudo-class, in the order of trust.
    ///
    /// # Errors
    /// When a solver does not converge.
    fn select(&mut self, round: &Round<'_>) -> Result<Vec<usize>>;
}

/// The best of each pseudo-class by score, the smallest first and the earlier row first among equals, up to the quota.
/// `score(k)` belongs to row `open[k]`.
pub(crate) fn best_of_each_class(
    labels: &[usize],
    open: &[usize],
    quota: &[usize],
    score: impl Fn(usize) -> f64,
) -> Vec<usize> {
    let mut order: Vec<(f64, usize)> =
        open.iter().enumerate().map(|(k, &row)| (score(k), row)).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut left = quota.to_vec();
    order.retain(|&(_, row)| {
        let left = &mut left[labels[row]];
        let take = *left > 0;
        *left -= usize::from(take);
        take
    });
    order.into_iter().map(|(_, row)| row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_the_smallest_scores_within_the_quota_and_the_earlier_row_on_a_tie() {
        let labels = [0, 1, 0, 0, 1, 0];
        let scores = [0.3, 0.2, 0.1, 0.1, 0.4];
        let taken = best_of_each_class(&labels, &[1, 2, 3, 4, 5], &[2, 1], |k| scores[k]);
        assert_eq!(taken, [3, 4, 2]);
    }
}
