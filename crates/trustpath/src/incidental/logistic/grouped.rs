//! The incidental parameter of one instance under the group penalty.
//!
//! ```text
//! min_γ  log Σₖ exp(ηₖ + γₖ) − (η_t + γ_t) + τ‖γ‖₂
//! ```
//!
//! If `γ ≠ 0` then `p − y = −τ γ/‖γ‖` with `p = p(η + γ)`. Writing `s = ‖γ‖/τ` and `r = p − y`, that is
//!
//! ```text
//! γ + s r = 0,     ‖r‖² = τ²,
//! ```
//!
//! smooth through `s = 0`, where `γ` vanishes: a held group is continued to small negative `s`. With
//! `A = diag p − ppᵀ`, `k = p/(1 + s p)` and `D = A(I + sA)⁻¹ = diag k − kkᵀ/Σk`, Newton's method on `(γ, s)` and the
//! derivatives of `r` cost a few multiplications per class:
//!
//! ```text
//! ∂r/∂η = D − (Dr)(Dr)ᵀ/(rᵀDr),     ∂r/∂log τ = τ² Dr/(rᵀDr).
//! ```

/// `γ` and its multiplier `s`.
#[derive(Debug, Clone)]
pub(super) struct Incidental {
    pub gamma: Vec<f64>,
    pub multiplier: f64,
}

impl Incidental {
    pub fn zero(classes: usize) -> Self {
        Self { gamma: vec![0.0; classes], multiplier: 0.0 }
    }

    pub fn clear(&mut self) {
        self.gamma.fill(0.0);
        self.multiplier = 0.0;
    }
}

/// Input, output and workspace of one instance.
#[derive(Debug)]
pub(super) struct Scratch {
    /// Input: `η`.
    pub eta: Vec<f64>,
    /// `r`: output of [`minimise`], input of [`curvature`].
    pub residual: Vec<f64>,
    /// Output of [`curvature`]: `∂r/∂log τ`.
    pub drift: Vec<f64>,
    weight: Vec<f64>,
    error: Vec<f64>,
    bent: Vec<f64>,
    image: Vec<f64>,
    weight_sum: f64,
    bend: f64,
}

impl Scratch {
    pub fn new(classes: usize) -> Self {
        let zero = vec![0.0; classes];
        Self {
            eta: zero.clone(),
            residual: zero.clone(),
            drift: zero.clone(),
            weight: zero.clone(),
            error: zero.clone(),
            bent: zero.clone(),
            image: zero,
            weight_sum: 0.0,
            bend: 0.0,
        }
    }

    /// Entry `(k, h)` of `∂r/∂η` after [`curvature`].
    pub fn hessian(&self, k: usize, h: usize) -> f64 {
        let diagonal = if k == h { self.weight[k] } else { 0.0 };
        diagonal
            - self.weight[k] * self.weight[h] / self.weight_sum
            - self.bent[k] * self.bent[h] / self.bend
    }

    /// `r` at `η + γ`; its entry at the label is minus the sum of the others, exact when `p_t` is near one.
    fn softmax(&mut self, gamma: &[f64], label: usize) {
        let top = self.eta.iter().zip(gamma).map(|(e, g)| e + g).fold(f64::NEG_INFINITY, f64::max);
        let (mut all, mut others) = (0.0, 0.0);
        for k in 0..gamma.len() {
            let power = (self.eta[k] + gamma[k] - top).exp();
            self.residual[k] = power;
            all += power;
            if k != label {
                others += power;
            }
        }
        for r in &mut self.residual {
            *r /= all;
        }
        self.residual[label] = -others / all;
    }

    /// `k` and its sum, for the residual at hand.
    fn weigh(&mut self, multiplier: f64, label: usize) {
        self.weight_sum = 0.0;
        for k in 0..self.weight.len() {
            let p = self.residual[k] + if k == label { 1.0 } else { 0.0 };
            self.weight[k] = p / (1.0 + multiplier * p);
            self.weight_sum += self.weight[k];
        }
    }

    /// `bent = Dr` and `bend = rᵀDr`.
    fn bend(&mut self) {
        shrink(&self.weight, self.weight_sum, &self.residual, &mut self.bent);
        self.bend = dot(&self.residual, &self.bent).max(f64::MIN_POSITIVE);
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// `out = D v`.
fn shrink(weight: &[f64], sum: f64, v: &[f64], out: &mut [f64]) {
    let mean = dot(weight, v) / sum;
    for ((out, w), v) in out.iter_mut().zip(weight).zip(v) {
        *out = w * (v - mean);
    }
}

/// Finds `γ` and `r` from the last ones: Newton on `(γ, s)`, and the sure way if that does not settle.
pub(super) fn minimise(at: &mut Incidental, label: usize, tau: f64, work: &mut Scratch) {
    if newton(at, label, tau, work) {
        return;
    }
    bisect(at, label, tau, work);
    newton(at, label, tau, work);
    work.softmax(&at.gamma, label);
}

/// Newton's method; whether it reached the solution. Leaves `at` untouched if it did not.
fn newton(at: &mut Incidental, label: usize, tau: f64, work: &mut Scratch) -> bool {
    const STEPS: usize = 12;
    let classes = at.gamma.len();
    let before = at.clone();
    for _ in 0..STEPS {
        work.softmax(&at.gamma, label);
        let mut error = 0.0_f64;
        for k in 0..classes {
            work.error[k] = at.gamma[k] + at.multiplier * work.residual[k];
            error = error.max(work.error[k].abs());
        }
        let square = dot(&work.residual, &work.residual);
        let excess = 0.5 * (square - tau * tau);
        let size = at.multiplier.abs() * tau;
        if error <= 4e-15 * (1.0 + size) && excess.abs() <= 4e-15 * tau * tau {
            return true;
        }
        work.weigh(at.multiplier, label);
        work.bend();
        shrink(&work.weight, work.weight_sum, &work.error, &mut work.image);
        let step = (excess - dot(&work.residual, &work.image)) / work.bend;
        for k in 0..classes {
            let v = work.error[k] + work.residual[k] * step;
            let dv = work.image[k] + work.bent[k] * step;
            at.gamma[k] -= v - at.multiplier * dv;
        }
        at.multiplier += step;
        // Far beyond the vanishing point p/(1 + s p) is no longer positive: not a solution we want.
        if !at.multiplier.is_finite() || at.multiplier <= -0.5 {
            break;
        }
    }
    at.gamma.copy_from_slice(&before.gamma);
    at.multiplier = before.multiplier;
    false
}

/// `‖r‖` falls as `s` grows: halves the interval of `s`, and for each `s` minimises the strongly convex
/// `log Σ exp(η + γ) − γ_t + ‖γ‖²/2s`, whose solution is `γ = −s r`.
fn bisect(at: &mut Incidental, label: usize, tau: f64, work: &mut Scratch) {
    at.clear();
    work.softmax(&at.gamma, label);
    if dot(&work.residual, &work.residual) <= tau * tau {
        return;
    }
    let (mut low, mut high) = (0.0, 1.0);
    let mut too_small = |s: f64, at: &mut Incidental| {
        penalised(at, s, label, work);
        dot(&work.residual, &work.residual) > tau * tau
    };
    while too_small(high, at) && high < 1e300 {
        (low, high) = (high, 2.0 * high);
    }
    while high - low > 1e-3 * high {
        let middle = 0.5 * (low + high);
        if too_small(middle, at) {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/// Damped Newton for one multiplier `s`.
fn penalised(at: &mut Incidental, s: f64, label: usize, work: &mut Scratch) {
    let classes = at.gamma.len();
    at.multiplier = s;
    let mut trial = at.gamma.clone();
    for _ in 0..100 {
        let value = objective(&at.gamma, s, label, &work.eta);
        work.softmax(&at.gamma, label);
        work.weigh(s, label);
        for k in 0..classes {
            work.error[k] = at.gamma[k] + s * work.residual[k];
        }
        shrink(&work.weight, work.weight_sum, &work.error, &mut work.image);
        let mut decrease = 0.0;
        for k in 0..classes {
            let step = -(work.error[k] - s * work.image[k]);
            work.drift[k] = step;
            decrease += step * work.error[k] / s;
        }
        let mut length = 1.0;
        loop {
            for k in 0..classes {
                trial[k] = at.gamma[k] + length * work.drift[k];
            }
            if objective(&trial, s, label, &work.eta) <= value + 1e-4 * length * decrease
                || length < 1e-9
            {
                break;
            }
            length *= 0.5;
        }
        at.gamma.copy_from_slice(&trial);
        if -decrease <= 1e-12 * (1.0 + value.abs()) || length < 1e-9 {
            break;
        }
    }
    work.softmax(&at.gamma, label);
}

fn objective(gamma: &[f64], s: f64, label: usize, eta: &[f64]) -> f64 {
    let top = eta.iter().zip(gamma).map(|(e, g)| e + g).fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = eta.iter().zip(gamma).map(|(e, g)| (e + g - top).exp()).sum();
    sum.ln() + top - eta[label] - gamma[label] + dot(gamma, gamma) / (2.0 * s)
}

/// `∂r/∂η` (read it with [`Scratch::hessian`]) and `∂r/∂log τ` of a solution with residual `work.residual`.
pub(super) fn curvature(at: &Incidental, label: usize, tau: f64, work: &mut Scratch) {
    work.weigh(at.multiplier, label);
    work.bend();
    for (drift, bent) in work.drift.iter_mut().zip(&work.bent) {
        *drift = tau * tau * bent / work.bend;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solve(eta: &[f64], label: usize, tau: f64) -> (Incidental, Scratch) {
        let (mut at, mut work) = (Incidental::zero(eta.len()), Scratch::new(eta.len()));
        work.eta.copy_from_slice(eta);
        minimise(&mut at, label, tau, &mut work);
        (at, work)
    }

    /// From barely free to absurdly mislabelled, the first-order condition holds.
    #[test]
    fn residual_is_opposite_to_gamma_and_as_long_as_tau() {
        let etas: [&[f64]; 5] = [
            &[0.3, -0.2, 0.1, 0.0, 0.4],
            &[-3.0, 5.0, 4.9, 0.0, 1.0],
            &[-40.0, 60.0, 0.0, 0.0, 0.0],
            &[-500.0, 300.0, 299.0, 0.0, 0.0],
            &[1.0, -1.0],
        ];
        for eta in etas {
            for tau in [1e-6, 1e-3, 0.1] {
                let (at, work) = solve(eta, 0, tau);
                let norm = dot(&at.gamma, &at.gamma).sqrt();
                assert!(at.multiplier > 0.0, "{eta:?} {tau}");
                for k in 0..eta.len() {
                    let defect = work.residual[k] + tau * at.gamma[k] / norm;
                    assert!(defect.abs() <= 1e-11 * tau, "{eta:?} {tau}: {defect:e}");
                }
            }
        }
    }

    #[test]
    fn derivatives_agree_with_differences() {
        let (eta, tau, h) = ([-0.5, 0.9, 0.2, -0.1], 0.3, 1e-6);
        let (at, mut work) = solve(&eta, 0, tau);
        curvature(&at, 0, tau, &mut work);
        let up = solve(&eta, 0, tau * f64::exp(h)).1.residual;
        let down = solve(&eta, 0, tau * f64::exp(-h)).1.residual;
        for k in 0..4 {
            assert!(((up[k] - down[k]) / (2.0 * h) - work.drift[k]).abs() < 1e-8);
        }
        for j in 0..4 {
            let (mut plus, mut minus) = (eta, eta);
            plus[j] += h;
            minus[j] -= h;
            let (up, down) = (solve(&plus, 0, tau).1.residual, solve(&minus, 0, tau).1.residual);
            for k in 0..4 {
                assert!(((up[k] - down[k]) / (2.0 * h) - work.hessian(k, j)).abs() < 1e-8);
            }
        }
    }
}
