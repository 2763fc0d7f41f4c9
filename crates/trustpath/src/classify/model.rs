//! A trained classifier that can be kept.

use super::LogisticModel;
use crate::{Error, Instances, Matrix, Result};

/// A trained classifier, which can label instances that were not in the episode.
pub trait TrainedModel: Send + Sync + std::fmt::Debug {
    /// Number of features an instance must have.
    fn dims(&self) -> usize;

    /// Number of classes.
    fn classes(&self) -> usize;

    /// Class probabilities of rows of so many features.
    fn of_rows(&self, x: &Matrix) -> Matrix;

    /// Itself, if it is one linear function per class.
    fn as_logistic(&self) -> Option<&LogisticModel> {
        None
    }

    /// Class probabilities: one row per instance, one column per class.
    ///
    /// # Errors
    /// [`Error::Dimensions`] when the instances have another number of features than those of the training.
    fn probabilities(&self, x: &Instances) -> Result<Matrix> {
        if x.dims() == self.dims() {
            Ok(self.of_rows(x.unit()))
        } else {
            Err(Error::Dimensions { expected: self.dims(), given: x.dims() })
        }
    }
}

impl TrainedModel for LogisticModel {
    fn dims(&self) -> usize {
        self.weights.cols()
    }

    fn classes(&self) -> usize {
        self.weights.rows()
    }

    fn of_rows(&self, x: &Matrix) -> Matrix {
        self.probabilities(x)
    }

    fn as_logistic(&self) -> Option<&LogisticModel> {
        Some(self)
    }
}
