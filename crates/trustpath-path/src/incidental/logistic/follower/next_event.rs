//! The next event on the path, to first order.

use super::super::Penalty;
use super::LogisticFollower;

/// Longest step in `log λ`.
const STRIDE: f64 = 0.5;
/// Shortest step in `log λ` that need not end at an exact point.
pub(super) const SHORTEST: f64 = 1e-3;
/// Steps to the entry or exit of a coordinate go a little further, so that it has happened.
const BEYOND: f64 = 1.01;

/// The next event, and its distance in `log λ` (negative).
#[derive(Debug, Clone, Copy)]
pub(super) enum NextEvent {
    /// An incidental parameter leaves zero.
    Exit { row: usize, step: f64 },
    /// Something that need not be hit exactly.
    Pass { step: f64 },
}

impl LogisticFollower<'_> {
    /// The nearest event along the tangent, no farther than `limit`.
    pub(super) fn next_event(&mut self, limit: f64) -> NextEvent {
        if self.lambda == self.lambda_max {
            // No parameter is free yet, so there is no smooth curve and no tangent.
            return NextEvent::Pass { step: limit.max(-0.1 * STRIDE) };
        }
        self.linearise();
        let solver = &self.solver;
        let (mu, tau) = (solver.mu(self.lambda), solver.tau(self.lambda));
        let rates = solver.rows.level_rates(solver.design, &self.tangent);
        let mut pass = limit.max(-STRIDE);
        let mut exit = (f64::NEG_INFINITY, 0);
        for i in 0..solver.design.rows {
            let gap = solver.rows.level[i] / tau;
            let rate = rates[i] - 1.0;
            // A rational logarithm: exact to third order near one, where it matters.
            let step = -2.0 * (gap - 1.0) / (gap + 1.0) / rate;
            if solver.rows.is_free(i) {
                if rate > 0.0 && gap > 1.0 && step < 0.0 {
                    pass = pass.max(BEYOND * step);
                }
            } else if rate < 0.0 && step > exit.0 {
                exit = (step, i);
            }
        }
        pass = pass.max(BEYOND * self.support_event(mu));
        if exit.0 >= pass {
            NextEvent::Exit { row: exit.1, step: exit.0.min(0.0) }
        } else {
            NextEvent::Pass { step: pass.min(-SHORTEST).max(limit) }
        }
    }

    /// The nearest step at which a row of `b` enters or leaves the support.
    fn support_event(&self, mu: f64) -> f64 {
        let solver = &self.solver;
        let (classes, order) = (solver.classes, solver.theta.len());
        let mut gradient_rate = solver.hessian.drift.clone();
        for &b in &solver.support.free {
            let moved = self.tangent[b];
            let column = &solver.hessian.matrix[b * order..(b + 1) * order];
            for (g, h) in gradient_rate.iter_mut().zip(column) {
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
                Penalty::Elementwise => {
                    for a in row {
                        if solver.support.member[a] {
                            let sign = solver.support.pull[a];
                            consider(sign * solver.theta[a], sign * self.tangent[a]);
                        } else if members + 1 < classes {
                            let (g, rate) = (solver.gradient[a], gradient_rate[a]);
                            consider(mu - g, mu - rate);
                            consider(mu + g, mu + rate);
                        }
                    }
                }
                Penalty::Group if members > 0 => {
                    let pull = &solver.support.pull[row.clone()];
                    let rate = pull.iter().zip(&self.tangent[row.clone()]).map(|(p, t)| p * t).sum();
                    consider(solver.penalty.norm(&solver.theta[row]), rate);
                }
                Penalty::Group => {
                    let norm = solver.penalty.dual(&solver.gradient[row.clone()]);
                    let along: f64 = row.map(|a| solver.gradient[a] * gradient_rate[a]).sum();
                    consider(mu - norm, mu - along / norm.max(f64::MIN_POSITIVE));
                }
            }
        }
        nearest
    }
}
