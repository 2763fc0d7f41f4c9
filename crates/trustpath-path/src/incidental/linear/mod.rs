//! ICI-R: linear regression with incidental parameters.
//!
//! ```text
//! min over β, γ of   ½ ‖Y − Xβ − γ‖²_F + λ R(γ),        R(γ) = Σᵢ ‖γᵢ‖₂   or   Σᵢⱼ |γᵢⱼ|
//! ```
//!
//! Minimised over `γ` first, what is left is a Huber regression in the `d × c` coefficients alone,
//!
//! ```text
//! min over β of   Σᵢ ρ_λ(yᵢ − βᵀxᵢ),      γᵢ = (1 − λ/‖rᵢ‖)₊ rᵢ,      γᵢ = 0  ⇔  ‖rᵢ(λ)‖ ≤ λ,
//! ```
//!
//! so that a step costs `O(n)` and no `n × n` matrix exists. The elementwise penalty is the same problem with one
//! response at a time. `λ_max = maxᵢ ‖((I − H)Y)ᵢ‖`, at which the least-squares fit leaves every `γᵢ` exactly zero.

mod compact;
mod conjugate_gradients;
mod curvature;
mod follower;
mod huber;
mod in_memory;
mod path;
mod product;
mod ranker;
mod row_source;
mod rows;
mod segment;

pub use in_memory::InMemoryRows;
pub use row_source::{EvalPoint, Knot, Row, RowSource, Sum};

use follower::LinearFollower;
use path::LinearPath;
use ranker::LinearRanker;

use super::{Grid, Incidental, Keep, Path, Ranker, require};
pub use super::{Penalty, Vanished};
use crate::labels::check_labels;
use crate::linalg::basis;
use crate::{Error, Matrix, Result};

/// How vanishing `λ` are found between the points of the grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Roots {
    /// With the regression solved at every trial, where that is affordable: up to 5000 instances, or 500 where there
    /// are more than 200 unknowns. For more, read off the interpolated path, whose error is then far smaller than the
    /// differences between instances.
    #[default]
    Exact,
    /// Always read off the interpolated path.
    Interpolated,
    /// Not at all: for those who read the coefficients alone. What a path says of single instances beyond their norms stays
    /// empty, and with many classes another solver does without anything of size instances × classes.
    Skipped,
}

/// Parameters of ICI-R.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IciRParams {
    /// The penalty (group).
    pub penalty: Penalty,
    /// The grid that a path is reported on (100 points down to 10⁻³ λ_max).
    pub grid: Grid,
    /// Gradient at which the solver stops, relative to `λ` (10⁻¹²).
    pub tolerance: f64,
    /// How vanishing `λ` are found (exactly).
    pub roots: Roots,
}

impl Default for IciRParams {
    fn default() -> Self {
        let grid = Grid { points: 100, ratio: 1e-3 };
        Self { penalty: Penalty::Group, grid, tolerance: 1e-12, roots: Roots::Exact }
    }
}

impl IciRParams {
    /// Checks the parameters.
    ///
    /// # Errors
    /// [`Error::Parameter`] for an empty grid or a tolerance that cannot be met.
    pub fn check(self) -> Result<IciR> {
        self.grid.check()?;
        let usable = self.tolerance >= 1e-15 && self.tolerance < 1.0;
        require(usable, "tolerance", self.tolerance, "the relative gradient must lie between 1e-15 and 1")?;
        Ok(IciR { params: self })
    }
}

/// ICI-R with checked parameters; the [crate] shows how to compute a path.
#[derive(Debug, Clone)]
pub struct IciR {
    params: IciRParams,
}

impl IciR {
    /// Follows the path of instances that may be stored anywhere, and returns its grid of `λ` and `β(λ)` for each. What is
    /// recorded of the instances stays with them: read it with [`InMemoryRows::vanished`] of each part, at the last `λ` of
    /// the grid.
    ///
    /// # Errors
    /// When there are fewer than two classes, rows cannot be read, or the solver does not converge.
    pub fn path_over(&self, rows: &mut impl RowSource, classes: usize) -> Result<(Vec<f64>, Vec<Matrix>)> {
        if classes < 2 {
            return Err(Error::OneClass { classes });
        }
        let mut beta = Vec::new();
        let back = basis::way_back(rows.len(), rows.dims(), |by| rows.gram(by))?;
        rows.project(&back)?;
        let mut follower = LinearFollower::new(&self.params, back, classes);
        let grid = follower.follow(rows, |follower, _, _, _| beta.push(follower.beta()))?;
        Ok((grid, beta))
    }
}

impl Incidental for IciR {
    fn name(&self) -> &'static str {
        "icir"
    }

    fn path(&self, x: &Matrix, labels: &[usize], classes: usize, keep: Keep) -> Result<Path> {
        check_labels(labels, x.rows(), classes)?;
        if compact::applies(&self.params, x.cols(), classes, keep) {
            return compact::path(&self.params, x, labels, classes, keep);
        }
        LinearPath::new(&self.params, x, classes).path(labels, keep)
    }

    fn ranker<'a>(&'a self, x: &'a Matrix, classes: usize) -> Box<dyn Ranker + 'a> {
        Box::new(LinearRanker::new(LinearPath::new(&self.params, x, classes), classes))
    }
}
