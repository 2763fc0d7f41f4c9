//! LS: the error of the least-squares fit of the labels, `‖((I − H)Y)ᵢ‖`, the smallest first.
//!
//! The second reading of the paper's CN, "the proposed metric without considering the effect of γ": the linear regression
//! alone as a classifier, whose error on an instance is its confidence. It is `‖γᵢ‖` for `λ → 0` of a model in which `β` does
//! not change with `γ`.

use trustpath::Labels;
use trustpath::judge::{Judge, PoolView, Ranking, Round};
use trustpath::{Matrix, Result};
use trustpath_path::linalg::basis::Basis;

/// Trusts the labels that a linear regression of all labels fits best.
#[derive(Debug, Clone, Copy, Default)]
pub struct LeastSquares;

impl Judge for LeastSquares {
    fn name(&self) -> &'static str {
        "ls"
    }

    fn ranking<'a>(&'a self, view: &'a PoolView<'a>, split: Labels<'a>) -> Result<Box<dyn Ranking + 'a>> {
        let q = Basis::new(&*view.pool_coordinates(split)?).q;
        Ok(Box::new(LeastSquaresRanking { q, classes: split.classes }))
    }
}

struct LeastSquaresRanking {
    /// An orthonormal basis of the coordinates.
    q: Matrix,
    classes: usize,
}

impl Ranking for LeastSquaresRanking {
    fn scores(&mut self, round: &Round<'_>) -> Result<Vec<f64>> {
        let y = Matrix::one_hot(round.labels, self.classes);
        let fit = self.q.view() * (self.q.view().transpose() * y.view());
        let error =
            |&i: &usize| -> f64 { (0..self.classes).map(|k| (y[(i, k)] - fit[(i, k)]).powi(2)).sum::<f64>().sqrt() };
        Ok(round.candidates.iter().map(error).collect())
    }
}
