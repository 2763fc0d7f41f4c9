//! The model that remains of a labelled pool: a classifier and a frozen path, for instances that were not in it.
//!
//! Such an instance has no neighbours in the pool to be smoothed over. So both are trained on the coordinates that the
//! pool's own instances have without smoothing, under the labels that were found with it: the classifier on those
//! that are given or trusted, the path on all.

use super::Verdict;
use super::represent::{Projection, Representation};
use super::run::{judged_dims, split_path};
use crate::classify::{Classify, LogisticModel, Model, PoolLogistic};
use crate::incidental::Keep;
use crate::judge::{FrozenPath, Judgement, View, credibility};
use crate::limits::Limits;
use crate::split::Split;
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
    /// Credibility from which a label counts as trusted: the same share of the pool's unlabeled instances lies above it as
    /// was trusted there.
    pub cut: f64,
}

/// Labels of new instances.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// The most probable class of each.
    pub labels: Vec<usize>,
    /// Class probabilities, one row per instance.
    pub probabilities: Matrix,
    /// Credibility of each label.
    pub credibility: Vec<f64>,
    /// The class that competes with it: the one whose label would be most credible instead.
    pub rival: Vec<usize>,
    /// Whether the label can be trusted.
    pub trusted: Vec<bool>,
}

impl LabelModel {
    /// Checks that the parts fit together, as those of a file may not.
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

/// Trains the classifier on the given and the trusted labels, and the path on all labels, on coordinates without
/// smoothing.
pub(super) fn train(
    representation: &Representation,
    features: &Features<'_>,
    split: Split<'_>,
    labels: &[usize],
    verdicts: &[Verdict],
    limits: Limits,
) -> Result<LabelModel> {
    let trusted = |&at: &usize| verdicts[split.open[at]] == Verdict::Trusted;
    let trusted: Vec<usize> = (0..split.open.len()).filter(trusted).collect();
    let classifier = train_classifier(representation, features, split, labels, &trusted, limits)?;

    // The path, on the rows that it is fitted to alone.
    let fitted = limits.to_fit(split, labels);
    let given = fitted.partition_point(|&position| position < split.given.len());
    let rows: Vec<usize> = fitted.iter().map(|&position| split.row(position)).collect();
    let all = split.all_labels(labels);
    let with: Vec<usize> = fitted.iter().map(|&position| all[position]).collect();
    let plain = representation.plain(features, &rows)?;
    let view = View::leading(&plain, plain.unit(), judged_dims(plain.unit(), split.classes));
    let here: Vec<usize> = (0..rows.len()).collect();
    let part = Split {
        given: &here[..given],
        labels: &with[..given],
        open: &here[given..],
        classes: split.classes,
    };
    let keep = Keep { beta: true, ..Keep::default() };
    let (path, _) = split_path(&view, part, &with[given..], Limits::NONE, keep)?;

    let mut pool: Vec<f64> =
        path.vanish[given..].iter().map(|&lambda| credibility(lambda)).collect();
    pool.sort_by(|a, b| b.total_cmp(a));
    // The same share as was trusted in the pool; if none was, none will be.
    let share = (trusted.len() * pool.len()).div_ceil(split.open.len().max(1));
    let cut = share.checked_sub(1).and_then(|last| pool.get(last)).copied().unwrap_or(1.0);
    let path = FrozenPath::of(&path);
    Ok(LabelModel { projection: representation.projection.clone(), classifier, path, cut })
}

/// The classifier on the given and the trusted labels; `trusted` are places among the open rows.
fn train_classifier(
    representation: &Representation,
    features: &Features<'_>,
    split: Split<'_>,
    labels: &[usize],
    trusted: &[usize],
    limits: Limits,
) -> Result<LogisticModel> {
    let with: Vec<usize> = trusted.iter().map(|&at| labels[at]).collect();
    let given = limits.to_train(split.labels, split.classes);
    let others = limits.to_train(&with, split.classes);
    let mut pairs: Vec<(usize, usize)> =
        given.iter().map(|&at| (split.given[at], split.labels[at])).collect();
    pairs.extend(others.iter().map(|&at| (split.open[trusted[at]], with[at])));
    pairs.sort_unstable();
    let (rows, labels): (Vec<usize>, Vec<usize>) = pairs.into_iter().unzip();
    let plain = representation.plain(features, &rows)?;
    let here = limits.to_train(&labels, split.classes);
    let labels: Vec<usize> = here.iter().map(|&at| labels[at]).collect();
    let mut trainer = PoolLogistic::new(limits)?.trainer(&plain, split.classes);
    trainer.train(&here, &labels)?;
    match trainer.model() {
        Model::Logistic(model) => Ok(model),
        _ => unreachable!("logistic regression trains a logistic model"),
    }
}
