//! Prototypes that move towards the mean of what is assigned to them.
//!
//! ```text
//! repeat   p = assign(‖xᵢ − μₖ‖²)                         of every unlabeled i
//!          μₖ ← μₖ + step · (mean of class k − μₖ),       labelled instances counted once, unlabeled ones by pᵢₖ
//! ```
//!
//! With an assignment that minimises `Σᵢₖ pᵢₖ ‖xᵢ − μₖ‖² + (1/λ) Σ p log p` over some convex set, every half of a pass
//! lowers that sum (plus the squared distances of the labelled to their own prototypes), for any step up to two: the sum
//! is a quadratic in `μ`, and the step goes straight towards its least value.

use super::distance::{Distances, class_means, product};
use crate::Matrix;
use crate::linalg::vector;
use crate::task::CheckedTask;

/// How far and how often prototypes move.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moves {
    pub epochs: usize,
    pub step: f64,
}

/// Moves the prototypes of the labelled rows of `x`, and returns them with the last assignment of the unlabeled rows.
/// `assign` replaces squared distances by probabilities.
pub(crate) fn refine(
    x: &Matrix,
    task: &CheckedTask<'_>,
    moves: Moves,
    assign: &mut dyn FnMut(&mut Matrix),
) -> (Matrix, Matrix) {
    let mut prototypes = class_means(x, task.labels, task.classes);
    let p = refine_from(x, task, moves, &mut prototypes, assign);
    (prototypes, p)
}

/// The same from prototypes that are given.
pub(crate) fn refine_from(
    x: &Matrix,
    task: &CheckedTask<'_>,
    moves: Moves,
    prototypes: &mut Matrix,
    assign: &mut dyn FnMut(&mut Matrix),
) -> Matrix {
    let unlabeled = Distances::new(x, task.labelled..task.pool);
    let mut p = Matrix::zeros(unlabeled.len(), task.classes);
    if unlabeled.len() == 0 {
        return p;
    }
    let mut support = Matrix::zeros(task.classes, x.cols());
    let mut shots = vec![0.0; task.classes];
    for (i, &label) in task.labels.iter().enumerate() {
        shots[label] += 1.0;
        vector::add_scaled(support.row_mut(label), 1.0, x.row(i));
    }
    let mut sums = Matrix::zeros(task.classes, x.cols());
    for _ in 0..moves.epochs {
        unlabeled.to(prototypes, &mut p);
        assign(&mut p);
        product(&mut sums, p.view().transpose(), unlabeled.instances(), 1.0);
        for k in 0..task.classes {
            let count = shots[k] + p.iter_rows().map(|row| row[k]).sum::<f64>();
            let parts = sums.row(k).iter().zip(support.row(k));
            for (mu, (sum, labelled)) in prototypes.row_mut(k).iter_mut().zip(parts) {
                *mu += moves.step * ((sum + labelled) / count - *mu);
            }
        }
    }
    unlabeled.to(prototypes, &mut p);
    assign(&mut p);
    p
}
