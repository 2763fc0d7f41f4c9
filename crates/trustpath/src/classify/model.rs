//! A trained classifier that can be kept.

use super::{LogisticModel, NearestModel, SvmModel};
use crate::{Error, Instances, Matrix, Result};

/// A trained classifier, which can label instances that were not in the episode.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Model {
    /// One linear function per class.
    Logistic(LogisticModel),
    /// One linear function per pair of classes.
    Svm(SvmModel),
    /// The training instances themselves.
    Nearest(NearestModel),
}

impl Model {
    /// Number of features an instance must have.
    pub fn dims(&self) -> usize {
        match self {
            Self::Logistic(model) => model.weights.cols(),
            Self::Svm(model) => model.weights.cols(),
            Self::Nearest(model) => model.samples.cols(),
        }
    }

    /// Number of classes.
    pub fn classes(&self) -> usize {
        match self {
            Self::Logistic(model) => model.weights.rows(),
            Self::Svm(model) => model.classes,
            Self::Nearest(model) => model.classes,
        }
    }

    /// Class probabilities: one row per instance, one column per class.
    ///
    /// # Errors
    /// [`Error::Dimensions`] when the instances have another number of features than those of the training.
    pub fn probabilities(&self, x: &Instances) -> Result<Matrix> {
        if x.dims() != self.dims() {
            return Err(Error::Dimensions { expected: self.dims(), given: x.dims() });
        }
        Ok(match self {
            Self::Logistic(model) => model.probabilities(x.unit()),
            Self::Svm(model) => model.probabilities(x.unit()),
            Self::Nearest(model) => model.probabilities(x.unit()),
        })
    }
}
