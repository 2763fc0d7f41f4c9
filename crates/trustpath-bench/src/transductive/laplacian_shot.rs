//! LaplacianShot: Ziko, Dolz, Granger and Ben Ayed, "Laplacian Regularized Few-Shot Learning" (2020).
//!
//! ```text
//! min over P of   Σᵢₖ Pᵢₖ ‖xᵢ − μₖ‖² + Σᵢₖ Pᵢₖ log Pᵢₖ − ½ λ Σᵢⱼ wᵢⱼ pᵢᵀpⱼ,   rows of P in the simplex
//! ```
//!
//! with the rectified prototypes `μ` of BD-CSPN; `w` is one between an unlabeled instance and its two nearest neighbours
//! (the authors say three, as they count the instance itself). Each iteration minimises an upper bound of the objective:
//! `pᵢ ← softmax of −‖xᵢ − μ‖² + λ Σⱼ wᵢⱼ pⱼ`, at most 20 times. A graph method: `O(n²D)` for the neighbours, by the Gram
//! matrix.
//!
//! The authors tune `λ` on validation classes for every network and dataset, mostly to 0.7 at one shot and 0.3 at five.
//! Here `λ` is 0.7 below five shots and 0.3 from five shots on.
//!
//! A separate query gets the same softmax, with its two nearest unlabeled instances as neighbours.

use super::bd_cspn::{EPSILON, rectified};
use super::softmax::softmax;
use super::{Posterior, Transductive};
use trustpath::task::CheckedTask;
use trustpath::{Matrix, Result, Task};
use trustpath_path::linalg::geometry::{most_similar, scaled_distances};
use trustpath_path::linalg::vector;

/// Stop when the objective changes by less than this, relatively.
const UNCHANGED: f64 = 1e-6;

/// Neighbours of each instance, not counting itself.
const NEIGHBORS: usize = 2;
/// Maximum number of updates.
const UPDATES: usize = 20;

#[derive(Debug)]
pub(super) struct LaplacianShot;

impl Transductive for LaplacianShot {
    fn label(&self, task: &Task<'_>) -> Result<Posterior> {
        let task = CheckedTask::new(task)?;
        let lambda = if task.labelled < 5 * task.classes { 0.7 } else { 0.3 };
        let x = task.instances.unit();
        let prototypes = rectified(&task, EPSILON);
        let scores_of = |rows| scaled_distances(x, rows, &prototypes, -1.0);
        let near = |row: usize| {
            let similarities = &task.instances.gram().row(row)[task.labelled..task.pool];
            most_similar(similarities, row - task.labelled, NEIGHBORS)
        };

        let scores = scores_of(task.labelled..task.pool);
        let graph: Vec<Vec<usize>> = task.unlabeled.iter().map(|&row| near(row)).collect();
        let unlabeled = smooth(&scores, &graph, lambda, UPDATES);
        Ok(Posterior::with_query(&task, unlabeled, |unlabeled, rows| {
            let mut p = scores_of(rows);
            for (i, &row) in task.query.iter().enumerate() {
                for j in near(row) {
                    vector::add_scaled(p.row_mut(i), lambda, unlabeled.row(j));
                }
            }
            softmax(&mut p);
            p
        }))
    }
}

/// Probabilities that fit the scores and are alike between neighbours.
fn smooth(scores: &Matrix, graph: &[Vec<usize>], lambda: f64, updates: usize) -> Matrix {
    let mut p = scores.clone();
    softmax(&mut p);
    let mut next = Matrix::zeros(p.rows(), p.cols());
    let mut before = f64::INFINITY;
    for update in 0..updates {
        next.as_mut_slice().copy_from_slice(scores.as_slice());
        for (i, near) in graph.iter().enumerate() {
            for &j in near {
                vector::add_scaled(next.row_mut(i), lambda, p.row(j));
            }
        }
        softmax(&mut next);
        std::mem::swap(&mut p, &mut next);
        let objective = objective(scores, graph, lambda, &p);
        // The objective may stay flat in the first updates.
        if update > 1 && (objective - before).abs() <= UNCHANGED * before.abs() {
            break;
        }
        before = objective;
    }
    p
}

fn objective(scores: &Matrix, graph: &[Vec<usize>], lambda: f64, p: &Matrix) -> f64 {
    let mut sum = 0.0;
    for (i, near) in graph.iter().enumerate() {
        let row = p.row(i);
        let entropy: f64 = row.iter().map(|p| p * p.max(f64::MIN_POSITIVE).ln()).sum();
        let together: f64 = near.iter().map(|&j| vector::dot(row, p.row(j))).sum();
        sum += entropy - vector::dot(row, scores.row(i)) - 0.5 * lambda * together;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_decide_an_uncertain_instance() {
        let scores = Matrix::from_vec(3, 2, vec![2.0, 0.0, 2.0, 0.0, 0.0, 0.1]).unwrap();
        let graph = [vec![1], vec![0], vec![0, 1]];
        let p = smooth(&scores, &graph, 1.0, 20);
        assert!(p[(2, 0)] > 0.5);
        assert!(smooth(&scores, &[vec![], vec![], vec![]], 1.0, 20)[(2, 0)] < 0.5);
    }

    /// Each update minimises an upper bound if the graph has no negative eigenvalues, as in cliques of three.
    #[test]
    fn the_objective_falls_where_the_graph_is_positive() {
        let scores = Matrix::from_fn(9, 3, |i, k| ((i * 3 + k * k) as f64).sin());
        let graph: Vec<Vec<usize>> = (0..9).map(|i| (i / 3 * 3..i / 3 * 3 + 3).collect()).collect();
        let value = |updates| objective(&scores, &graph, 0.7, &smooth(&scores, &graph, 0.7, updates));
        let values: Vec<f64> = (0..8).map(value).collect();
        assert!(values.windows(2).all(|w| w[1] <= w[0] + 1e-12), "{values:?}");
        assert!(values[7] < values[0]);
    }
}
