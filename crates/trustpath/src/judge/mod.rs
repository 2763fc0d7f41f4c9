//! Judges: how far a label can be trusted, as a score per instance.
//!
//! Self-training labels the open rows of a pool in rounds, and in every round a judge ranks these labels: of each
//! pseudo-class at most a quota of the best is accepted into the training set. [`Ici`] ranks by the `λ` at which the incidental parameter vanishes, which is the method;
//! the others are what the paper compares it with: [`Random`] (RA), [`Nearest`] (NN), [`Confidence`] (CO) and
//! [`CoefficientNorm`] (CN), of which [`LeastSquares`] is a second reading.
//!
//! A judge is split in two: [`Judge`] is its parameters, and [`Ranking`] its work on one pool, which may keep a workspace
//! and a warm start from round to round.

mod coefficient_norm;
mod confidence;
mod ici;
mod least_squares;
mod nearest;
mod random;

use std::borrow::Cow;
use std::sync::OnceLock;

pub use coefficient_norm::CoefficientNorm;
pub use confidence::Confidence;
pub use ici::{Ici, Rule};
pub(crate) use ici::{judge_open, judging_path};
pub use least_squares::LeastSquares;
pub use nearest::Nearest;
pub use random::Random;
pub use trustpath_path::{FrozenPath, Judgement};

use crate::choices;
use crate::neighbors::SimilarityGraph;
use trustpath_path::labels::best_of_each_class;

use crate::pool::Labels;
use crate::reduce::{Embedding, Reduce};
use crate::{Instances, Matrix, Result};

choices! {
    /// Which judge selects instances in a round of self-training.
    #[derive(Default)]
    #[non_exhaustive]
    pub enum Selector("selector") {
        /// By credibility: instance credibility inference.
        #[default]
        Ici = "ici",
        /// RA: at random.
        Random = "ra",
        /// NN: nearest to a training instance of the same pseudo-class.
        Nearest = "nn",
        /// CO: by the classifier's confidence.
        Confidence = "co",
        /// CN: by the norm of the incidental parameter.
        CoefficientNorm = "cn",
        /// LS: by the error of the least-squares fit of the labels.
        LeastSquares = "ls",
    }
}

/// A pool as labellers and judges see it.
#[derive(Debug)]
pub struct View<'a> {
    /// What the labeller reads.
    pub instances: &'a Instances,
    coordinates: Coordinates<'a>,
    graph: Option<&'a SimilarityGraph>,
}

#[derive(Debug)]
enum Coordinates<'a> {
    /// The first rows of the instances, reduced to few dimensions when first asked for.
    Reduced { reduction: &'a dyn Reduce, rows: usize, embedding: OnceLock<Embedding> },
    /// The leading columns of a matrix.
    Leading { x: &'a Matrix, dims: usize },
}

impl<'a> View<'a> {
    /// A view whose judge reads the first `rows` instances reduced to few dimensions.
    pub fn reduced(instances: &'a Instances, rows: usize, reduction: &'a dyn Reduce) -> Self {
        let coordinates = Coordinates::Reduced { reduction, rows, embedding: OnceLock::new() };
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
    /// When the reduction fails.
    pub fn coordinates(&self) -> Result<(&Matrix, usize)> {
        match &self.coordinates {
            Coordinates::Leading { x, dims } => Ok((x, *dims)),
            Coordinates::Reduced { reduction, rows, embedding } => {
                if embedding.get().is_none() {
                    let computed = reduction.reduce(self.instances, *rows)?;
                    embedding.get_or_init(|| computed);
                }
                let x = &embedding.get().expect("it was computed above").x;
                Ok((x, x.cols()))
            }
        }
    }

    /// The coordinates of all positions of a split, one row each, for the models that see all of them together.
    pub(crate) fn pool_coordinates(&self, split: Labels<'_>) -> Result<Cow<'_, Matrix>> {
        let (x, dims) = self.coordinates()?;
        let count = split.given.len() + split.open.len();
        let in_order = |position: usize| split.row(position) == position;
        if dims == x.cols() && count == x.rows() && (0..count).all(in_order) {
            return Ok(Cow::Borrowed(x));
        }
        let positions: Vec<usize> = (0..count).collect();
        Ok(Cow::Owned(split.gather(x, dims, &positions)))
    }

    /// Nullity of the reduction, if it was needed and has one.
    pub(crate) fn nullity(&self) -> Option<usize> {
        match &self.coordinates {
            Coordinates::Reduced { embedding, .. } => embedding.get()?.nullity,
            Coordinates::Leading { .. } => None,
        }
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
    fn ranking<'a>(
        &'a self,
        view: &'a View<'a>,
        split: Labels<'a>,
    ) -> Result<Box<dyn Ranking + 'a>>;
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
