//! BD-CSPN: Liu, Song and Qin, "Prototype Rectification for Few-Shot Learning" (2020).
//!
//! ```text
//! shift       unlabeled x ← x + ξ,     ξ = mean of the labelled − mean of the unlabeled
//! rectify     w_i = softmax over k of ε cos(x_i, μ_k), at the nearest class y_i,        over labelled and unlabeled
//!             μ_k ← mean of w_i x_i over y_i = k
//! classify    p_ik ∝ exp(ε cos(x_i, μ_k)),       x_i as it was before the shift
//! ```
//!
//! `ε = 10`. Published implementations differ in details: whether all unlabeled instances take part, and whether the
//! query is shifted and compared by its angle. `docs/peers.md` explains how this variant was chosen. `O(nKD)`.
//!
//! A separate query is classified with the same prototypes.

use super::softmax::{nearest, softmax};
use super::{Posterior, Transductive};
use trustpath::task::CheckedTask;
use trustpath::{Matrix, Result, Task};
use trustpath_path::linalg::geometry::{class_means, mean, product, unit_rows};
use trustpath_path::linalg::vector::{self, arg_max};

/// Sharpness `ε` of the weights and of the resulting probabilities.
pub(super) const EPSILON: f64 = 10.0;

#[derive(Debug)]
pub(super) struct BdCspn;

impl Transductive for BdCspn {
    fn label(&self, task: &Task<'_>) -> Result<Posterior> {
        let task = CheckedTask::new(task)?;
        let mut prototypes = rectified(&task, EPSILON);
        // Between unit vectors the nearest is the one at the smallest angle.
        unit_rows(&mut prototypes);
        let x = task.instances.unit();
        Ok(Posterior::of(&task, |rows| nearest(x, rows, &prototypes, EPSILON)))
    }
}

/// The rectified prototypes.
pub(super) fn rectified(task: &CheckedTask<'_>, epsilon: f64) -> Matrix {
    let unit = task.instances.unit();
    let means = class_means(unit, task.labels, task.classes);
    if task.unlabeled.is_empty() {
        return means;
    }
    let mut shift = mean(unit, 0..task.labelled);
    vector::add_scaled(&mut shift, -1.0, &mean(unit, task.labelled..task.pool));
    let dims = unit.cols();
    let mut x = Matrix::zeros(task.pool, dims);
    x.as_mut_slice().copy_from_slice(&unit.as_slice()[..task.pool * dims]);
    for i in task.labelled..task.pool {
        vector::add_scaled(x.row_mut(i), 1.0, &shift);
    }

    let mut directions = means.clone();
    unit_rows(&mut directions);
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
            // No instance is nearest to a class whose mean is near the origin; the class keeps its mean.
            rectified.row_mut(k).copy_from_slice(means.row(k));
        }
    }
    rectified
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::pool;

    #[test]
    fn prototypes_move_towards_the_centres_of_their_clusters() {
        let pool = pool(1, &[20; 3], 0.5);
        let task = pool.checked();
        let x = task.instances.unit();
        let distance_to_centres = |prototypes: &Matrix| -> f64 {
            (0..3)
                .map(|k| {
                    let mut centre = mean(x, 3 + 20 * k..3 + 20 * (k + 1));
                    vector::add_scaled(&mut centre, -1.0, prototypes.row(k));
                    vector::norm(&centre)
                })
                .sum()
        };
        let before = distance_to_centres(&class_means(x, task.labels, 3));
        // Sharp weights are close to one, so that the weighted mean is no shorter.
        assert!(distance_to_centres(&rectified(&task, 50.0)) < 0.5 * before);
    }
}
