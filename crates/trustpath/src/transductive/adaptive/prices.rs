//! The balanced marginal, at a price: optimal transport whose demand may be refused.
//!
//! Sinkhorn's iteration finds prices `v` at which the assignments `p_ik = v_k g_ik / Σ_j v_j g_ij` give each of the `K`
//! classes exactly `n/K` instances. Right if the pool is balanced; if not, it pays any price to fill a class that is not
//! there. So the prices are capped,
//!
//! ```text
//! log v_k ← clip( log (n/K) − log Σ_i u_i g_ik , ± τ about their mean ),     u_i = 1 / Σ_k v_k g_ik,
//! ```
//!
//! which is entropic transport with a penalty `τ Σ_k |Σ_i p_ik − n/K|` in place of the constraint: `τ = ∞` is Sinkhorn's,
//! `τ = 0` leaves the counts free.

/// Sweeps stop when no log-price moves by more than this.
const TOLERANCE: f64 = 1e-6;

/// The prices after at most `sweeps` sweeps.
pub(super) fn weights(g: &[f64], cap: f64, sweeps: usize, weights: &mut [f64]) {
    let classes = weights.len();
    let share = (g.len() / classes) as f64 / classes as f64;
    weights.fill(1.0);
    if g.is_empty() {
        return;
    }
    let mut log_prices = vec![0.0; classes];
    let mut counts = vec![0.0; classes];
    for _ in 0..sweeps {
        super::mixture::responsibilities(g, weights, &mut counts);
        // Σ_i u_i g_ik is the count before class k's own price.
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
    use super::super::mixture::responsibilities;
    use super::*;

    fn lopsided(n: usize) -> Vec<f64> {
        (0..n)
            .flat_map(|i| {
                let lean = if i % 5 == 0 { 0 } else { 1 };
                (0..3).map(move |k| if k == lean { 1.0 } else { 0.3 + 0.1 * (i as f64).sin() })
            })
            .collect()
    }

    #[test]
    fn without_a_cap_the_marginals_are_met() {
        let g = lopsided(60);
        let (mut v, mut counts) = ([0.0; 3], [0.0; 3]);
        weights(&g, f64::INFINITY, 500, &mut v);
        responsibilities(&g, &v, &mut counts);
        assert!(counts.iter().all(|c| (c - 20.0).abs() < 1e-3), "{counts:?}");
    }

    #[test]
    fn the_cap_holds_and_none_means_free_counts() {
        let g = lopsided(60);
        let mut v = [0.0; 3];
        weights(&g, 0.4, 100, &mut v);
        assert!(v.iter().all(|v| v.ln().abs() <= 0.4 + 1e-12));
        assert!(v.iter().any(|v| (v.ln().abs() - 0.4).abs() < 1e-9), "{v:?}");
        weights(&g, 0.0, 100, &mut v);
        assert_eq!(v, [1.0; 3]);
        weights(&[], 1.0, 100, &mut v);
        assert_eq!(v, [1.0; 3]);
    }
}
