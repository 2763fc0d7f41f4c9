//! What is left of a labelled pool: a classifier and a frozen path, for instances that were not in it.
//!
//! Such an instance has no neighbours in the pool to be smoothed over. So both are trained on the coordinates that the
//! pool's own instances have without smoothing, under the labels that were found with it: the classifier on those
//! that are given or trusted, the path on all.

use super::credibility::{FrozenPath, Judgement};
use super::represent::Projection;
use crate::classify::LogisticModel;
use crate::task::arg_max;
use crate::{Error, Features, Matrix, Result};

/// A trained model.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelModel {
    /// From features to coordinates.
    pub projection: Projection,
    /// The classifier.
    pub classifier: LogisticModel,
    /// The path that credibility is measured on.
    pub path: FrozenPath,
    /// Credibility from which a label counts as trusted: where the same share of the pool's unlabeled instances lies above it
    /// as was trusted there.
    pub cut: f64,
}

/// Labels of new instances.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// The most probable class of each.
    pub labels: Vec<usize>,
    /// Class probabilities, one row an instance.
    pub probabilities: Matrix,
    /// Credibility of each label.
    pub credibility: Vec<f64>,
    /// The class that competes with it: the one whose label would be most credible otherwise.
    pub rival: Vec<usize>,
    /// Whether the label can be trusted.
    pub trusted: Vec<bool>,
}

impl LabelModel {
    /// Says whether the parts fit together, as those of a file may not.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) with what does not fit.
    pub fn check(&self) -> Result<()> {
        let (r, d) = (self.projection.basis.rows(), self.projection.mean.len());
        let classes = self.classifier.intercept.len();
        let expect = |given: (usize, usize), rows: usize, dims: usize| match given == (rows, dims) {
            true => Ok(()),
            false => {
                Err(Error::Shape { rows, dims, expected: rows * dims, given: given.0 * given.1 })
            }
        };
        let shape = |m: &Matrix| (m.rows(), m.cols());
        expect(shape(&self.projection.basis), r, d)?;
        expect(shape(&self.classifier.weights), classes, r)?;
        expect((self.path.beta.len(), 1), self.path.lambda.len(), 1)?;
        let reads = self.path.dims();
        for beta in &self.path.beta {
            expect(shape(beta), reads.min(r), classes)?;
        }
        match classes < 2 || self.path.lambda.is_empty() || r == 0 {
            true => Err(Error::OneClass { classes }),
            false => Ok(()),
        }
    }

    /// Labels new instances, which must have the features of the pool.
    ///
    /// # Errors
    /// [`Error::Dimensions`](crate::Error::Dimensions) for another number of features,
    /// [`Error::ZeroVector`](crate::Error::ZeroVector).
    pub fn predict(&self, features: &Features<'_>) -> Result<Prediction> {
        let x = self.projection.apply(features)?;
        let probabilities = self.classifier.probabilities(x.unit());
        let labels: Vec<usize> = probabilities.iter_rows().map(arg_max).collect();
        let rows: Vec<usize> = (0..labels.len()).collect();
        let judged = self.path.judge(x.unit(), &rows, |row| Some(labels[row]));
        let credibility: Vec<f64> = judged.iter().map(Judgement::credibility).collect();
        Ok(Prediction {
            rival: judged.iter().map(|judged| judged.rival).collect(),
            trusted: credibility.iter().map(|&c| c >= self.cut).collect(),
            labels,
            probabilities,
            credibility,
        })
    }
}
