//! ICI: the smallest `λ` at which the incidental parameter vanishes, the smallest first.

use std::borrow::Cow;

use super::{FrozenPath, Judge, Judgement, PoolView, Ranking, Round};
use crate::incidental::linear::Roots;
use crate::incidental::{Grid, IciRParams, Incidental, Keep, Path, Ranker};
use crate::limits::Limits;
use crate::pool::Labels;
use crate::{Matrix, Result};

/// How the vanishing `λ` is found.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub enum Rule {
    /// Exactly, as a continuous number, so that two instances tie only by accident.
    #[default]
    Continuous,
    /// On the grid, ties in row order: the rule of the paper's code.
    Grid,
    /// By a path that is fitted to a part of the pool, as the limits say, and then asked about every instance.
    Sampled(Limits),
}

/// Trusts the most credible labels.
#[derive(Debug)]
pub struct Ici {
    /// The model with incidental parameters.
    pub model: Box<dyn Incidental>,
    /// How the vanishing `λ` is found.
    pub rule: Rule,
}

/// The grid on which labels of pools are judged, and which users see.
const POOL_GRID: Grid = Grid { points: 16, ratio: 0.02 };
/// The grid inside the rounds.
const COARSE_GRID: Grid = Grid { points: 8, ratio: 0.02 };
/// Of the gradient relative to `λ`: the pull of a small part of one instance.
const TOLERANCE: f64 = 1e-2;

impl Ici {
    /// The judge of large pools: ICI-R on a coarse grid, fitted to a part of the pool.
    pub(crate) fn sampled(limits: Limits) -> Result<Self> {
        let model = Box::new(path_params(COARSE_GRID).check()?);
        Ok(Self { model, rule: Rule::Sampled(limits) })
    }
}

impl Judge for Ici {
    fn name(&self) -> &'static str {
        self.model.name()
    }

    fn ranking<'a>(&'a self, view: &'a PoolView<'a>, split: Labels<'a>) -> Result<Box<dyn Ranking + 'a>> {
        let (model, classes) = (&*self.model, split.classes);
        let full = |x, on_grid| FullPath { model, x, classes, on_grid };
        Ok(match self.rule {
            Rule::Continuous => match view.pool_coordinates(split)? {
                Cow::Borrowed(x) => Box::new(Continuous(model.ranker(x, classes))),
                gathered => Box::new(full(gathered, false)),
            },
            Rule::Grid => Box::new(full(view.pool_coordinates(split)?, true)),
            Rule::Sampled(limits) => Box::new(Sampled { model, view, split, limits }),
        })
    }
}

struct Continuous<'a>(Box<dyn Ranker + 'a>);

impl Ranking for Continuous<'_> {
    fn scores(&mut self, round: &Round<'_>) -> Result<Vec<f64>> {
        let vanish = self.0.vanish(round.labels)?;
        Ok(round.candidates.iter().map(|&position| vanish[position]).collect())
    }

    fn select(&mut self, round: &Round<'_>) -> Result<Vec<usize>> {
        // Finding where the quota is reached takes less than ranking everything.
        self.0.most_credible(round.labels, round.candidates, round.quota)
    }
}

/// Reads the vanishing `λ` off a complete path that is computed anew in every round.
struct FullPath<'a> {
    model: &'a dyn Incidental,
    x: Cow<'a, Matrix>,
    classes: usize,
    on_grid: bool,
}

impl Ranking for FullPath<'_> {
    fn scores(&mut self, round: &Round<'_>) -> Result<Vec<f64>> {
        let path = self.model.path(&self.x, round.labels, self.classes, Keep::default())?;
        let vanish = if self.on_grid { path.vanish_grid } else { path.vanish };
        Ok(round.candidates.iter().map(|&position| vanish[position]).collect())
    }
}

struct Sampled<'a> {
    model: &'a dyn Incidental,
    view: &'a PoolView<'a>,
    split: Labels<'a>,
    limits: Limits,
}

impl Ranking for Sampled<'_> {
    fn scores(&mut self, round: &Round<'_>) -> Result<Vec<f64>> {
        let (split, x) = (self.split, self.view.coordinates()?.0);
        let keep = Keep { beta: true, ..Keep::default() };
        let labels = &round.labels[split.given.len()..];
        let (path, _) = sampled_path(self.model, self.view, split, labels, self.limits, keep)?;
        let rows: Vec<usize> = round.candidates.iter().map(|&p| split.row(p)).collect();
        let own = |at: usize| Some(round.labels[round.candidates[at]]);
        let judged = FrozenPath::of(&path).judge(x, &rows, own);
        Ok(judged.iter().map(|judged| judged.vanish).collect())
    }
}

/// The path over the given and the open rows of a split under these labels of the open ones, fitted to as many of them as the
/// limits say; and the rows that it was fitted to, the given ones first.
fn sampled_path(
    model: &dyn Incidental,
    view: &PoolView<'_>,
    split: Labels<'_>,
    labels: &[usize],
    limits: Limits,
    keep: Keep,
) -> Result<(Path, Vec<usize>)> {
    let (x, dims) = view.coordinates()?;
    let fitted = limits.to_fit(split, labels);
    let all = split.all_labels(labels);
    let with: Vec<usize> = fitted.iter().map(|&position| all[position]).collect();
    let path = model.path(&split.gather(x, dims, &fitted), &with, split.classes, keep)?;
    Ok((path, fitted.into_iter().map(|position| split.row(position)).collect()))
}

/// The path by which the labels of a pool are judged.
pub(crate) fn judging_path(
    view: &PoolView<'_>,
    split: Labels<'_>,
    labels: &[usize],
    limits: Limits,
    keep: Keep,
) -> Result<(Path, Vec<usize>)> {
    sampled_path(&path_params(POOL_GRID).check()?, view, split, labels, limits, keep)
}

/// Judges these labels of the open rows of a split, and the path that they are judged by.
pub(crate) fn judge_open(
    view: &PoolView<'_>,
    split: Labels<'_>,
    labels: &[usize],
    limits: Limits,
) -> Result<(FrozenPath, Vec<Judgement>)> {
    let keep = Keep { beta: true, ..Keep::default() };
    let path = FrozenPath::of(&judging_path(view, split, labels, limits, keep)?.0);
    let judged = path.judge(view.coordinates()?.0, split.open, |at| Some(labels[at]));
    Ok((path, judged))
}

/// ICI-R of which the coefficients are read: every instance is judged by a frozen path.
fn path_params(grid: Grid) -> IciRParams {
    IciRParams { grid, tolerance: TOLERANCE, roots: Roots::Skipped, ..Default::default() }
}
