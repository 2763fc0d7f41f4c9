//! Laplace learning: Zhu, Ghahramani and Lafferty, "Semi-Supervised Learning Using Gaussian Fields and Harmonic Functions"
//! (2003).
//!
//! ```text
//! min over U of   Σᵢⱼ wᵢⱼ ‖uᵢ − uⱼ‖²      with uᵢ one-hot for the labelled rows
//! ```
//!
//! on the graph of the ten nearest neighbours with `wᵢⱼ = exp(−4 d²/d_k²)`, as Calder et al. (2020) run it
//! ([`super::pool_graph`]). The solution is harmonic: `uᵢ` is the weighted mean of its neighbours, and `uᵢₖ` is the
//! probability that a random walk from `i` meets class `k` first. `(D − W)` restricted to the unlabeled rows is solved by
//! conjugate gradients, `O(nK)` per step after `O(n²D)` for the neighbours. A part of the graph without any label gets
//! uniform probabilities.
//!
//! With very few labels the harmonic function is nearly constant away from them, and its largest entry is often that of
//! one class for nearly all rows. Poisson learning was published as the remedy.

use super::pool_graph::{PoolGraph, self_tuned, solve};
use super::softmax::normalise;
use super::{Posterior, Transductive};
use trustpath::task::CheckedTask;
use trustpath::{Matrix, Result, Task};
use trustpath_path::linalg::sparse::Csr;

/// Relative residual at which the harmonic function is solved.
const TOLERANCE: f64 = 1e-10;
/// Maximum number of steps of the solver.
const STEPS: usize = 2000;

/// Neighbours of each row.
const NEIGHBORS: usize = 10;

#[derive(Debug)]
pub(super) struct Laplace;

impl Transductive for Laplace {
    fn label(&self, task: &Task<'_>) -> Result<Posterior> {
        let task = CheckedTask::new(task)?;
        let graph = PoolGraph::new(&task, NEIGHBORS, self_tuned);
        let f = harmonic(&task, &graph);
        let values = f.as_slice()[task.labelled * task.classes..].to_vec();
        let unlabeled = Matrix::from_vec(task.unlabeled.len(), task.classes, values)?;
        Ok(Posterior::with_query(&task, unlabeled, |_, rows| graph.mean_over_nearest(&f, rows)))
    }
}

/// The harmonic function of the pool, as probabilities.
fn harmonic(task: &CheckedTask<'_>, graph: &PoolGraph) -> Matrix {
    let (labelled, n) = (task.labelled, task.pool - task.labelled);
    let root = |i: usize| graph.degrees[i].max(f64::MIN_POSITIVE).sqrt();
    // With v = D^½ u: (I − S_uu) v = D^(−½) W_ul Y, where S = D^(−½) W D^(−½).
    let mut s = Csr::new(n);
    let mut given = Matrix::zeros(n, task.classes);
    for i in 0..n {
        let root_i = root(labelled + i);
        let (columns, values) = graph.weights.row(labelled + i);
        let entries = || columns.iter().map(|&j| j as usize).zip(values);
        for (j, w) in entries().filter(|(j, _)| *j < labelled) {
            given[(i, task.labels[j])] += w / root_i;
        }
        let open = entries().filter(|(j, _)| *j >= labelled);
        s.push_row(open.map(|(j, w)| (j - labelled, w / (root_i * root(j)))));
    }
    let v = solve(&s, 1.0, &given, TOLERANCE, STEPS);
    let mut f = Matrix::zeros(task.pool, task.classes);
    for (i, &label) in task.labels.iter().enumerate() {
        f[(i, label)] = 1.0;
    }
    for i in 0..n {
        let root = root(labelled + i);
        f.row_mut(labelled + i).iter_mut().zip(v.row(i)).for_each(|(to, v)| *to = (v / root).max(0.0));
    }
    normalise(&mut f);
    f
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::pool;

    #[test]
    fn every_unlabeled_row_is_the_weighted_mean_of_its_neighbours() {
        let pool = pool(2, &[12, 7, 9], 0.9);
        let task = pool.checked();
        let graph = PoolGraph::new(&task, 5, self_tuned);
        let f = harmonic(&task, &graph);
        for i in task.labelled..task.pool {
            let (columns, values) = graph.weights.row(i);
            for k in 0..3 {
                let near = columns.iter().zip(values).map(|(&j, w)| w * f[(j as usize, k)]);
                let mean = near.sum::<f64>() / graph.degrees[i];
                assert!((f[(i, k)] - mean).abs() < 1e-8, "{i} {k}: {} {mean}", f[(i, k)]);
            }
        }
    }
}
