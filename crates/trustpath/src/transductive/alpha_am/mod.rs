//! α-AM, adaptive manifold: Lazarou, Avrithis and Stathaki, "Adaptive Manifold for Imbalanced Transductive Few-Shot Learning"
//! (WACV 2024).
//!
//! Label propagation from one centroid per class, in which the centroids, the width of every edge and its weight are learned.
//! The nodes `z` are the centroids `μ`, then the labelled and the unlabeled rows. With distances `d` divided by their standard
//! deviation over all pairs,
//!
//! ```text
//! aᵢⱼ = exp(−gᵢⱼ dᵢⱼ)  for the k largest of row i, else 0;  centroids have no row of their own
//! w = b ∘ (a + aᵀ)/2,    ŵ = D^(−1/2) w D^(−1/2),  D = row sums of w
//! s = τ (I − α ŵ)⁻¹ (one-hot rows of the centroids, zeros elsewhere),    pᵢₖ ∝ exp sᵢₖ
//! min over μ, b and g of    cross-entropy of the labelled − H(mean of p over the unlabeled) + mean of H(p)
//! ```
//!
//! with α-entropies ([`super::information`]), by Adam from the class means, `b = α` and `g = 1`: a thousand steps, of which the
//! last only evaluates. Parameters of the authors' code: `τ = 15`, a rate of 10⁻⁴, and below five shots `k = 20`, `α = 0.8` and
//! entropies with exponent 2; from five shots on `k = 10`, `α = 0.9` and exponent 5 (their code has none for two to four shots).
//! Features are the roots of their absolute values with their signs, on the sphere, centred by the mean of the pool, and on the
//! sphere again.
//!
//! Which rows are neighbours changes on the way, so that rounding can decide a result.
//!
//! A step solves two systems of `N` equations, `O(N³)`, where `N` counts centroids and rows: a third of a second for a pool of 80,
//! hours for one of 1500. A separate query gets the mean of the scores of its `k` nearest rows and centroids, weighted by `exp(−d)`.

mod manifold;

use self::manifold::Manifold;
use super::adam::Adam;
use super::geometry::{centre, mean};
use super::{Posterior, Transductive, positive, require};
use crate::power::power;
use crate::task::CheckedTask;
use crate::{Result, Task};

/// Shots from which the second set of parameters is used.
const MANY_SHOTS: usize = 5;

/// Parameters that depend on the number of shots in the authors' code.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AlphaAmShots {
    /// Number of neighbours `k`.
    pub neighbors: usize,
    /// How far labels spread, `α`.
    pub spread: f64,
    /// Exponent of the entropies.
    pub exponent: f64,
}

/// Parameters of α-AM.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AlphaAmParams {
    /// Below five shots, and from five shots on.
    pub shots: [AlphaAmShots; 2],
    /// Sharpness `τ` (15).
    pub sharpness: f64,
    /// Adam's learning rate (10⁻⁴).
    pub rate: f64,
    /// Number of steps (1000): `steps − 1` updates, and a last step that only evaluates.
    pub steps: usize,
}

impl Default for AlphaAmParams {
    fn default() -> Self {
        let few = AlphaAmShots { neighbors: 20, spread: 0.8, exponent: 2.0 };
        let many = AlphaAmShots { neighbors: 10, spread: 0.9, exponent: 5.0 };
        Self { shots: [few, many], sharpness: 15.0, rate: 1e-4, steps: 1000 }
    }
}

checked! {
    /// α-AM with checked parameters.
    AlphaAmParams => AlphaAm, |p| {
        positive("sharpness", p.sharpness)?;
        positive("rate", p.rate)?;
        for AlphaAmShots { neighbors, spread, exponent } in p.shots {
            require("neighbors", neighbors as f64, neighbors > 0, "it must be at least 1")?;
            require("spread", spread, spread > 0.0 && spread < 1.0, "it must lie between 0 and 1")?;
            let valid = exponent > 1.0 && exponent.is_finite();
            require("exponent", exponent, valid, "it must be above 1")?;
        }
        Ok(())
    }
}

impl Transductive for AlphaAm {
    fn name(&self) -> &'static str {
        "alpha-am"
    }

    fn label(&self, task: &Task<'_>) -> Result<Posterior> {
        let task = CheckedTask::new(task)?;
        let mut x = task.instances.unit().clone();
        power(&mut x, true);
        let (middle, all) = (mean(&x, 0..task.pool), x.rows());
        centre(&mut x, 0..all, &middle);
        let many = task.labelled >= MANY_SHOTS * task.classes;
        let mut manifold =
            Manifold::new(&x, &task, self.0.shots[usize::from(many)], self.0.sharpness);
        let mut adam = Adam::new(manifold.unknowns.len(), self.0.rate);
        let steps = if task.unlabeled.is_empty() { 0 } else { self.0.steps };
        for _ in 0..steps.saturating_sub(1) {
            manifold.forward();
            manifold.backward();
            adam.step(&mut manifold.unknowns, &manifold.gradient);
        }
        manifold.forward();
        let unlabeled = manifold.probabilities(task.classes + task.labelled..manifold.nodes);
        Ok(Posterior::with_query(&task, unlabeled, |_, rows| manifold.attach(&x, rows)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::pool;
    use super::*;

    #[test]
    fn few_steps_do_not_depend_on_the_order_of_rows_or_classes() {
        let pool = pool(1, &[22, 15, 10], 0.9);
        let method = AlphaAmParams { steps: 40, ..Default::default() }.check().unwrap();
        let before = method.label(&pool.task()).unwrap().unlabeled;
        let n = pool.truth.len();
        let order: Vec<usize> = (0..n).map(|i| (i * 7 + 3) % n).collect();
        let rows: Vec<usize> = [2, 0, 1].into_iter().chain(order.iter().map(|i| i + 3)).collect();
        let instances = pool.instances.gather(&rows);
        let task = Task { instances: &instances, labels: &[0, 1, 2], ..pool.task() };
        let after = method.label(&task).unwrap().unlabeled;
        for (i, &from) in order.iter().enumerate() {
            for (k, class) in [2, 0, 1].into_iter().enumerate() {
                assert!((after[(i, k)] - before[(from, class)]).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn parameters_out_of_range_are_refused() {
        let base = AlphaAmParams::default();
        let with = |shots: AlphaAmShots| AlphaAmParams { shots: [shots; 2], ..base }.check();
        assert!(with(AlphaAmShots { neighbors: 0, ..base.shots[0] }).is_err());
        assert!(with(AlphaAmShots { spread: 1.0, ..base.shots[0] }).is_err());
        assert!(with(AlphaAmShots { exponent: 1.0, ..base.shots[0] }).is_err());
        assert!(AlphaAmParams { rate: 0.0, ..base }.check().is_err());
    }
}
