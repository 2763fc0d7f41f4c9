//! BD-CSPN: Liu, Song and Qin, "Prototype Rectification for Few-Shot Learning" (2020).
//!
//! ```text
//! shift       unlabeled x ← x + ξ,     ξ = mean of the labelled − mean of the unlabeled
//! rectify     w_i = softmax over k of ε cos(x_i, μ_k), at the nearest class y_i,        over labelled and unlabeled
//!             μ_k ← mean of w_i x_i over y_i = k
//! classify    p_ik ∝ exp(ε cos(x_i, μ_k)),       x_i as it was before the shift
//! ```
//!
//! `ε = 10`. Published code differs in small things: whether all unlabeled instances take part, and whether the query is
//! shifted and measured by its angle. `docs/peers.md` says how this reading was chosen. `O(nKD)`.
//!
//! A query apart is classified by the same prototypes.

use super::centre::{mean, unit};
use super::distance::{Distances, class_means, product};
use super::prototype::nearest;
use super::softmax::softmax;
use super::{Posterior, Transductive, positive};
use crate::linalg::vector;
use crate::task::{CheckedTask, arg_max};
use crate::{Matrix, Result, Task};

/// Parameters of BD-CSPN.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BdCspnParams {
    /// Sharpness `ε` of the weights, and of the probabilities that come out (10).
    pub epsilon: f64,
}

impl Default for BdCspnParams {
    fn default() -> Self {
        Self { epsilon: 10.0 }
    }
}

impl BdCspnParams {
    /// Checks the parameters.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for an `ε` that is not positive.
    pub fn check(self) -> Result<BdCspn> {
        positive("epsilon", self.epsilon)?;
        Ok(BdCspn(self))
    }
}

/// BD-CSPN with checked parameters.
#[derive(Debug, Clone)]
pub struct BdCspn(BdCspnParams);

impl Transductive for BdCspn {
    fn name(&self) -> &'static str {
        "bd-cspn"
    }

    fn label(&self, task: &Task<'_>) -> Result<Posterior> {
        let task = CheckedTask::new(task)?;
        let mut prototypes = rectified(&task, self.0.epsilon);
        // Between unit vectors the nearest is the one at the smallest angle.
        (0..task.classes).for_each(|k| unit(prototypes.row_mut(k)));
        let x = task.instances.unit();
        Ok(Posterior::of(&task, |rows| {
            nearest(&Distances::new(x, rows), &prototypes, self.0.epsilon)
        }))
    }
}

/// The rectified prototypes.
pub(super) fn rectified(task: &CheckedTask<'_>, epsilon: f64) -> Matrix {
    let unit_rows = task.instances.unit();
    let means = class_means(unit_rows, task.labels, task.classes);
    if task.unlabeled.is_empty() {
        return means;
    }
    let mut shift = mean(unit_rows, 0..task.labelled);
    vector::add_scaled(&mut shift, -1.0, &mean(unit_rows, task.labelled..task.pool));
    let dims = unit_rows.cols();
    let mut x = Matrix::zeros(task.pool, dims);
    x.as_mut_slice().copy_from_slice(&unit_rows.as_slice()[..task.pool * dims]);
    for i in task.labelled..task.pool {
        vector::add_scaled(x.row_mut(i), 1.0, &shift);
    }

    let mut directions = means.clone();
    (0..task.classes).for_each(|k| unit(directions.row_mut(k)));
    let mut weights = Matrix::zeros(task.pool, task.classes);
    product(&mut weights, x.view(), directions.view().transpose(), epsilon);
    for i in 0..task.pool {
        let norm = vector::norm(x.row(i));
        if norm > 0.0 {
            weights.row_mut(i).iter_mut().for_each(|w| *w /= norm);
        }
    }
    softmax(&mut weights);

    let mut rectified = Matrix::zeros(task.classes, dims);
    let mut counts = vec![0.0; task.classes];
    for (row, weights) in x.iter_rows().zip(weights.iter_rows()) {
        let k = arg_max(weights);
        counts[k] += 1.0;
        vector::add_scaled(rectified.row_mut(k), weights[k], row);
    }
    for (k, &count) in counts.iter().enumerate() {
        if count > 0.0 {
            rectified.row_mut(k).iter_mut().for_each(|v| *v /= count);
        } else {
            // Nothing lies nearest to a class whose mean is near the origin; it keeps its mean.
            rectified.row_mut(k).copy_from_slice(means.row(k));
        }
    }
    rectified
}

#[cfg(test)]
mod tests {
    use super::super::tests::pool;
    use super::*;

    #[test]
    fn prototypes_move_towards_the_centres_of_their_clusters() {
        let pool = pool(3, 1, 20, 0.5);
        let task = pool.task();
        let task = CheckedTask::new(&task).unwrap();
        let x = task.instances.unit();
        let away = |prototypes: &Matrix| -> f64 {
            (0..3)
                .map(|k| {
                    let mut centre = mean(x, 3 + 20 * k..3 + 20 * (k + 1));
                    vector::add_scaled(&mut centre, -1.0, prototypes.row(k));
                    vector::norm(&centre)
                })
                .sum()
        };
        let before = away(&class_means(x, task.labels, 3));
        // Sharp weights are near to one, so that the weighted mean is no shorter.
        assert!(away(&rectified(&task, 50.0)) < 0.5 * before);
    }

    #[test]
    fn a_sharpness_that_is_none_is_refused() {
        assert!(BdCspnParams { epsilon: 0.0 }.check().is_err());
        assert!(BdCspnParams { epsilon: f64::INFINITY }.check().is_err());
    }
}
