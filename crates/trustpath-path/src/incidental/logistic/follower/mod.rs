//! Following the path from `λ_max` down, from one vanishing point to the next.
//!
//! Let `s = log λ`. Between two events (a coordinate of `b` or an incidental parameter enters or leaves) the solution
//! is a smooth curve, whose tangent solves `K θ' = −(∂∇/∂s + μσ)`. Along it every instance's level is known to first
//! order, and so is the `λ` at which the next one reaches `τ`. There, Newton's method on
//!
//! ```text
//! ∇(θ, s) + μσ = 0,     log level_i(θ, s) − log τ(s) = 0
//! ```
//!
//! finds the *exact* vanishing point, with one Hessian. Convexity makes the result easy to verify: if all optimality
//! conditions hold at the point found, it is the solution there, regardless of how it was found. If they do not, the follower
//! takes an ordinary step with the [solver](super::solve) instead, and halves it until it misses no instance.

mod next_event;
mod vanishing_point;

use self::next_event::{NextEvent, SHORTEST};
use super::Penalty;
use super::design::Design;
use super::path::Present;
use super::rows::Status;
use super::solve::{ITERATIONS, ReducedProblem};
use crate::{Error, Result};

/// Relative accuracy of a vanishing point, and of the optimality conditions there.
const EXACT: f64 = 1e-9;
/// Accuracy of steps whose end point is not reported.
const ROUGH: f64 = 1e-5;
/// How far a condition may be off before the point is rejected.
const SLACK: f64 = 1e-8;

/// A position on the path.
#[derive(Debug)]
pub(super) struct LogisticFollower<'a> {
    pub solver: ReducedProblem<'a>,
    lambda: f64,
    pub lambda_max: f64,
    /// The smallest `λ` so far at which each instance's parameter left zero.
    vanish: Vec<f64>,
    tangent: Vec<f64>,
    saved: Saved,
    /// Whether Hessian and factor belong to the current support and statuses.
    linearised: bool,
    /// How far off a condition may seem at the last evaluation before the point is rejected.
    blur: f64,
    /// Steps before giving up: each event takes a few, and no more than this can be needed.
    steps_left: usize,
}

/// The state at which a trial began.
#[derive(Debug, Default)]
struct Saved {
    theta: Vec<f64>,
    free: Vec<f64>,
    level: Vec<f64>,
    lambda: f64,
}

impl<'a> LogisticFollower<'a> {
    /// Starts at `λ_max`, where only the intercept is not zero.
    pub fn new(design: &'a Design, present: &Present, penalty: Penalty) -> Self {
        let mut solver = ReducedProblem::new(design, present, penalty);
        let lambda_max = solver.lambda_max();
        let order = solver.theta.len();
        Self {
            lambda: lambda_max,
            lambda_max,
            vanish: vec![lambda_max; design.rows],
            tangent: vec![0.0; order],
            saved: Saved::default(),
            linearised: false,
            blur: SLACK,
            solver,
            steps_left: 1000 + 100 * (design.rows + order),
        }
    }

    /// Goes down to `stop`, recording every vanishing point on the way, and solves to the tolerance there.
    pub fn advance(&mut self, stop: f64, tolerance: f64) -> Result<()> {
        let mut reached = 0.0;
        while self.lambda > stop {
            if self.steps_left == 0 {
                return Err(not_converged(self.lambda / stop - 1.0, 0.0));
            }
            self.steps_left -= 1;
            let step = match self.next_event((stop / self.lambda).ln()) {
                NextEvent::Exit { row, step } => {
                    self.save();
                    self.slide(step);
                    if self.land(row, stop) {
                        continue;
                    }
                    // The event may be predicted right here, as where several instances reach the threshold together:
                    // a step of no length would be tried again for ever.
                    step.min(-SHORTEST)
                }
                NextEvent::Pass { step } => step,
            };
            let to = self.lambda * step.exp();
            let last = to <= stop * (1.0 + 1e-14);
            let (to, tolerance) = if last { (stop, tolerance) } else { (to, ROUGH) };
            reached = self.pass(to, tolerance);
        }
        if reached > tolerance {
            return Err(not_converged(reached, tolerance));
        }
        Ok(())
    }

    /// The vanishing points, when the end of the path is reached: instances that are still zero have the last `λ`.
    pub fn finish(mut self) -> Vec<f64> {
        for i in 0..self.vanish.len() {
            if !self.solver.rows.is_free(i) {
                self.vanish[i] = self.lambda;
            }
        }
        self.vanish
    }

    /// Hessian, factor and tangent at the current point.
    fn linearise(&mut self) {
        if !self.linearised {
            if !self.solver.is_linearised() {
                self.solver.linearise(self.lambda);
            }
            self.tangent();
            self.linearised = true;
        }
    }

    /// Factor and tangent from the Hessian at hand.
    fn tangent(&mut self) {
        let solver = &mut self.solver;
        let mu = solver.mu(self.lambda);
        solver.support.turn(&solver.theta);
        solver.support.factorise(&solver.hessian, solver.design, mu);
        self.tangent = solver.support.solve(&solver.hessian.drift, mu);
    }

    /// Moves along the tangent by `step` in `log λ`.
    fn slide(&mut self, step: f64) {
        for (theta, tangent) in self.solver.theta.iter_mut().zip(&self.tangent) {
            *theta += step * tangent;
        }
        self.lambda *= step.exp();
    }

    /// Steps to `to`, or less far if an instance leaves zero on the way, which is then recorded; returns the residual there.
    fn pass(&mut self, to: f64, tolerance: f64) -> f64 {
        let mut to = to;
        self.save();
        loop {
            let step = (to / self.lambda).ln();
            if self.linearised {
                self.slide(step);
            }
            self.lambda = to;
            let residual = self.solver.solve(to, tolerance);
            self.linearised = false;
            self.leave_threshold();
            let Some(row) = self.slipped().max_by(|&a, &b| {
                let level = |i: usize| self.solver.rows.level[i];
                level(a).total_cmp(&level(b))
            }) else {
                return residual;
            };
            // Also where the step is not a number.
            if step.is_nan() || step.abs() <= EXACT {
                let slipped: Vec<usize> = self.slipped().collect();
                slipped.iter().for_each(|&i| self.vanish[i] = self.lambda);
                return residual;
            }
            // Back to the event from this side of it, with all other instances as before.
            self.solver.rows.free.copy_from_slice(&self.saved.free);
            if self.land(row, to) {
                return residual;
            }
            self.solver.support.read(&self.solver.theta);
            to = (self.lambda * to).sqrt();
        }
    }

    /// From a point nearby, goes to where `row` leaves zero, between the saved `λ` and `low`, and records it. If that is not
    /// the solution there, goes back to the saved point.
    fn land(&mut self, row: usize, low: f64) -> bool {
        // The saved point may itself be rough.
        let high = self.saved.lambda * (1.0 + 10.0 * ROUGH);
        self.solver.rows.set_free(row, true);
        if self.vanishing_point(row) && (low..=high).contains(&self.lambda) && self.holds(row) {
            self.vanish[row] = self.lambda;
            return true;
        }
        self.restore();
        false
    }

    /// Records the instances that were exactly at the threshold at the saved point, and are free now: they left zero together
    /// there. So do all instances of the rarest class at `λ_max`, if no coordinate distinguishes them yet.
    fn leave_threshold(&mut self) {
        let threshold = self.solver.tau(self.saved.lambda) * (1.0 - EXACT);
        for i in 0..self.solver.design.rows {
            let left = self.solver.rows.is_free(i) && self.saved.free[i] == 0.0;
            if left && self.saved.level[i] >= threshold {
                self.vanish[i] = self.saved.lambda;
                self.saved.free[i] = 1.0;
            }
        }
    }

    /// The instances that were zero at the saved point and are free now.
    fn slipped(&self) -> impl Iterator<Item = usize> {
        let (rows, before) = (&self.solver.rows, &self.saved.free);
        (0..self.solver.design.rows).filter(move |&i| rows.is_free(i) && before[i] == 0.0)
    }

    fn save(&mut self) {
        self.saved.theta.clone_from(&self.solver.theta);
        self.saved.free.clone_from(&self.solver.rows.free);
        self.saved.level.clone_from(&self.solver.rows.level);
        self.saved.lambda = self.lambda;
    }

    fn restore(&mut self) {
        self.linearised = false;
        self.lambda = self.saved.lambda;
        self.solver.theta.copy_from_slice(&self.saved.theta);
        self.solver.rows.free.copy_from_slice(&self.saved.free);
        self.solver.evaluate(self.lambda, Status::Held);
    }
}

fn not_converged(reached: f64, tolerance: f64) -> Error {
    let what = "the logistic model with incidental parameters";
    Error::NotConverged { what, iterations: ITERATIONS, reached, tolerance }
}
