//! The point at which one incidental parameter leaves zero.

use super::super::Penalty;
use super::super::rows::Status;
use super::{EXACT, LogisticFollower, SLACK};

impl LogisticFollower<'_> {
    /// Newton's method in `(θ, s)` from the current point, with statuses and support held; returns whether it converged.
    pub(super) fn vanishing_point(&mut self, row: usize) -> bool {
        const STEPS: usize = 12;
        let mut last = f64::INFINITY;
        for iteration in 0..STEPS {
            self.solver.evaluate(self.lambda, Status::Held);
            self.solver.support.turn(&self.solver.theta);
            let gap = (self.solver.rows.level[row] / self.solver.tau(self.lambda)).ln();
            let error = self.stationarity().max(gap.abs());
            if error.is_infinite() || error >= 10.0 * last {
                return false;
            }
            let factor = error / last;
            if iteration == 0 || factor > 0.2 {
                self.solver.linearise(self.lambda);
                self.tangent();
                self.linearised = true;
            }
            let solver = &mut self.solver;
            let newton = solver.support.solve(&solver.gradient, solver.mu(self.lambda));
            let along = solver.rows.level_rate(solver.design, &newton, row);
            let rate = solver.rows.level_rate(solver.design, &self.tangent, row) - 1.0;
            let step = -(gap + along) / rate;
            if step.is_nan() || step.abs() >= 1.0 {
                return false;
            }
            for (theta, newton) in solver.theta.iter_mut().zip(&newton) {
                *theta += newton;
            }
            self.slide(step);
            // Errors shrink by a constant factor or faster, so the next one is known to be small without computing it.
            let size = error.max(step.abs());
            if size <= EXACT || (iteration > 0 && size * factor <= EXACT) {
                self.blur = SLACK + 10.0 * error;
                return true;
            }
            last = error;
        }
        false
    }

    /// Worst relative violation of stationarity on the support.
    fn stationarity(&self) -> f64 {
        let worst = self.solver.intercept_residual();
        let (solver, mu) = (&self.solver, self.solver.mu(self.lambda));
        let coordinates = solver.support.free.iter().filter(|&&a| a >= solver.classes);
        coordinates.fold(worst, |worst, &a| worst.max((solver.gradient[a] + mu * solver.support.pull[a]).abs() / mu))
    }

    /// Whether all conditions that Newton's method took for granted hold at the current point.
    pub(super) fn holds(&mut self, row: usize) -> bool {
        let tau = self.solver.tau(self.lambda);
        let close = |level: &f64| (level / tau - 1.0).abs() <= self.blur;
        // Another instance than `row` may be too close to the threshold to be classified without a new evaluation.
        if self.blur > SLACK && self.solver.rows.level.iter().filter(|level| close(level)).count() > 1 {
            self.solver.evaluate(self.lambda, Status::Held);
            self.blur = SLACK;
        }
        let (solver, mu) = (&self.solver, self.solver.mu(self.lambda));
        let statuses = (0..solver.design.rows).all(|i| {
            let gap = solver.rows.level[i] / tau - 1.0;
            i == row || if solver.rows.is_free(i) { gap >= -self.blur } else { gap <= self.blur }
        });
        let classes = solver.classes;
        let mut coordinates = classes..solver.theta.len();
        statuses
            && match solver.penalty {
                Penalty::Elementwise => coordinates.all(|a| {
                    if solver.support.member[a] {
                        solver.theta[a] * solver.support.pull[a] > 0.0
                    } else {
                        solver.gradient[a].abs() <= mu * (1.0 + self.blur)
                    }
                }),
                Penalty::Group => (1..solver.theta.len() / classes).all(|j| {
                    let row = j * classes..(j + 1) * classes;
                    solver.support.member[row.start + 1]
                        || solver.penalty.dual(&solver.gradient[row]) <= mu * (1.0 + self.blur)
                }),
            }
    }
}
