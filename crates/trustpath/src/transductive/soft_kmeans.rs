//! Soft k-means from the labelled instances (Ren et al., "Meta-Learning for Semi-Supervised Few-Shot Classification",
//! 2018) on the power-transformed, centred features of PT-MAP (Hu, Gripon and Pateux 2021).
//!
//! ```text
//! min over μ of   Σ_labelled ‖x − μ_y‖² − (1/λ) Σ_unlabeled log Σₖ exp(−λ ‖xᵢ − μₖ‖²)
//! ```
//!
//! by expectation-maximisation with a step of 0.2, 20 times: PT-MAP without the constraint that classes are equally
//! frequent. `O(nKD)` a turn. λ, step and turns are PT-MAP's. A query apart gets `p ∝ exp(−λ ‖x − μₖ‖²)`.

use super::distance::Distances;
use super::pt_map::prepare;
use super::refine::{Moves, refine};
use super::softmax::softmax;
use super::{Posterior, Transductive, positive, step};
use crate::task::CheckedTask;
use crate::{Matrix, Result, Task};

/// Parameters of soft k-means.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SoftKmeansParams {
    /// Sharpness `λ` of the assignment (10).
    pub lambda: f64,
    /// How far prototypes move in a turn (0.2).
    pub step: f64,
    /// Turns (20).
    pub epochs: usize,
}

impl Default for SoftKmeansParams {
    fn default() -> Self {
        Self { lambda: 10.0, step: 0.2, epochs: 20 }
    }
}

impl SoftKmeansParams {
    /// Checks the parameters.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for a `λ` that is not positive, or a step outside of (0, 1].
    pub fn check(self) -> Result<SoftKmeans> {
        positive("lambda", self.lambda)?;
        step(self.step)?;
        Ok(SoftKmeans(self))
    }
}

/// Soft k-means with checked parameters.
#[derive(Debug, Clone)]
pub struct SoftKmeans(SoftKmeansParams);

impl Transductive for SoftKmeans {
    fn name(&self) -> &'static str {
        "soft-kmeans"
    }

    fn label(&self, task: &Task<'_>) -> Result<Posterior> {
        let task = CheckedTask::new(task)?;
        let SoftKmeansParams { lambda, step, epochs } = self.0;
        let x = prepare(&task);
        let moves = Moves { epochs, step };
        let (prototypes, unlabeled) = refine(&x, &task, moves, &mut |p| assign(p, lambda));
        let query = (!task.transductive()).then(|| {
            let query = Distances::new(&x, task.pool..x.rows());
            let mut p = Matrix::zeros(query.len(), task.classes);
            query.to(&prototypes, &mut p);
            assign(&mut p, lambda);
            p
        });
        Ok(Posterior { unlabeled, query })
    }
}

/// `p ∝ exp(−λ d)`.
fn assign(p: &mut Matrix, lambda: f64) {
    p.as_mut_slice().iter_mut().for_each(|d| *d *= -lambda);
    softmax(p);
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Objective, pool};
    use super::*;

    #[test]
    fn every_turn_lowers_the_objective() {
        let pool = pool(3, 2, 17, 0.5);
        let mut objective = Objective::new(&pool, 10.0);
        objective.falls_under(&mut |p| assign(p, 10.0), 1e-12);
    }

    #[test]
    fn classes_may_be_of_any_size() {
        let mut pool = pool(2, 1, 20, 0.3);
        // Eight of the second class go.
        pool.keep(|row| row < 34);
        let p = SoftKmeansParams::default().check().unwrap().label(&pool.task()).unwrap().unlabeled;
        let second: f64 = p.iter_rows().map(|row| row[1]).sum();
        assert!((second - 12.0).abs() < 2.0, "{second}");
    }
}
