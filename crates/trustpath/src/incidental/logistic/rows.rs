//! What each instance contributes once its incidental parameter has been minimised away.
//!
//! For instance `i` with label `t`, linear predictor `η` and price `τ = nλw_γ` of its incidental parameter,
//!
//! ```text
//! φ_τ(η) = min_γ  log Σₖ exp(ηₖ + γₖ) − (η_t + γ_t) + τ pen(γ),     ∇φ = p(η + γ) − y.
//! ```
//!
//! Let `o = 1 − p_t` be the mass outside the label, `q` how the other classes share it (`q_t = 0`) and `u = q − e_t`, so
//! that `p(η) − y = o u`. `γ = 0` is optimal exactly if the dual norm of `p − y`, here its *level*, is at most `τ`:
//!
//! * `γ = 0`: residual `o u`, Hessian `o (diag q − qqᵀ) + o(1 − o) uuᵀ`.
//! * ungrouped, level `o > τ`: only `γ_t = m* − m` is positive, with margin `m = log(p_t/o)` and `m* = log((1 − τ)/τ)`.
//!   The residual is `τ u`, the Hessian `τ (diag q − qqᵀ)`, and `φ` goes on along the tangent of `log(1 + e⁻ᵐ)` at `m*`.
//!   (Were another `γₖ` negative too, then `pₖ = τ = 1 − p_t` and all the others zero: only for two classes, where the
//!   two splits cost the same and we take this one.)
//! * grouped, level `o‖u‖₂ > τ`: see [`grouped`](super::grouped).
//!
//! Whether `γᵢ` is free is either read off the level or *held* as it is, which continues each branch of `φ` smoothly
//! beyond the place where it ends. That is how the path is followed up to, and through, a vanishing point.

use super::Penalty;
use super::design::Design;
use super::grouped::{Bend, Groups};
use super::lanes::{Layout, axpy, exp, magnitude, vectorised};

/// How to tell whether an incidental parameter is free.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Status {
    /// By its level.
    Read,
    /// As in the last evaluation, or as set since.
    Held,
}

/// The state of all instances at one `(θ, τ)`, laid out in blocks: one kind per class, or one alone.
#[derive(Debug)]
pub(super) struct Rows {
    pub classes: usize,
    labels: Vec<usize>,
    penalty: Penalty,
    layout: Layout,
    /// One-hot labels; all zero in spare lanes.
    y: Vec<f64>,
    /// One for an instance, zero for a spare lane.
    valid: Vec<f64>,
    /// `p(η + γ) − y`.
    pub residual: Vec<f64>,
    /// `u`.
    away: Vec<f64>,
    /// `o`.
    outside: Vec<f64>,
    /// Dual norm of `p(η) − y`; `γ` vanishes where it is at most `τ`.
    level: Vec<f64>,
    /// One where `γ` is free, zero where it is held at zero.
    pub free: Vec<f64>,
    /// `η_t − maxₖ ηₖ`, `Σₖ exp(ηₖ − max)` and the same without the label.
    lead: Vec<f64>,
    all: Vec<f64>,
    others: Vec<f64>,
    eta: Vec<f64>,
    /// The incidental parameters under the group penalty.
    groups: Groups,
    bend: Bend,
    /// Workspace of one block.
    first: Vec<f64>,
    second: Vec<f64>,
}

impl Rows {
    pub fn new(labels: Vec<usize>, classes: usize, penalty: Penalty, layout: Layout) -> Self {
        let (mut y, mut valid) = (layout.room(classes), layout.room(1));
        for (i, &label) in labels.iter().enumerate() {
            y[layout.at(i, classes, label)] = 1.0;
            valid[i] = 1.0;
        }
        Self {
            classes,
            labels,
            penalty,
            layout,
            y,
            valid,
            residual: layout.room(classes),
            away: layout.room(classes),
            outside: layout.room(1),
            level: layout.room(1),
            free: layout.room(1),
            lead: layout.room(1),
            all: layout.room(1),
            others: layout.room(1),
            eta: layout.room(classes),
            groups: Groups::new(classes, layout),
            bend: Bend::new(classes, layout.width),
            first: vec![0.0; layout.width],
            second: vec![0.0; layout.width],
        }
    }

    pub fn is_free(&self, i: usize) -> bool {
        self.free[i] != 0.0
    }

    pub fn set_free(&mut self, i: usize, free: bool) {
        self.free[i] = f64::from(u8::from(free));
    }

    pub fn level(&self, i: usize) -> f64 {
        self.level[i]
    }

    /// Computes the state at intercept and coefficients `theta` (row 0 the intercept) and price `tau`.
    pub fn evaluate(&mut self, design: &Design, theta: &[f64], tau: f64, status: Status) {
        vectorised(
            #[inline(always)]
            || {
                for b in 0..self.layout.blocks {
                    self.softmax(design, theta, b);
                    self.settle(b, tau, status);
                }
            },
        );
        if self.penalty == Penalty::Grouped {
            let Self { labels, free, eta, residual, groups, .. } = self;
            groups.minimise(labels, free, eta, tau, residual);
        }
    }

    /// `o`, `u` and what the loss needs, of one block.
    #[inline(always)]
    fn softmax(&mut self, design: &Design, theta: &[f64], b: usize) {
        let (classes, width) = (self.classes, self.layout.width);
        let (block, per_class) = (self.layout.block(b, 1), self.layout.block(b, classes));
        let y = &self.y[per_class.clone()];
        let eta = &mut self.eta[per_class.clone()];
        let away = &mut self.away[per_class];
        let top = &mut self.first[..width];
        let lead = &mut self.lead[block.clone()];
        let all = &mut self.all[block.clone()];
        let others = &mut self.others[block.clone()];
        let outside = &mut self.outside[block];
        top.fill(f64::NEG_INFINITY);
        lead.fill(0.0);
        all.fill(0.0);
        others.fill(0.0);
        for (k, (eta, y)) in eta.chunks_exact_mut(width).zip(y.chunks_exact(width)).enumerate() {
            eta.fill(theta[k]);
            for (j, column) in design.block(b).enumerate() {
                axpy(eta, theta[(j + 1) * classes + k], column);
            }
            for l in 0..width {
                top[l] = if eta[l] > top[l] { eta[l] } else { top[l] };
                lead[l] = y[l].mul_add(eta[l], lead[l]);
            }
        }
        for k in 0..classes {
            let span = k * width..(k + 1) * width;
            let (y, eta, power) = (&y[span.clone()], &eta[span.clone()], &mut away[span]);
            for l in 0..width {
                power[l] = exp(eta[l] - top[l]);
            }
            for l in 0..width {
                all[l] += power[l];
                others[l] += (1.0 - y[l]) * power[l];
            }
        }
        for l in 0..width {
            lead[l] -= top[l];
            outside[l] = others[l] / all[l];
            // One class alone has no others.
            top[l] = 1.0 / if others[l] > 0.0 { others[l] } else { 1.0 };
        }
        for (away, y) in away.chunks_exact_mut(width).zip(y.chunks_exact(width)) {
            for l in 0..width {
                away[l] = (1.0 - y[l]) * away[l] * top[l] - y[l];
            }
        }
    }

    /// Level, status and residual of one block; for the grouped penalty, the residual without `γ`.
    #[inline(always)]
    fn settle(&mut self, b: usize, tau: f64, status: Status) {
        let (classes, width) = (self.classes, self.layout.width);
        let (block, per_class) = (self.layout.block(b, 1), self.layout.block(b, classes));
        let away = &self.away[per_class.clone()];
        let residual = &mut self.residual[per_class];
        let outside = &self.outside[block.clone()];
        let valid = &self.valid[block.clone()];
        let level = &mut self.level[block.clone()];
        let free = &mut self.free[block];
        let mass = &mut self.first[..width];
        let grouped = self.penalty == Penalty::Grouped;
        if grouped {
            level.fill(0.0);
            for away in away.chunks_exact(width) {
                for l in 0..width {
                    level[l] = away[l].mul_add(away[l], level[l]);
                }
            }
            for l in 0..width {
                level[l] = level[l].sqrt() * outside[l] * valid[l];
            }
        } else {
            for l in 0..width {
                level[l] = outside[l] * valid[l];
            }
        }
        if status == Status::Read {
            for l in 0..width {
                free[l] = if level[l] > tau { 1.0 } else { 0.0 };
            }
        }
        for l in 0..width {
            let capped = if free[l] > 0.0 { tau } else { outside[l] };
            mass[l] = valid[l] * if grouped { outside[l] } else { capped };
        }
        for (residual, away) in residual.chunks_exact_mut(width).zip(away.chunks_exact(width)) {
            for l in 0..width {
                residual[l] = mass[l] * away[l];
            }
        }
    }

    /// `Σᵢ φ_τ(ηᵢ)` at the last evaluation.
    pub fn loss(&self, tau: f64) -> f64 {
        (0..self.layout.rows).map(|i| self.loss_of(i, tau)).sum()
    }

    fn loss_of(&self, i: usize, tau: f64) -> f64 {
        if !self.is_free(i) {
            return self.all[i].ln() - self.lead[i];
        }
        match self.penalty {
            Penalty::Ungrouped => tau * self.incidental_of_label(i, tau) - (1.0 - tau).ln(),
            Penalty::Grouped => {
                let gamma = |k: usize| self.groups.gamma[self.layout.at(i, self.classes, k)];
                let eta = |k: usize| self.eta[self.layout.at(i, self.classes, k)] + gamma(k);
                let top = (0..self.classes).map(eta).fold(f64::NEG_INFINITY, f64::max);
                let sum = (0..self.classes).map(|k| (eta(k) - top).exp()).sum::<f64>();
                let norm = (0..self.classes).map(|k| gamma(k) * gamma(k)).sum::<f64>().sqrt();
                sum.ln() + top - eta(self.labels[i]) + tau * norm
            }
        }
    }

    /// `γ_t = m* − m` of a free ungrouped instance.
    fn incidental_of_label(&self, i: usize, tau: f64) -> f64 {
        let margin = self.lead[i] - self.others[i].ln();
        ((1.0 - tau) / tau).ln() - margin
    }

    /// `γᵢ`.
    pub fn gamma(&self, i: usize, tau: f64, gamma: &mut [f64]) {
        gamma.fill(0.0);
        if self.is_free(i) {
            match self.penalty {
                Penalty::Ungrouped => gamma[self.labels[i]] = self.incidental_of_label(i, tau),
                Penalty::Grouped => {
                    for (k, gamma) in gamma.iter_mut().enumerate() {
                        *gamma = self.groups.gamma[self.layout.at(i, self.classes, k)];
                    }
                }
            }
        }
    }

    /// `d log(level) / ds` of every instance when `θ` moves by `direction` as `s = log λ` grows by one.
    ///
    /// `log o` moves with `(1 − o) u`; the length of `u`, for groups, with `q ∘ (q − Σq²) / (1 + Σq²)`.
    pub fn level_rates(&mut self, design: &Design, direction: &[f64], rates: &mut [f64]) {
        vectorised(
            #[inline(always)]
            || {
                for b in 0..self.layout.blocks {
                    self.level_rates_of_block(
                        design,
                        direction,
                        b,
                        &mut rates[self.layout.block(b, 1)],
                    );
                }
            },
        );
    }

    #[inline(always)]
    fn level_rates_of_block(
        &mut self,
        design: &Design,
        direction: &[f64],
        b: usize,
        rates: &mut [f64],
    ) {
        let (classes, width) = (self.classes, self.layout.width);
        let per_class = self.layout.block(b, classes);
        let (away, y) = (&self.away[per_class.clone()], &self.y[per_class]);
        let outside = &self.outside[self.layout.block(b, 1)];
        let (step, squares) = (&mut self.first[..width], &mut self.second[..width]);
        let grouped = self.penalty == Penalty::Grouped;
        squares.fill(0.0);
        if grouped {
            for (away, y) in away.chunks_exact(width).zip(y.chunks_exact(width)) {
                for l in 0..width {
                    let q = away[l] + y[l];
                    squares[l] = q.mul_add(q, squares[l]);
                }
            }
        }
        rates.fill(0.0);
        for (k, (away, y)) in away.chunks_exact(width).zip(y.chunks_exact(width)).enumerate() {
            step.fill(direction[k]);
            for (j, column) in design.block(b).enumerate() {
                axpy(step, direction[(j + 1) * classes + k], column);
            }
            for l in 0..width {
                let mut slope = (1.0 - outside[l]) * away[l];
                if grouped {
                    let q = away[l] + y[l];
                    slope += q * (q - squares[l]) / (1.0 + squares[l]);
                }
                rates[l] = slope.mul_add(step[l], rates[l]);
            }
        }
    }

    /// The same for instance `i` alone.
    pub fn level_rate(&self, design: &Design, direction: &[f64], i: usize) -> f64 {
        let away = |k: usize| self.away[self.layout.at(i, self.classes, k)];
        let share = |k: usize| away(k) + self.y[self.layout.at(i, self.classes, k)];
        let squares: f64 = (0..self.classes).map(|k| share(k) * share(k)).sum();
        let mut rate = 0.0;
        for k in 0..self.classes {
            let mut step = direction[k];
            for j in 0..design.dims {
                let z = design.z[self.layout.at(i, design.dims, j)];
                step += direction[(j + 1) * self.classes + k] * z;
            }
            let mut slope = (1.0 - self.outside[i]) * away(k);
            if self.penalty == Penalty::Grouped {
                slope += share(k) * (share(k) - squares) / (1.0 + squares);
            }
            rate += slope * step;
        }
        rate
    }

    /// Class-by-class Hessians of block `b` and `∂residual/∂s` with `θ` held. Of the Hessian, whose rows sum to zero,
    /// only the pairs `1 ≤ h ≤ k` without class 0 are written, one after the other.
    #[inline(always)]
    pub fn curvature(&mut self, b: usize, tau: f64, pairs: &mut [f64], drift: &mut [f64]) {
        let (classes, width) = (self.classes, self.layout.width);
        let (block, per_class) = (self.layout.block(b, 1), self.layout.block(b, classes));
        let y = &self.y[per_class.clone()];
        let away = &self.away[per_class.clone()];
        let residual = &self.residual[per_class];
        let outside = &self.outside[block.clone()];
        let valid = &self.valid[block.clone()];
        let free = &self.free[block.clone()];
        let (mass, both) = (&mut self.first[..width], &mut self.second[..width]);
        for l in 0..width {
            mass[l] = valid[l] * if free[l] > 0.0 { tau } else { outside[l] };
            both[l] = (1.0 - free[l]) * mass[l] * (1.0 - outside[l]);
        }
        for (drift, residual) in drift.chunks_exact_mut(width).zip(residual.chunks_exact(width)) {
            for l in 0..width {
                drift[l] = free[l] * residual[l];
            }
        }
        let mut pair = pairs.chunks_exact_mut(width);
        for k in 1..classes {
            let (u, label) = (&away[k * width..][..width], &y[k * width..][..width]);
            for h in 1..=k {
                let (v, other) = (&away[h * width..][..width], &y[h * width..][..width]);
                let Some(pair) = pair.next() else { return };
                let diagonal = if h == k { 1.0 } else { 0.0 };
                for l in 0..width {
                    let shared = mass[l] * (u[l] + label[l]);
                    pair[l] = both[l] * u[l] * v[l] + shared * (diagonal - (v[l] + other[l]));
                }
            }
        }
        if self.penalty == Penalty::Grouped {
            let multiplier = &self.groups.multiplier[block];
            self.bend.compute(y, residual, multiplier);
            self.bend.replace(free, tau, pairs, drift);
        }
    }

    /// `Σᵢ |residualᵢₖ|`: the scale by which the intercept's gradient is small.
    pub fn mass(&self, class: usize) -> f64 {
        vectorised(
            #[inline(always)]
            || {
                let mut sum = 0.0;
                for b in 0..self.layout.blocks {
                    let block = &self.residual[self.layout.block(b, self.classes)];
                    let residual = &block[class * self.layout.width..][..self.layout.width];
                    sum += magnitude(residual);
                }
                sum
            },
        )
    }
}
