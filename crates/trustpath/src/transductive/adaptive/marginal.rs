//! The free marginal: mixture weights by expectation maximisation.
//!
//! Given likelihoods `g_ik`, the weights `π` maximise the penalised likelihood of the mixture,
//!
//! ```text
//! max over π of   Σ_i log Σ_k π_k g_ik + Σ_k a K b_k log π_k,      π_k ← (Σ_i r_ik + a K b_k) / (n + a K),
//! ```
//!
//! where `r_ik = π_k g_ik / Σ_j π_j g_ij`, `b` is what the marginal is believed to be and `a` how many instances a class
//! that belief is worth: a Dirichlet prior. Every step raises the objective.

/// Mixture weights after `steps` steps from the uniform ones.
pub(super) fn weights(g: &[f64], belief: &[f64], worth: f64, steps: usize, weights: &mut [f64]) {
    let classes = belief.len();
    let prior = worth * classes as f64;
    let total = (g.len() / classes) as f64 + prior;
    weights.fill(1.0 / classes as f64);
    let mut counts = vec![0.0; classes];
    for _ in 0..steps {
        super::mixture::responsibilities(g, weights, &mut counts);
        for ((w, count), b) in weights.iter_mut().zip(&counts).zip(belief) {
            *w = (count + prior * b) / total;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn likelihoods(n: usize, k: usize) -> Vec<f64> {
        (0..n * k).map(|at| ((at * at % 97) as f64 * 0.07).sin().abs() + 0.01).collect()
    }

    #[test]
    fn every_step_raises_the_objective() {
        let (n, k) = (40, 4);
        let g = likelihoods(n, k);
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
            let mut w = [0.0; 4];
            weights(&g, &belief, worth, steps, &mut w);
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
        let mut w = [0.0; 2];
        weights(&g, &[0.5, 0.5], 1e9, 20, &mut w);
        assert!((w[0] - 0.5).abs() < 1e-6);
        weights(&g, &[0.5, 0.5], 1e-9, 20, &mut w);
        assert!((w[0] - 0.8).abs() < 1e-6);
    }
}
