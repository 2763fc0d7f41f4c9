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
//! classes. The regression that judges inside the rounds is fitted to some thousand instances, which is plenty for its
//! few coefficients; the last judgement, which users see, is fitted to all up to [`Limits::fit`].

use super::Limits;
use super::credibility::{FrozenPath, Judgement};
use super::learner::Learner;
use crate::incidental::linear::Roots;
use crate::incidental::{Grid, IciRParams, Incidental, Keep, Path};
use crate::task::{Task, arg_max};
use crate::transductive::{AdaptiveParams, Transductive};
use crate::{Instances, Matrix, Result};

/// Share of every pseudo-class that teaches, round by round.
pub(crate) const SHARES: [f64; 2] = [0.25, 0.5];
/// Instances that the regression inside a round is fitted to, besides those with given labels.
const FIT_ROWS: usize = 2048;
/// The same for each class, where there are many.
const FIT_ROWS_PER_CLASS: usize = 20;
/// Coordinates that the regression reads, for each class.
const DIMS_PER_CLASS: usize = 4;
/// The grid that everyone is judged on in the end, and that users see.
pub(crate) const GRID: Grid = Grid { points: 40, ratio: 0.02 };
/// The grid inside the rounds, and for held-out labels.
const COARSE_GRID: Grid = Grid { points: 16, ratio: 0.02 };
/// Of the gradient relative to `λ`: far below the difference between any two instances that matters.
const TOLERANCE: f64 = 1e-4;

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

impl Lesson<'_> {
    /// Places among the given and among the open rows of those that a path is fitted to, under these labels of the open
    /// ones. Given labels come first, but leave the others half.
    pub fn to_fit(self, labels: &[usize], limits: Limits) -> (Vec<usize>, Vec<usize>) {
        let most = limits.fit;
        if self.given.len() + labels.len() <= most {
            return ((0..self.given.len()).collect(), (0..labels.len()).collect());
        }
        let given = Limits { fit: most / 2, ..limits }.to_fit(self.labels, self.classes);
        let left = most - given.len().min(most / 2);
        (given, Limits { fit: left, ..limits }.to_fit(labels, self.classes))
    }
}

/// What came of it. Everything is in the order of the lesson's open rows.
#[derive(Debug)]
pub(crate) struct Taught {
    /// Labels.
    pub labels: Vec<usize>,
    /// The probability of each.
    pub probability: Vec<f64>,
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
    /// The coordinates that the classifier reads.
    instances: &'a Instances,
    /// The coordinates that the regression reads: the leading `dims` of these.
    x: &'a Matrix,
    dims: usize,
    /// Features as they came, for the adaptive mode; `None` for rounds.
    features: Option<&'a Instances>,
    limits: Limits,
}

impl<'a> Teacher<'a> {
    /// A teacher whose regression reads the leading coordinates of the instances.
    pub fn new(instances: &'a Instances, classes: usize, limits: Limits) -> Self {
        let dims = instances.dims().min(DIMS_PER_CLASS * classes);
        Self { instances, x: instances.unit(), dims, features: None, limits }
    }

    /// The same by the adaptive mode, on features as they came.
    pub fn adaptive(self, features: Option<&'a Instances>) -> Self {
        Self { features, ..self }
    }

    /// The same with a regression that reads other coordinates, all of them.
    pub fn reduced(self, x: Option<&'a Matrix>) -> Self {
        match x {
            Some(x) => Self { x, dims: x.cols(), ..self },
            None => self,
        }
    }

    /// Labels the open rows.
    pub fn teach(&self, lesson: Lesson<'_>) -> Result<Taught> {
        match self.features {
            Some(features) => adapt(features, lesson),
            None => self.rounds(lesson),
        }
    }

    fn rounds(&self, lesson: Lesson<'_>) -> Result<Taught> {
        let mut learner = Learner::new(self.instances, lesson.classes, self.limits)?;
        learner.train(lesson.given, lesson.labels, &[], &[])?;
        let (mut labels, mut probability) = learner.label(lesson.open);
        let mut accepted_in = vec![None; lesson.open.len()];
        let mut rounds = Vec::new();
        for share in SHARES {
            let chosen = self.most_credible(lesson, &labels, share)?;
            let (mut rows, mut with) = (Vec::new(), Vec::new());
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
            learner.train(lesson.given, lesson.labels, &rows, &with)?;
            let (next, with) = learner.label(lesson.open);
            let changed = next.iter().zip(&labels).filter(|(a, b)| a != b).count();
            (labels, probability) = (next, with);
            rounds.push(Round { accepted, changed });
        }
        Ok(Taught { labels, probability, accepted_in, rounds })
    }

    /// The path over the given and the open rows under these labels of the open ones, all instances in up to the limit;
    /// and these rows, the given first.
    pub fn path(
        &self,
        lesson: Lesson<'_>,
        labels: &[usize],
        keep: Keep,
    ) -> Result<(Path, Vec<usize>)> {
        let (given, open) = lesson.to_fit(labels, self.limits);
        let mut rows: Vec<usize> = given.iter().map(|&at| lesson.given[at]).collect();
        rows.extend(open.iter().map(|&at| lesson.open[at]));
        let mut all: Vec<usize> = given.iter().map(|&at| lesson.labels[at]).collect();
        all.extend(open.iter().map(|&at| labels[at]));
        Ok((fit(&self.gather(&rows), &all, lesson.classes, GRID, keep)?, rows))
    }

    /// Judges rows by a frozen path, the `k`-th under `label(k)` or the label that vanishes first.
    pub fn judge(
        &self,
        path: &FrozenPath,
        rows: &[usize],
        label: impl Fn(usize) -> Option<usize> + Sync,
    ) -> Vec<Judgement> {
        path.judge(self.x, rows, label)
    }

    /// The vanishing `λ` of the open rows under their labels, by a regression on a part of them.
    pub fn vanish(&self, lesson: Lesson<'_>, labels: &[usize]) -> Result<Vec<f64>> {
        let fitted = FIT_ROWS.max(FIT_ROWS_PER_CLASS * lesson.classes);
        let every = lesson.open.len().div_ceil(fitted).max(1);
        let given = lesson.to_fit(labels, self.limits).0;
        let mut rows: Vec<usize> = given.iter().map(|&at| lesson.given[at]).collect();
        let mut some: Vec<usize> = given.iter().map(|&at| lesson.labels[at]).collect();
        rows.extend(lesson.open.iter().step_by(every));
        some.extend(labels.iter().step_by(every));
        let keep = Keep { beta: true, ..Keep::default() };
        let path = fit(&self.gather(&rows), &some, lesson.classes, COARSE_GRID, keep)?;
        let judged = self.judge(&FrozenPath::of(&path), lesson.open, |at| Some(labels[at]));
        Ok(judged.iter().map(|judged| judged.vanish).collect())
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
    fn gather(&self, rows: &[usize]) -> Matrix {
        Matrix::from_fn(rows.len(), self.dims, |i, j| self.x[(rows[i], j)])
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
    let labels: Vec<usize> = probabilities.iter_rows().map(arg_max).collect();
    Ok(Taught {
        probability: labels.iter().enumerate().map(|(at, &k)| probabilities[(at, k)]).collect(),
        labels,
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
