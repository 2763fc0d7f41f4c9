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
use super::grouped::{self, Incidental};
use super::lanes::{LANES, Lanes, exp, total, vectorised, zip};

/// How to tell whether an incidental parameter is free.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Status {
    /// By its level.
    Read,
    /// As in the last evaluation, or as set since.
    Held,
}

/// The state of all instances at one `(θ, τ)`; per-class numbers of class `k` in block `b` are at `b · classes + k`.
#[derive(Debug)]
pub(super) struct Rows {
    pub classes: usize,
    pub labels: Vec<usize>,
    penalty: Penalty,
    /// One-hot labels; all zero in lanes past the last instance.
    pub y: Vec<Lanes>,
    /// `p(η + γ) − y`.
    pub residual: Vec<Lanes>,
    /// `u`.
    pub away: Vec<Lanes>,
    /// `o`.
    pub outside: Vec<Lanes>,
    /// Dual norm of `p(η) − y`; `γ` vanishes where it is at most `τ`.
    pub level: Vec<Lanes>,
    /// One where `γ` is free, zero where it is held at zero.
    pub free: Vec<Lanes>,
    /// `η_t − maxₖ ηₖ`, `Σₖ exp(ηₖ − max)` and the same without the label.
    lead: Vec<Lanes>,
    all: Vec<Lanes>,
    others: Vec<Lanes>,
    eta: Vec<Lanes>,
    /// The grouped incidental parameter of every instance, empty when ungrouped.
    pub incidental: Vec<Incidental>,
    scratch: grouped::Scratch,
}

impl Rows {
    pub fn new(labels: Vec<usize>, classes: usize, penalty: Penalty) -> Self {
        let blocks = labels.len().div_ceil(LANES);
        let zero = [0.0; LANES];
        let mut y = vec![zero; blocks * classes];
        for (i, &label) in labels.iter().enumerate() {
            y[i / LANES * classes + label][i % LANES] = 1.0;
        }
        let incidental = match penalty {
            Penalty::Ungrouped => Vec::new(),
            Penalty::Grouped => vec![Incidental::zero(classes); labels.len()],
        };
        Self {
            classes,
            labels,
            penalty,
            y,
            residual: vec![zero; blocks * classes],
            away: vec![zero; blocks * classes],
            outside: vec![zero; blocks],
            level: vec![zero; blocks],
            free: vec![zero; blocks],
            lead: vec![zero; blocks],
            all: vec![zero; blocks],
            others: vec![zero; blocks],
            eta: vec![zero; blocks * classes],
            incidental,
            scratch: grouped::Scratch::new(classes),
        }
    }

    pub fn is_free(&self, i: usize) -> bool {
        self.free[i / LANES][i % LANES] != 0.0
    }

    pub fn set_free(&mut self, i: usize, free: bool) {
        self.free[i / LANES][i % LANES] = f64::from(u8::from(free));
    }

    pub fn level(&self, i: usize) -> f64 {
        self.level[i / LANES][i % LANES]
    }

    /// Computes the state at intercept and coefficients `theta` (row 0 the intercept) and price `tau`.
    pub fn evaluate(&mut self, design: &Design, theta: &[f64], tau: f64, status: Status) {
        vectorised(
            #[inline(always)]
            || {
                for b in 0..design.blocks {
                    self.softmax(design, theta, b);
                    self.settle(b, tau, status);
                }
            },
        );
        if self.penalty == Penalty::Grouped {
            self.free_groups(tau);
        }
    }

    /// `o`, `u` and what the loss needs, of one block.
    #[inline(always)]
    fn softmax(&mut self, design: &Design, theta: &[f64], b: usize) {
        let classes = self.classes;
        let z = &design.z[b * design.dims..(b + 1) * design.dims];
        let y = &self.y[b * classes..(b + 1) * classes];
        let eta = &mut self.eta[b * classes..(b + 1) * classes];
        let away = &mut self.away[b * classes..(b + 1) * classes];
        let mut top = [f64::NEG_INFINITY; LANES];
        let mut lead = [0.0; LANES];
        for k in 0..classes {
            let mut sum = [theta[k]; LANES];
            for (j, column) in z.iter().enumerate() {
                let coefficient = theta[(j + 1) * classes + k];
                for l in 0..LANES {
                    sum[l] = coefficient.mul_add(column[l], sum[l]);
                }
            }
            top = zip(&top, &sum, f64::max);
            for l in 0..LANES {
                lead[l] = y[k][l].mul_add(sum[l], lead[l]);
            }
            eta[k] = sum;
        }
        let (mut all, mut others) = ([0.0; LANES], [0.0; LANES]);
        for k in 0..classes {
            let power = zip(&eta[k], &top, |value, top| exp(value - top));
            for l in 0..LANES {
                all[l] += power[l];
                others[l] += (1.0 - y[k][l]) * power[l];
            }
            away[k] = power;
        }
        for k in 0..classes {
            for l in 0..LANES {
                away[k][l] =
                    (1.0 - y[k][l]) * away[k][l] / others[l].max(f64::MIN_POSITIVE) - y[k][l];
            }
        }
        self.outside[b] = zip(&others, &all, |others, all| others / all);
        self.lead[b] = zip(&lead, &top, |lead, top| lead - top);
        self.all[b] = all;
        self.others[b] = others;
    }

    /// Level, status and residual of one block; for the grouped penalty, the residual without `γ`.
    #[inline(always)]
    fn settle(&mut self, b: usize, tau: f64, status: Status) {
        let classes = self.classes;
        let away = &self.away[b * classes..(b + 1) * classes];
        let y = &self.y[b * classes..(b + 1) * classes];
        // Lanes past the last instance have no label, so that this is zero there and one elsewhere.
        let mut valid = [0.0; LANES];
        for label in y {
            valid = zip(&valid, label, |a, b| a + b);
        }
        let outside = &self.outside[b];
        self.level[b] = match self.penalty {
            Penalty::Ungrouped => zip(outside, &valid, |a, b| a * b),
            Penalty::Grouped => {
                let mut square = [0.0; LANES];
                for u in away {
                    square = zip(&square, u, |s, u| u.mul_add(u, s));
                }
                let norm = zip(&square, outside, |s, o| s.sqrt() * o);
                zip(&norm, &valid, |a, b| a * b)
            }
        };
        if status == Status::Read {
            self.free[b] = self.level[b].map(|level| if level > tau { 1.0 } else { 0.0 });
        }
        let mass = match self.penalty {
            Penalty::Ungrouped => zip(outside, &self.free[b], |o, f| if f > 0.0 { tau } else { o }),
            Penalty::Grouped => *outside,
        };
        let mass = zip(&mass, &valid, |m, v| m * v);
        for k in 0..classes {
            self.residual[b * classes + k] = zip(&mass, &away[k], |m, u| m * u);
        }
    }

    /// Minimises over the free groups, one instance at a time, and takes their residuals.
    fn free_groups(&mut self, tau: f64) {
        let classes = self.classes;
        for i in 0..self.labels.len() {
            let (b, l) = (i / LANES, i % LANES);
            if self.free[b][l] == 0.0 {
                self.incidental[i].clear();
                continue;
            }
            let eta = &mut self.scratch.eta;
            for k in 0..classes {
                eta[k] = self.eta[b * classes + k][l];
            }
            grouped::minimise(&mut self.incidental[i], self.labels[i], tau, &mut self.scratch);
            for k in 0..classes {
                self.residual[b * classes + k][l] = self.scratch.residual[k];
            }
        }
    }

    /// `Σᵢ φ_τ(ηᵢ)` at the last evaluation.
    pub fn loss(&self, tau: f64) -> f64 {
        (0..self.labels.len()).map(|i| self.loss_of(i, tau)).sum()
    }

    fn loss_of(&self, i: usize, tau: f64) -> f64 {
        let (b, l) = (i / LANES, i % LANES);
        if !self.is_free(i) {
            return self.all[b][l].ln() - self.lead[b][l];
        }
        match self.penalty {
            Penalty::Ungrouped => tau * self.incidental_of_label(i, tau) - (1.0 - tau).ln(),
            Penalty::Grouped => {
                let gamma = &self.incidental[i].gamma;
                let eta = |k: usize| self.eta[b * self.classes + k][l] + gamma[k];
                let top = (0..self.classes).map(eta).fold(f64::NEG_INFINITY, f64::max);
                let sum = (0..self.classes).map(|k| (eta(k) - top).exp()).sum::<f64>();
                let norm = gamma.iter().map(|g| g * g).sum::<f64>().sqrt();
                sum.ln() + top - eta(self.labels[i]) + tau * norm
            }
        }
    }

    /// `γ_t = m* − m` of a free ungrouped instance.
    fn incidental_of_label(&self, i: usize, tau: f64) -> f64 {
        let (b, l) = (i / LANES, i % LANES);
        let margin = self.lead[b][l] - self.others[b][l].ln();
        ((1.0 - tau) / tau).ln() - margin
    }

    /// `γᵢ`.
    pub fn gamma(&self, i: usize, tau: f64, gamma: &mut [f64]) {
        gamma.fill(0.0);
        if self.is_free(i) {
            match self.penalty {
                Penalty::Ungrouped => gamma[self.labels[i]] = self.incidental_of_label(i, tau),
                Penalty::Grouped => gamma.copy_from_slice(&self.incidental[i].gamma),
            }
        }
    }

    /// `d log(level) / ds` of every instance when `θ` moves by `direction` as `s = log λ` grows by one.
    pub fn level_rates(&self, design: &Design, direction: &[f64], rates: &mut [Lanes]) {
        vectorised(
            #[inline(always)]
            || {
                for (b, rate) in rates.iter_mut().enumerate() {
                    *rate = self.level_rate(design, direction, b);
                }
            },
        );
    }

    /// The same for the instances of block `b`.
    pub fn level_rate_of(&self, design: &Design, direction: &[f64], b: usize) -> Lanes {
        vectorised(
            #[inline(always)]
            || self.level_rate(design, direction, b),
        )
    }

    #[inline(always)]
    fn level_rate(&self, design: &Design, direction: &[f64], b: usize) -> Lanes {
        let classes = self.classes;
        let z = &design.z[b * design.dims..(b + 1) * design.dims];
        let away = &self.away[b * classes..(b + 1) * classes];
        let y = &self.y[b * classes..(b + 1) * classes];
        // log o moves with (1 − o) u; the length of u, for groups, with q ∘ (q − Σq²) / (1 + Σq²).
        let mut concentration = [0.0; LANES];
        if self.penalty == Penalty::Grouped {
            for k in 0..classes {
                for l in 0..LANES {
                    let q = away[k][l] + y[k][l];
                    concentration[l] = q.mul_add(q, concentration[l]);
                }
            }
        }
        let (mut mass, mut length) = ([0.0; LANES], [0.0; LANES]);
        for k in 0..classes {
            let mut step = [direction[k]; LANES];
            for (j, column) in z.iter().enumerate() {
                let coefficient = direction[(j + 1) * classes + k];
                for l in 0..LANES {
                    step[l] = coefficient.mul_add(column[l], step[l]);
                }
            }
            for l in 0..LANES {
                mass[l] = away[k][l].mul_add(step[l], mass[l]);
                let q = away[k][l] + y[k][l];
                length[l] += q * (q - concentration[l]) * step[l];
            }
        }
        let mut rate = zip(&mass, &self.outside[b], |mass, o| (1.0 - o) * mass);
        if self.penalty == Penalty::Grouped {
            for l in 0..LANES {
                rate[l] += length[l] / (1.0 + concentration[l]);
            }
        }
        rate
    }

    /// Class-by-class Hessians of one block, lower triangle, pair `(k, h ≤ k)` at `k(k + 1)/2 + h`, and `∂residual/∂s`
    /// with `θ` held.
    #[inline(always)]
    pub fn curvature(&mut self, b: usize, tau: f64, pairs: &mut [Lanes], drift: &mut [Lanes]) {
        let classes = self.classes;
        let y = &self.y[b * classes..(b + 1) * classes];
        let away = &self.away[b * classes..(b + 1) * classes];
        let residual = &self.residual[b * classes..(b + 1) * classes];
        let (outside, free) = (&self.outside[b], &self.free[b]);
        let mut valid = [0.0; LANES];
        for label in y {
            valid = zip(&valid, label, |a, b| a + b);
        }
        let mut mass: Lanes = std::array::from_fn(|l| if free[l] > 0.0 { tau } else { outside[l] });
        mass = zip(&mass, &valid, |m, v| m * v);
        let both: Lanes = std::array::from_fn(|l| (1.0 - free[l]) * mass[l] * (1.0 - outside[l]));
        for k in 0..classes {
            let q = zip(&away[k], &y[k], |u, y| u + y);
            for h in 0..=k {
                for l in 0..LANES {
                    let other = away[h][l] + y[h][l];
                    pairs[k * (k + 1) / 2 + h][l] =
                        both[l] * away[k][l] * away[h][l] - mass[l] * q[l] * other;
                }
            }
            for l in 0..LANES {
                pairs[k * (k + 1) / 2 + k][l] += mass[l] * q[l];
            }
            drift[k] = zip(&residual[k], free, |r, f| r * f);
        }
        if self.penalty == Penalty::Grouped {
            for l in (0..LANES).filter(|&l| free[l] > 0.0) {
                let i = b * LANES + l;
                for k in 0..classes {
                    self.scratch.residual[k] = residual[k][l];
                }
                grouped::curvature(&self.incidental[i], self.labels[i], tau, &mut self.scratch);
                for k in 0..classes {
                    for h in 0..=k {
                        pairs[k * (k + 1) / 2 + h][l] = self.scratch.hessian(k, h);
                    }
                    drift[k][l] = self.scratch.drift[k];
                }
            }
        }
    }

    /// `Σᵢ |residualᵢₖ|`: the scale by which the intercept's gradient is small.
    pub fn mass(&self, class: usize) -> f64 {
        self.residual
            .iter()
            .skip(class)
            .step_by(self.classes)
            .map(|r| total(&r.map(f64::abs)))
            .sum()
    }
}
