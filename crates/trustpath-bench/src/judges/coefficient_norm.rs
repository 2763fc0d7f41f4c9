//! CN: the norm of the incidental parameter at the small end of the path, `‖γᵢ(λ_min)‖`, the smallest first: the height
//! of an instance's line in a plot of the path, rather than where the line ends ("the y-axis instead of the x-axis").

use std::borrow::Cow;

use trustpath::Labels;
use trustpath::incidental::{Incidental, Keep};
use trustpath::judge::{Judge, PoolView, Ranking, Round};
use trustpath::{Matrix, Result};

/// Trusts the labels of instances whose incidental parameter is smallest at the bottom of the path.
#[derive(Debug)]
pub struct CoefficientNorm {
    /// The model whose incidental parameters are compared. Only the last point of its grid counts.
    pub model: Box<dyn Incidental>,
}

impl Judge for CoefficientNorm {
    fn name(&self) -> &'static str {
        "cn"
    }

    fn ranking<'a>(&'a self, view: &'a PoolView<'a>, split: Labels<'a>) -> Result<Box<dyn Ranking + 'a>> {
        let x = view.pool_coordinates(split)?;
        Ok(Box::new(NormRanking { model: &*self.model, x, classes: split.classes }))
    }
}

struct NormRanking<'a> {
    model: &'a dyn Incidental,
    x: Cow<'a, Matrix>,
    classes: usize,
}

impl Ranking for NormRanking<'_> {
    fn scores(&mut self, round: &Round<'_>) -> Result<Vec<f64>> {
        let keep = Keep { gamma: true, ..Keep::default() };
        let path = self.model.path(&self.x, round.labels, self.classes, keep)?;
        let norms = path.gamma_norm.unwrap_or_default();
        let last = norms.row(norms.rows() - 1);
        Ok(round.candidates.iter().map(|&position| last[position]).collect())
    }
}
