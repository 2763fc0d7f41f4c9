//! A good start for the incidental parameter of one instance under the group penalty, by a slow but safe method.
//!
//! In the notation of [`grouped`](super): for a given `m` the strongly convex
//! `log Σ exp(η + γ) − γ_t + ‖γ‖²/2m` has its minimum at `γ = −m r`, and there `‖r‖` falls as `m` grows. So `m` is
//! bisected until `‖r‖` is about `τ`. Newton's method on both at once is faster, unless it starts where the softmax is
//! saturated.

use crate::linalg::vector::dot_in_order;

/// `γ`, its multiplier `m` and its residual `r`.
#[derive(Debug)]
pub(super) struct Start {
    pub gamma: Vec<f64>,
    pub multiplier: f64,
    residual: Vec<f64>,
}

/// A point near the minimum over the `γ` of an instance with this label.
pub(super) fn near(eta: &[f64], label: usize, tau: f64) -> Start {
    let zero = vec![0.0; eta.len()];
    let mut at = Start { gamma: zero.clone(), multiplier: 0.0, residual: zero };
    softmax(eta, &at.gamma, label, &mut at.residual);
    if dot_in_order(&at.residual, &at.residual) <= tau * tau {
        return at;
    }
    let mut too_small = |m: f64| {
        penalised(&mut at, m, eta, label);
        dot_in_order(&at.residual, &at.residual) > tau * tau
    };
    let (mut low, mut high) = (0.0, 1.0);
    while too_small(high) && high < 1e300 {
        (low, high) = (high, 2.0 * high);
    }
    while high - low > 1e-3 * high {
        let middle = 0.5 * (low + high);
        if too_small(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    at
}

/// Damped Newton for one multiplier, to three digits of the probabilities.
fn penalised(at: &mut Start, multiplier: f64, eta: &[f64], label: usize) {
    const STEPS: usize = 100;
    let classes = eta.len();
    at.multiplier = multiplier;
    let (mut error, mut step, mut trial) = (vec![0.0; classes], vec![0.0; classes], vec![0.0; classes]);
    for _ in 0..STEPS {
        softmax(eta, &at.gamma, label, &mut at.residual);
        let (mut weights, mut mean) = (0.0, 0.0);
        for k in 0..classes {
            let p = at.residual[k] + if k == label { 1.0 } else { 0.0 };
            error[k] = at.gamma[k] + multiplier * at.residual[k];
            step[k] = p / (1.0 + multiplier * p);
            weights += step[k];
            mean += step[k] * error[k];
        }
        mean /= weights;
        let (mut decrease, mut change) = (0.0, 0.0_f64);
        for k in 0..classes {
            step[k] = multiplier * step[k] * (error[k] - mean) - error[k];
            decrease += step[k] * error[k] / multiplier;
            change = change.max(step[k].abs());
        }
        if change <= 1e-3 {
            break;
        }
        let value = objective(eta, &at.gamma, multiplier, label);
        let mut length = 1.0;
        while length > 1e-12 {
            for k in 0..classes {
                trial[k] = at.gamma[k] + length * step[k];
            }
            if objective(eta, &trial, multiplier, label) <= value + 1e-4 * length * decrease {
                break;
            }
            length *= 0.5;
        }
        at.gamma.copy_from_slice(&trial);
    }
}

fn softmax(eta: &[f64], gamma: &[f64], label: usize, residual: &mut [f64]) {
    let top = eta.iter().zip(gamma).map(|(e, g)| e + g).fold(f64::NEG_INFINITY, f64::max);
    let (mut all, mut others) = (0.0, 0.0);
    for (k, residual) in residual.iter_mut().enumerate() {
        *residual = (eta[k] + gamma[k] - top).exp();
        all += *residual;
        if k != label {
            others += *residual;
        }
    }
    residual.iter_mut().for_each(|r| *r /= all);
    residual[label] = -others / all;
}

/// Written relative to the label's logit, so that it is exact where the loss is small.
fn objective(eta: &[f64], gamma: &[f64], multiplier: f64, label: usize) -> f64 {
    let lead = |k: usize| eta[k] - eta[label] + gamma[k] - gamma[label];
    let others = || (0..eta.len()).filter(|&k| k != label);
    let top = others().map(lead).fold(0.0, f64::max);
    let sum: f64 = others().map(|k| (lead(k) - top).exp()).sum();
    let loss = if top == 0.0 { sum.ln_1p() } else { top + (sum + (-top).exp()).ln() };
    loss + dot_in_order(gamma, gamma) / (2.0 * multiplier)
}
