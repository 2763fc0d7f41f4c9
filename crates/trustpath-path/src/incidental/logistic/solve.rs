//! The reduced problem at one `λ`: proximal Newton, made to descend.
//!
//! ```text
//! F(θ) = Σᵢ φ_τ(ηᵢ) + μ Σⱼ pen(bⱼ),     μ = nλ,   τ = μ w_γ
//! ```
//!
//! Each iteration minimises the model `∇·d + ½ dᵀ∇²d + μ Σⱼ pen(bⱼ + dⱼ)`: Newton steps on a support that coordinates
//! enter and leave, and block proximal sweeps should the support go on changing. The model's minimiser is taken if it
//! halves the residual of the optimality conditions; otherwise a line search towards it decreases `F`.

use super::Penalty;
use super::design::Design;
use super::path::Present;
use super::rows::{ReducedRows, Status};
use super::sums::{Hessian, moments};
use super::support::Support;

/// Most iterations at one `λ`.
pub(super) const ITERATIONS: usize = 200;
/// Residual at which a Hessian is good enough for the solution's tangent.
const CLOSE: f64 = 1e-2;

/// The reduced problem for one set of labels, with its workspace.
#[derive(Debug)]
pub(super) struct ReducedProblem<'a> {
    pub design: &'a Design,
    pub penalty: Penalty,
    pub classes: usize,
    pub rows: ReducedRows,
    /// Intercept and `b`, `(1 + d) × classes`, in stored form.
    pub theta: Vec<f64>,
    /// `Σᵢ z̃ᵢ rᵢᵀ` at the last evaluation.
    pub gradient: Vec<f64>,
    pub hessian: Hessian,
    pub support: Support,
    /// The statuses at which the Hessian was computed, and whether that was close to the solution.
    linearised: Vec<f64>,
    linearised_close: bool,
    point: Vec<f64>,
    slope: Vec<f64>,
    step: Vec<f64>,
}

impl<'a> ReducedProblem<'a> {
    pub fn new(design: &'a Design, present: &Present, penalty: Penalty) -> Self {
        let (labels, classes) = (&present.labels, present.classes.len());
        let order = (design.dims + 1) * classes;
        let mut theta = vec![0.0_f64; order];
        for &label in labels {
            theta[label] += 1.0;
        }
        for k in (0..classes).rev() {
            theta[k] = (theta[k] / theta[0]).ln();
        }
        Self {
            design,
            penalty,
            classes,
            rows: ReducedRows::new(labels.clone(), classes, penalty, design.layout),
            theta,
            gradient: vec![0.0; order],
            hessian: Hessian::new(design, classes),
            support: Support::new(penalty, classes, order),
            linearised: design.layout.room(1),
            linearised_close: false,
            point: vec![0.0; order],
            slope: vec![0.0; order],
            step: vec![0.0; order],
        }
    }

    /// `μ = nλ`.
    pub fn mu(&self, lambda: f64) -> f64 {
        self.design.rows as f64 * lambda
    }

    /// `τ = nλw_γ`.
    pub fn tau(&self, lambda: f64) -> f64 {
        self.mu(lambda) * self.design.incidental_weight
    }

    /// The smallest `λ` with `β = 0` and `γ = 0`, from the initial `theta`, which fits the intercept alone.
    pub fn lambda_max(&mut self) -> f64 {
        self.rows.evaluate(self.design, &self.theta, f64::INFINITY, Status::Read);
        self.gradient = moments(self.design, self.classes, &self.rows.residual);
        let rows = self.gradient.chunks_exact(self.classes).skip(1);
        let mu = rows.map(|row| self.penalty.dual(row)).fold(0.0, f64::max);
        let level = self.rows.level[..self.design.rows].iter().copied().fold(0.0, f64::max);
        mu.max(level / self.design.incidental_weight) / self.design.rows as f64
    }

    /// Evaluates rows and gradient at `theta`.
    pub fn evaluate(&mut self, lambda: f64, status: Status) {
        let tau = self.tau(lambda);
        self.rows.evaluate(self.design, &self.theta, tau, status);
        self.gradient = moments(self.design, self.classes, &self.rows.residual);
    }

    /// Computes the Hessian at the last evaluation.
    pub fn linearise(&mut self, lambda: f64) {
        let tau = self.tau(lambda);
        self.hessian.compute(self.design, &mut self.rows, tau);
        self.linearised.copy_from_slice(&self.rows.free);
    }

    /// Whether the Hessian is that of the current statuses, at a point with a residual of at most [`CLOSE`].
    pub fn is_linearised(&self) -> bool {
        self.linearised_close && self.linearised == self.rows.free
    }

    /// Worst relative violation of the optimality conditions of the reduced problem at the last evaluation.
    pub fn residual(&self, lambda: f64) -> f64 {
        let (mu, classes) = (self.mu(lambda), self.classes);
        let mut worst = self.intercept_residual();
        let rows = self.theta.chunks_exact(classes).zip(self.gradient.chunks_exact(classes));
        for (row, gradient) in rows.skip(1) {
            worst = worst.max(self.penalty.violation(row, gradient, mu));
        }
        worst
    }

    /// The intercept's part of the residual, relative to the terms that should cancel; infinite if the evaluation was.
    pub fn intercept_residual(&self) -> f64 {
        if self.gradient.iter().any(|g| !g.is_finite()) {
            return f64::INFINITY;
        }
        let masses = self.rows.masses();
        let terms = self.gradient.iter().zip(&masses);
        terms.fold(0.0, |worst, (g, mass)| worst.max(g.abs() / mass.max(f64::MIN_POSITIVE)))
    }

    /// Minimises from `theta`, to the tolerance or as far as rounding allows; returns the residual reached.
    ///
    /// Where too few instances are not free the Hessian may be flat in a direction in which `F` is not. If Newton's step
    /// fails, the next one is taken with the firm Hessian, which is definite and gives a descent direction as well.
    pub fn solve(&mut self, lambda: f64, tolerance: f64) -> f64 {
        const PATIENCE: usize = 4;
        self.store();
        self.evaluate(lambda, Status::Read);
        let mut residual = self.residual(lambda);
        let (mut best, mut stalled) = (residual, 0);
        self.linearised_close = false;
        for _ in 0..ITERATIONS {
            if residual <= tolerance {
                break;
            }
            self.linearise(lambda);
            self.linearised_close = residual <= CLOSE && !self.rows.firm;
            self.minimise_model(self.mu(lambda));
            let origin = std::mem::replace(&mut self.theta, self.point.clone());
            self.store();
            self.evaluate(lambda, Status::Read);
            let moved = self.residual(lambda) <= 0.5 * residual || self.descend(lambda, &origin);
            if !moved && self.rows.firm {
                break;
            }
            self.rows.firm = !moved;
            residual = self.residual(lambda);
            stalled = if residual < 0.9 * best { 0 } else { stalled + 1 };
            best = best.min(residual);
            // Descent without a better residual is slow progress at first, and rounding in the end.
            if stalled > PATIENCE && best < 1e-8 {
                break;
            }
        }
        self.rows.firm = false;
        self.support.read(&self.theta);
        residual
    }

    /// Puts every row in stored form; the intercept too, which the loss lets shift as well.
    fn store(&mut self) {
        let first = self.theta[0];
        for intercept in &mut self.theta[..self.classes] {
            *intercept -= first;
        }
        for row in self.theta.chunks_exact_mut(self.classes).skip(1) {
            self.penalty.store(row);
        }
    }

    /// Searches between `origin` and `theta` for a decrease of `F`; sets `theta` to that point and evaluates there. Returns
    /// false, back at the origin, if rounding hides every decrease.
    ///
    /// `F` is convex: where it still falls (or is flat) along the way, it is below its value at the origin. So slopes
    /// decide, which rounding spoils much later than differences of values.
    fn descend(&mut self, lambda: f64, origin: &[f64]) -> bool {
        const HALVINGS: usize = 40;
        self.point.copy_from_slice(&self.theta);
        if self.point == origin {
            return false;
        }
        let mut length = 1.0;
        for _ in 0..HALVINGS {
            for a in 0..self.theta.len() {
                self.step[a] = self.point[a] - origin[a];
                self.theta[a] = origin[a] + length * self.step[a];
            }
            self.evaluate(lambda, Status::Read);
            if self.slope_along_step(self.mu(lambda)) <= 0.0 {
                self.store();
                return true;
            }
            length *= 0.5;
        }
        self.theta.copy_from_slice(origin);
        self.evaluate(lambda, Status::Read);
        false
    }

    /// The derivative of `F` at `theta` along `step`.
    fn slope_along_step(&self, mu: f64) -> f64 {
        let loss: f64 = self.gradient.iter().zip(&self.step).map(|(g, s)| g * s).sum();
        let rows = self.theta.chunks_exact(self.classes).zip(self.step.chunks_exact(self.classes));
        let price: f64 = rows.skip(1).map(|(row, step)| self.penalty.slope(row, step)).sum();
        loss + mu * price
    }

    /// Minimises the quadratic model at `theta`; the minimiser goes to `point`.
    ///
    /// Every pass decreases the model: coordinates leave the support when a step brings them to zero, and enter it only
    /// after a step in full.
    fn minimise_model(&mut self, mu: f64) {
        const PASSES: usize = 60;
        self.point.copy_from_slice(&self.theta);
        self.slope.copy_from_slice(&self.gradient);
        self.support.read(&self.point);
        self.admit(mu);
        for _ in 0..PASSES {
            self.support.factorise(&self.hessian, self.design, mu);
            if self.support.drop_flat(&mut self.point, &self.slope, mu, &self.hessian) {
                self.update_slope();
                continue;
            }
            self.step = self.support.solve(&self.slope, mu);
            let length = self.support.reach(&self.point, &self.step);
            let (mut moved, mut last) = (0.0_f64, 0.0_f64);
            for a in 0..self.point.len() {
                self.point[a] += length * self.step[a];
                last = last.max(self.step[a].abs());
                moved = moved.max((self.point[a] - self.theta[a]).abs());
            }
            if length < 1.0 {
                self.support.drop_spent(&mut self.point, &self.step);
            }
            self.support.turn(&self.point);
            self.update_slope();
            // The model of a group is not quadratic: a second step may be worthwhile.
            let converged = self.penalty == Penalty::Elementwise || last <= 0.1 * moved;
            if length == 1.0 && !self.admit(mu) && converged {
                return;
            }
        }
        self.sweep(mu);
    }

    /// `slope = ∇ + ∇² (point − theta)`.
    fn update_slope(&mut self) {
        self.slope.copy_from_slice(&self.gradient);
        let columns = self.hessian.matrix.chunks_exact(self.theta.len());
        for ((point, theta), column) in self.point.iter().zip(&self.theta).zip(columns) {
            if point != theta {
                for (slope, entry) in self.slope.iter_mut().zip(column) {
                    *slope += (point - theta) * entry;
                }
            }
        }
    }

    /// Frees the zero coordinates or groups along which the model decreases; returns whether there are any.
    fn admit(&mut self, mu: f64) -> bool {
        let price = mu * (1.0 + 1e-12);
        if self.penalty == Penalty::Elementwise {
            return self.support.admit_entries(&self.slope, price);
        }
        let classes = self.classes;
        let mut any = false;
        for j in 1..self.theta.len() / classes {
            let row = j * classes..(j + 1) * classes;
            if !self.support.member[row.start + 1] && self.penalty.dual(&self.slope[row.clone()]) > price {
                let bound = self.bound(j);
                let point = &mut self.point[row.clone()];
                self.penalty.proximal(point, &self.slope[row.clone()], bound, mu);
                self.penalty.store(point);
                self.support.member[row.start + 1..row.end].fill(true);
                any = true;
            }
        }
        if any {
            self.support.list();
            self.support.turn(&self.point);
            self.update_slope();
        }
        any
    }

    /// An upper bound of the eigenvalues of row `j`'s block of the Hessian.
    fn bound(&self, j: usize) -> f64 {
        let (classes, order) = (self.classes, self.theta.len());
        let row = j * classes..(j + 1) * classes;
        row.clone()
            .map(|a| row.clone().map(|b| self.hessian.matrix[a * order + b].abs()).sum::<f64>())
            .fold(f64::MIN_POSITIVE, f64::max)
    }

    /// Block proximal sweeps on the model, which always decrease it.
    fn sweep(&mut self, mu: f64) {
        const SWEEPS: usize = 200;
        let classes = self.classes;
        let mut first = 0.0_f64;
        for _ in 0..SWEEPS {
            let mut change = 0.0_f64;
            for j in 0..self.theta.len() / classes {
                let row = j * classes..(j + 1) * classes;
                let bound = self.bound(j);
                self.step[row.clone()].copy_from_slice(&self.point[row.clone()]);
                let point = &mut self.point[row.clone()];
                if j == 0 {
                    for (p, s) in point.iter_mut().zip(&self.slope) {
                        *p -= s / bound;
                    }
                } else {
                    self.penalty.proximal(point, &self.slope[row.clone()], bound, mu);
                    self.penalty.store(point);
                }
                for a in row {
                    change = change.max((self.point[a] - self.step[a]).abs());
                }
                self.update_slope();
            }
            first = first.max(change);
            if change <= 1e-3 * first {
                return;
            }
        }
    }
}
