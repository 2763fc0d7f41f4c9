//! Prototypes that move towards the mean of the instances assigned to them: soft k-means and PT-MAP.
//!
//! Both work on power-transformed features, `x ← √x` on the sphere, with the labelled and the unlabeled instances
//! centred separately and put back on the sphere, and both minimise
//!
//! ```text
//! min over μ and P of   Σ_labelled ‖x − μ_y‖² + Σᵢₖ Pᵢₖ ‖xᵢ − μₖ‖² + (1/λ) Σᵢₖ Pᵢₖ log Pᵢₖ      with Σₖ Pᵢₖ = 1
//! ```
//!
//! in 20 alternating iterations: the optimal `P`, then a step of 0.2 for `μ`,
//!
//! ```text
//! μₖ ← μₖ + step · (mean of class k − μₖ),       labelled instances counted once, unlabeled ones by Pᵢₖ
//! ```
//!
//! Each half of an iteration lowers the sum, for any step up to two: the sum is quadratic in `μ`, and the step goes
//! straight towards its minimum. `O(nKD)` per iteration.
//!
//! - **Soft k-means** from the labelled instances (Ren et al., "Meta-Learning for Semi-Supervised Few-Shot
//!   Classification", 2018) has no other constraint: `Pᵢₖ ∝ exp(−λ ‖xᵢ − μₖ‖²)`.
//! - **PT-MAP** (Hu, Gripon and Pateux, "Leveraging the Feature Distribution in Transfer-based Few-Shot Learning", 2021)
//!   adds `Σᵢ Pᵢₖ = n/K`: all classes are equally frequent in the pool. This is why it does best on balanced pools and
//!   badly on others. `P` is the optimal transport plan ([`super::transport`]).
//!
//! The defaults are those of PT-MAP's published code (its text has a step of 0.4 at one shot). A separate query is centred
//! by the mean of the unlabeled instances, and gets `p ∝ vₖ exp(−λ ‖x − μₖ‖²)` with the scaling `v` of the last plan;
//! `v = 1` for soft k-means.

use super::prototypes::Prototypes;
use super::transport::Transport;
use super::{Posterior, Transductive};
use trustpath::power::{SIGNED_FROM, is_signed, power};
use trustpath::task::CheckedTask;
use trustpath::{Matrix, Result, Task};
use trustpath_path::linalg::geometry::{centre, mean, scaled_distances};

/// Sharpness `λ` of the assignment.
const LAMBDA: f64 = 10.0;
/// How far prototypes move per iteration.
const STEP: f64 = 0.2;
/// Number of iterations.
const EPOCHS: usize = 20;

#[derive(Debug)]
pub(super) struct SoftKmeans {
    /// Require equally frequent classes, as PT-MAP does.
    pub balanced: bool,
}

impl Transductive for SoftKmeans {
    fn label(&self, task: &Task<'_>) -> Result<Posterior> {
        let task = CheckedTask::new(task)?;
        let x = prepare(&task);
        let mut transport = Transport::new(LAMBDA, task.unlabeled.len(), task.classes);
        let mut prototypes = Prototypes::new(&x, &task);
        let unlabeled = self.refine(&mut prototypes, &mut transport, EPOCHS);
        Ok(Posterior::with_query(&task, unlabeled, |_, rows| {
            let mut p = scaled_distances(&x, rows, &prototypes.places, 1.0);
            transport.assign(&mut p);
            p
        }))
    }
}

impl SoftKmeans {
    /// Moves the prototypes and returns the last assignment of the unlabeled rows.
    fn refine(&self, prototypes: &mut Prototypes<'_>, transport: &mut Transport, epochs: usize) -> Matrix {
        let mut p = Matrix::zeros(prototypes.unlabeled(), prototypes.places.rows());
        if p.rows() == 0 {
            return p;
        }
        for _ in 0..epochs {
            prototypes.assign(transport, self.balanced, &mut p);
            prototypes.follow(&p, |mu, mean| *mu += STEP * (mean - *mu));
        }
        prototypes.assign(transport, self.balanced, &mut p);
        p
    }
}

/// Power-transformed rows, the labelled centred by their mean and all others by the mean of the unlabeled ones.
fn prepare(task: &CheckedTask<'_>) -> Matrix {
    let mut x = task.instances.unit().clone();
    let signed = is_signed(&x, task.pool, SIGNED_FROM);
    power(&mut x, signed);
    let labelled = mean(&x, 0..task.labelled);
    let others = match task.unlabeled.len() {
        0 => labelled.clone(),
        _ => mean(&x, task.labelled..task.pool),
    };
    let rows = x.rows();
    centre(&mut x, 0..task.labelled, &labelled);
    centre(&mut x, task.labelled..rows, &others);
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::pool;

    /// `Σ p d + (1/λ) Σ p log p`, and the distances of the labelled rows to the prototypes of their classes.
    fn objective(x: &Matrix, task: &CheckedTask<'_>, mu: &Matrix, p: &Matrix) -> f64 {
        let d = scaled_distances(x, 0..x.rows(), mu, 1.0);
        let mut sum: f64 = task.labels.iter().enumerate().map(|(i, &y)| d[(i, y)]).sum();
        for i in 0..p.rows() {
            for (k, p) in p.row(i).iter().enumerate() {
                sum += p * (d[(task.labelled + i, k)] + p.max(1e-300).ln() / LAMBDA);
            }
        }
        sum
    }

    #[test]
    fn every_iteration_lowers_the_objective() {
        let pool = pool(2, &[17; 3], 0.5);
        let task = pool.checked();
        let x = prepare(&task);
        for (balanced, tolerance) in [(false, 1e-12), (true, 1e-6)] {
            let mut transport = Transport::new(LAMBDA, 51, 3);
            let mut prototypes = Prototypes::new(&x, &task);
            let mut value_after = |epochs| {
                let p = SoftKmeans { balanced }.refine(&mut prototypes, &mut transport, epochs);
                objective(&x, &task, &prototypes.places, &p)
            };
            let values: Vec<f64> = (0..21).map(|i| value_after(usize::from(i > 0))).collect();
            assert!(values.windows(2).all(|w| w[1] <= w[0] + tolerance), "{values:?}");
            assert!(values[20] < values[0] - 1e-3, "{values:?}");
        }
    }

    #[test]
    fn pt_map_shares_the_pool_equally_and_soft_kmeans_does_not() {
        let sums = |balanced, sizes: &[usize], noise: f64| {
            let pool = pool(1, sizes, noise);
            let p = SoftKmeans { balanced }.label(&pool.task()).unwrap().unlabeled;
            (0..sizes.len()).map(|k| p.iter_rows().map(|row| row[k]).sum()).collect::<Vec<f64>>()
        };
        let equal = sums(true, &[10; 4], 0.5);
        assert!(equal.iter().all(|sum| (sum - 10.0).abs() < 1e-4), "{equal:?}");
        let free = sums(false, &[20, 12], 0.3);
        assert!((free[1] - 12.0).abs() < 2.0, "{free:?}");
    }
}
