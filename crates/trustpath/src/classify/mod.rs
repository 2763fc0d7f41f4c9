//! Pseudo-labels: a small classifier on the original features.
//!
//! A classifier is trained again in every round of an episode, on a growing set of rows of the same instances. It is
//! therefore split in two: [`Classify`] holds the checked parameters, and [`Trainer`] does the work on one episode, keeping
//! its workspace and its last solution as a warm start. The result of a training is a [`TrainedModel`] that can be kept.
//!
//! ```
//! use trustpath::Features;
//! use trustpath::classify::{Classify, logistic::LogisticParams};
//!
//! let values = [1.0, 0.1, 0.9, 0.0, 0.1, 1.0, 0.0, 0.8];
//! let instances = Features::new(&values[..], 4, 2)?.normalize()?;
//! let classifier = LogisticParams::default().check()?;
//! let mut trainer = classifier.trainer(&instances, 2);
//! trainer.train(&[0, 2], &[0, 1])?;
//! let p = trainer.probabilities(&[1, 3]);
//! assert!(p[(0, 0)] > 0.5 && p[(1, 1)] > 0.5);
//! # Ok::<(), trustpath::Error>(())
//! ```

pub mod logistic;
mod model;
mod pool_logistic;
mod samples;

use crate::limits::GRAM_ROWS;
use crate::linalg::vector::arg_max;
use crate::{Error, Instances, Matrix, Result};

pub(crate) use logistic::{LbfgsLogistic, most_probable};
pub use logistic::{Logistic, LogisticModel, LogisticParams};
pub use model::TrainedModel;
pub(crate) use pool_logistic::PoolLogistic;
#[doc(hidden)]
pub use samples::Samples;

/// A classifier: its parameters, checked.
pub trait Classify: Send + Sync + std::fmt::Debug {
    /// Its name, as on the command line.
    fn name(&self) -> &'static str;

    /// A trainer for one episode of `classes` classes.
    fn trainer<'a>(&self, instances: &'a Instances, classes: usize) -> Box<dyn Trainer + 'a>;
}

/// A classifier for the instances of one episode.
///
/// The order of the training rows does not change a bit of the result. Until a training succeeds, all classes are equally
/// probable; a training that fails discards the result of the one before.
pub trait Trainer {
    /// Trains on `rows` of the instances, `labels[k]` being the label of `rows[k]`.
    ///
    /// # Errors
    /// When there are fewer than two classes, labels and rows differ in number, a row or a label is out of range, a
    /// class has no row, or the solver does not reach its tolerance.
    fn train(&mut self, rows: &[usize], labels: &[usize]) -> Result<()>;

    /// Class probabilities of `rows` under the last training: one row per instance, one column per class.
    ///
    /// # Panics
    /// When a row is out of range.
    fn probabilities(&self, rows: &[usize]) -> Matrix;

    /// The most probable class of each of `rows` under the last training, and its probability.
    ///
    /// # Panics
    /// When a row is out of range.
    fn label(&self, rows: &[usize]) -> (Vec<usize>, Vec<f64>) {
        let probabilities = self.probabilities(rows);
        let most_probable = |p: &[f64]| (arg_max(p), p[arg_max(p)]);
        probabilities.iter_rows().map(most_probable).unzip()
    }

    /// The last training as a model that stands on its own, for instances that were not in the episode.
    fn model(&self) -> Box<dyn TrainedModel>;
}

/// Whether the classifiers of an episode share its Gram matrix.
#[doc(hidden)]
pub fn shares_gram(instances: &Instances) -> bool {
    instances.len() <= GRAM_ROWS
}

/// Checks what the iterative classifiers have in common: the weight `C`, the tolerance and the number of iterations.
///
/// # Errors
/// [`Error::Parameter`].
#[doc(hidden)]
pub fn check_solver(c: f64, tolerance: f64, iterations: usize) -> Result<()> {
    if !(c > 0.0 && c.is_finite()) {
        return Err(Error::parameter("C", c, "it must be a positive number"));
    }
    if !(tolerance > 0.0 && tolerance < 1.0) {
        return Err(Error::parameter("tolerance", tolerance, "it must lie between 0 and 1"));
    }
    if iterations == 0 {
        return Err(Error::parameter("iterations", 0, "at least one is needed"));
    }
    Ok(())
}
