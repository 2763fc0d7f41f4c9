//! ICI: the smallest `λ` at which the incidental parameter vanishes, the smallest first.

use super::{Pool, Round, Select, Selector, best_of_each_class};
use crate::incidental::{Incidental, Keep, Ranker};
use crate::{Matrix, Result};

/// How vanishing is read off the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rule {
    /// Continuously, so that no two instances tie but by accident.
    #[default]
    Continuous,
    /// On the grid, ties in row order: the rule of the paper's code.
    Grid,
}

/// Takes the most credible instances of each pseudo-class.
#[derive(Debug)]
pub struct Credibility {
    /// The model with incidental parameters.
    pub model: Box<dyn Incidental>,
    /// How vanishing is read off the path.
    pub rule: Rule,
}

impl Select for Credibility {
    fn name(&self) -> &'static str {
        self.model.name()
    }

    fn selector<'a>(&'a self, pool: &'a Pool<'a>) -> Result<Box<dyn Selector + 'a>> {
        let x = &pool.embedding()?.x;
        Ok(match self.rule {
            Rule::Continuous => Box::new(Continuous(self.model.ranker(x, pool.classes))),
            Rule::Grid => Box::new(OnGrid { model: &*self.model, x, classes: pool.classes }),
        })
    }
}

struct Continuous<'a>(Box<dyn Ranker + 'a>);

impl Selector for Continuous<'_> {
    fn select(&mut self, round: &Round<'_>) -> Result<Vec<usize>> {
        self.0.most_credible(round.labels, round.open, round.quota)
    }
}

struct OnGrid<'a> {
    model: &'a dyn Incidental,
    x: &'a Matrix,
    classes: usize,
}

impl Selector for OnGrid<'_> {
    fn select(&mut self, round: &Round<'_>) -> Result<Vec<usize>> {
        let path = self.model.path(self.x, round.labels, self.classes, Keep::default())?;
        Ok(best_of_each_class(round.labels, round.open, round.quota, |k| {
            path.vanish_grid[round.open[k]]
        }))
    }
}
