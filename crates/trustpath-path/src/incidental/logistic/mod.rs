//! ICI-C: multinomial logistic regression with an incidental parameter per instance.
//!
//! ```text
//! min over a₀ ∈ ℝᶜ, β ∈ ℝᵈˣᶜ, γ ∈ ℝⁿˣᶜ of
//!   −(1/n) Σᵢ [ yᵢ·ηᵢ − log Σₖ exp ηᵢₖ ]  +  λ Σⱼ wⱼ pen(βⱼ)  +  λ w_γ Σᵢ pen(γᵢ),     ηᵢ = a₀ + xᵢᵀβ + γᵢ
//! ```
//!
//! with `pen` the L1 norm ([`Penalty::Elementwise`], glmnet's "ungrouped") or the L2 norm ([`Penalty::Group`], "grouped") of
//! a row. The paper writes the prices as `λ₁ = αλ₂` with `α = 0.5` on the columns as they are ([`Scaling::Paper`]); its code
//! runs glmnet, which weights every column of `[X, I]` by its standard deviation ([`Scaling::Glmnet`]). For orthonormal
//! columns, such as those of a locally linear embedding, the two differ by the unit of `λ` alone.
//!
//! Given `η` each `γᵢ` is found in closed or nearly closed form (`rows`), so that only `(d + 1)·c` unknowns are left and
//! the work is linear in `n`. The path is followed from vanishing point to vanishing point (`follower`); on grid points the
//! reduced problem is solved tightly (`solve`) and certified independently (`certificate`): the certificate is the worst
//! relative violation of the optimality conditions of the full problem above.
//!
//! A class without instances has an intercept of `−∞` and takes no further part in the model. A constant column is left
//! out; its coefficients are zero.

mod certificate;
mod design;
mod follower;
mod grouped;
mod path;
mod penalty;
mod rows;
mod solve;
mod sums;
mod support;

use self::design::Design;
use self::follower::LogisticFollower;
use self::path::{PathBuilder, Present};
pub use super::Penalty;
use super::{Grid, Incidental, Keep, Path, Ranker, require};
use crate::choices;
use crate::labels::check_labels;
use crate::{Error, Matrix, Result};

choices! {
    /// The prices `wⱼ` of `β` and `w_γ` of `γ`.
    #[derive(Default)]
    pub enum Scaling("scaling") {
        /// `wⱼ = v α sⱼ`, `w_γ = v s`: population standard deviations of the columns of `[X, I]`, and `v` such that the
        /// penalty factors `vα` and `v` have mean one. What the paper's code runs.
        #[default]
        Glmnet = "glmnet",
        /// `wⱼ = α`, `w_γ = 1`: the equation as the paper prints it.
        Paper = "paper",
    }
}

/// Parameters of [`IciC`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IciCParams {
    /// How rows of `β` and `γ` are penalised (elementwise).
    pub penalty: Penalty,
    /// How the columns are weighted.
    pub scaling: Scaling,
    /// Price of `β` relative to `γ` (0.5, the paper's).
    pub alpha: f64,
    /// The grid of `λ` (100 points down to `10⁻³ λ_max`; the paper's code stopped at `10⁻²`, where half of the instances
    /// are tied at zero).
    pub grid: Grid,
    /// Largest relative violation of the optimality conditions at a grid point.
    pub tolerance: f64,
}

impl Default for IciCParams {
    /// What the paper's code ran: elementwise, weighted by standard deviations. (Prices that ignore the columns' units tie
    /// most instances at the smallest `λ` of the path when the coordinates are large, as Isomap's are.)
    fn default() -> Self {
        Self {
            penalty: Penalty::Elementwise,
            scaling: Scaling::Glmnet,
            alpha: 0.5,
            grid: Grid { points: 100, ratio: 1e-3 },
            tolerance: 1e-11,
        }
    }
}

impl IciCParams {
    /// Checks the parameters.
    ///
    /// # Errors
    /// [`Error::Parameter`] for one outside its domain.
    pub fn check(self) -> Result<IciC> {
        self.grid.check()?;
        let expected = "the price of β relative to γ must be positive, or the model has no unique solution";
        require(self.alpha > 0.0 && self.alpha.is_finite(), "alpha", self.alpha, expected)?;
        let usable = self.tolerance > 0.0 && self.tolerance < 1.0;
        require(usable, "tolerance", self.tolerance, "it must lie between 0 and 1")?;
        Ok(IciC { params: self })
    }
}

/// ICI-C with checked parameters; the [crate] shows how to compute a path.
#[derive(Debug, Clone, Copy)]
pub struct IciC {
    params: IciCParams,
}

impl IciC {
    /// Its parameters.
    pub fn params(&self) -> &IciCParams {
        &self.params
    }
}

impl Incidental for IciC {
    fn name(&self) -> &'static str {
        "logistic"
    }

    fn path(&self, x: &Matrix, labels: &[usize], classes: usize, keep: Keep) -> Result<Path> {
        check_labels(labels, x.rows(), classes)?;
        let design = Design::new(x, &self.params)?;
        let present = Present::new(labels, classes);
        let mut follower = LogisticFollower::new(&design, &present, self.params.penalty);
        let grid = self.params.grid.lambdas(follower.lambda_max);
        let mut builder = PathBuilder::new(grid, x, &present, keep);
        for k in 0..self.params.grid.points {
            follower.advance(builder.path.lambda[k], self.params.tolerance)?;
            builder.add(k, x, &follower.solver);
        }
        Ok(builder.finish(follower.finish()))
    }

    fn ranker<'a>(&'a self, x: &'a Matrix, classes: usize) -> Box<dyn Ranker + 'a> {
        let (params, design) = (&self.params, Design::new(x, &self.params));
        Box::new(LogisticRanker { params, design, classes })
    }
}

/// [`IciC`] prepared for one episode: the standardised instances. Each ranking stops at vanishing points only.
#[derive(Debug)]
struct LogisticRanker<'a> {
    params: &'a IciCParams,
    design: Result<Design>,
    classes: usize,
}

impl Ranker for LogisticRanker<'_> {
    fn vanish(&mut self, labels: &[usize]) -> Result<Vec<f64>> {
        let design = self.design.as_ref().map_err(Error::clone)?;
        check_labels(labels, design.rows, self.classes)?;
        let present = Present::new(labels, self.classes);
        let mut follower = LogisticFollower::new(design, &present, self.params.penalty);
        follower.advance(self.params.grid.ratio * follower.lambda_max, self.params.tolerance)?;
        Ok(follower.finish())
    }
}
