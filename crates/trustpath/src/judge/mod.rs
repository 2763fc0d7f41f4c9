//! Judges: how far a label can be trusted, as a score per instance.
//!
//! Self-training labels the open rows of a pool in rounds, and in every round a judge ranks these labels: of each
//! pseudo-class at most a quota of the best is accepted into the training set. [`Ici`] ranks by the `λ` at which the incidental
//! parameter vanishes, which is the method, [`LeaveOneOut`] by the same on the path without each instance, as `audit` does, and
//! [`Confidence`] by the probability of the classifier.
//!
//! A judge is split in two: [`Judge`] is its parameters, and [`Ranking`] its work on one pool, which may keep a workspace
//! and a warm start from round to round.

mod confidence;
mod ici;
mod leave_one_out;

use std::borrow::Cow;
use std::sync::OnceLock;

pub use confidence::Confidence;
pub use ici::{Ici, Rule};
pub(crate) use ici::{judge_open, judging_path};
pub use leave_one_out::LeaveOneOut;
pub(crate) use leave_one_out::PathWithoutEach;
pub use trustpath_path::{FrozenPath, Judgement};

use trustpath_path::labels::best_of_each_class;

use crate::neighbors::SimilarityGraph;
use crate::pool::Labels;
use crate::{Instances, Matrix, Result};

/// A pool as labellers and judges see it.
#[derive(Debug)]
pub struct PoolView<'a> {
    /// What the labeller reads.
    pub instances: &'a Instances,
    coordinates: Coordinates<'a>,
    graph: Option<&'a SimilarityGraph>,
}

enum Coordinates<'a> {
    /// Computed when first asked for.
    Computed { compute: Box<dyn Fn() -> Result<Matrix> + Sync + 'a>, x: OnceLock<Matrix> },
    /// The leading columns of a matrix.
    Leading { x: &'a Matrix, dims: usize },
}

impl std::fmt::Debug for Coordinates<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Computed { x, .. } => f.debug_tuple("Computed").field(x).finish(),
            Self::Leading { x, dims } => f.debug_tuple("Leading").field(x).field(dims).finish(),
        }
    }
}

impl<'a> PoolView<'a> {
    /// A view whose judge reads coordinates that are computed when they are first asked for.
    pub fn computed(instances: &'a Instances, compute: impl Fn() -> Result<Matrix> + Sync + 'a) -> Self {
        let coordinates = Coordinates::Computed { compute: Box::new(compute), x: OnceLock::new() };
        Self { instances, coordinates, graph: None }
    }

    /// A view whose judge reads the leading `dims` columns of `x`.
    pub fn leading(instances: &'a Instances, x: &'a Matrix, dims: usize) -> Self {
        Self { instances, coordinates: Coordinates::Leading { x, dims }, graph: None }
    }

    /// Lets self-training read the similarity graph of the instances as well.
    #[must_use]
    pub(crate) fn with_graph(mut self, graph: &'a SimilarityGraph) -> Self {
        self.graph = Some(graph);
        self
    }

    /// The similarity graph of the instances, where self-training reads it.
    pub(crate) fn graph(&self) -> Option<&'a SimilarityGraph> {
        self.graph
    }

    /// The coordinates that judges read, and how many columns of them count.
    ///
    /// # Errors
    /// When they cannot be computed.
    pub fn coordinates(&self) -> Result<(&Matrix, usize)> {
        match &self.coordinates {
            Coordinates::Leading { x, dims } => Ok((x, *dims)),
            Coordinates::Computed { compute, x } => {
                if x.get().is_none() {
                    let computed = compute()?;
                    x.get_or_init(|| computed);
                }
                let x = x.get().expect("it was computed above");
                Ok((x, x.cols()))
            }
        }
    }

    /// The coordinates of all positions of a split, one row each, for the models that see all of them together.
    #[doc(hidden)]
    pub fn pool_coordinates(&self, split: Labels<'_>) -> Result<Cow<'_, Matrix>> {
        let (x, dims) = self.coordinates()?;
        let count = split.given.len() + split.open.len();
        let in_order = |position: usize| split.row(position) == position;
        if dims == x.cols() && count == x.rows() && (0..count).all(in_order) {
            return Ok(Cow::Borrowed(x));
        }
        let positions: Vec<usize> = (0..count).collect();
        Ok(Cow::Owned(split.gather(x, dims, &positions)))
    }
}

/// What is known at the beginning of a round of self-training. Rows are given by their position in the [`Labels`].
#[derive(Debug, Clone, Copy)]
pub struct Round<'a> {
    /// Number of the round, from 0.
    pub number: usize,
    /// Given labels, then this round's pseudo-labels, by position.
    pub labels: &'a [usize],
    /// The probability of each pseudo-label, in the order of the open rows.
    pub probability: &'a [f64],
    /// Positions that the classifier was trained on.
    pub training: &'a [usize],
    /// Positions that may be accepted, ascending.
    pub candidates: &'a [usize],
    /// How many may be accepted of each pseudo-class.
    pub quota: &'a [usize],
}

/// A judge of labels.
pub trait Judge: Send + Sync + std::fmt::Debug {
    /// Its name, as on the command line.
    fn name(&self) -> &'static str;

    /// The judge at work on one pool.
    ///
    /// # Errors
    /// When the pool cannot be reduced to few dimensions.
    fn ranking<'a>(&'a self, view: &'a PoolView<'a>, split: Labels<'a>) -> Result<Box<dyn Ranking + 'a>>;
}

/// A judge at work on one pool.
pub trait Ranking {
    /// A score for every candidate of the round: the smaller, the more the label can be trusted.
    ///
    /// # Errors
    /// When a solver does not converge.
    fn scores(&mut self, round: &Round<'_>) -> Result<Vec<f64>>;

    /// The positions to accept, at most the quota of each pseudo-class, most trusted first.
    ///
    /// # Errors
    /// When a solver does not converge.
    fn select(&mut self, round: &Round<'_>) -> Result<Vec<usize>> {
        let scores = self.scores(round)?;
        Ok(best_of_each_class(round.labels, round.candidates, round.quota, |k| scores[k]))
    }
}
