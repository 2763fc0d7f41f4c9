//! ICI: the smallest `λ` at which the incidental parameter vanishes, the smallest first.

use std::borrow::Cow;

use super::{FrozenPath, Judge, Ranking, Round, View};
use crate::incidental::linear::Roots;
use crate::incidental::{Grid, IciRParams, Incidental, Keep, Path, Ranker};
use crate::limits::Limits;
use crate::split::Split;
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

/// The grid on which final labels are judged, and which users see.
const FINAL_GRID: Grid = Grid { points: 40, ratio: 0.02 };
/// The grid inside the rounds, and for held-out labels.
const COARSE_GRID: Grid = Grid { points: 16, ratio: 0.02 };
/// Of the gradient relative to `λ`: far below any difference between two instances that matters.
const TOLERANCE: f64 = 1e-4;

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

    fn ranking<'a>(
        &'a self,
        view: &'a View<'a>,
        split: Split<'a>,
    ) -> Result<Box<dyn Ranking + 'a>> {
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
    view: &'a View<'a>,
    split: Split<'a>,
    limits: Limits,
}

impl Ranking for Sampled<'_> {
    fn scores(&mut self, round: &Round<'_>) -> Result<Vec<f64>> {
        let (split, (x, dims)) = (self.split, self.view.coordinates()?);
        let fitted = self.limits.to_fit_in_round(split, &round.labels[split.given.len()..]);
        let labels: Vec<usize> = fitted.iter().map(|&position| round.labels[position]).collect();
        let keep = Keep { beta: true, ..Keep::default() };
        let gathered = split.gather(x, dims, &fitted);
        let path = self.model.path(&gathered, &labels, split.classes, keep)?;
        let rows: Vec<usize> = round.candidates.iter().map(|&p| split.row(p)).collect();
        let own = |at: usize| Some(round.labels[round.candidates[at]]);
        let judged = FrozenPath::of(&path).judge(x, &rows, own);
        Ok(judged.iter().map(|judged| judged.vanish).collect())
    }
}

/// The path of these coordinates and labels on a grid, as final labels and audits are judged by it.
pub(crate) fn fit_path(x: &Matrix, labels: &[usize], classes: usize, keep: Keep) -> Result<Path> {
    path_params(FINAL_GRID).check()?.path(x, labels, classes, keep)
}

/// ICI-R whose vanishing `λ` are read off the interpolated path.
fn path_params(grid: Grid) -> IciRParams {
    IciRParams { grid, tolerance: TOLERANCE, roots: Roots::Interpolated, ..Default::default() }
}
