//! CN: the norm of the incidental parameter at the small end of the path, `‖γᵢ(λ_min)‖`, the smallest first: the height
//! of an instance's line in a plot of the path, rather than where the line ends.

use super::{Pool, Round, Select, Selector, best_of_each_class};
use crate::incidental::{Incidental, Keep};
use crate::{Matrix, Result};

/// Takes the instances whose incidental parameter is smallest at the bottom of the path.
#[derive(Debug)]
pub struct CoefficientNorm {
    /// The model whose parameters are compared.
    pub model: Box<dyn Incidental>,
}

impl Select for CoefficientNorm {
    fn name(&self) -> &'static str {
        "cn"
    }

    fn selector<'a>(&'a self, pool: &'a Pool<'a>) -> Result<Box<dyn Selector + 'a>> {
        let x = &pool.embedding()?.x;
        Ok(Box::new(NormSelector { model: &*self.model, x, classes: pool.classes }))
    }
}

struct NormSelector<'a> {
    model: &'a dyn Incidental,
    x: &'a Matrix,
    classes: usize,
}

impl Selector for NormSelector<'_> {
    fn select(&mut self, round: &Round<'_>) -> Result<Vec<usize>> {
        let keep = Keep { gamma: true, ..Keep::default() };
        let path = self.model.path(self.x, round.labels, self.classes, keep)?;
        let norms = path.gamma_norm.unwrap_or_default();
        let last = norms.row(norms.rows() - 1);
        Ok(best_of_each_class(round.labels, round.open, round.quota, |k| last[round.open[k]]))
    }
}
