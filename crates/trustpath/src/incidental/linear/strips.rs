//! The seam between the solver and the rows: everything that a path needs to know of `X` and `Y`.
//!
//! The solver has the `d × c` coefficients; the rows may be in this process ([`Local`](super::Local), strips of them on
//! threads) or on other machines, a [`Local`](super::Local) on each. Per step only coefficients go out, and sums come
//! back: value and gradient (`1 + dc` numbers), now and then the curvature (about `d²c²/4`). Nothing that grows with the
//! number of instances crosses the seam, but for what is asked of a single one.

use super::rows::pairs;
use crate::{Matrix, Result};

/// Where sums are taken: coefficients, threshold, and which classes are the responses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct At<'a> {
    /// Coefficients, response by response: `b[k·d + a]` is coordinate `a` of response `k`.
    pub b: &'a [f64],
    /// The threshold `λ`.
    pub lambda: f64,
    /// The class of the first response.
    pub first: usize,
    /// The number of responses `c`: one norm is taken over all of them.
    pub responses: usize,
    /// Which memory the norms `‖rᵢ‖` at `b` may be kept in: solvers that take turns have one each.
    pub memory: usize,
}

/// Which sum over all instances. In formulas `rᵢ = yᵢ − Bᵀxᵢ`, `r̂ = r/‖r‖` and `wᵢ = min(1, λ/‖rᵢ‖)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Sum<'a> {
    /// The value `Σᵢ ρ_λ(rᵢ)`, then the gradient `−Σᵢ wᵢ xᵢ rᵢᵀ`, laid out as `B`.
    Gradient,
    /// The curvature in packed form, then `Σ_{‖rᵢ‖ > λ} xᵢ r̂ᵢᵀ`, the right-hand side of the tangent. Column 0 of the
    /// packed form is `Σ wᵢ xᵢxᵢᵀ` (upper triangle, row by row), column `1 + kl` what is subtracted for responses `k ≤ l`.
    Curvature,
    /// `Σᵢ wᵢ xᵢxᵢᵀ` (lower triangle, column by column), then the right-hand side of the tangent.
    Gram,
    /// The product of the curvature with a vector that is laid out as `B`.
    Product(&'a [f64]),
}

impl Sum<'_> {
    /// How many numbers the sum has.
    pub fn len(&self, dims: usize, responses: usize) -> usize {
        let size = dims * responses;
        match self {
            Self::Gradient => 1 + size,
            Self::Curvature => pairs(dims) * (1 + pairs(responses)) + size,
            Self::Gram => dims * dims + size,
            Self::Product(_) => size,
        }
    }

    /// Never true of sums that anyone takes.
    pub fn is_empty(&self, dims: usize, responses: usize) -> bool {
        self.len(dims, responses) == 0
    }
}

/// A solved point of the path, for one group of responses.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Knot {
    /// The `λ`.
    pub lambda: f64,
    /// The class of the first response.
    pub first: usize,
    /// `B`, response by response.
    pub b: Vec<f64>,
    /// `dB/dλ`, laid out as `B`.
    pub tangent: Vec<f64>,
}

impl Knot {
    /// The place of the knot of group `group`, for coordinates of `dims` dimensions.
    pub(super) fn at(&self, dims: usize, group: usize) -> At<'_> {
        let responses = self.b.len() / dims.max(1);
        At { b: &self.b, lambda: self.lambda, first: self.first, responses, memory: group }
    }
}

/// The coordinates and the label of one instance.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Row {
    /// Orthonormal coordinates.
    pub x: Vec<f64>,
    /// The label.
    pub label: usize,
}

impl Row {
    /// `xᵀ b` for one response's coefficients.
    pub(super) fn fit(&self, b: &[f64]) -> f64 {
        b.iter().zip(&self.x).map(|(b, x)| b * x).sum()
    }
}

/// Instances with labels, wherever they are: all that a path needs to know of `X` and `Y`.
///
/// The solver has the coefficients; what it asks of the rows are sums. The rows may be in this process
/// ([`Local`](super::Local)) or on other machines, a part of them on each. Nothing that grows with their number crosses this
/// trait, but for what is asked of a single instance.
///
/// # Errors
/// Rows in this process never fail; rows elsewhere may be out of reach ([`Error::Rows`](crate::Error::Rows)).
#[expect(clippy::missing_errors_doc, reason = "said once for all methods")]
pub trait Strips {
    /// Number of instances.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of coordinates.
    fn dims(&self) -> usize;

    /// `(XT)ᵀ(XT)`, or `XᵀX` without a `T`.
    fn gram(&mut self, by: Option<&Matrix>) -> Result<Matrix>;

    /// `X ← XT`: from now on the coordinates are orthonormal.
    fn project(&mut self, by: &Matrix) -> Result<()>;

    /// Takes a sum.
    fn add_up(&mut self, sum: Sum<'_>, at: At<'_>, out: &mut [f64]) -> Result<()>;

    /// The largest norm `‖rᵢ‖`.
    fn largest(&mut self, at: At<'_>) -> Result<f64>;

    /// The norm `‖rᵢ‖` of one instance.
    fn norm(&mut self, at: At<'_>, instance: usize) -> Result<f64>;

    /// Coordinates and label of one instance.
    fn row(&mut self, instance: usize) -> Result<Row>;

    /// Notes who has left zero between the knots `high` and `low` (one for each group of responses), going down; and
    /// reads off the path between them where, or returns these instances if that is to be found out more exactly.
    fn cross(&mut self, low: &[Knot], high: &[Knot], exact: bool) -> Result<Vec<usize>>;

    /// Notes where an instance has left zero.
    fn settle(&mut self, instance: usize, lambda: f64) -> Result<()>;
}

impl<S: Strips> Strips for &mut S {
    fn len(&self) -> usize {
        (**self).len()
    }

    fn dims(&self) -> usize {
        (**self).dims()
    }

    fn gram(&mut self, by: Option<&Matrix>) -> Result<Matrix> {
        (**self).gram(by)
    }

    fn project(&mut self, by: &Matrix) -> Result<()> {
        (**self).project(by)
    }

    fn add_up(&mut self, sum: Sum<'_>, at: At<'_>, out: &mut [f64]) -> Result<()> {
        (**self).add_up(sum, at, out)
    }

    fn largest(&mut self, at: At<'_>) -> Result<f64> {
        (**self).largest(at)
    }

    fn norm(&mut self, at: At<'_>, instance: usize) -> Result<f64> {
        (**self).norm(at, instance)
    }

    fn row(&mut self, instance: usize) -> Result<Row> {
        (**self).row(instance)
    }

    fn cross(&mut self, low: &[Knot], high: &[Knot], exact: bool) -> Result<Vec<usize>> {
        (**self).cross(low, high, exact)
    }

    fn settle(&mut self, instance: usize, lambda: f64) -> Result<()> {
        (**self).settle(instance, lambda)
    }
}
