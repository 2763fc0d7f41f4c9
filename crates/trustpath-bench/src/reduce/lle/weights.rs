//! The weights by which LLE reconstructs each instance from its neighbours.

use rayon::prelude::*;

use crate::reduce::CLOSE;
use trustpath::neighbors::Neighbors;
use trustpath::{Instances, Matrix};

/// Regulariser of the local Gram matrices, relative to their trace.
const REG: f64 = 1e-3;

/// The weights of all instances, one row each.
pub(super) fn weights(instances: &Instances, graph: &Neighbors) -> Matrix {
    let mut weights = Matrix::zeros(graph.len(), graph.k());
    // Not in tasks smaller than an episode of the paper, where starting them would take longer than the work.
    let rows = weights.as_mut_slice().par_chunks_exact_mut(graph.k()).with_min_len(256);
    rows.enumerate().for_each_init(
        || LocalProblem::new(graph.k(), instances.dims()),
        |problem, (i, w)| problem.solve(instances, graph, i, w),
    );
    weights
}

/// Workspace for the weights of one instance.
struct LocalProblem {
    k: usize,
    gram: Vec<f64>,
    /// `xₐ − xᵢ`, for neighbours too close for the Gram matrix.
    differences: Matrix,
}

impl LocalProblem {
    fn new(k: usize, dims: usize) -> Self {
        Self { k, gram: vec![0.0; k * k], differences: Matrix::zeros(k, dims) }
    }

    /// Writes the weights of instance `i`.
    fn solve(&mut self, instances: &Instances, graph: &Neighbors, i: usize, weights: &mut [f64]) {
        let k = self.k;
        self.local_gram(instances, graph, i);
        let trace: f64 = (0..k).map(|a| self.gram[a * k + a]).sum();
        let ridge = if trace > 0.0 { REG * trace } else { REG };
        for a in 0..k {
            self.gram[a * k + a] += ridge;
        }
        cholesky(&mut self.gram, k);
        weights.fill(1.0);
        solve(&self.gram, weights);
        let total: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|w| *w /= total);
    }

    /// The lower triangle of `Cᵢ`.
    fn local_gram(&mut self, instances: &Instances, graph: &Neighbors, i: usize) {
        let k = self.k;
        let index: Vec<usize> = graph.indices(i).collect();
        // Inner products of differences between close instances cancel in the Gram matrix.
        if graph.squared_distances(i)[0] >= CLOSE {
            let gram = instances.gram();
            let to_i = gram.row(i);
            for (a, &ja) in index.iter().enumerate() {
                let to_a = gram.row(ja);
                for (b, &jb) in index[..=a].iter().enumerate() {
                    self.gram[a * k + b] = (to_a[jb] - to_i[ja]) + (to_i[i] - to_i[jb]);
                }
            }
        } else {
            let unit = instances.unit();
            for (a, &j) in index.iter().enumerate() {
                let points = unit.row(j).iter().zip(unit.row(i));
                let row = self.differences.row_mut(a);
                row.iter_mut().zip(points).for_each(|(to, (x, center))| *to = x - center);
            }
            for a in 0..k {
                for b in 0..=a {
                    let (row, other) = (self.differences.row(a), self.differences.row(b));
                    self.gram[a * k + b] = row.iter().zip(other).map(|(x, y)| x * y).sum();
                }
            }
        }
    }
}

/// `C = L Lᵀ` in place, in the lower triangle, with the inverse of the diagonal of `L` on the diagonal. The ridge keeps
/// every pivot positive. (Sums run along rows: `linalg::cholesky` adds in another order, which would change the last bits
/// of every embedding.)
fn cholesky(c: &mut [f64], k: usize) {
    for a in 0..k {
        let (above, row) = c.split_at_mut(a * k);
        for b in 0..a {
            let other = &above[b * k..b * k + k];
            let inner: f64 = row[..b].iter().zip(other).map(|(x, y)| x * y).sum();
            row[b] = (row[b] - inner) * other[b];
        }
        let square: f64 = row[..a].iter().map(|x| x * x).sum();
        row[a] = 1.0 / (row[a] - square).sqrt();
    }
}

/// `x ← (L Lᵀ)⁻¹ x`.
fn solve(l: &[f64], x: &mut [f64]) {
    let k = x.len();
    for a in 0..k {
        let row = &l[a * k..a * k + k];
        let inner: f64 = row[..a].iter().zip(&*x).map(|(l, x)| l * x).sum();
        x[a] = (x[a] - inner) * row[a];
    }
    for a in (0..k).rev() {
        let inner: f64 = (a + 1..k).map(|b| l[b * k + a] * x[b]).sum();
        x[a] = (x[a] - inner) * l[a * k + a];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduce::testing::{clusters, instances};

    #[test]
    fn weights_reconstruct_and_sum_to_one() {
        let x = clusters(1, 12, 4, 1.0);
        let graph = Neighbors::of(&x, 12, 5).unwrap();
        let all = weights(&x, &graph);
        let mut problem = LocalProblem::new(5, x.dims());
        for i in 0..12 {
            let w = all.row(i);
            assert!((w.iter().sum::<f64>() - 1.0).abs() < 1e-13);
            // (C + R I) w must be constant: the stationarity of the objective under Σw = 1.
            problem.local_gram(&x, &graph, i);
            let c = |a: usize, b: usize| problem.gram[a.max(b) * 5 + a.min(b)];
            let ridge = 1e-3 * (0..5).map(|a| c(a, a)).sum::<f64>();
            let gradient: Vec<f64> =
                (0..5).map(|a| ridge * w[a] + (0..5).map(|b| c(a, b) * w[b]).sum::<f64>()).collect();
            assert!(gradient.iter().all(|g| (g - gradient[0]).abs() < 1e-13));
        }
    }

    #[test]
    fn near_duplicates_get_the_weights_of_their_true_differences() {
        // Six points 1e-9 apart on a line through one of them: by the Gram matrix all differences would be noise.
        let at = [0.0, 1.0, -1.0, 2.0, -2.0, 3.0];
        let x = instances(6, 3, |i, j| [1.0, 1e-9 * at[i], 0.5][j]);
        let graph = Neighbors::of(&x, 6, 5).unwrap();
        let w = weights(&x, &graph);
        // The same problem, magnified, solved by hand: C = t tᵀ, so w ∝ 1 − t (Σt)/(R + Σt²).
        let t: Vec<f64> = graph.indices(0).map(|j| at[j]).collect();
        let (sum, squares): (f64, f64) = (t.iter().sum(), t.iter().map(|t| t * t).sum());
        let expected: Vec<f64> = t.iter().map(|t| 1.0 - t * sum / (1e-3 * squares + squares)).collect();
        let total: f64 = expected.iter().sum();
        for (w, expected) in w.row(0).iter().zip(&expected) {
            assert!((w - expected / total).abs() < 1e-6);
        }
    }
}
