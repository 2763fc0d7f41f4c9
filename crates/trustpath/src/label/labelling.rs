//! The result of labelling a pool, row by row.

use std::sync::Arc;

use super::{LabelModel, Suggestion, Trusted};
use crate::choices;
use crate::labeller::RoundRecord;
use crate::neighbors::Neighbors;
use crate::pool::Origin;
use crate::trust::Novelty;
use crate::{Instances, Matrix};

choices! {
    /// What is concluded about an instance.
    pub enum Verdict("verdict") {
        /// Its label was given.
        Given = "given",
        /// Its label can be trusted.
        Trusted = "trusted",
        /// Its label is only the best guess.
        Doubtful = "doubtful",
        /// It belongs to none of the labelled classes.
        NoneOfThese = "none of these",
    }
}

/// A labelled pool. Every column is in the order of the rows of the features; but where only a [part](Labelling::part) of a large pool was
/// labelled together, some are in the order of the part, and say so.
#[derive(Debug)]
#[non_exhaustive]
pub struct Labelling {
    /// The label of every instance; none for those that are none of these.
    pub labels: Vec<Option<usize>>,
    /// Probability that the label is right, estimated from held-out labels ([`RightCurve`](crate::trust::RightCurve)); that it is none of
    /// these, for those that are; 1 for what a person has said.
    pub probability: Vec<f64>,
    /// How credible the label is on the path of incidental parameters
    /// ([`Judgement::credibility`](crate::judge::Judgement::credibility)); for those that are none of these, that of the class they come
    /// nearest to.
    pub credibility: Vec<f64>,
    /// The label that it was judged under: its own, or for those that are none of these the one they come nearest to.
    pub judged_as: Vec<usize>,
    /// The class that competes: the most credible label other than its own.
    pub rival: Vec<usize>,
    /// The round since which the instance has been in the training set, if it was there in the end. In the order of the part.
    pub accepted_in: Vec<Option<usize>>,
    /// The verdict on it.
    pub verdicts: Vec<Verdict>,
    /// The nearest instances with a given label, nearest first, without itself. In the order of the part, and numbered within it.
    pub nearest: Neighbors,
    /// Name of the labeller that was used.
    pub labeller: &'static str,
    /// The rounds of self-training; none for other labellers.
    pub rounds: Vec<RoundRecord>,
    /// Detection of instances of unknown classes; `None` if it was disabled or there are too few labels.
    /// In the order of the part.
    pub novelty: Option<Novelty>,
    /// Whether the given labels are more typical than the pool, as if somebody had picked clear examples. Then no instance is
    /// reported to be none of these, and only what is as near to the labels as they are to each other can be trusted.
    pub picked: bool,
    /// How many of the given labels are of each [`Origin`].
    pub origins: [usize; Origin::ALL.len()],
    /// How many instances are near-copies of an earlier one. Labels of near-copies are held out together.
    pub copies: usize,
    /// The trusted set, and how precise it is expected to be.
    pub trusted: Trusted,
    /// What to label next, best first; every second one is random.
    pub suggestions: Vec<Suggestion>,
    /// The path behind the credibilities: its grid, and `‖γᵢ(λ)‖`, one row per `λ`, one column per instance (zero for those
    /// that are none of these, which are not in it). In the order of the part.
    pub lambda: Vec<f64>,
    /// See [`Labelling::lambda`].
    pub gamma_norm: Matrix,
    /// The coordinates in which the pool was labelled and judged. In the order of the part.
    pub coordinates: Arc<Instances>,
    /// The rows of a large pool that were labelled together, ascending: all given labels, and a random part of the others. The other rows were
    /// predicted by the model. `None` where all were labelled together.
    pub part: Option<Vec<usize>>,
    /// A model for new instances.
    pub model: LabelModel,
}

impl Labelling {
    /// Where a row stands in the columns that are in the order of the part; `None` for a row that was predicted.
    pub fn place(&self, row: usize) -> Option<usize> {
        match &self.part {
            None => Some(row),
            Some(part) => part.binary_search(&row).ok(),
        }
    }

    /// The row at a place of these columns.
    pub fn row(&self, place: usize) -> usize {
        self.part.as_ref().map_or(place, |part| part[place])
    }

    /// The nearest instances with a given label, nearest first; none for a row that was predicted.
    pub fn nearest_to(&self, row: usize) -> impl Iterator<Item = usize> {
        let near = self.place(row).into_iter().flat_map(|place| self.nearest.indices(place));
        near.map(|place| self.row(place))
    }

    /// The round since which a row has been in the training set, if it was there in the end.
    pub fn round(&self, row: usize) -> Option<usize> {
        self.place(row).and_then(|place| self.accepted_in[place])
    }
}
