//! Pseudo-labels: a small classifier on the original features.
//!
//! A classifier is trained anew in every round of an episode, on a growing set of rows of the same instances. So it is
//! split in two: [`Classify`] is the checked parameters, and [`Trainer`] the work on one episode, which keeps its
//! workspace and its last solution as a warm start.

use crate::{Instances, Matrix, Result};

/// A classifier: its parameters, checked.
pub trait Classify: Send + Sync + std::fmt::Debug {
    /// Its name, as on the command line.
    fn name(&self) -> &'static str;

    /// A trainer for one episode of `classes` classes.
    fn trainer<'a>(&self, instances: &'a Instances, classes: usize) -> Box<dyn Trainer + 'a>;
}

/// A classifier at work on the instances of one episode.
pub trait Trainer {
    /// Trains on `rows` of the instances, `labels[k]` being the label of `rows[k]`.
    ///
    /// # Errors
    /// When a label is out of range, a class has no row, or the solver does not reach its tolerance.
    fn train(&mut self, rows: &[usize], labels: &[usize]) -> Result<()>;

    /// Class probabilities of `rows` under the last training, one row an instance, one column a class.
    fn probabilities(&self, rows: &[usize]) -> Matrix;

    /// The last training as a model that stands on its own, for instances that were not in the episode.
    fn model(&self) -> Model;
}

/// A trained classifier that stands on its own.
#[derive(Debug, Clone)]
pub enum Model {}
