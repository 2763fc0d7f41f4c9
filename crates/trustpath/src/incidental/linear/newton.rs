//! Newton's method for one `λ`: the minimum over `B` of `Σᵢ ρ_λ(yᵢ − Bᵀxᵢ)`.
//!
//! The objective is convex and once continuously differentiable, its curvature piecewise so; Newton's method with a
//! backtracking line search converges from anywhere and, near the solution, in a few steps. The same factor of the
//! curvature gives the tangent `dB/dλ`, which predicts the solution at the next `λ`.

use std::ops::Range;

use super::curvature::Curvature;
use super::rows::{At, Rows, Scratch, Sums};
use super::segment::{Knot, Segment};
use crate::linalg::vector::{add_scaled, dot, norm};
use crate::{Error, Result};

/// Newton steps allowed for one `λ`.
const MAX_STEPS: usize = 200;
/// Trials allowed in one line search.
const MAX_LINE: usize = 60;
/// A line search ends where the slope is this fraction of what it was.
const FLAT: f64 = 0.01;
/// A factor is kept while a step with it makes the gradient at least this much smaller.
const CHORD: f64 = 0.05;
/// Relative rounding to be expected of a sum over instances.
const ROUNDING: f64 = 16.0 * f64::EPSILON;
/// A solution that cannot be improved counts up to this multiple of the tolerance.
const STALLED: f64 = 1e4;
/// Fraction of the predicted decrease that a step must achieve.
const ARMIJO: f64 = 1e-4;

/// The minimisation for one group of responses, with its memory and its last solution.
#[derive(Debug, Clone)]
pub(super) struct Newton {
    /// Classes that are the responses of this group.
    pub classes: Range<usize>,
    /// Coefficients, response by response.
    pub b: Vec<f64>,
    /// `dB/dλ` at the last factorisation.
    pub tangent: Vec<f64>,
    /// `‖rᵢ‖` at `b`.
    pub norms: Vec<f64>,
    /// The `λ` that `b` solves.
    pub lambda: f64,
    sums: Sums,
    trial: Sums,
    trial_b: Vec<f64>,
    step: Vec<f64>,
    curvature: Curvature,
    /// Whether the curvature was taken anywhere yet.
    factored: bool,
    scratch: Scratch,
}

impl Newton {
    pub fn new(rows: &Rows, classes: Range<usize>) -> Self {
        let (c, d) = (classes.len(), rows.dims());
        let size = c * d;
        Self {
            classes,
            b: vec![0.0; size],
            tangent: vec![0.0; size],
            norms: vec![0.0; rows.len()],
            lambda: f64::INFINITY,
            sums: Sums::default(),
            trial: Sums::default(),
            trial_b: vec![0.0; size],
            step: vec![0.0; size],
            curvature: Curvature::new(c, d),
            factored: false,
            scratch: Scratch::default(),
        }
    }

    /// The last solution as a knot of the path.
    pub fn knot(&self, lambda: f64) -> Knot {
        Knot { lambda, b: self.b.clone(), tangent: self.tangent.clone() }
    }

    /// Whether there are too many unknowns to form the curvature.
    pub fn is_wide(&self) -> bool {
        self.curvature.is_iterative()
    }

    /// The least-squares fit, which is the solution for `λ = ∞`. The coordinates must be orthonormal, so that it is
    /// `XᵀY`: the negative gradient at `B = 0`.
    pub fn least_squares(&mut self, rows: &Rows) {
        self.b.fill(0.0);
        self.tangent.fill(0.0);
        self.factored = false;
        self.lambda = f64::INFINITY;
        self.evaluate(rows);
        // Once more for the rounding of the first, as if the coordinates were not quite orthonormal.
        for _ in 0..2 {
            add_scaled(&mut self.b, -1.0, &self.sums.gradient);
            self.evaluate(rows);
        }
    }

    /// Moves along the tangent to `lambda`, then solves there until the gradient is at most `tolerance · λ`.
    pub fn advance(&mut self, rows: &Rows, lambda: f64, tolerance: f64) -> Result<()> {
        if self.lambda.is_finite() {
            add_scaled(&mut self.b, lambda - self.lambda, &self.tangent);
        }
        self.solve(rows, lambda, tolerance)
    }

    /// Solves at `lambda` from the present `b`, until the gradient is at most `tolerance · λ`.
    ///
    /// The factor of an earlier point serves as long as it makes the gradient [`CHORD`] times smaller in a step:
    /// evaluating is several times cheaper than factoring.
    pub fn solve(&mut self, rows: &Rows, lambda: f64, tolerance: f64) -> Result<()> {
        self.lambda = lambda;
        self.evaluate(rows);
        let target = tolerance * lambda;
        let mut before = norm(&self.sums.gradient);
        let mut fresh = !self.factored || self.curvature.is_iterative();
        for _ in 0..MAX_STEPS {
            if before <= target {
                return Ok(());
            }
            if fresh {
                self.take_curvature(rows);
            }
            self.step.copy_from_slice(&self.sums.gradient);
            self.curvature.solve(rows, &mut self.step, &mut self.scratch);
            if !self.descend(rows) {
                if fresh {
                    break;
                }
                fresh = true;
                continue;
            }
            let after = norm(&self.sums.gradient);
            fresh = after > CHORD * before || self.curvature.is_iterative();
            before = after;
        }
        // No further decrease is representable. With an instance on the very threshold and little curvature that
        // happens a few digits above the tolerance, where the objective has long been minimal to the last bit.
        let reached = norm(&self.sums.gradient);
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

    /// Steps from `b` along `−step` to where the objective is lower; `false` if no such point is representable.
    fn descend(&mut self, rows: &Rows) -> bool {
        let slope = dot(&self.step, &self.sums.gradient);
        // Where few instances have curvature a step may leave all reason. The coordinates are orthonormal: a move of
        // length one changes no residual by more than one, and residuals are differences from one-hot labels.
        let radius = 1.0 + norm(&self.b);
        let mut length = (radius / norm(&self.step)).min(1.0);
        self.attempt(rows, length);
        // Values carry rounding that hides the last decreases; the slope along the step does not.
        let slack = ROUNDING * self.sums.value;
        let flat = dot(&self.step, &self.trial.gradient).abs() <= 0.5 * slope;
        let lower = self.trial.value <= self.sums.value - ARMIJO * length * slope;
        if !(lower || flat && self.trial.value <= self.sums.value + slack) {
            length = self.line_minimum(rows, length, slope);
            self.attempt(rows, length);
        }
        let accepted = length > 0.0 && self.trial.value <= self.sums.value + slack;
        if accepted {
            std::mem::swap(&mut self.b, &mut self.trial_b);
            std::mem::swap(&mut self.sums, &mut self.trial);
        } else {
            self.evaluate(rows);
        }
        accepted
    }

    /// Evaluates at `b − length · step`.
    fn attempt(&mut self, rows: &Rows, length: f64) {
        self.trial_b.copy_from_slice(&self.b);
        add_scaled(&mut self.trial_b, -length, &self.step);
        let at = at(&self.trial_b, self.lambda, &self.classes);
        rows.evaluate(at, &mut self.norms, &mut self.trial, &mut self.scratch);
    }

    /// Where on `[0, length]` the derivative along `−step`, `−slope` at 0, is small: regula falsi (Illinois).
    fn line_minimum(&mut self, rows: &Rows, length: f64, slope: f64) -> f64 {
        let (mut low, mut at_low) = (0.0, -slope);
        let (mut high, mut at_high) = (length, -dot(&self.step, &self.trial.gradient));
        let mut side = 0;
        for _ in 0..MAX_LINE {
            if at_high <= 0.0 {
                return high;
            }
            let next = (low * at_high - high * at_low) / (at_high - at_low);
            self.attempt(rows, next);
            let value = -dot(&self.step, &self.trial.gradient);
            if value.abs() <= FLAT * slope {
                return next;
            }
            if value < 0.0 {
                (low, at_low) = (next, value);
                at_high *= if side == 1 { 0.5 } else { 1.0 };
                side = 1;
            } else {
                (high, at_high) = (next, value);
                at_low *= if side == -1 { 0.5 } else { 1.0 };
                side = -1;
            }
        }
        low
    }

    /// Where instance `i`'s parameter vanishes inside `segment`, whose low end has it and whose high end has not, to
    /// relative precision `tolerance`: Newton's method for the root of `‖rᵢ(λ)‖ − λ`, whose slope the tangent gives,
    /// each trial `λ` solved; kept inside the bracket by bisection.
    pub fn vanish(
        &mut self,
        rows: &Rows,
        i: usize,
        segment: &Segment<'_>,
        tolerance: f64,
    ) -> Result<f64> {
        let (mut low, mut high) = (segment.low.lambda, segment.high.lambda);
        self.lambda = segment.vanish(rows, i, &self.classes);
        segment.interpolate(self.lambda, &mut self.b);
        self.evaluate(rows);
        self.factor(rows);
        loop {
            self.solve(rows, self.lambda, tolerance)?;
            let (lambda, excess) = (self.lambda, self.norms[i] - self.lambda);
            if excess > 0.0 {
                low = lambda;
            } else {
                high = lambda;
            }
            if excess.abs() <= tolerance * lambda || high - low <= tolerance * high {
                return Ok(lambda);
            }
            let mut next = lambda - excess / self.excess_slope(rows, i);
            if !(next > low && next < high) {
                next = 0.5 * (low + high);
            }
            add_scaled(&mut self.b, next - lambda, &self.tangent);
            self.lambda = next;
        }
    }

    /// `d(‖rᵢ(λ)‖ − λ)/dλ = −r̂ᵢᵀ (dB/dλ)ᵀ xᵢ − 1`.
    fn excess_slope(&self, rows: &Rows, i: usize) -> f64 {
        let d = rows.dims();
        let mut slope = 0.0;
        for (k, class) in self.classes.clone().enumerate() {
            let residual =
                f64::from(rows.label(i) == class) - rows.fit(i, &self.b[k * d..(k + 1) * d]);
            slope -= residual * rows.fit(i, &self.tangent[k * d..(k + 1) * d]);
        }
        slope / self.norms[i] - 1.0
    }

    fn evaluate(&mut self, rows: &Rows) {
        let at = at(&self.b, self.lambda, &self.classes);
        rows.evaluate(at, &mut self.norms, &mut self.sums, &mut self.scratch);
    }

    fn take_curvature(&mut self, rows: &Rows) {
        let at = at(&self.b, self.lambda, &self.classes);
        self.curvature.take(rows, at, &mut self.scratch);
        self.factored = true;
    }

    /// Takes the curvature at `b` and solves for the tangent there.
    pub fn factor(&mut self, rows: &Rows) {
        self.take_curvature(rows);
        self.curvature.tangent(rows, &mut self.tangent, &mut self.scratch);
    }
}

fn at<'a>(b: &'a [f64], lambda: f64, classes: &Range<usize>) -> At<'a> {
    At { b, lambda, first: classes.start, responses: classes.len() }
}
