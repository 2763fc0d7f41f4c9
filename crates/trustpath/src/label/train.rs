//! Training the model that remains of a labelled pool.
//!
//! The promise holds for predictions by held-out labels of their own. In every fold the held-out rows, and the rows of the pool that they
//! are ranked among, are predicted by the model of that fold as if they were new: smoothed over the reference rows without themselves,
//! labelled and judged by the classifier, the graph and the path of the fold. The rest is the rule of the pool.

use std::cmp::Ordering;

use rayon::prelude::*;

use super::model::{LabelModel, PredictionTrust};
use super::row_labeller::RowLabeller;
use super::{Verdict, judged_dims};
use crate::classify::{Classify, LogisticModel, PoolLogistic};
use crate::incidental::Keep;
use crate::judge::{FrozenPath, PoolView, judging_path};
use crate::labeller::{GraphLabels, Labelled};
use crate::limits::Limits;
use crate::pool::{Labels, Pool};
use crate::represent::{Placed, Reference, Represented};
use crate::trust::{
    CrossValidation, Fold, FoldPrediction, FoldRun, RankedBy, RightCurve, Trust, Unknown, cross_validate_predictions,
};
use crate::{Result, random};

/// Scores of the pool that are kept, at most.
const SCORES: usize = 2000;

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
    /// How predictions are trusted; `None` if none are to be.
    pub chosen_by: Option<Trust>,
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
        let view = PoolView::leading(smooth, smooth.unit(), judged_dims(smooth.unit(), labels.classes));
        let keep = Keep { beta: true, ..Keep::default() };
        Ok(FrozenPath::of(&judging_path(&view, labels, of_open, self.limits, keep)?.0))
    }

    /// How predictions are ranked and trusted, by held-out labels that are predicted as if they were new.
    fn trust(&self, reference: &Reference, which: &[usize], parts: &RowLabeller<'_>) -> Result<PredictionTrust> {
        let (pool, unknown) = (self.pool, self.unknown);
        let sample = self.limits.to_cross_validate(&pool.without_copies(&unknown.known), pool.classes);
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
        let calibration = held_out.calibration(&unknown.folds.tiers, &labels, share);
        let trusted = self.chosen_by.map_or(0, |trust| calibration.trusted(pool.open.len(), trust));
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
        run: &FoldRun,
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
