//! The model that remains of a labelled pool: it labels rows that were not in the pool as the pool's own are labelled.
//!
//! A new row is smoothed over reference rows of the pool, which puts it into the coordinates of the pool
//! ([`Reference`]). There the labeller's last classifier gives it class probabilities, which are multiplied with those of the
//! similarity graph as they are for the rows of the pool; what the graph says of a new row is the mean of what it says of the
//! reference rows near it. Where the labeller has no classifier, or some rows are none of these, one is trained on the given labels,
//! the trusted ones and the best half of every class; what is none of these is a class more.
//!
//! The promise holds for predictions by held-out labels of their own. In every fold the held-out rows, and the rows of the pool that they
//! are ranked among, are predicted by the model of that fold as if they were new: smoothed over the reference rows without themselves,
//! labelled and judged by the classifier, the graph and the path of the fold. The rest is the rule of the pool.

use std::cmp::Ordering;
use std::ops::Range;

use rayon::prelude::*;

use super::{Verdict, judged_dims};
use crate::classify::{Classify, LogisticModel, PoolLogistic};
use crate::incidental::Keep;
use crate::judge::{FrozenPath, Judgement, View, judging_path};
use crate::labeller::{GraphLabels, Labelled};
use crate::limits::Limits;
use crate::linalg::vector::arg_max;
use crate::pool::{Labels, Pool};
use crate::represent::{Placed, Projection, Reference, Represented};
use crate::trust::{
    CrossValidation, Fold, FoldPrediction, RankedBy, RightCurve, Unknown, cross_validate_predictions, rank,
};
use crate::{Error, Features, Matrix, Result, random};

/// Rows that are predicted together.
const BLOCK: usize = 16_384;
/// Rows whose class probabilities are in memory together.
const STRIP: usize = 256;
/// Added to what the graph says of a class, which may be nothing.
const FLOOR: f32 = 1e-6;
/// Scores of the pool that are kept, at most.
const SCORES: usize = 2000;

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
            let rank = self.trust.share * rank(&self.trust.scores, score);
            let (label, probability, verdict) = match scored.none {
                Some(probability) => (None, probability, Verdict::NoneOfThese),
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
            }
        };
        Ok(scored.into_iter().map(row).collect())
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
}

/// So many rows in the blocks in which they are predicted.
pub(crate) fn blocks(rows: usize) -> impl Iterator<Item = Range<usize>> {
    (0..rows).step_by(BLOCK).map(move |first| first..(first + BLOCK).min(rows))
}

/// What labels and judges placed rows: of a model, or of a fold.
#[derive(Clone, Copy)]
struct RowLabeller<'a> {
    classifier: &'a LogisticModel,
    graph: &'a [f32],
    path: &'a FrozenPath,
    discount: &'a [f32],
}

/// A row that is labelled and judged.
#[derive(Debug, Clone, Copy)]
struct ScoredRow {
    /// The most probable of the classes that have labels.
    label: usize,
    /// The probability that it is none of these, where that is more probable than any class.
    none: Option<f64>,
    judged: Judgement,
    /// By each ranking.
    scores: [f64; RankedBy::ALL.len()],
}

impl RowLabeller<'_> {
    /// Labels and judges these rows, and writes their class probabilities where there is room for them.
    fn score(&self, placed: &Placed, rows: &[usize], probabilities: Option<&mut [f64]>) -> Vec<ScoredRow> {
        let outputs = self.classifier.intercept.len();
        let classes = self.path.beta.first().map_or(0, Matrix::cols);
        let mut labels = vec![(0, 0.0, None, 0.0); rows.len()];
        let label_strip = |(at, labels): (usize, &mut [(usize, f64, Option<f64>, f64)])| {
            let rows = &rows[at * STRIP..at * STRIP + labels.len()];
            let mut p = self.classifier.probabilities_of(&placed.u, rows);
            let mut near = vec![0.0f32; outputs];
            for (at, (&row, to)) in rows.iter().zip(labels).enumerate() {
                let p = p.row_mut(at);
                if !self.graph.is_empty() {
                    placed.mean(row, self.graph, &mut near);
                    let roots = near.iter().map(|h| f64::from((h + FLOOR).sqrt()));
                    p.iter_mut().zip(roots).for_each(|(p, root)| *p *= root);
                    let sum: f64 = p.iter().sum();
                    p.iter_mut().for_each(|p| *p /= sum);
                }
                let label = arg_max(&p[..classes]);
                let none = p.get(classes).copied().filter(|none| *none > p[label]);
                let mut discount = [0.0f32];
                if !self.discount.is_empty() {
                    placed.mean(row, self.discount, &mut discount);
                }
                *to = (label, p[label], none, f64::from(discount[0]));
            }
            p
        };
        match probabilities {
            Some(all) => {
                let strips = labels.par_chunks_mut(STRIP).enumerate();
                strips.zip(all.par_chunks_mut(STRIP * outputs)).for_each(|(strip, to)| {
                    to.copy_from_slice(label_strip(strip).as_slice());
                });
            }
            None => labels.par_chunks_mut(STRIP).enumerate().for_each(|strip| {
                label_strip(strip);
            }),
        }
        let judged = self.path.judge(&placed.u, rows, |at| Some(labels[at].0));
        let scored = |((label, probability, none, discount), judged): (_, Judgement)| ScoredRow {
            label,
            none,
            judged,
            scores: RankedBy::ALL.map(|by| by.scores(&[probability], &[judged], |_| discount)[0]),
        };
        labels.into_iter().zip(judged).map(scored).collect()
    }
}

/// A labelled pool that a model is trained on.
pub(crate) struct ModelInput<'a> {
    pub representation: &'a Represented,
    pub pool: &'a Pool,
    pub unknown: &'a Unknown,
    /// What the labeller made of the known rows.
    pub labelled: &'a Labelled,
    /// The probability that each of their labels is right.
    pub right: &'a [f64],
    /// Verdicts by row.
    pub verdicts: &'a [Verdict],
    /// How the folds were labelled and judged.
    pub held_out: &'a CrossValidation,
    /// The precision that trusted labels should have; `None` if nothing is to be trusted.
    pub target: Option<f64>,
    pub limits: Limits,
}

impl ModelInput<'_> {
    /// Trains the model.
    pub fn train(&self) -> Result<LabelModel> {
        let (reference, which) = Reference::of(self.representation)?;
        let labels = self.pool.with_open(&self.unknown.known);
        let order = |&a: &usize, &b: &usize| self.right[b].total_cmp(&self.right[a]);
        let classifier = self.classifier(labels, self.labelled, order, None)?;
        let path = self.path(labels, &self.labelled.labels)?;
        let parts = RowLabeller {
            graph: &self.graph(labels, self.labelled, &which),
            discount: &of_rows(&self.unknown.discount, &which),
            classifier: &classifier,
            path: &path,
        };
        let trust = self.trust(&reference, &which, &parts)?;
        let (graph, discount) = (parts.graph.to_vec(), parts.discount.to_vec());
        let projection = self.representation.projection.clone();
        Ok(LabelModel { projection, reference, classifier, graph, discount, path, trust })
    }

    /// The labeller's last classifier, or one that is trained on the given labels, the best half of every class in this order and the
    /// rows that are none of these; where asked for, without the rows of one half of the pool.
    fn classifier(
        &self,
        labels: Labels<'_>,
        labelled: &Labelled,
        order: impl Fn(&usize, &usize) -> Ordering,
        without: Option<usize>,
    ) -> Result<LogisticModel> {
        let mut novel = self.novel();
        if let (Some(model), true, None) = (&labelled.model, novel.is_empty(), without) {
            return Ok(model.clone());
        }
        let takes_part = |row: usize| without.is_none_or(|half| half_of(row) != half);
        // A class of which nothing would be left keeps what it has.
        if novel.iter().any(|&row| takes_part(row)) {
            novel.retain(|&row| takes_part(row));
        }
        let classes = labels.classes;
        let mut members = vec![Vec::new(); classes];
        for (at, &label) in labelled.labels.iter().enumerate() {
            if takes_part(labels.open[at]) {
                members[label].push(at);
            }
        }
        let mut taken: Vec<(usize, usize)> = novel.iter().map(|&row| (row, classes)).collect();
        for (label, of_class) in members.iter_mut().enumerate() {
            of_class.sort_by(&order);
            of_class.truncate(of_class.len().div_ceil(2));
            taken.extend(of_class.iter().map(|&at| (labels.open[at], label)));
        }
        let given = labels.given.iter().copied().zip(labels.labels.iter().copied()).collect();
        let mut training: Vec<(usize, usize)> = Vec::new();
        for part in [given, taken] {
            let of: Vec<usize> = part.iter().map(|&(_, label)| label).collect();
            let kept = self.limits.to_train(&of, classes + 1);
            training.extend(kept.into_iter().map(|at| part[at]));
        }
        training.sort_unstable();
        let (rows, of): (Vec<usize>, Vec<usize>) = training.into_iter().unzip();
        let smooth = &self.representation.smooth;
        let mut trainer = PoolLogistic::new(self.limits)?.trainer(smooth, self.outputs());
        trainer.train(&rows, &of)?;
        Ok(trainer.model().as_logistic().expect("it is logistic").clone())
    }

    /// A classifier that half of the pool has not trained: scores of rows that train a classifier are higher than those of new rows.
    fn classifier_without(&self, half: usize) -> Result<LogisticModel> {
        let labels = self.pool.with_open(&self.unknown.known);
        let order = |&a: &usize, &b: &usize| self.right[b].total_cmp(&self.right[a]);
        self.classifier(labels, self.labelled, order, Some(half))
    }

    /// Rows that are none of these.
    fn novel(&self) -> Vec<usize> {
        let is_novel = |row: &usize| self.verdicts[*row] == Verdict::NoneOfThese;
        (0..self.verdicts.len()).filter(is_novel).collect()
    }

    /// Number of classes of the classifier.
    fn outputs(&self) -> usize {
        self.pool.classes + usize::from(self.verdicts.contains(&Verdict::NoneOfThese))
    }

    /// What the graph says of every class of the classifier, for these rows. That a row is none of these is certain, or it is not.
    fn graph(&self, labels: Labels<'_>, labelled: &Labelled, which: &[usize]) -> Vec<f32> {
        let (classes, outputs) = (self.pool.classes, self.outputs());
        let hits = match &labelled.by_graph {
            Some(graph) => graph.hits(),
            None if labelled.model.is_none() && self.reads_graph() => {
                GraphLabels::new(&self.representation.graph, labels).hits()
            }
            None => return Vec::new(),
        };
        let of_row = |&row: &usize| {
            let novel = self.verdicts[row] == Verdict::NoneOfThese;
            let hits = &hits[row * classes..(row + 1) * classes];
            let hits = hits.iter().map(move |&h| if novel { 0.0 } else { h });
            hits.chain((classes..outputs).map(move |_| f32::from(u8::from(novel))))
        };
        which.iter().flat_map(of_row).collect()
    }

    fn reads_graph(&self) -> bool {
        self.limits.reads_graph(self.pool.rows, self.pool.classes)
    }

    /// The path that judges these labels of the open rows.
    fn path(&self, labels: Labels<'_>, of_open: &[usize]) -> Result<FrozenPath> {
        let smooth = &self.representation.smooth;
        let view = View::leading(smooth, smooth.unit(), judged_dims(smooth.unit(), labels.classes));
        let keep = Keep { beta: true, ..Keep::default() };
        Ok(FrozenPath::of(&judging_path(&view, labels, of_open, self.limits, keep)?.0))
    }

    /// How predictions are ranked and trusted, by held-out labels that are predicted as if they were new.
    fn trust(&self, reference: &Reference, which: &[usize], parts: &RowLabeller<'_>) -> Result<PredictionTrust> {
        let (pool, unknown) = (self.pool, self.unknown);
        let sample = self.limits.to_cross_validate(&unknown.known, pool.classes);
        let mut rows = [&pool.given[..], &sample].concat();
        rows.sort_unstable();
        let own = |row: usize| which.binary_search(&row).ok();
        let placed = reference.place_again(self.representation, &rows, own)?;
        let place = |row: &usize| rows.partition_point(|other| other < row);
        let places = |of: &[usize]| of.iter().map(place).collect::<Vec<usize>>();
        let predict = |(fold, run): (&Fold, &_)| -> Result<FoldPrediction> {
            self.predict_fold(fold, run, &placed, &places(fold.labels().open), which)
        };
        let folds = &unknown.folds.all[..self.held_out.runs.len()];
        let predictions: Vec<FoldPrediction> =
            folds.par_iter().zip(&self.held_out.runs).map(predict).collect::<Result<_>>()?;
        let held_out = cross_validate_predictions(folds, &predictions, unknown.share());
        let mut scored = Vec::new();
        for half in 0..2 {
            let classifier = &self.classifier_without(half)?;
            let rows: Vec<usize> = sample.iter().copied().filter(|&row| half_of(row) == half).collect();
            scored.extend(RowLabeller { classifier, ..*parts }.score(&placed, &places(&rows), None));
        }
        let by = held_out.ranked_by as usize;
        let mut scores: Vec<f64> = scored.iter().map(|row| row.scores[by]).collect();
        scores.sort_by(|a, b| b.total_cmp(a));
        let labels: Vec<usize> = scored.iter().map(|row| row.label).collect();
        let share = unknown.estimated_share();
        let calibration = held_out.calibration(&unknown.folds.groups, &labels, share);
        let trusted = self.target.map_or(0, |target| calibration.trusted(pool.open.len(), target));
        let most = trusted as f64 / pool.open.len().max(1) as f64;
        let count = (most / unknown.share() * scores.len() as f64 + 1e-6) as usize;
        let cut = count.min(scores.len()).checked_sub(1).map_or(2.0, |last| scores[last]);
        Ok(PredictionTrust {
            ranked_by: held_out.ranked_by,
            curve: RightCurve::of(&calibration),
            share: unknown.share(),
            scores: evenly(&scores, SCORES),
            cut,
        })
    }

    /// Labels and judges the open rows of a fold, which are at these places, as if they were new.
    fn predict_fold(
        &self,
        fold: &Fold,
        run: &crate::trust::FoldRun,
        placed: &Placed,
        places: &[usize],
        which: &[usize],
    ) -> Result<FoldPrediction> {
        let (labels, labelled) = (fold.labels(), &run.labelled);
        let order =
            |&a: &usize, &b: &usize| labelled.probability[b].total_cmp(&labelled.probability[a]).then(a.cmp(&b));
        let classifier = self.classifier(labels, labelled, order, None)?;
        let parts = RowLabeller {
            graph: &self.graph(labels, labelled, which),
            discount: &of_rows(&fold.distance, which),
            classifier: &classifier,
            path: &run.path,
        };
        let scored = parts.score(placed, places, None);
        Ok(FoldPrediction {
            labels: scored.iter().map(|row| row.label).collect(),
            novel: scored.iter().map(|row| row.none.is_some()).collect(),
            scores: RankedBy::ALL.map(|by| scored.iter().map(|row| row.scores[by as usize]).collect()),
        })
    }
}

/// In which half of the pool a row is.
fn half_of(row: usize) -> usize {
    random::mix(row as u64) as usize % 2
}

/// Values of these rows; none where there are none.
fn of_rows(values: &[f64], rows: &[usize]) -> Vec<f32> {
    if values.is_empty() {
        return Vec::new();
    }
    rows.iter().map(|&row| values[row] as f32).collect()
}

/// At most so many of sorted values, evenly.
fn evenly(sorted: &[f64], most: usize) -> Vec<f64> {
    let count = sorted.len().min(most);
    (0..count).map(|at| sorted[at * sorted.len() / count]).collect()
}
