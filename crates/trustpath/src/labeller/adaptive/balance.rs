//! How far a marginal is from uniform.
//!
//! A marginal `π` of `n` instances deviates from uniform by its likelihood ratio
//!
//! ```text
//! G(π) = 2 n Σ_k π_k log(K π_k).
//! ```
//!
//! Two marginals with opposite biases are compared. That of the free mixture is biased towards imbalance: a class that takes over
//! part of another grows. The one that the prototypes of the priced branch would give if its prices were dropped is biased towards
//! balance: those prototypes were placed to fill every class. The log-odds that the pool is balanced are a linear combination of the
//! logarithms of both, in units of their `K − 1` degrees of freedom, and of the other covariates ([`super::schedule`]).

/// `G(π)`, the likelihood ratio of a marginal against the uniform one.
pub(super) fn ratio(marginal: &[f64], n: usize) -> f64 {
    let classes = marginal.len() as f64;
    let sum: f64 = marginal.iter().filter(|p| **p > 0.0).map(|p| p * (classes * p).ln()).sum();
    2.0 * n as f64 * sum.max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uniform_marginal_does_not_deviate_and_a_missing_class_does() {
        assert_eq!(ratio(&[0.25; 4], 100), 0.0);
        let all_in_one = ratio(&[1.0, 0.0], 10);
        assert!((all_in_one - 20.0 * 2f64.ln()).abs() < 1e-12);
        assert_eq!(ratio(&[1.0, 0.0], 0), 0.0);
    }
}
