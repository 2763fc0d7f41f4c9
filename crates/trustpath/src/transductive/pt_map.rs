//! PT-MAP: Hu, Gripon and Pateux, "Leveraging the Feature Distribution in Transfer-based Few-Shot Learning" (2021).
//!
//! ```text
//! x ← √x on the sphere; labelled and unlabeled instances centred apart, and back on the sphere
//! min over μ and P of   Σ_labelled ‖x − μ_y‖² + Σᵢₖ Pᵢₖ ‖xᵢ − μₖ‖² + (1/λ) Σᵢₖ Pᵢₖ log Pᵢₖ
//!                       with Σₖ Pᵢₖ = 1 and Σᵢ Pᵢₖ = n/K
//! ```
//!
//! by turns: the optimal plan for `P`, a step of 0.2 for `μ`, 20 times. The second constraint says that all classes are
//! equally frequent in the pool, which is what wins balanced pools and loses others. `O(nKD)` a turn.
//!
//! Defaults are those of the authors' code (their text has a step of 0.4 at one shot). A query apart is centred by the
//! mean of the unlabeled instances, and gets `p ∝ vₖ exp(−λ ‖x − μₖ‖²)` with the scaling `v` of the last plan.

use super::centre::{mean, take_off};
use super::distance::Distances;
use super::refine::{Moves, refine};
use super::transport::Transport;
use super::{Posterior, Transductive, positive, step};
use crate::power::{SIGNED_FROM, is_signed, power};
use crate::task::CheckedTask;
use crate::{Matrix, Result, Task};

/// Parameters of PT-MAP.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PtMapParams {
    /// Sharpness `λ` of the plan (10).
    pub lambda: f64,
    /// How far prototypes move in a turn (0.2).
    pub step: f64,
    /// Turns (20).
    pub epochs: usize,
}

impl Default for PtMapParams {
    fn default() -> Self {
        Self { lambda: 10.0, step: 0.2, epochs: 20 }
    }
}

impl PtMapParams {
    /// Checks the parameters.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for a `λ` that is not positive, or a step outside of (0, 1].
    pub fn check(self) -> Result<PtMap> {
        positive("lambda", self.lambda)?;
        step(self.step)?;
        Ok(PtMap(self))
    }
}

/// PT-MAP with checked parameters.
#[derive(Debug, Clone)]
pub struct PtMap(PtMapParams);

impl Transductive for PtMap {
    fn name(&self) -> &'static str {
        "pt-map"
    }

    fn label(&self, task: &Task<'_>) -> Result<Posterior> {
        let task = CheckedTask::new(task)?;
        let PtMapParams { lambda, step, epochs } = self.0;
        let x = prepare(&task);
        let mut transport = Transport::new(lambda, task.unlabeled.len(), task.classes);
        let moves = Moves { epochs, step };
        let (prototypes, unlabeled) = refine(&x, &task, moves, &mut |p| transport.plan(p));
        let query = (!task.transductive()).then(|| {
            let query = Distances::new(&x, task.pool..x.rows());
            let mut p = Matrix::zeros(query.len(), task.classes);
            query.to(&prototypes, &mut p);
            transport.extend(&mut p);
            p
        });
        Ok(Posterior { unlabeled, query })
    }
}

/// Power-transformed rows, the labelled centred by their own mean and all others by the mean of the unlabeled ones.
pub(super) fn prepare(task: &CheckedTask<'_>) -> Matrix {
    let mut x = task.instances.unit().clone();
    let signed = is_signed(&x, task.pool, SIGNED_FROM);
    power(&mut x, signed);
    let labelled = mean(&x, 0..task.labelled);
    let others = match task.unlabeled.len() {
        0 => labelled.clone(),
        _ => mean(&x, task.labelled..task.pool),
    };
    let rows = x.rows();
    take_off(&mut x, 0..task.labelled, &labelled);
    take_off(&mut x, task.labelled..rows, &others);
    x
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Objective, pool};
    use super::*;

    #[test]
    fn every_turn_lowers_the_objective() {
        let pool = pool(3, 2, 17, 0.5);
        let mut objective = Objective::new(&pool, 10.0);
        let mut transport = Transport::new(10.0, 51, 3);
        objective.falls_under(&mut |p| transport.plan(p), 1e-6);
    }

    #[test]
    fn classes_share_the_pool_equally() {
        let pool = pool(4, 1, 10, 0.5);
        let p = PtMapParams::default().check().unwrap().label(&pool.task()).unwrap().unlabeled;
        for k in 0..4 {
            let sum: f64 = p.iter_rows().map(|row| row[k]).sum();
            assert!((sum - 10.0).abs() < 1e-4, "{sum}");
        }
    }

    #[test]
    fn parameters_out_of_range_are_refused() {
        let default = PtMapParams::default();
        for params in [
            PtMapParams { lambda: 0.0, ..default },
            PtMapParams { step: 0.0, ..default },
            PtMapParams { step: 1.5, ..default },
            PtMapParams { step: f64::NAN, ..default },
        ] {
            assert!(params.check().is_err(), "{params:?}");
        }
    }
}
