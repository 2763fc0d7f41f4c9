//! The coordinates of `θ` that are free to move, and Newton's system restricted to them.
//!
//! On a support the objective is smooth: its gradient is `∇ + μσ`, with `σ` the signs (elementwise) or the unit vectors
//! (group) of the rows of `b`, and its Hessian `∇²`, plus `μ/‖b‖ (I − 11ᵀ/c − σσᵀ)` for a group.

use super::Penalty;
use super::design::Design;
use super::penalty::mean;
use super::sums::Hessian;
use crate::linalg::cholesky::PinnedFactor;

/// Size of a coordinate, relative to the step that ends there, below which it counts as zero.
const SPENT: f64 = 1e-12;

/// Free coordinates, their subgradients and the factor of Newton's matrix on them.
#[derive(Debug)]
pub(super) struct Support {
    penalty: Penalty,
    classes: usize,
    /// Which coordinates are free.
    pub member: Vec<bool>,
    /// The free coordinates in order.
    pub free: Vec<usize>,
    /// `σ`, zero off the support.
    pub pull: Vec<f64>,
    /// `pen(bⱼ)` of every row of `θ`; zero for the intercept.
    norm: Vec<f64>,
    cholesky: PinnedFactor,
}

impl Support {
    pub fn new(penalty: Penalty, classes: usize, order: usize) -> Self {
        Self {
            penalty,
            classes,
            member: vec![false; order],
            free: Vec::with_capacity(order),
            pull: vec![0.0; order],
            norm: vec![0.0; order / classes],
            cholesky: PinnedFactor::default(),
        }
    }

    /// The support of a stored `theta`: what is not zero, and the intercept of every class but the first.
    pub fn read(&mut self, theta: &[f64]) {
        for (j, row) in theta.chunks_exact(self.classes).enumerate() {
            let zero = row.iter().all(|&b| b == 0.0);
            for (k, &b) in row.iter().enumerate() {
                let a = j * self.classes + k;
                (self.member[a], self.pull[a]) = match self.penalty {
                    _ if j == 0 => (k > 0, 0.0),
                    Penalty::Elementwise => (b != 0.0, if b == 0.0 { 0.0 } else { b.signum() }),
                    Penalty::Group => (k > 0 && !zero, 0.0),
                };
            }
        }
        self.turn(theta);
        self.list();
    }

    /// Refreshes what changes with `theta` on a fixed support: the unit vectors of the groups.
    pub fn turn(&mut self, theta: &[f64]) {
        if self.penalty == Penalty::Elementwise {
            return;
        }
        for (j, row) in theta.chunks_exact(self.classes).enumerate().skip(1) {
            let start = j * self.classes;
            self.norm[j] = self.penalty.norm(row);
            let inside = self.member[start + 1] && self.norm[j] > 0.0;
            let mean = mean(row);
            for (pull, b) in self.pull[start..].iter_mut().zip(row) {
                *pull = if inside { (b - mean) / self.norm[j] } else { 0.0 };
            }
        }
    }

    /// Lists the members.
    pub fn list(&mut self) {
        self.free.clear();
        self.free.extend((0..self.member.len()).filter(|&a| self.member[a]));
    }

    /// Frees zero coordinates of the elementwise penalty whose slope exceeds the price; returns whether there were any.
    /// One entry of every row is never freed.
    pub fn admit_entries(&mut self, slope: &[f64], price: f64) -> bool {
        let (classes, before) = (self.classes, self.free.len());
        for j in 1..slope.len() / classes {
            let row = j * classes..(j + 1) * classes;
            let mut spare = classes - row.clone().filter(|&a| self.member[a]).count();
            while spare > 1 {
                let steepest = row
                    .clone()
                    .filter(|&a| !self.member[a] && slope[a].abs() > price)
                    .max_by(|&a, &b| slope[a].abs().total_cmp(&slope[b].abs()));
                let Some(a) = steepest else { break };
                self.member[a] = true;
                self.pull[a] = -slope[a].signum();
                spare -= 1;
            }
        }
        self.list();
        self.free.len() > before
    }

    /// Factorises Newton's matrix for the given Hessian and price `mu`.
    pub fn factorise(&mut self, hessian: &Hessian, design: &Design, mu: f64) {
        let (classes, order) = (self.classes, self.member.len());
        let Self { free, pull, norm, cholesky, penalty, .. } = self;
        let grouped = *penalty == Penalty::Group;
        cholesky.factor(free.len(), |j, column| {
            let b = free[j];
            let hessian = &hessian.matrix[b * order..(b + 1) * order];
            for (entry, &a) in column.iter_mut().zip(&free[j..]) {
                *entry = hessian[a];
            }
            let row = b / classes;
            if grouped && row > 0 {
                let curvature = mu / norm[row];
                let rest = free[j..].iter().take_while(|&&a| a < (row + 1) * classes);
                for (entry, &a) in column.iter_mut().zip(rest) {
                    *entry -= curvature * (1.0 / classes as f64 + pull[a] * pull[b]);
                }
                column[0] += curvature;
            }
            design.squares[row]
        });
    }

    /// Removes coordinates from the support that the factor pins although the model decreases all the way to zero, and sets
    /// them to zero; returns whether there were any.
    ///
    /// The probabilities of a rare class may be so small that the loss no longer depends on its coordinates: Newton's step
    /// would not move them, while the penalty is lower at zero.
    pub fn drop_flat(&mut self, point: &mut [f64], v: &[f64], mu: f64, hessian: &Hessian) -> bool {
        if self.penalty == Penalty::Group {
            return false;
        }
        let order = self.member.len();
        let before = self.free.len();
        for j in 0..self.free.len() {
            let a = self.free[j];
            let priced = a >= self.classes && point[a] != 0.0;
            if !priced || !self.cholesky.is_pinned(j) {
                continue;
            }
            let curvature = hessian.matrix[a * order + a];
            let change = point[a] * (0.5 * curvature * point[a] - v[a] - mu * self.pull[a]);
            if change < 0.0 {
                self.drop_coordinate(a, point);
            }
        }
        self.list();
        self.free.len() < before
    }

    fn drop_coordinate(&mut self, a: usize, point: &mut [f64]) {
        self.member[a] = false;
        (self.pull[a], point[a]) = (0.0, 0.0);
    }

    /// `−K⁻¹(v + μσ)` on the support, zero off it.
    pub fn solve(&mut self, v: &[f64], mu: f64) -> Vec<f64> {
        let mut solved: Vec<f64> = self.free.iter().map(|&a| -(v[a] + mu * self.pull[a])).collect();
        self.cholesky.solve(&mut solved);
        let mut out = vec![0.0; self.member.len()];
        for (&a, value) in self.free.iter().zip(solved) {
            out[a] = value;
        }
        out
    }

    /// The fraction of `step`, at most one, that `point` can go before a coordinate or a group reaches zero.
    pub fn reach(&self, point: &[f64], step: &[f64]) -> f64 {
        let classes = self.classes;
        let mut length = 1.0_f64;
        match self.penalty {
            Penalty::Elementwise => {
                for a in (classes..point.len()).filter(|&a| self.member[a]) {
                    // A coordinate that has just entered moves against its sign, if at all, from zero.
                    let (from, along) = (point[a] * self.pull[a], step[a] * self.pull[a]);
                    if from + along <= 0.0 && along < 0.0 {
                        length = length.min(-from / along);
                    }
                }
            }
            Penalty::Group => {
                for j in (1..point.len() / classes).filter(|&j| self.member[j * classes + 1]) {
                    let row = j * classes..(j + 1) * classes;
                    let along: f64 = row.map(|a| self.pull[a] * step[a]).sum();
                    if self.norm[j] + along <= 0.0 {
                        length = length.min(-self.norm[j] / along);
                    }
                }
            }
        }
        length
    }

    /// Removes the coordinates or groups that [`reach`](Self::reach) stopped at from the support, and sets them to zero.
    pub fn drop_spent(&mut self, point: &mut [f64], step: &[f64]) {
        let classes = self.classes;
        for j in 1..point.len() / classes {
            let row = j * classes..(j + 1) * classes;
            match self.penalty {
                Penalty::Elementwise => {
                    for a in row {
                        let left = point[a] * self.pull[a];
                        if self.member[a] && step[a] * self.pull[a] < 0.0 && left <= SPENT * step[a].abs() {
                            self.drop_coordinate(a, point);
                        }
                    }
                }
                Penalty::Group => {
                    let along: f64 = row.clone().map(|a| self.pull[a] * step[a]).sum();
                    let left: f64 = row.clone().map(|a| self.pull[a] * point[a]).sum();
                    if self.member[row.start + 1] && along < 0.0 && left <= SPENT * along.abs() {
                        row.for_each(|a| self.drop_coordinate(a, point));
                    }
                }
            }
        }
        self.list();
    }
}
