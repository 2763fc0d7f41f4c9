//! Newton's method for one `λ`: the minimum over `B` of `Σᵢ ρ_λ(yᵢ − Bᵀxᵢ)`.
//!
//! The objective is convex and once continuously differentiable, its curvature piecewise so; Newton's method with a
//! backtracking line search converges from anywhere and, near the solution, in a few steps. The same factor of the
//! curvature gives the tangent `dB/dλ`, which predicts the solution at the next `λ`.

use std::ops::Range;

use super::conjugate_gradients::Products;
use super::curvature::{Curvature, FLOOR, STEP};
use super::row_source::{EvalPoint, Knot, Row, RowSource, Sum};
use super::segment::{Bracket, PRECISE, Segment};
use crate::linalg::vector::{add_scaled, dot, norm};
use crate::{Error, Result};

/// Newton steps allowed for one `λ`.
const MAX_STEPS: usize = 200;
/// Trials at the root of an instance by Newton's method; bisection follows.
const MOST_TRIALS: usize = 20;
/// Trials at the root in all: bisection halves the bracket down to neighbouring numbers in fewer.
const MAX_TRIALS: usize = 100;
/// Trials allowed in one line search.
const MAX_LINE: usize = 60;
/// A line search ends where the slope is this fraction of what it was.
const FLAT: f64 = 0.1;
/// A factor serves as long as a step with it makes the gradient at least this much smaller.
const CHORD: f64 = 0.05;
/// A step with a fresh factor that leaves more of the gradient than this, at the same value, has gained nothing.
const SLOW: f64 = 0.5;
/// Relative rounding to be expected of a sum over instances.
const ROUNDING: f64 = 16.0 * f64::EPSILON;
/// A solution that cannot be improved further is accepted up to this multiple of the tolerance.
const STALLED: f64 = 1e4;
/// Where a step of Newton's method gains nothing, directions with less curvature than a larger floor are left out of it: the
/// floor grows by this factor, up to [`LARGEST_FLOOR`], and falls again after a step that gains.
const FLOOR_GROWTH: f64 = 1e3;
/// The largest floor: small beside one, the curvature in a direction in which no instance has left zero.
const LARGEST_FLOOR: f64 = 1e-2;
/// Fraction of the predicted decrease that a step must achieve.
const ARMIJO: f64 = 1e-4;

/// The minimisation for one group of responses, with its workspace and its last solution.
#[derive(Debug, Clone)]
pub(super) struct HuberSolver {
    /// Classes that are the responses of this group.
    pub classes: Range<usize>,
    /// Coefficients, response by response.
    pub b: Vec<f64>,
    /// `dB/dλ` at the last factorisation.
    pub tangent: Vec<f64>,
    /// The `λ` that `b` solves.
    pub lambda: f64,
    /// The slot in which the rows cache the norms `‖rᵢ‖` at `b`.
    slot: usize,
    /// Value, then gradient, as [`Sum::Gradient`] has them, at `b` and at `trial_b`.
    sums: Vec<f64>,
    trial: Vec<f64>,
    trial_b: Vec<f64>,
    step: Vec<f64>,
    curvature: Curvature,
    /// Whether the curvature was computed at any point yet.
    factored: bool,
}

impl HuberSolver {
    pub fn new(d: usize, classes: Range<usize>, slot: usize) -> Self {
        let c = classes.len();
        let size = c * d;
        let sums = vec![0.0; Sum::Gradient.len(d, c)];
        Self {
            classes,
            b: vec![0.0; size],
            tangent: vec![0.0; size],
            lambda: f64::INFINITY,
            slot,
            trial: sums.clone(),
            sums,
            trial_b: vec![0.0; size],
            step: vec![0.0; size],
            curvature: Curvature::new(c, d),
            factored: false,
        }
    }

    /// A copy with another slot, to try other `λ` while the original does not move.
    pub fn probe(&self, slot: usize) -> Self {
        Self { slot, ..self.clone() }
    }

    /// The present point.
    pub fn point(&self) -> EvalPoint<'_> {
        point(&self.b, self.lambda, &self.classes, self.slot)
    }

    /// The last solution as a knot of the path.
    pub fn knot(&self, lambda: f64) -> Knot {
        let first = self.classes.start;
        Knot { lambda, first, b: self.b.clone(), tangent: self.tangent.clone() }
    }

    /// Whether there are too many unknowns to form the curvature.
    pub fn is_wide(&self) -> bool {
        self.curvature.is_iterative()
    }

    /// The least-squares fit, which is the solution for `λ = ∞`. The coordinates must be orthonormal, so that it is
    /// `XᵀY`: the negative gradient at `B = 0`.
    pub fn least_squares(&mut self, rows: &mut impl RowSource) -> Result<()> {
        self.b.fill(0.0);
        self.tangent.fill(0.0);
        self.factored = false;
        self.lambda = f64::INFINITY;
        self.evaluate(rows)?;
        // A second time, to remove the rounding errors of the first.
        for _ in 0..2 {
            add_scaled(&mut self.b, -1.0, &self.sums[1..]);
            self.evaluate(rows)?;
        }
        Ok(())
    }

    /// Moves along the tangent to `lambda`, then solves there until the gradient is at most `tolerance · λ`.
    pub fn advance(&mut self, rows: &mut impl RowSource, lambda: f64, tolerance: f64) -> Result<()> {
        if self.lambda.is_finite() {
            add_scaled(&mut self.b, lambda - self.lambda, &self.tangent);
        }
        self.solve(rows, lambda, tolerance)
    }

    /// Solves at `lambda` from the present `b`, until the gradient is at most `tolerance · λ`.
    ///
    /// The factor of an earlier point serves as long as it makes the gradient [`CHORD`] times smaller in a step:
    /// evaluating is several times cheaper than factoring.
    pub fn solve(&mut self, rows: &mut impl RowSource, lambda: f64, tolerance: f64) -> Result<()> {
        self.lambda = lambda;
        self.evaluate(rows)?;
        let target = tolerance * lambda;
        let mut before = norm(&self.sums[1..]);
        let mut fresh = !self.factored || self.curvature.is_iterative();
        let (mut floor, mut products) = (FLOOR, Products::default());
        for _ in 0..MAX_STEPS {
            if before <= target {
                return Ok(());
            }
            if fresh {
                self.take_curvature(rows, floor)?;
            }
            self.step.copy_from_slice(&self.sums[1..]);
            self.curvature.solve(rows, &mut self.step, (STEP, products.0))?;
            let value = self.sums[0];
            let length = self.descend(rows)?;
            let moved = length > 0.0;
            products.adapt(length);
            let after = norm(&self.sums[1..]);
            if fresh && after > SLOW * before && self.sums[0] >= value * (1.0 - ROUNDING) {
                // With an instance exactly at the threshold there may be almost no curvature on the side where it has left
                // zero. The rounding error of the gradient, divided by that, outweighs the rest of the step, and along it
                // there is nothing to gain.
                if floor >= LARGEST_FLOOR || !moved && before <= STALLED * target {
                    break;
                }
                floor *= FLOOR_GROWTH;
            } else if fresh {
                floor = (floor / FLOOR_GROWTH).max(FLOOR);
            }
            fresh = !moved || after > CHORD * before || self.curvature.is_iterative();
            before = after;
        }
        // No further decrease is representable. With an instance exactly at the threshold and little curvature that
        // happens a few digits above the tolerance, where the objective is already minimal to the last bit.
        let reached = norm(&self.sums[1..]);
        if reached <= STALLED * target {
            return Ok(());
        }
        Err(Error::NotConverged {
            what: "the incidental regression",
            iterations: MAX_STEPS,
            reached: reached / lambda,
            tolerance,
        })
    }

    /// Steps from `b` along `−step` to where the objective is lower, and returns the part of the step taken; 0 if no such
    /// point is representable.
    fn descend(&mut self, rows: &mut impl RowSource) -> Result<f64> {
        let slope = dot(&self.step, &self.sums[1..]);
        // Where few instances have curvature a step may be far too long. The coordinates are orthonormal: a step of length
        // one changes no residual by more than one, and residuals are differences from one-hot labels.
        let radius = 1.0 + norm(&self.b);
        let mut length = (radius / norm(&self.step)).min(1.0);
        self.attempt(rows, length)?;
        // Values carry rounding that hides the last decreases; the slope along the step does not.
        let slack = ROUNDING * self.sums[0];
        let flat = dot(&self.step, &self.trial[1..]).abs() <= 0.5 * slope;
        let lower = self.trial[0] <= self.sums[0] - ARMIJO * length * slope;
        if !(lower || flat && self.trial[0] <= self.sums[0] + slack) {
            length = self.line_minimum(rows, length, slope)?;
        }
        let accepted = length > 0.0 && self.trial[0] <= self.sums[0] + slack;
        if accepted {
            std::mem::swap(&mut self.b, &mut self.trial_b);
            std::mem::swap(&mut self.sums, &mut self.trial);
        } else {
            self.evaluate(rows)?;
        }
        Ok(if accepted { length } else { 0.0 })
    }

    /// Evaluates at `b − length · step`.
    fn attempt(&mut self, rows: &mut impl RowSource, length: f64) -> Result<()> {
        self.trial_b.copy_from_slice(&self.b);
        add_scaled(&mut self.trial_b, -length, &self.step);
        let at = point(&self.trial_b, self.lambda, &self.classes, self.slot);
        rows.sum_over_rows(Sum::Gradient, at, &mut self.trial)
    }

    /// Where on `[0, length]` the derivative along `−step`, `−slope` at 0, is small; it is evaluated there.
    fn line_minimum(&mut self, rows: &mut impl RowSource, length: f64, slope: f64) -> Result<f64> {
        let at_length = -dot(&self.step, &self.trial[1..]);
        if at_length <= 0.0 {
            return Ok(length);
        }
        let mut bracket = Bracket::new((0.0, -slope), (length, at_length));
        for _ in 0..MAX_LINE {
            let next = bracket.next();
            self.attempt(rows, next)?;
            let value = -dot(&self.step, &self.trial[1..]);
            if value.abs() <= FLAT * slope {
                return Ok(next);
            }
            bracket.tighten(next, value);
        }
        self.attempt(rows, bracket.low.0)?;
        Ok(bracket.low.0)
    }

    /// Where instance `i`'s parameter vanishes inside `segment`, whose low end has it and whose high end has not, to
    /// relative precision `tolerance`: Newton's method for the root of `‖rᵢ(λ)‖ − λ`, whose slope the tangent gives,
    /// each trial `λ` solved; kept inside the bracket by bisection.
    pub fn vanish(
        &mut self,
        rows: &mut impl RowSource,
        i: usize,
        segment: &Segment<'_>,
        tolerance: f64,
    ) -> Result<f64> {
        let (mut low, mut high) = (segment.low.lambda, segment.high.lambda);
        let row = rows.row(i)?;
        self.lambda = segment.vanish(&row, PRECISE);
        segment.interpolate(self.lambda, &mut self.b);
        self.evaluate(rows)?;
        self.factor(rows, tolerance)?;
        for trial in 1..=MAX_TRIALS {
            self.solve(rows, self.lambda, tolerance)?;
            let (lambda, norm) = (self.lambda, rows.norm(self.point(), i)?);
            let excess = norm - lambda;
            if excess > 0.0 {
                low = lambda;
            } else {
                high = lambda;
            }
            if excess.abs() <= tolerance * lambda || high - low <= tolerance * high {
                return Ok(lambda);
            }
            let mut next = lambda - excess / self.excess_slope(&row, norm);
            // An instance can stay at the threshold over an interval of λ, where the excess has no slope.
            if trial > MOST_TRIALS || !(next > low && next < high) {
                next = 0.5 * (low + high);
            }
            add_scaled(&mut self.b, next - lambda, &self.tangent);
            self.lambda = next;
        }
        Ok(self.lambda)
    }

    /// `d(‖rᵢ(λ)‖ − λ)/dλ = −r̂ᵢᵀ (dB/dλ)ᵀ xᵢ − 1`, for an instance with this norm.
    fn excess_slope(&self, row: &Row, norm: f64) -> f64 {
        let d = row.x.len();
        let mut slope = 0.0;
        for (k, class) in self.classes.clone().enumerate() {
            let residual = f64::from(row.label == class) - row.fit(&self.b[k * d..(k + 1) * d]);
            slope -= residual * row.fit(&self.tangent[k * d..(k + 1) * d]);
        }
        slope / norm - 1.0
    }

    fn evaluate(&mut self, rows: &mut impl RowSource) -> Result<()> {
        let at = point(&self.b, self.lambda, &self.classes, self.slot);
        rows.sum_over_rows(Sum::Gradient, at, &mut self.sums)
    }

    fn take_curvature(&mut self, rows: &mut impl RowSource, floor: f64) -> Result<()> {
        let at = point(&self.b, self.lambda, &self.classes, self.slot);
        self.curvature.take(rows, at, floor)?;
        self.factored = true;
        Ok(())
    }

    /// Computes the curvature at `b` and the tangent there.
    pub fn factor(&mut self, rows: &mut impl RowSource, tolerance: f64) -> Result<()> {
        self.take_curvature(rows, FLOOR)?;
        self.curvature.tangent(rows, &mut self.tangent, (tolerance, Products::MOST))
    }
}

fn point<'a>(b: &'a [f64], lambda: f64, classes: &Range<usize>, slot: usize) -> EvalPoint<'a> {
    EvalPoint { b, lambda, first: classes.start, responses: classes.len(), slot }
}
