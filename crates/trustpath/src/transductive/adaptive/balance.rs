//! Is the pool balanced? Two witnesses, and how loud both may be by chance.
//!
//! A marginal `π` of `n` instances speaks against uniform by its likelihood ratio
//!
//! ```text
//! G(π) = 2 n Σ_k π_k log(K π_k).
//! ```
//!
//! The first witness is the marginal of the free mixture. It errs towards imbalance: a class that takes over part of
//! another grows. The second is the marginal that the prototypes of the priced run would give if its prices were dropped.
//! It errs towards balance: those prototypes were placed to fill every class. So both must speak, and the product is
//! compared with what it reaches on balanced pools,
//!
//! ```text
//! G_free · G_priced > T ((K − 1)/4)² (n / 15K)^1.25.
//! ```
//!
//! Each `G` grows in proportion to its `K − 1` degrees of freedom. The growth with `n/K` is that measured on balanced pools of
//! validation classes from 4 to 40 instances a class: between `1`, for witnesses that only suffer chance, and `2`, for
//! witnesses that are only biased. `T` is in units of 5 ways and 15 instances a class.

/// `G(π)`, the likelihood ratio of a marginal against the uniform one.
pub(super) fn ratio(marginal: &[f64], n: usize) -> f64 {
    let classes = marginal.len() as f64;
    let sum: f64 = marginal.iter().filter(|p| **p > 0.0).map(|p| p * (classes * p).ln()).sum();
    2.0 * n as f64 * sum.max(0.0)
}

/// The product of the witnesses in units of what chance and bias let it reach: above `T` the pool is not balanced.
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
    fn uniform_is_silent_and_a_missing_class_is_loud() {
        assert_eq!(ratio(&[0.25; 4], 100), 0.0);
        let all_in_one = ratio(&[1.0, 0.0], 10);
        assert!((all_in_one - 20.0 * 2f64.ln()).abs() < 1e-12);
        assert_eq!(evidence(&[0.5, 0.5], &[0.9, 0.1], 30), 0.0, "one witness alone is not heard");
        assert_eq!(evidence(&[0.5, 0.5], &[0.5, 0.5], 0), 0.0);
        assert!(evidence(&[0.8, 0.2], &[0.7, 0.3], 75) > 10.0);
    }
}
