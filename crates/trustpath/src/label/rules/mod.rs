//! What was learnt from an even part of a pool, as rules for every other row of it.
//!
//! Classifier, path, cross-validation and thresholds need some ten thousand rows, however large the pool is. Each other row is
//! then labelled by the classifier, judged by the frozen path, ranked among the rows that were there, and trusted or found to
//! be none of these by the same thresholds: what one machine does with the rows of a large pool beyond those that it fits to.

mod numbers;

use std::sync::Arc;

use rayon::prelude::*;

use super::run::{Labelling, NEAREST};
use super::signals::Signals;
use super::trusted::{TrustRule, Trusted};
use super::{LabelModel, Trust, Verdict};
use crate::classify::{LogisticModel, most_probable};
use crate::judge::{FrozenPath, Judgement};
use crate::neighbors::nearest_among;
use crate::spec::{LabelSpec, LabellerKind};
use crate::trust::{Calibration, Discount, Novelty, NoveltyRule, RankedBy, RightCurve, rank};
use crate::{Error, Instances, Matrix, Result};

/// Rules by which rows of a pool are labelled, judged and trusted.
#[derive(Debug, Clone, PartialEq)]
pub struct PoolRules {
    pub(super) classifier: LogisticModel,
    pub(super) path: FrozenPath,
    pub(super) ranked: Ranked,
    pub(super) ranked_by: RankedBy,
    pub(super) curve: RightCurve,
    pub(super) trusted: TrustRule,
    pub(super) discount: Option<Discount>,
    pub(super) novelty: Option<NoveltyRule>,
    pub(super) picked: bool,
    /// The number of folds in which rows have distances from the labels; `None` in a closed pool, whose rows have none.
    pub(super) folds: Option<usize>,
}

/// Scores to rank others among.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Ranked {
    /// From high to low.
    sorted: Vec<f64>,
    /// The share of the pool that they are; the rest scores lower.
    share: f64,
}

impl Ranked {
    /// These scores, which are those of a `share` of the pool.
    pub fn new(scores: &[f64], share: f64) -> Self {
        let mut sorted = scores.to_vec();
        sorted.sort_by(|a, b| b.total_cmp(a));
        Self { sorted, share }
    }

    /// The share of the pool that scores at least as high.
    pub fn share_above(&self, score: f64) -> f64 {
        self.share * rank(&self.sorted, score)
    }
}

/// Rows of a pool that rules are applied to.
#[derive(Debug)]
pub struct RowsToLabel {
    /// Their coordinates.
    pub coordinates: Matrix,
    /// Their given labels.
    pub given: Vec<Option<usize>>,
    /// What the similarity graph of the entire pool says of them.
    pub signals: Signals,
    /// The round since which a row has been in the training set, where it was.
    pub accepted_in: Vec<Option<usize>>,
}

impl PoolRules {
    /// Whether rows can be labelled one by one.
    ///
    /// # Errors
    /// [`Error::Parameter`] where labels or the trusted set are not decided row by row: with a transductive labeller, or a number of
    /// trusted labels per class.
    pub fn check(spec: &LabelSpec) -> Result<()> {
        spec.check()?;
        if let LabellerKind::Transductive(kind) = spec.labeller {
            return Err(needs_classifier(kind));
        }
        if let Trust::PerClass(count) = spec.trust()? {
            let expected = "on several machines rows are trusted one by one: ask for a precision or a credibility";
            return Err(Error::parameter("per_class", count, expected));
        }
        if spec.exact {
            let expected = "on several machines a part of the rows decides for all: leave it out";
            return Err(Error::parameter("exact", true, expected));
        }
        match spec.reduction {
            Some(reduction) => {
                let expected =
                    "on several machines there are principal components only: leave it out";
                Err(Error::parameter("reduction", reduction, expected))
            }
            None => Ok(()),
        }
    }

    /// Refuses rows that are not of the pool that the rules were learnt from.
    fn check_rows(&self, of: &RowsToLabel) -> Result<()> {
        let rows = of.coordinates.rows();
        let (classes, dims) = (self.classifier.weights.rows(), self.classifier.weights.cols());
        if of.coordinates.cols() != dims {
            return Err(Error::Dimensions { expected: dims, given: of.coordinates.cols() });
        }
        if of.given.len() != rows {
            return Err(Error::LabelCount { labels: of.given.len(), rows });
        }
        let given = of.given.iter().enumerate();
        if let Some((row, label)) = given
            .filter_map(|(row, label)| Some((row, (*label)?)))
            .find(|(_, label)| *label >= classes)
        {
            return Err(Error::LabelOutOfRange { row, label, classes });
        }
        if of.accepted_in.len() != rows {
            let given = of.accepted_in.len();
            return Err(Error::Shape { rows, dims: 1, expected: rows, given });
        }
        of.signals.check(rows, self.folds)
    }

    /// Labels rows of the pool. What a labelling says of the entire pool stays empty: the rules were learnt from another part of it, and
    /// `model` is the one trained on that part.
    ///
    /// # Errors
    /// [`Error::Dimensions`], [`Error::LabelCount`], [`Error::LabelOutOfRange`], [`Error::Shape`] or [`Error::Parameter`] where
    /// coordinates, labels or signals are not of the pool that the rules were learnt from.
    pub fn apply(&self, of: RowsToLabel, model: LabelModel) -> Result<Labelling> {
        self.check_rows(&of)?;
        let RowsToLabel { coordinates: u, given, signals, accepted_in } = of;
        let rows: Vec<usize> = (0..u.rows()).collect();
        let known: Vec<usize> = rows.iter().copied().filter(|&row| given[row].is_some()).collect();
        let (mut labels, probability) = most_probable(&self.classifier, &u, &rows);
        known.iter().for_each(|&row| labels[row] = given[row].unwrap_or(labels[row]));
        let of_row = |row: &usize| {
            let rule = self.novelty.as_ref().filter(|_| given[*row].is_none())?;
            Some(rule.of(|fold| signals.of_folds[fold][*row]))
        };
        let novelty: Vec<_> = rows.par_iter().map(of_row).collect();
        let is_novel =
            |row: usize| !self.picked && novelty[row].is_some_and(|novelty| novelty.novel);
        let own: Vec<Option<usize>> =
            rows.iter().map(|&row| (!is_novel(row)).then_some(labels[row])).collect();
        let judged = self.path.judge(&u, &rows, |row| own[row]);
        let discount = |row: usize| {
            // Closed pools have no distances.
            let h = signals.distance.get(row).copied().unwrap_or(0.0);
            self.discount.as_ref().map_or(h, |discount| discount.at(h))
        };
        let scores = self.ranked_by.scores(&probability, &judged, discount);
        let decide = |&row: &usize| {
            let rank = self.ranked.share_above(scores[row]);
            match (given[row], novelty[row]) {
                (Some(_), _) => (1.0, Verdict::Given),
                (None, Some(novelty)) if is_novel(row) => {
                    (novelty.probability, Verdict::NoneOfThese)
                }
                _ => match self.trusted.trusts(rank, judged[row].credibility()) {
                    true => (self.curve.at(rank), Verdict::Trusted),
                    false => (self.curve.at(rank), Verdict::Doubtful),
                },
            }
        };
        let (probability, verdicts): (Vec<f64>, Vec<Verdict>) = rows.par_iter().map(decide).unzip();
        let open = || rows.iter().filter(|row| given[**row].is_none());
        let novelty = self.novelty.as_ref().map(|rule| Novelty {
            score: open().map(|&row| signals.distance[row]).collect(),
            p_value: open().map(|&row| novelty[row].map_or(1.0, |n| n.p_value)).collect(),
            probability: open().map(|&row| novelty[row].map_or(0.0, |n| n.probability)).collect(),
            novel: open().map(|&row| is_novel(row)).collect(),
            known: rule.known,
        });
        let trusted = Trusted {
            rows: rows.iter().copied().filter(|&row| verdicts[row] == Verdict::Trusted).collect(),
            target: None,
            cut: None,
            promised: 0.0,
            estimate: None,
            best: (0.0, 0),
            ranked_by: self.ranked_by,
            calibration: Calibration::default(),
        };
        Ok(Labelling {
            labels: own,
            probability,
            credibility: judged.iter().map(Judgement::credibility).collect(),
            judged_as: judged.iter().map(|judged| judged.label).collect(),
            rival: judged.iter().map(|judged| judged.rival).collect(),
            accepted_in,
            verdicts,
            nearest: nearest_among(&u, &known, NEAREST),
            labeller: "",
            rounds: Vec::new(),
            novelty,
            picked: self.picked,
            trusted,
            suggestions: Vec::new(),
            lambda: Vec::new(),
            gamma_norm: Matrix::zeros(0, 0),
            followed: Vec::new(),
            recall: None,
            coordinates: Arc::new(Instances::from_unit(u)),
            model,
        })
    }
}

/// The error of a labeller that labels all rows at once.
pub(super) fn needs_classifier(labeller: impl std::fmt::Display) -> Error {
    let expected = "on several machines each row is labelled by a classifier: choose auto, rounds, no-rounds or classifier";
    Error::parameter("labeller", labeller, expected)
}
