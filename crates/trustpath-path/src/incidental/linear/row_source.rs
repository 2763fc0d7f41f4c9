//! The interface between the solver and the rows: everything that a path needs to know of `X` and `Y`.
//!
//! The solver holds the `d × c` coefficients. The rows may be in this process ([`InMemoryRows`](super::InMemoryRows), summed
//! by several threads) or on other machines, each with its own [`InMemoryRows`](super::InMemoryRows). Per step only
//! coefficients are sent, and sums come back: value and gradient (`1 + dc` numbers), occasionally the curvature (about
//! `d²c²/4`). Nothing that grows with the number of instances is transferred, except what is asked of a single instance.

use super::rows::pairs;
use crate::linalg::vector::dot_in_order;
use crate::{Matrix, Result};

/// The point at which sums are evaluated: coefficients, threshold, and which classes are the responses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EvalPoint<'a> {
    /// Coefficients, response by response: `b[k·d + a]` is coordinate `a` of response `k`.
    pub b: &'a [f64],
    /// The threshold `λ`.
    pub lambda: f64,
    /// The class of the first response.
    pub first: usize,
    /// The number of responses `c`: one norm is taken over all of them.
    pub responses: usize,
    /// The slot in which the norms `‖rᵢ‖` at `b` may be cached: solvers that take turns have one each.
    pub slot: usize,
}

/// A sum over all instances. In formulas `rᵢ = yᵢ − Bᵀxᵢ`, `r̂ = r/‖r‖` and `wᵢ = min(1, λ/‖rᵢ‖)`.
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
    /// The point of this knot of group `group`, for coordinates of `dims` dimensions.
    pub(super) fn point(&self, dims: usize, group: usize) -> EvalPoint<'_> {
        let responses = self.b.len() / dims.max(1);
        EvalPoint { b: &self.b, lambda: self.lambda, first: self.first, responses, slot: group }
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
        dot_in_order(b, &self.x)
    }
}

/// Instances with labels, wherever they are stored: all that a path needs to know of `X` and `Y` (see the module's text).
///
/// # Errors
/// Rows in this process never fail; rows elsewhere may be unreachable ([`Error::Rows`](crate::Error::Rows)).
#[expect(clippy::missing_errors_doc, reason = "said once for all methods")]
pub trait RowSource {
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

    /// Writes a sum over all rows.
    fn sum_over_rows(&mut self, sum: Sum<'_>, at: EvalPoint<'_>, out: &mut [f64]) -> Result<()>;

    /// The largest norm `‖rᵢ‖`.
    fn largest(&mut self, at: EvalPoint<'_>) -> Result<f64>;

    /// The norm `‖rᵢ‖` of one instance.
    fn norm(&mut self, at: EvalPoint<'_>, instance: usize) -> Result<f64>;

    /// Coordinates and label of one instance.
    fn row(&mut self, instance: usize) -> Result<Row>;

    /// Records which instances leave zero between the knots `high` and `low` (one for each group of responses), going
    /// down. Also records at which `λ`, read off the interpolated path; if `exact`, returns these instances instead, so that
    /// the caller finds their `λ` and calls [`settle`](Self::settle).
    fn cross(&mut self, low: &[Knot], high: &[Knot], exact: bool) -> Result<Vec<usize>>;

    /// Records the `λ` at which an instance has left zero.
    fn settle(&mut self, instance: usize, lambda: f64) -> Result<()>;
}
