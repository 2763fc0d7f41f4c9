//! Credibility: a (generalised) linear model with one sparse incidental parameter `γᵢ` per instance.
//!
//! Every model of this module is a regression of the labels on few dimensions in which instance `i` may deviate by
//! `γᵢ ∈ ℝᶜ` at the price `λ R(γᵢ)`. As `λ` grows the `γᵢ` vanish one after the other; the smallest `λ` at which `γᵢ`
//! vanishes ranks the instances, the most credible first. Given `λ`, the minimum over each `γᵢ` has a closed (or
//! one-instance) form, so only the few regression coefficients `β` are ever solved for, and no `n × n` matrix exists.

mod certificate;
pub mod linear;
pub mod logistic;
mod record;

use std::fmt::Display;

pub use linear::{IciR, IciRParams};
pub use logistic::{IciC, IciCParams};
use record::Record;
pub use record::Vanished;

use crate::choices;
use crate::labels::best_of_each_class;
use crate::{Error, Matrix, Result};

choices! {
    /// The sparsity penalty `R` on the incidental parameters (and, in ICI-C, on the rows of `β`).
    #[derive(Default)]
    pub enum Penalty("penalty") {
        /// `Σᵢ ‖γᵢ‖₂`: all entries of an instance's parameter vanish together. What the paper's code runs for ICI-R.
        #[default]
        Group = "group",
        /// `Σᵢⱼ |γᵢⱼ|`: entry by entry. What the paper's code runs for ICI-C; in ICI-R not always unique at small `λ`.
        Elementwise = "elementwise",
    }
}

impl Penalty {
    /// `R` of one row.
    pub(crate) fn value(self, row: &[f64]) -> f64 {
        match self {
            Self::Group => row.iter().map(|v| v * v).sum::<f64>().sqrt(),
            Self::Elementwise => row.iter().map(|v| v.abs()).sum(),
        }
    }
}

/// The geometric grid of `λ` that a path is reported on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grid {
    /// Number of `λ`, from `λ_max` down (100).
    pub points: usize,
    /// `λ_min / λ_max` (10⁻³).
    pub ratio: f64,
}

impl Grid {
    /// The grid below `lambda_max`, descending: `λ_k = λ_max · ratio^(k / (points − 1))`.
    pub fn lambdas(&self, lambda_max: f64) -> Vec<f64> {
        let last = (self.points - 1) as f64;
        (0..self.points).map(|k| lambda_max * self.ratio.powf(k as f64 / last)).collect()
    }

    /// Checks that there are at least two `λ`, and that they descend.
    pub(crate) fn check(&self) -> Result<()> {
        require(self.points >= 2, "points", self.points, "a path needs at least two λ")?;
        require(self.ratio > 0.0 && self.ratio < 1.0, "ratio", self.ratio, "λ_min/λ_max must lie between 0 and 1")
    }
}

/// Refuses a parameter that is not usable.
fn require(usable: bool, name: &'static str, value: impl Display, expected: &'static str) -> Result<()> {
    if usable { Ok(()) } else { Err(Error::parameter(name, value, expected)) }
}

/// What to keep of a path in addition to the credibilities, at the cost of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Keep {
    /// Keep `‖γᵢ(λ)‖` for every instance and `λ`.
    pub gamma: bool,
    /// Keep `β(λ)` (and the intercepts, where the model has them) for every `λ`.
    pub beta: bool,
    /// Compute a certificate of optimality for every `λ`.
    pub certificate: bool,
}

impl Keep {
    /// Keep everything.
    pub const ALL: Self = Self { gamma: true, beta: true, certificate: true };
}

/// A regularisation path: how each instance's incidental parameter vanishes as `λ` grows.
#[derive(Debug, Clone, Default)]
pub struct Path {
    /// The grid, descending from `λ_max`.
    pub lambda: Vec<f64>,
    /// Continuous vanishing `λ` of every instance, the smallest at which `γᵢ = 0`: the smaller, the more credible.
    /// An instance that is zero at the smallest `λ` of the grid has that `λ`.
    pub vanish: Vec<f64>,
    /// The same by the rule of the paper's code: the smallest *grid* `λ` with `γᵢ = 0`, including ties.
    pub vanish_grid: Vec<f64>,
    /// Whether instance `i`, having vanished at some `λ`, is not zero at a larger one of the grid.
    pub reenters: Vec<bool>,
    /// How far from optimal the solution at each `λ` can be, computed independently of the solver: the relative duality gap
    /// (ICI-R) or the worst relative violation of the optimality conditions (ICI-C); on request.
    pub certificate: Vec<f64>,
    /// `‖γᵢ(λ)‖` in the norm of the penalty, one row per `λ`, one column per instance; on request.
    pub gamma_norm: Option<Matrix>,
    /// `γ` at the smallest `λ`, one row per instance; on request.
    pub gamma_last: Option<Matrix>,
    /// `β(λ)`, `d × c`, for every `λ`; on request.
    pub beta: Option<Vec<Matrix>>,
    /// Intercepts, one row per `λ`, for models that have them; on request.
    pub intercept: Option<Matrix>,
}

/// A model with incidental parameters.
pub trait Incidental: Send + Sync + std::fmt::Debug {
    /// Its name, as on the command line.
    fn name(&self) -> &'static str;

    /// The complete path for instances with coordinates `x` (one row each) and labels.
    ///
    /// # Errors
    /// When labels and instances differ in number, a label is out of range, or the solver does not converge.
    fn path(&self, x: &Matrix, labels: &[usize], classes: usize, keep: Keep) -> Result<Path>;

    /// A ranker for one episode: the same instances, labels that change from round to round.
    fn ranker<'a>(&'a self, x: &'a Matrix, classes: usize) -> Box<dyn Ranker + 'a>;
}

/// A model prepared for one episode, which keeps its workspace and its last solution as a warm start.
pub trait Ranker {
    /// Vanishing `λ` of every instance under these labels: the smaller, the more credible.
    ///
    /// # Errors
    /// As [`Incidental::path`].
    fn vanish(&mut self, labels: &[usize]) -> Result<Vec<f64>>;

    /// Of the rows in `open`, the most credible of every class, up to `quota[class]` of them.
    ///
    /// # Errors
    /// As [`Incidental::path`].
    fn most_credible(&mut self, labels: &[usize], open: &[usize], quota: &[usize]) -> Result<Vec<usize>> {
        let vanish = self.vanish(labels)?;
        Ok(best_of_each_class(labels, open, quota, |k| vanish[open[k]]))
    }
}
