//! Class weights from likelihoods `g_ik`, under two marginals.
//!
//! **Free**: mixture weights by expectation maximisation. They maximise the penalised likelihood of the mixture,
//!
//! ```text
//! max over π of   Σ_i log Σ_k π_k g_ik + Σ_k a K b_k log π_k,      π_k ← (Σ_i r_ik + a K b_k) / (n + a K),
//! ```
//!
//! where `r_ik = π_k g_ik / Σ_j π_j g_ij`, `b` is the prior belief about the marginal and `a` its worth in instances per
//! class: a Dirichlet prior. Every step raises the objective.
//!
//! **Balanced, at capped prices**: optimal transport whose constraint may be refused. Sinkhorn's iteration finds prices `v`
//! at which the assignments `p_ik = v_k g_ik / Σ_j v_j g_ij` give each of the `K` classes exactly `n/K` instances. That is
//! right if the pool is balanced; otherwise it pays any price to fill a class that is not there. So the prices are capped,
//!
//! ```text
//! log v_k ← clip( log (n/K) − log Σ_i u_i g_ik , ± τ about their mean ),     u_i = 1 / Σ_k v_k g_ik,
//! ```
//!
//! which is entropic transport with a penalty `τ Σ_k |Σ_i p_ik − n/K|` in place of the constraint: `τ = ∞` is Sinkhorn's
//! algorithm, `τ = 0` leaves the counts free.

use crate::linalg::vector;

/// Sweeps stop when no log-price changes by more than this.
const TOLERANCE: f64 = 1e-6;

/// Expected number of rows per class: `Σ_i w_k g_ik / Σ_j w_j g_ij`.
fn expected_counts(g: &[f64], weights: &[f64], counts: &mut [f64]) {
    counts.fill(0.0);
    for row in g.chunks_exact(weights.len()) {
        let inverse = 1.0 / vector::dot_in_order(row, weights);
        for k in 0..row.len() {
            counts[k] += inverse * row[k];
        }
    }
    counts.iter_mut().zip(weights).for_each(|(c, w)| *c *= w);
}

/// Mixture weights after `steps` steps from the given ones.
pub(super) fn free(g: &[f64], belief: &[f64], worth: f64, steps: usize, weights: &mut [f64]) {
    let classes = belief.len();
    let prior = worth * classes as f64;
    let total = (g.len() / classes) as f64 + prior;
    let mut counts = vec![0.0; classes];
    for _ in 0..steps {
        expected_counts(g, weights, &mut counts);
        for ((w, count), b) in weights.iter_mut().zip(&counts).zip(belief) {
            *w = (count + prior * b) / total;
        }
    }
}

/// Capped prices after at most `sweeps` sweeps from the given ones.
pub(super) fn priced(g: &[f64], cap: f64, sweeps: usize, weights: &mut [f64]) {
    let classes = weights.len();
    let share = (g.len() / classes) as f64 / classes as f64;
    if g.is_empty() {
        return;
    }
    let (mut log_prices, mut counts) = (vec![0.0; classes], vec![0.0; classes]);
    for _ in 0..sweeps {
        expected_counts(g, weights, &mut counts);
        // Σ_i u_i g_ik is the count of class k divided by its own price.
        for ((price, count), w) in log_prices.iter_mut().zip(&counts).zip(&*weights) {
            *price = (share / (count / w).max(f64::MIN_POSITIVE)).ln();
        }
        let mean = log_prices.iter().sum::<f64>() / classes as f64;
        let mut moved: f64 = 0.0;
        for (w, price) in weights.iter_mut().zip(&log_prices) {
            let price = (price - mean).clamp(-cap, cap);
            moved = moved.max((price - w.ln()).abs());
            *w = price.exp();
        }
        if moved < TOLERANCE {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_raises_the_objective_of_the_free_weights() {
        let k = 4;
        let g: Vec<f64> =
            (0..40 * k).map(|at| ((at * at % 97) as f64 * 0.07).sin().abs() + 0.01).collect();
        let (belief, worth) = ([0.4, 0.3, 0.2, 0.1], 2.0);
        let objective = |w: &[f64]| {
            let fit: f64 = g
                .chunks_exact(k)
                .map(|row| row.iter().zip(w).map(|(g, w)| g * w).sum::<f64>().ln())
                .sum();
            let prior: f64 = belief.iter().zip(w).map(|(b, w)| worth * k as f64 * b * w.ln()).sum();
            fit + prior
        };
        let mut last = f64::NEG_INFINITY;
        for steps in 0..30 {
            let mut w = [0.25; 4];
            free(&g, &belief, worth, steps, &mut w);
            assert!((w.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            let now = objective(&w);
            assert!(now >= last - 1e-12, "{steps}: {last} then {now}");
            last = now;
        }
    }

    #[test]
    fn a_strong_belief_holds_and_a_weak_one_yields() {
        let g: Vec<f64> =
            (0..50).flat_map(|i| if i < 40 { [1.0, 1e-6] } else { [1e-6, 1.0] }).collect();
        for (worth, expected) in [(1e9, 0.5), (1e-9, 0.8)] {
            let mut w = [0.5; 2];
            free(&g, &[0.5, 0.5], worth, 20, &mut w);
            assert!((w[0] - expected).abs() < 1e-6);
        }
    }

    #[test]
    fn the_cap_limits_prices_and_without_one_classes_are_equal() {
        let lean = |i: usize| if i.is_multiple_of(5) { 0 } else { 1 };
        let value =
            |i: usize, k: usize| if lean(i) == k { 1.0 } else { 0.3 + 0.1 * (i as f64).sin() };
        let g: Vec<f64> = (0..60 * 3).map(|at| value(at / 3, at % 3)).collect();
        let (mut v, mut counts) = ([1.0; 3], [0.0; 3]);
        priced(&g, f64::INFINITY, 500, &mut v);
        expected_counts(&g, &v, &mut counts);
        assert!(counts.iter().all(|c| (c - 20.0).abs() < 1e-3), "{counts:?}");
        priced(&g, 0.4, 100, &mut v);
        assert!(v.iter().all(|v| v.ln().abs() <= 0.4 + 1e-12));
        assert!(v.iter().any(|v| (v.ln().abs() - 0.4).abs() < 1e-9), "{v:?}");
        for (g, cap) in [(&g[..], 0.0), (&[], 1.0)] {
            v = [1.0; 3];
            priced(g, cap, 100, &mut v);
            assert_eq!(v, [1.0; 3]);
        }
    }
}
