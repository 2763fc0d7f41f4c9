//! Pseudo-labels for a pool: a classifier, and rounds in which the most credible of its labels teach it.
//!
//! ```text
//! train on the given labels, and label the rest
//! for share in ¼, ½:   judge all labels by the path; train on the given ones and the most credible share of every
//!                      pseudo-class, chosen anew; label the rest again
//! ```
//!
//! Where the pool is small, the adaptive mode labels at once instead, and there are no rounds.
//!
//! The rounds are Algorithm 1 with a quota in proportion to each pseudo-class, so that it assumes nothing of the balance of the
//! classes. The regression that judges inside the rounds is fitted to at most [`FIT_ROWS`] instances, which is plenty
//! for its few coefficients; the last judgement, which users see, is fitted to all.

use super::credibility::FrozenPath;
use crate::classify::{Classify, Logistic, LogisticModel, LogisticParams, Model};
use crate::incidental::linear::Roots;
use crate::incidental::{Grid, IciRParams, Incidental, Keep, Path};
use crate::task::{Task, arg_max};
use crate::transductive::{AdaptiveParams, Transductive};
use crate::{Instances, Matrix, Result};

/// Share of every pseudo-class that teaches, round by round.
pub(crate) const SHARES: [f64; 2] = [0.25, 0.5];
/// Instances that the regression inside a round is fitted to, besides those with given labels.
const FIT_ROWS: usize = 2048;
/// Coordinates that the regression reads, for each class.
const DIMS_PER_CLASS: usize = 4;
/// The grid that everyone is judged on in the end, and that users see.
pub(crate) const GRID: Grid = Grid { points: 40, ratio: 0.02 };
/// The grid inside the rounds, and for held-out labels.
const COARSE_GRID: Grid = Grid { points: 16, ratio: 0.02 };
/// Of the gradient relative to `λ`: far below the difference between any two instances that matters.
const TOLERANCE: f64 = 1e-4;
/// Of the classifier's weights, relative to `C`.
const CLASSIFIER_TOLERANCE: f64 = 1e-5;

/// What is taught: instances by row, some with a given label.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lesson<'a> {
    /// Rows with a given label.
    pub given: &'a [usize],
    /// Their labels.
    pub labels: &'a [usize],
    /// Rows to be labelled.
    pub open: &'a [usize],
    /// Number of classes.
    pub classes: usize,
}

/// What came of it. Everything is in the order of the lesson's open rows.
#[derive(Debug)]
pub(crate) struct Taught {
    /// Labels.
    pub labels: Vec<usize>,
    /// Class probabilities.
    pub probabilities: Matrix,
    /// The round since which an instance has been teaching, if it was to the end.
    pub accepted_in: Vec<Option<usize>>,
    /// The rounds.
    pub rounds: Vec<Round>,
}

/// A round of teaching.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Round {
    /// Instances of every class that taught.
    pub accepted: Vec<usize>,
    /// Labels that changed when the classifier was trained again.
    pub changed: usize,
}

/// The teacher of one representation.
#[derive(Debug)]
pub(crate) struct Teacher<'a> {
    instances: &'a Instances,
    /// The coordinates that the regression reads.
    x: Matrix,
    /// Features as they came, for the adaptive mode; `None` for rounds.
    features: Option<&'a Instances>,
}

impl<'a> Teacher<'a> {
    pub fn new(instances: &'a Instances, classes: usize, features: Option<&'a Instances>) -> Self {
        let d = instances.dims().min(DIMS_PER_CLASS * classes);
        let unit = instances.unit();
        Self { instances, x: Matrix::from_fn(unit.rows(), d, |i, j| unit[(i, j)]), features }
    }

    /// Labels the open rows.
    pub fn teach(&self, lesson: Lesson<'_>) -> Result<Taught> {
        match self.features {
            Some(features) => adapt(features, lesson),
            None => self.rounds(lesson),
        }
    }

    fn rounds(&self, lesson: Lesson<'_>) -> Result<Taught> {
        let mut trainer = classifier()?.trainer(self.instances, lesson.classes);
        trainer.train(lesson.given, lesson.labels)?;
        let mut probabilities = trainer.probabilities(lesson.open);
        let mut labels: Vec<usize> = probabilities.iter_rows().map(arg_max).collect();
        let mut accepted_in = vec![None; lesson.open.len()];
        let mut rounds = Vec::new();
        for share in SHARES {
            let chosen = self.most_credible(lesson, &labels, share)?;
            let (mut rows, mut with) = (lesson.given.to_vec(), lesson.labels.to_vec());
            let mut accepted = vec![0; lesson.classes];
            for (at, chosen) in chosen.iter().enumerate() {
                if *chosen {
                    rows.push(lesson.open[at]);
                    with.push(labels[at]);
                    accepted[labels[at]] += 1;
                    accepted_in[at] = accepted_in[at].or(Some(rounds.len()));
                } else {
                    accepted_in[at] = None;
                }
            }
            trainer.train(&rows, &with)?;
            probabilities = trainer.probabilities(lesson.open);
            let next: Vec<usize> = probabilities.iter_rows().map(arg_max).collect();
            let changed = next.iter().zip(&labels).filter(|(a, b)| a != b).count();
            labels = next;
            rounds.push(Round { accepted, changed });
        }
        Ok(Taught { labels, probabilities, accepted_in, rounds })
    }

    /// The path over the given and the open rows under these labels of the open ones, all instances in.
    pub fn path(&self, lesson: Lesson<'_>, labels: &[usize], keep: Keep) -> Result<Path> {
        let mut rows = lesson.given.to_vec();
        rows.extend_from_slice(lesson.open);
        let mut all = lesson.labels.to_vec();
        all.extend_from_slice(labels);
        fit(&self.gather(&rows), &all, lesson.classes, GRID, keep)
    }

    /// The vanishing `λ` of the open rows under their labels, by a regression on a part of them.
    pub fn vanish(&self, lesson: Lesson<'_>, labels: &[usize]) -> Result<Vec<f64>> {
        let every = lesson.open.len().div_ceil(FIT_ROWS).max(1);
        let mut rows = lesson.given.to_vec();
        let mut some = lesson.labels.to_vec();
        rows.extend(lesson.open.iter().step_by(every));
        some.extend(labels.iter().step_by(every));
        let keep = Keep { beta: true, ..Keep::default() };
        let frozen =
            FrozenPath::of(&fit(&self.gather(&rows), &some, lesson.classes, COARSE_GRID, keep)?);
        let vanish = frozen.vanish(&self.gather(lesson.open));
        Ok(labels.iter().enumerate().map(|(at, &label)| vanish[(at, label)]).collect())
    }

    /// Marks the most credible share of every pseudo-class, at least one of each; ties in order of the rows.
    fn most_credible(&self, lesson: Lesson<'_>, labels: &[usize], share: f64) -> Result<Vec<bool>> {
        let vanish = self.vanish(lesson, labels)?;
        let mut members = vec![Vec::new(); lesson.classes];
        for (at, &label) in labels.iter().enumerate() {
            members[label].push(at);
        }
        let mut chosen = vec![false; labels.len()];
        for of_class in &mut members {
            of_class.sort_by(|&a, &b| vanish[a].total_cmp(&vanish[b]));
            let quota = (share * of_class.len() as f64).ceil() as usize;
            of_class[..quota].iter().for_each(|&at| chosen[at] = true);
        }
        Ok(chosen)
    }

    /// The rows' coordinates for the regression.
    pub fn gather(&self, rows: &[usize]) -> Matrix {
        Matrix::from_fn(rows.len(), self.x.cols(), |i, j| self.x[(rows[i], j)])
    }
}

/// Labels the open rows by the adaptive mode.
fn adapt(features: &Instances, lesson: Lesson<'_>) -> Result<Taught> {
    let unit = features.unit();
    let rows: Vec<usize> = lesson.given.iter().chain(lesson.open).copied().collect();
    let x = Matrix::from_fn(rows.len(), unit.cols(), |i, j| unit[(rows[i], j)]);
    let task = Task {
        instances: &Instances::from_unit(x),
        labels: lesson.labels,
        unlabeled: lesson.open.len(),
        classes: lesson.classes,
        truth: None,
    };
    let probabilities = AdaptiveParams::default().check()?.label(&task)?.unlabeled;
    Ok(Taught {
        labels: probabilities.iter_rows().map(arg_max).collect(),
        probabilities,
        accepted_in: vec![None; lesson.open.len()],
        rounds: Vec::new(),
    })
}

/// The path of these coordinates and labels.
pub(crate) fn fit(
    x: &Matrix,
    labels: &[usize],
    classes: usize,
    grid: Grid,
    keep: Keep,
) -> Result<Path> {
    let params =
        IciRParams { grid, tolerance: TOLERANCE, roots: Roots::Interpolated, ..Default::default() };
    params.check()?.path(x, labels, classes, keep)
}

fn classifier() -> Result<Logistic> {
    LogisticParams { tolerance: CLASSIFIER_TOLERANCE, ..Default::default() }.check()
}

/// The classifier of instances by what can be trusted.
pub(crate) fn train(
    instances: &Instances,
    rows: &[usize],
    labels: &[usize],
    classes: usize,
) -> Result<LogisticModel> {
    let mut trainer = classifier()?.trainer(instances, classes);
    trainer.train(rows, labels)?;
    match trainer.model() {
        Model::Logistic(model) => Ok(model),
        _ => unreachable!("a logistic regression trains a logistic model"),
    }
}
