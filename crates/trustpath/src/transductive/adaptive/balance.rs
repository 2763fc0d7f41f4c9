//! Tests whether the pool is balanced, from two marginals with opposite biases.
//!
//! A marginal `π` of `n` instances deviates from uniform by its likelihood ratio
//!
//! ```text
//! G(π) = 2 n Σ_k π_k log(K π_k).
//! ```
//!
//! The first is the marginal of the free mixture. It is biased towards imbalance: a class that takes over part of another
//! grows. The second is the marginal that the prototypes of the priced branch would give if its prices were dropped. It is
//! biased towards balance: those prototypes were placed to fill every class. So both must deviate, and the product is
//! compared with the values it reaches on balanced pools,
//!
//! ```text
//! G_free · G_priced > T ((K − 1)/4)² (n / 15K)^1.25.
//! ```
//!
//! Each `G` grows in proportion to its `K − 1` degrees of freedom. The growth with `n/K` was measured on balanced pools of
//! validation classes with 4 to 40 instances per class; it lies between `1`, for marginals with sampling error only, and
//! `2`, for marginals with bias only. `T` is in units of 5 ways and 15 instances per class.

/// `G(π)`, the likelihood ratio of a marginal against the uniform one.
pub(super) fn ratio(marginal: &[f64], n: usize) -> f64 {
    let classes = marginal.len() as f64;
    let sum: f64 = marginal.iter().filter(|p| **p > 0.0).map(|p| p * (classes * p).ln()).sum();
    2.0 * n as f64 * sum.max(0.0)
}

/// The product of both ratios in units of its size on balanced pools: above `T` the pool is not balanced.
pub(super) fn evidence(free: &[f64], priced: &[f64], n: usize) -> f64 {
    let freedom = (free.len() as f64 - 1.0) / 4.0;
    let load = n as f64 / (15.0 * free.len() as f64);
    if n == 0 {
        return 0.0;
    }
    ratio(free, n) * ratio(priced, n) / (freedom * freedom * load.powf(1.25))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uniform_marginal_has_no_evidence_and_a_missing_class_has_much() {
        assert_eq!(ratio(&[0.25; 4], 100), 0.0);
        let all_in_one = ratio(&[1.0, 0.0], 10);
        assert!((all_in_one - 20.0 * 2f64.ln()).abs() < 1e-12);
        assert_eq!(
            evidence(&[0.5, 0.5], &[0.9, 0.1], 30),
            0.0,
            "one marginal alone does not count"
        );
        assert_eq!(evidence(&[0.5, 0.5], &[0.5, 0.5], 0), 0.0);
        assert!(evidence(&[0.8, 0.2], &[0.7, 0.3], 75) > 10.0);
    }
}
