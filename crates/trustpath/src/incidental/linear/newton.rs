//! Newton's method for one `λ`: the minimum over `B` of `Σᵢ ρ_λ(yᵢ − Bᵀxᵢ)`.
//!
//! The objective is convex and once continuously differentiable, its curvature piecewise so; Newton's method with a
//! backtracking line search converges from anywhere and, near the solution, in a few steps. The same factor of the
//! curvature gives the tangent `dB/dλ`, which predicts the solution at the next `λ`.

use std::ops::Range;

use super::curvature::Curvature;
use super::segment::Segment;
use super::strips::{At, Knot, Row, Strips, Sum};
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
    /// The `λ` that `b` solves.
    pub lambda: f64,
    /// Where the rows keep the norms `‖rᵢ‖` at `b`.
    memory: usize,
    sums: Sums,
    trial: Sums,
    trial_b: Vec<f64>,
    step: Vec<f64>,
    curvature: Curvature,
    /// Whether the curvature was taken anywhere yet.
    factored: bool,
}

/// Value, then gradient, as [`Sum::Gradient`] has them.
#[derive(Debug, Clone)]
struct Sums(Vec<f64>);

impl Sums {
    fn value(&self) -> f64 {
        self.0[0]
    }

    fn gradient(&self) -> &[f64] {
        &self.0[1..]
    }
}

impl Newton {
    pub fn new(d: usize, classes: Range<usize>, memory: usize) -> Self {
        let c = classes.len();
        let size = c * d;
        let sums = Sums(vec![0.0; Sum::Gradient.len(d, c)]);
        Self {
            classes,
            b: vec![0.0; size],
            tangent: vec![0.0; size],
            lambda: f64::INFINITY,
            memory,
            trial: sums.clone(),
            sums,
            trial_b: vec![0.0; size],
            step: vec![0.0; size],
            curvature: Curvature::new(c, d),
            factored: false,
        }
    }

    /// The same with norms of its own, to try other `λ` while this one stays where it is.
    pub fn probe(&self, memory: usize) -> Self {
        Self { memory, ..self.clone() }
    }

    /// Where it is.
    pub fn at(&self) -> At<'_> {
        at(&self.b, self.lambda, &self.classes, self.memory)
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
    pub fn least_squares(&mut self, rows: &mut impl Strips) -> Result<()> {
        self.b.fill(0.0);
        self.tangent.fill(0.0);
        self.factored = false;
        self.lambda = f64::INFINITY;
        self.evaluate(rows)?;
        // Once more for the rounding of the first, as if the coordinates were not quite orthonormal.
        for _ in 0..2 {
            add_scaled(&mut self.b, -1.0, self.sums.gradient());
            self.evaluate(rows)?;
        }
        Ok(())
    }

    /// Moves along the tangent to `lambda`, then solves there until the gradient is at most `tolerance · λ`.
    pub fn advance(&mut self, rows: &mut impl Strips, lambda: f64, tolerance: f64) -> Result<()> {
        if self.lambda.is_finite() {
            add_scaled(&mut self.b, lambda - self.lambda, &self.tangent);
        }
        self.solve(rows, lambda, tolerance)
    }

    /// Solves at `lambda` from the present `b`, until the gradient is at most `tolerance · λ`.
    ///
    /// The factor of an earlier point serves as long as it makes the gradient [`CHORD`] times smaller in a step:
    /// evaluating is several times cheaper than factoring.
    pub fn solve(&mut self, rows: &mut impl Strips, lambda: f64, tolerance: f64) -> Result<()> {
        self.lambda = lambda;
        self.evaluate(rows)?;
        let target = tolerance * lambda;
        let mut before = norm(self.sums.gradient());
        let mut fresh = !self.factored || self.curvature.is_iterative();
        for _ in 0..MAX_STEPS {
            if before <= target {
                return Ok(());
            }
            if fresh {
                self.take_curvature(rows)?;
            }
            self.step.copy_from_slice(self.sums.gradient());
            self.curvature.solve(rows, &mut self.step)?;
            if !self.descend(rows)? {
                if fresh {
                    break;
                }
                fresh = true;
                continue;
            }
            let after = norm(self.sums.gradient());
            fresh = after > CHORD * before || self.curvature.is_iterative();
            before = after;
        }
        // No further decrease is representable. With an instance on the very threshold and little curvature that
        // happens a few digits above the tolerance, where the objective has long been minimal to the last bit.
        let reached = norm(self.sums.gradient());
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
    fn descend(&mut self, rows: &mut impl Strips) -> Result<bool> {
        let slope = dot(&self.step, self.sums.gradient());
        // Where few instances have curvature a step may leave all reason. The coordinates are orthonormal: a move of
        // length one changes no residual by more than one, and residuals are differences from one-hot labels.
        let radius = 1.0 + norm(&self.b);
        let mut length = (radius / norm(&self.step)).min(1.0);
        self.attempt(rows, length)?;
        // Values carry rounding that hides the last decreases; the slope along the step does not.
        let slack = ROUNDING * self.sums.value();
        let flat = dot(&self.step, self.trial.gradient()).abs() <= 0.5 * slope;
        let lower = self.trial.value() <= self.sums.value() - ARMIJO * length * slope;
        if !(lower || flat && self.trial.value() <= self.sums.value() + slack) {
            length = self.line_minimum(rows, length, slope)?;
            self.attempt(rows, length)?;
        }
        let accepted = length > 0.0 && self.trial.value() <= self.sums.value() + slack;
        if accepted {
            std::mem::swap(&mut self.b, &mut self.trial_b);
            std::mem::swap(&mut self.sums, &mut self.trial);
        } else {
            self.evaluate(rows)?;
        }
        Ok(accepted)
    }

    /// Evaluates at `b − length · step`.
    fn attempt(&mut self, rows: &mut impl Strips, length: f64) -> Result<()> {
        self.trial_b.copy_from_slice(&self.b);
        add_scaled(&mut self.trial_b, -length, &self.step);
        let at = at(&self.trial_b, self.lambda, &self.classes, self.memory);
        rows.add_up(Sum::Gradient, at, &mut self.trial.0)
    }

    /// Where on `[0, length]` the derivative along `−step`, `−slope` at 0, is small: regula falsi (Illinois).
    fn line_minimum(&mut self, rows: &mut impl Strips, length: f64, slope: f64) -> Result<f64> {
        let (mut low, mut at_low) = (0.0, -slope);
        let (mut high, mut at_high) = (length, -dot(&self.step, self.trial.gradient()));
        let mut side = 0;
        for _ in 0..MAX_LINE {
            if at_high <= 0.0 {
                return Ok(high);
            }
            let next = (low * at_high - high * at_low) / (at_high - at_low);
            self.attempt(rows, next)?;
            let value = -dot(&self.step, self.trial.gradient());
            if value.abs() <= FLAT * slope {
                return Ok(next);
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
        Ok(low)
    }

    /// Where instance `i`'s parameter vanishes inside `segment`, whose low end has it and whose high end has not, to
    /// relative precision `tolerance`: Newton's method for the root of `‖rᵢ(λ)‖ − λ`, whose slope the tangent gives,
    /// each trial `λ` solved; kept inside the bracket by bisection.
    pub fn vanish(
        &mut self,
        rows: &mut impl Strips,
        i: usize,
        segment: &Segment<'_>,
        tolerance: f64,
    ) -> Result<f64> {
        let (mut low, mut high) = (segment.low.lambda, segment.high.lambda);
        let row = rows.row(i)?;
        self.lambda = segment.vanish(&row);
        segment.interpolate(self.lambda, &mut self.b);
        self.evaluate(rows)?;
        self.factor(rows, tolerance)?;
        loop {
            self.solve(rows, self.lambda, tolerance)?;
            let (lambda, norm) = (self.lambda, rows.norm(self.at(), i)?);
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
            if !(next > low && next < high) {
                next = 0.5 * (low + high);
            }
            add_scaled(&mut self.b, next - lambda, &self.tangent);
            self.lambda = next;
        }
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

    fn evaluate(&mut self, rows: &mut impl Strips) -> Result<()> {
        let at = at(&self.b, self.lambda, &self.classes, self.memory);
        rows.add_up(Sum::Gradient, at, &mut self.sums.0)
    }

    fn take_curvature(&mut self, rows: &mut impl Strips) -> Result<()> {
        let at = at(&self.b, self.lambda, &self.classes, self.memory);
        self.curvature.take(rows, at)?;
        self.factored = true;
        Ok(())
    }

    /// Takes the curvature at `b` and solves for the tangent there.
    pub fn factor(&mut self, rows: &mut impl Strips, tolerance: f64) -> Result<()> {
        self.take_curvature(rows)?;
        self.curvature.tangent(rows, &mut self.tangent, tolerance)
    }
}

fn at<'a>(b: &'a [f64], lambda: f64, classes: &Range<usize>, memory: usize) -> At<'a> {
    At { b, lambda, first: classes.start, responses: classes.len(), memory }
}
