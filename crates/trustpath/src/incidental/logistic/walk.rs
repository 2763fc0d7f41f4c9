//! Down the path from `λ_max`, from one vanishing point to the next.
//!
//! Let `s = log λ`. Between two events (a coordinate of `b` or an incidental parameter enters or leaves) the solution
//! is a smooth curve, whose tangent solves `K θ' = −(∂∇/∂s + μσ)`. Along it every instance's level is known to first
//! order, and so is the `λ` at which the next one reaches `τ`. There, Newton's method on
//!
//! ```text
//! ∇(θ, s) + μσ = 0,     log level_i(θ, s) − log τ(s) = 0
//! ```
//!
//! finds the *exact* vanishing point, with one Hessian. Convexity makes the result easy to trust: if at the point found
//! all optimality conditions hold, it is the solution there, however it was come by. If they do not, the walk takes an
//! ordinary step with the [solver](super::solve) instead, and halves it until no instance slips through.

use super::Penalty;
use super::design::Design;
use super::record::Present;
use super::rows::Status;
use super::solve::{ITERATIONS, Solver};
use crate::{Error, Result};

/// Relative accuracy of a vanishing point, and of the optimality conditions there.
const EXACT: f64 = 1e-11;
/// Accuracy of steps whose end nobody looks at.
const ROUGH: f64 = 1e-5;
/// How far a condition may be off before the point is called wrong.
const SLACK: f64 = 1e-9;
/// Longest step in `log λ`.
const STRIDE: f64 = 0.5;
/// Shortest step in `log λ` that need not end at an exact place.
const SHORTEST: f64 = 1e-3;

/// What comes next, and how far away it is in `log λ` (negative).
#[derive(Debug, Clone, Copy)]
enum Aim {
    /// An incidental parameter leaves zero.
    Exit { row: usize, step: f64 },
    /// Something that need not be hit exactly.
    Pass { step: f64 },
}

/// A position on the path.
#[derive(Debug)]
pub(super) struct Walk<'a> {
    pub solver: Solver<'a>,
    pub lambda: f64,
    pub lambda_max: f64,
    /// The smallest `λ` so far at which each instance's parameter left zero.
    pub vanish: Vec<f64>,
    tangent: Vec<f64>,
    newton: Vec<f64>,
    rates: Vec<f64>,
    gradient_rate: Vec<f64>,
    saved: Saved,
    /// Whether Hessian and factor belong to the current support and statuses.
    linearised: bool,
    /// How far off a condition may seem at the last evaluation before the point is called wrong.
    blur: f64,
    pub counts: [usize; 8],
}

/// Where a trial began.
#[derive(Debug, Default)]
struct Saved {
    theta: Vec<f64>,
    free: Vec<f64>,
    lambda: f64,
}

impl<'a> Walk<'a> {
    /// Stands at `λ_max`, where only the intercept is not zero.
    pub fn new(design: &'a Design, present: &Present, penalty: Penalty) -> Self {
        let mut solver = Solver::new(design, present, penalty);
        let lambda_max = solver.lambda_max();
        let order = solver.theta.len();
        Self {
            lambda: lambda_max,
            lambda_max,
            vanish: vec![lambda_max; design.rows],
            tangent: vec![0.0; order],
            newton: vec![0.0; order],
            rates: design.layout.room(1),
            gradient_rate: vec![0.0; order],
            saved: Saved::default(),
            linearised: false,
            blur: SLACK,
            solver,
            counts: [0; 8],
        }
    }

    /// Walks down to `stop`, recording every vanishing point on the way, and solves to the tolerance there.
    pub fn advance(&mut self, stop: f64, tolerance: f64) -> Result<()> {
        let mut reached = 0.0;
        while self.lambda > stop {
            match self.aim((stop / self.lambda).ln()) {
                Aim::Exit { row, step } => {
                    if !self.exit(row, step, stop) {
                        self.counts[2] += 1;
                        reached = self.pass((self.lambda * step.exp()).max(stop), ROUGH);
                    }
                    self.counts[0] += 1;
                }
                Aim::Pass { step } => {
                    self.counts[1] += 1;
                    let to = self.lambda * step.exp();
                    let last = to <= stop * (1.0 + 1e-14);
                    let (to, tolerance) = if last { (stop, tolerance) } else { (to, ROUGH) };
                    reached = self.pass(to, tolerance);
                }
            }
        }
        if reached > tolerance {
            return Err(Error::NotConverged {
                what: "the logistic model with incidental parameters",
                iterations: ITERATIONS,
                reached,
                tolerance,
            });
        }
        Ok(())
    }

    /// The vanishing points, now that the walk has come to its end: what is still zero here has this `λ`.
    pub fn finish(mut self) -> Vec<f64> {
        for i in 0..self.vanish.len() {
            if !self.solver.rows.is_free(i) {
                self.vanish[i] = self.lambda;
            }
        }
        self.vanish
    }

    /// The nearest event along the tangent, no farther than `limit`.
    fn aim(&mut self, limit: f64) -> Aim {
        if self.lambda == self.lambda_max {
            // Nothing is free yet, so that there is no curve to be tangent to.
            return Aim::Pass { step: limit.max(-0.1 * STRIDE) };
        }
        self.linearise();
        let solver = &mut self.solver;
        let (mu, tau) = (solver.mu(self.lambda), solver.tau(self.lambda));
        solver.rows.level_rates(solver.design, &self.tangent, &mut self.rates);
        let mut pass = limit.max(-STRIDE);
        let mut exit = (f64::NEG_INFINITY, 0);
        for i in 0..solver.design.rows {
            let gap = solver.rows.level(i) / tau;
            let rate = self.rates[i] - 1.0;
            // A rational logarithm: exact to third order near one, where it matters.
            let step = -2.0 * (gap - 1.0) / (gap + 1.0) / rate;
            if solver.rows.is_free(i) {
                if rate > 0.0 && gap > 1.0 && step < 0.0 {
                    pass = pass.max(1.01 * step);
                }
            } else if rate < 0.0 && step > exit.0 {
                exit = (step, i);
            }
        }
        pass = pass.max(1.01 * self.support_event(mu));
        if exit.0 >= pass {
            Aim::Exit { row: exit.1, step: exit.0.min(0.0) }
        } else {
            Aim::Pass { step: pass.min(-SHORTEST).max(limit) }
        }
    }

    /// Hessian, factor and tangent at the current point.
    fn linearise(&mut self) {
        if !self.linearised {
            if !self.solver.is_linearised() {
                self.solver.linearise(self.lambda);
                self.counts[3] += 1;
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
        solver.support.factorise(&solver.hessian, mu);
        solver.support.solve(&solver.hessian.drift, mu, &mut self.tangent);
    }

    /// The nearest step at which a row of `b` enters or leaves the support.
    fn support_event(&mut self, mu: f64) -> f64 {
        let solver = &self.solver;
        let (classes, order) = (solver.classes, solver.theta.len());
        self.gradient_rate.copy_from_slice(&solver.hessian.drift);
        for &b in &solver.support.free {
            let moved = self.tangent[b];
            let column = &solver.hessian.matrix[b * order..(b + 1) * order];
            for (g, h) in self.gradient_rate.iter_mut().zip(column) {
                *g += moved * h;
            }
        }
        let mut nearest = f64::NEG_INFINITY;
        let mut consider = |gap: f64, rate: f64| {
            if rate > 0.0 {
                nearest = nearest.max(-gap.max(0.0) / rate);
            }
        };
        for j in 1..order / classes {
            let row = j * classes..(j + 1) * classes;
            let members = row.clone().filter(|&a| solver.support.member[a]).count();
            match solver.penalty {
                Penalty::Ungrouped => {
                    for a in row {
                        if solver.support.member[a] {
                            let sign = solver.support.pull[a];
                            consider(sign * solver.theta[a], sign * self.tangent[a]);
                        } else if members + 1 < classes {
                            let (g, rate) = (solver.gradient[a], self.gradient_rate[a]);
                            consider(mu - g, mu - rate);
                            consider(mu + g, mu + rate);
                        }
                    }
                }
                Penalty::Grouped if members > 0 => {
                    let pull = &solver.support.pull[row.clone()];
                    let rate =
                        pull.iter().zip(&self.tangent[row.clone()]).map(|(p, t)| p * t).sum();
                    consider(solver.penalty.norm(&solver.theta[row]), rate);
                }
                Penalty::Grouped => {
                    let norm = solver.penalty.dual(&solver.gradient[row.clone()]);
                    let along: f64 = row.map(|a| solver.gradient[a] * self.gradient_rate[a]).sum();
                    consider(mu - norm, mu - along / norm.max(f64::MIN_POSITIVE));
                }
            }
        }
        nearest
    }

    fn save(&mut self) {
        self.saved.theta.clone_from(&self.solver.theta);
        self.saved.free.clone_from(&self.solver.rows.free);
        self.saved.lambda = self.lambda;
    }

    /// Goes to the point near `step` where `row` leaves zero; whether it is there, above `stop`. If not, nothing moved
    /// but the linearisation.
    fn exit(&mut self, row: usize, step: f64, stop: f64) -> bool {
        self.save();
        for (theta, tangent) in self.solver.theta.iter_mut().zip(&self.tangent) {
            *theta += step * tangent;
        }
        self.lambda *= step.exp();
        self.solver.rows.set_free(row, true);
        if self.corner(row)
            && self.lambda <= self.saved.lambda * (1.0 + 10.0 * ROUGH)
            && self.lambda >= stop
            && self.holds(row)
        {
            self.vanish[row] = self.lambda;
            return true;
        }
        self.restore();
        false
    }

    fn restore(&mut self) {
        self.linearised = false;
        self.lambda = self.saved.lambda;
        self.solver.theta.copy_from_slice(&self.saved.theta);
        self.solver.rows.free.copy_from_slice(&self.saved.free);
        self.solver.evaluate(self.lambda, Status::Held);
    }

    /// Newton's method in `(θ, s)` from the current point, statuses and support held; whether it converged.
    fn corner(&mut self, row: usize) -> bool {
        const STEPS: usize = 12;
        let mut last = f64::INFINITY;
        for iteration in 0..STEPS {
            self.solver.evaluate(self.lambda, Status::Held);
            self.counts[4] += 1;
            let solver = &mut self.solver;
            solver.support.turn(&solver.theta);
            let gap = (solver.rows.level(row) / solver.tau(self.lambda)).ln();
            let error = self.stationarity().max(gap.abs());
            self.blur = SLACK;
            if error <= EXACT {
                return true;
            }
            // The steps shrink by a constant factor: once the next error is known to be small enough, it is not looked at.
            let done = iteration > 0 && error * (error / last) <= EXACT;
            if iteration == 0 || error > 0.2 * last {
                self.solver.linearise(self.lambda);
                self.tangent();
                self.linearised = true;
                self.counts[5] += 1;
            }
            if !(error < 10.0 * last) {
                return false;
            }
            last = error;
            let solver = &mut self.solver;
            let mu = solver.mu(self.lambda);
            solver.support.solve(&solver.gradient, mu, &mut self.newton);
            let along = solver.rows.level_rate(solver.design, &self.newton, row);
            let rate = solver.rows.level_rate(solver.design, &self.tangent, row) - 1.0;
            let step = -(gap + along) / rate;
            if !(step.abs() < 1.0) {
                return false;
            }
            for ((theta, newton), tangent) in
                solver.theta.iter_mut().zip(&self.newton).zip(&self.tangent)
            {
                *theta += newton + step * tangent;
            }
            self.lambda *= step.exp();
            if done {
                self.blur = 10.0 * error;
                return true;
            }
        }
        false
    }

    /// Worst relative violation of stationarity on the support.
    fn stationarity(&mut self) -> f64 {
        let solver = &mut self.solver;
        let mu = solver.mu(self.lambda);
        let mut worst = 0.0_f64;
        solver.rows.masses(&mut solver.masses);
        for (gradient, mass) in solver.gradient.iter().zip(&solver.masses) {
            worst = worst.max(gradient.abs() / mass.max(f64::MIN_POSITIVE));
        }
        for &a in solver.support.free.iter().filter(|&&a| a >= solver.classes) {
            worst = worst.max((solver.gradient[a] + mu * solver.support.pull[a]).abs() / mu);
        }
        worst
    }

    /// Whether all conditions that Newton's method took for granted hold at the current point.
    fn holds(&self, row: usize) -> bool {
        let solver = &self.solver;
        let (mu, tau) = (solver.mu(self.lambda), solver.tau(self.lambda));
        let statuses = (0..solver.design.rows).all(|i| {
            let gap = solver.rows.level(i) / tau - 1.0;
            i == row || if solver.rows.is_free(i) { gap >= -self.blur } else { gap <= self.blur }
        });
        let classes = solver.classes;
        let mut coordinates = classes..solver.theta.len();
        statuses
            && match solver.penalty {
                Penalty::Ungrouped => coordinates.all(|a| {
                    if solver.support.member[a] {
                        solver.theta[a] * solver.support.pull[a] > 0.0
                    } else {
                        solver.gradient[a].abs() <= mu * (1.0 + self.blur)
                    }
                }),
                Penalty::Grouped => (1..solver.theta.len() / classes).all(|j| {
                    let row = j * classes..(j + 1) * classes;
                    solver.support.member[row.start + 1]
                        || solver.penalty.dual(&solver.gradient[row]) <= mu * (1.0 + self.blur)
                }),
            }
    }

    /// Steps to `to`, or less far if an instance leaves zero on the way, which is then recorded; the residual there.
    fn pass(&mut self, to: f64, tolerance: f64) -> f64 {
        let mut to = to;
        self.save();
        loop {
            let step = (to / self.lambda).ln();
            if self.linearised {
                for (theta, tangent) in self.solver.theta.iter_mut().zip(&self.tangent) {
                    *theta += step * tangent;
                }
            }
            self.lambda = to;
            let residual = self.solver.solve(to, tolerance);
            self.linearised = false;
            let Some(row) = self.slipped() else { return residual };
            if step.abs() <= EXACT {
                self.record_slipped();
                return residual;
            }
            self.counts[6] += 1;
            // From this side of the event, with everyone else as before.
            let beyond = std::mem::take(&mut self.saved);
            self.solver.rows.free.copy_from_slice(&beyond.free);
            self.solver.rows.set_free(row, true);
            let (from, start) = (to, beyond.lambda);
            self.saved = beyond;
            if self.corner(row)
                && self.lambda <= start * (1.0 + 10.0 * ROUGH)
                && self.lambda >= from
                && self.holds(row)
            {
                self.vanish[row] = self.lambda;
                return residual;
            }
            self.restore();
            self.solver.support.read(&self.solver.theta);
            to = (self.lambda * to).sqrt();
        }
    }

    /// Of the instances that were zero at the saved point and are free now, the one farthest from zero.
    fn slipped(&self) -> Option<usize> {
        let rows = &self.solver.rows;
        (0..self.solver.design.rows)
            .filter(|&i| rows.is_free(i) && self.saved.free[i] == 0.0)
            .max_by(|&a, &b| rows.level(a).total_cmp(&rows.level(b)))
    }

    fn record_slipped(&mut self) {
        let rows = &self.solver.rows;
        for i in 0..self.solver.design.rows {
            if rows.is_free(i) && self.saved.free[i] == 0.0 {
                self.vanish[i] = self.lambda;
            }
        }
    }
}
