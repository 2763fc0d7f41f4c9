//! The model that remains of a labelled pool: it labels rows that were not in the pool as the pool's own are labelled.
//!
//! A new row is smoothed over reference rows of the pool, which puts it into the coordinates of the pool
//! ([`Reference`]). There the labeller's last classifier gives it class probabilities, which are multiplied with those of the
//! similarity graph as they are for the rows of the pool; what the graph says of a new row is the mean of what it says of the
//! reference rows near it. Where the labeller has no classifier, or some rows are none of these, one is trained on the given labels,
//! the trusted ones and the best half of every class; what is none of these is a class more.

use std::ops::Range;

use super::Verdict;
use super::row_labeller::{RowLabeller, ScoredRow};
use crate::classify::LogisticModel;
use crate::judge::{FrozenPath, Judgement};
use crate::represent::{Projection, Reference};
use crate::trust::{RankedBy, RightCurve, rank, rank_low};
use crate::{Error, Features, Matrix, Result};

/// Rows that are predicted together.
const BLOCK: usize = 16_384;

/// A trained model.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelModel {
    /// From features to coordinates.
    pub projection: Projection,
    /// The rows that new ones are smoothed over.
    pub reference: Reference,
    /// The classifier. It has one class more than there are labels if the pool has instances that are none of these.
    pub classifier: LogisticModel,
    /// What the similarity graph says of every class of the classifier, one row per reference row; empty where no graph was read.
    pub graph: Vec<f32>,
    /// How much of its score each reference row loses because it is far from all labels; empty in a closed pool.
    pub discount: Vec<f32>,
    /// The path that credibility is measured on.
    pub path: FrozenPath,
    /// How predictions are ranked and trusted.
    pub trust: PredictionTrust,
}

/// How predictions are ranked and trusted.
#[derive(Debug, Clone, PartialEq)]
pub struct PredictionTrust {
    /// The score that ranks them.
    pub ranked_by: RankedBy,
    /// Scores of rows of the pool that were predicted as if they were new, from high to low.
    pub scores: Vec<f64>,
    /// The share of the pool that these rows stand for; the rest is none of these.
    pub share: f64,
    /// From the share of the pool that scores at least as high to the probability that a label is right.
    pub curve: RightCurve,
    /// The score from which a label is trusted; above 1 if none is.
    pub cut: f64,
}

/// Labels of new instances.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Prediction {
    /// The most probable class of each; `None` for those that are none of these.
    pub labels: Vec<Option<usize>>,
    /// Class probabilities, one row per instance; the last column is that of none of these, if the model knows such instances.
    pub probabilities: Matrix,
    /// The probability that the label is right, or that it is none of these.
    pub probability: Vec<f64>,
    /// Credibility of each label; for those that are none of these, of the label that they come nearest to.
    pub credibility: Vec<f64>,
    /// The class that competes with it: the one whose label would be most credible instead.
    pub rival: Vec<usize>,
    /// Trusted, doubtful or none of these.
    pub verdicts: Vec<Verdict>,
    /// The share of the pool that scores at least as high; of an instance that is none of these, what it is for those of the pool on average.
    pub rank: Vec<f64>,
}

impl LabelModel {
    /// Checks that the parts fit together, as those of a file may not.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) with what does not fit.
    pub fn check(&self) -> Result<()> {
        let (r, d) = (self.projection.basis.rows(), self.projection.mean.len());
        let (outputs, classes) = (self.classifier.intercept.len(), self.classes());
        let expect = |given: (usize, usize), rows: usize, dims: usize| {
            if given == (rows, dims) {
                return Ok(());
            }
            Err(Error::Shape { rows, dims, expected: rows * dims, given: given.0 * given.1 })
        };
        let shape = |m: &Matrix| (m.rows(), m.cols());
        expect(shape(&self.projection.basis), r, d)?;
        expect(shape(&self.classifier.weights), outputs, r)?;
        expect((outputs, 1), if outputs == classes { classes } else { classes + 1 }, 1)?;
        expect((self.path.beta.len(), 1), self.path.lambda.len(), 1)?;
        let reads = self.path.dims();
        for beta in &self.path.beta {
            expect(shape(beta), reads.min(r), classes)?;
        }
        let rows = self.reference.len();
        for (values, dims) in [(&self.graph, outputs), (&self.discount, 1)] {
            if !values.is_empty() {
                expect((values.len(), 1), rows * dims, 1)?;
            }
        }
        if classes < 2 || self.path.lambda.is_empty() || r == 0 {
            return Err(Error::OneClass { classes });
        }
        Ok(())
    }

    /// Labels new instances, which must have the features of the pool.
    ///
    /// # Errors
    /// [`Error::Dimensions`](crate::Error::Dimensions) for another number of features,
    /// [`Error::ZeroVector`](crate::Error::ZeroVector).
    pub fn predict(&self, features: &Features<'_>) -> Result<Prediction> {
        let outputs = self.classifier.intercept.len();
        let mut all = Vec::with_capacity(features.rows());
        let mut probabilities = Matrix::zeros(features.rows(), outputs);
        for rows in blocks(features.rows()) {
            let to = &mut probabilities.as_mut_slice()[rows.start * outputs..rows.end * outputs];
            all.extend(self.predict_rows(features, rows, Some(to))?);
        }
        Ok(Prediction {
            labels: all.iter().map(|row| row.label).collect(),
            probability: all.iter().map(|row| row.probability).collect(),
            credibility: all.iter().map(|row| row.credibility).collect(),
            rival: all.iter().map(|row| row.rival).collect(),
            verdicts: all.iter().map(|row| row.verdict).collect(),
            rank: all.iter().map(|row| row.rank).collect(),
            probabilities,
        })
    }

    /// Labels these rows of the features; their class probabilities are written where there is room for them.
    pub(crate) fn predict_rows(
        &self,
        features: &Features<'_>,
        rows: Range<usize>,
        probabilities: Option<&mut [f64]>,
    ) -> Result<Vec<PredictedRow>> {
        let placed = self.reference.place(&self.projection, features, rows, |_| Ok(()))?;
        let parts = RowLabeller {
            classifier: &self.classifier,
            graph: &self.graph,
            path: &self.path,
            discount: &self.discount,
        };
        let rows: Vec<usize> = (0..placed.u.rows()).collect();
        let scored = parts.score(&placed, &rows, probabilities);
        let row = |scored: ScoredRow| {
            let score = scored.scores[self.trust.ranked_by as usize];
            let mut rank = self.trust.share * rank(&self.trust.scores, score);
            let (label, probability, verdict) = match scored.none {
                Some(probability) => {
                    rank = 0.5 * (1.0 + self.trust.share);
                    (None, probability, Verdict::NoneOfThese)
                }
                None => {
                    let trusted = score >= self.trust.cut;
                    let verdict = if trusted { Verdict::Trusted } else { Verdict::Doubtful };
                    (Some(scored.label), self.trust.curve.at(rank), verdict)
                }
            };
            let Judgement { rival, .. } = scored.judged;
            PredictedRow {
                label,
                judged_as: scored.label,
                probability,
                credibility: scored.judged.credibility(),
                rival,
                verdict,
                rank,
            }
        };
        Ok(scored.into_iter().map(row).collect())
    }

    /// Whether predictions with these [ranks](Prediction::rank) are of instances unlike the pool: then nothing that is known of the pool's
    /// labels holds for them.
    pub fn are_unlike_pool(&self, rank: &[f64]) -> bool {
        rank_low(rank, self.trust.scores.len())
    }

    /// Number of classes that have labels.
    pub fn classes(&self) -> usize {
        self.path.beta.first().map_or(0, Matrix::cols)
    }
}

/// What is predicted for a row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PredictedRow {
    pub label: Option<usize>,
    /// The label that it was judged under: its own, or for one that is none of these the one that it comes nearest to.
    pub judged_as: usize,
    pub probability: f64,
    pub credibility: f64,
    pub rival: usize,
    pub verdict: Verdict,
    pub rank: f64,
}

/// So many rows in the blocks in which they are predicted.
pub(crate) fn blocks(rows: usize) -> impl Iterator<Item = Range<usize>> {
    (0..rows).step_by(BLOCK).map(move |first| first..(first + BLOCK).min(rows))
}
