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
//! * elementwise, level `o > τ`: only `γ_t = m* − m` is positive, with margin `m = log(p_t/o)` and `m* = log((1 − τ)/τ)`.
//!   The residual is `τ u`, the Hessian `τ (diag q − qqᵀ)`, and `φ` goes on along the tangent of `log(1 + e⁻ᵐ)` at `m*`.
//!   (Were another `γₖ` negative too, then `pₖ = τ = 1 − p_t` and all the others zero: only for two classes, where the
//!   two splits cost the same and we take this one.)
//! * group, level `o‖u‖₂ > τ`: see [`grouped`].
//!
//! Whether `γᵢ` is free is either read off the level or *held* as it is, which continues each branch of `φ` smoothly
//! beyond the place where it ends. That is how the path is followed up to, and through, a vanishing point.

mod kernels;

use pulp::Simd;

use self::kernels::{Evaluate, LevelRates, Masses};
use super::Penalty;
use super::design::Design;
use super::grouped::{self, Groups};
use crate::linalg::lanes::{Layout, Vector, View, ViewMut, run};

/// How to tell whether an incidental parameter is free.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Status {
    /// By its level.
    Read,
    /// As in the last evaluation, or as set since.
    Held,
}

/// The state of all instances at one `(θ, τ)`: one kind per class, or a single kind.
#[derive(Debug)]
pub(super) struct ReducedRows {
    pub classes: usize,
    labels: Vec<usize>,
    penalty: Penalty,
    layout: Layout,
    /// One-hot labels; all zero in spare lanes.
    y: Vec<f64>,
    /// `p(η + γ) − y`.
    pub residual: Vec<f64>,
    /// `u`.
    away: Vec<f64>,
    /// `o`.
    outside: Vec<f64>,
    /// Dual norm of `p(η) − y`; `γ` vanishes where it is at most `τ`.
    pub level: Vec<f64>,
    /// One where `γ` is free, zero where it is held at zero.
    pub free: Vec<f64>,
    /// `η_t − maxₖ ηₖ` and `Σ exp(ηₖ − max)` over the other classes.
    lead: Vec<f64>,
    others: Vec<f64>,
    eta: Vec<f64>,
    /// The incidental parameters under the group penalty.
    groups: Groups,
    /// Whether [`curvature`](Self::curvature) gives free instances the curvature they had at the threshold, so that no
    /// direction is flat for lack of instances that are not free.
    pub firm: bool,
}

impl ReducedRows {
    pub fn new(labels: Vec<usize>, classes: usize, penalty: Penalty, layout: Layout) -> Self {
        let mut y = layout.room(classes);
        for (i, &label) in labels.iter().enumerate() {
            y[layout.at(i, classes, label)] = 1.0;
        }
        Self {
            classes,
            labels,
            penalty,
            layout,
            y,
            residual: layout.room(classes),
            away: layout.room(classes),
            outside: layout.room(1),
            level: layout.room(1),
            free: layout.room(1),
            lead: layout.room(1),
            others: layout.room(1),
            eta: layout.room(classes),
            groups: Groups::new(classes, layout),
            firm: false,
        }
    }

    pub fn is_free(&self, i: usize) -> bool {
        self.free[i] != 0.0
    }

    pub fn set_free(&mut self, i: usize, free: bool) {
        self.free[i] = f64::from(u8::from(free));
    }

    /// Computes the state at intercept and coefficients `theta` (row 0 the intercept) and price `tau`.
    pub fn evaluate(&mut self, design: &Design, theta: &[f64], tau: f64, status: Status) {
        let theta = &transpose(theta, self.classes);
        run(Evaluate { rows: self, design, theta, tau, status });
        if self.penalty == Penalty::Group {
            let Self { labels, free, eta, residual, groups, .. } = self;
            groups.minimise(labels, free, eta, tau, residual);
        }
    }

    /// `γ_t = m* − m` of a free instance under the elementwise penalty.
    fn incidental_of_label(&self, i: usize, tau: f64) -> f64 {
        let margin = self.lead[i] - self.others[i].ln();
        ((1.0 - tau) / tau).ln() - margin
    }

    /// `γᵢ`.
    pub fn gamma(&self, i: usize, tau: f64, gamma: &mut [f64]) {
        gamma.fill(0.0);
        if self.is_free(i) {
            match self.penalty {
                Penalty::Elementwise => gamma[self.labels[i]] = self.incidental_of_label(i, tau),
                Penalty::Group => {
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
    pub fn level_rates(&self, design: &Design, direction: &[f64]) -> Vec<f64> {
        run(LevelRates { rows: self, design, direction: &transpose(direction, self.classes) })
    }

    /// [`level_rates`](Self::level_rates) for instance `i` alone.
    pub fn level_rate(&self, design: &Design, direction: &[f64], i: usize) -> f64 {
        let away = |k: usize| self.away[self.layout.at(i, self.classes, k)];
        let share = |k: usize| away(k) + self.y[self.layout.at(i, self.classes, k)];
        let squares: f64 = (0..self.classes).map(|k| share(k) * share(k)).sum();
        let mut rate = 0.0;
        for k in 0..self.classes {
            let step: f64 = (0..design.features())
                .map(|j| {
                    let z = design.z[self.layout.at(i, design.features(), j)];
                    z * direction[j * self.classes + k]
                })
                .sum();
            let mut slope = (1.0 - self.outside[i]) * away(k);
            if self.penalty == Penalty::Group {
                slope += share(k) * (share(k) - squares) / (1.0 + squares);
            }
            rate += slope * step;
        }
        rate
    }

    /// Class-by-class Hessians of some groups and `∂residual/∂s` with `θ` held. Of the Hessian, whose rows sum to zero,
    /// only the pairs `1 ≤ h ≤ k` without class 0 are written, the first group's to group 0. `work` has room
    /// for two numbers per class.
    #[inline(always)]
    pub fn curvature<S: Simd>(
        &self,
        simd: S,
        groups: std::ops::Range<usize>,
        tau: f64,
        pairs: &mut ViewMut<'_, S>,
        drift: &mut ViewMut<'_, S>,
        work: &mut ViewMut<'_, S>,
    ) {
        let classes = self.classes;
        let tau = Vector::splat(simd, tau);
        let view = |numbers| View::new(simd, numbers, classes);
        let (y, away, residual) = (view(&self.y), view(&self.away), view(&self.residual));
        let single = |numbers| View::new(simd, numbers, 1);
        let (outside, level, free) = (single(&self.outside), single(&self.level), single(&self.free));
        let multiplier = single(&self.groups.multiplier);
        let (zero, one) = (Vector::splat(simd, 0.0), Vector::splat(simd, 1.0));
        for g in groups.clone() {
            let (mut pairs, mut drift) = (pairs.group(g - groups.start), drift.group(g));
            let (y, away, residual) = (y.group(g), away.group(g), residual.group(g));
            let (outside, free) = (outside.group(g).get(0), free.group(g).get(0));
            // Spare lanes have level zero and must not count.
            let mass = level.group(g).get(0).above(zero, outside, zero);
            let mass = free.above(zero, tau, mass);
            let both = if self.firm { mass * (one - mass) } else { (one - free) * mass * (one - outside) };
            let mut pair = 0;
            for k in 0..classes {
                drift.set(k, free * residual.get(k));
                let curved = both * away.get(k);
                let shared = mass * (away.get(k) + y.get(k));
                for h in 1..=k {
                    let diagonal = if h == k { one } else { zero };
                    let share = away.get(h) + y.get(h);
                    pairs.set(pair, curved.mul_add(away.get(h), shared * (diagonal - share)));
                    pair += 1;
                }
            }
            if self.penalty == Penalty::Group {
                let state = (y, residual, multiplier.group(g).get(0), free);
                let out = (&mut pairs, &mut drift);
                grouped::bend(state, tau, self.firm, out, &mut work.group(0));
            }
        }
    }

    /// `Σᵢ |residualᵢₖ|` of every class: the scale by which the intercept's gradient is small.
    pub fn masses(&self) -> Vec<f64> {
        run(Masses(self))
    }
}

/// Rows become columns.
fn transpose(matrix: &[f64], columns: usize) -> Vec<f64> {
    let mut out = Vec::with_capacity(matrix.len());
    (0..columns).for_each(|k| out.extend(matrix.iter().skip(k).step_by(columns)));
    out
}
