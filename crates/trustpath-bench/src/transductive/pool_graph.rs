//! The graph of nearest neighbours that graph methods share, and a solver for linear systems on it.
//!
//! Row `i` has weights `aᵢⱼ` to its `k` nearest rows of the pool; the graph is `W = ½ (A + Aᵀ)`, without a diagonal. It is
//! sparse: `O(nk)` numbers, found block by block, so that pools of many thousand rows are possible.
//!
//! A row outside the pool is not part of the graph. It gets the mean of a function over its `k` nearest rows,
//! weighted by `aᵢⱼ`.

use std::ops::Range;

use super::softmax::normalise;
use trustpath::Matrix;
use trustpath::neighbors::{nearest_among, squared_difference};
use trustpath::task::CheckedTask;
use trustpath_path::linalg::sparse::Csr;
use trustpath_path::linalg::vector;

/// A squared distance between vectors of unit length below this is rounding.
const SAME: f64 = 1e-20;

/// `exp(−4 d²/d_k²)`, where `d_k` is the distance to the last of the neighbours: the weights of Calder et al. (2020).
pub(super) fn self_tuned(squared: &[f64]) -> Vec<f64> {
    let furthest = squared.last().copied().unwrap_or(0.0);
    let weight = |d: &f64| if furthest > SAME { (-4.0 * d / furthest).exp() } else { 1.0 };
    squared.iter().map(weight).collect()
}

/// The third power of the cosine, if it is positive: the weights of Lazarou et al. (2021).
pub(super) fn cubed_cosine(squared: &[f64]) -> Vec<f64> {
    squared.iter().map(|d| (1.0 - 0.5 * d).max(0.0).powi(3)).collect()
}

/// Each row's nearest rows of the pool, with weights.
pub(super) struct PoolGraph {
    /// Of every row, the rows of the query included.
    near: Vec<Vec<(usize, f64)>>,
    /// `W`.
    pub weights: Csr,
    /// Row sums of `W`.
    pub degrees: Vec<f64>,
}

impl PoolGraph {
    /// The graph of `k` neighbours, or of all others in a small pool; `weigh` turns the squared distances of a row's
    /// neighbours, in ascending order, into weights.
    pub fn new(task: &CheckedTask<'_>, k: usize, weigh: impl Fn(&[f64]) -> Vec<f64>) -> Self {
        let x = task.instances.unit();
        let members: Vec<usize> = (0..task.pool).collect();
        let nearest = nearest_among(x, &members, k.min(task.pool.saturating_sub(1)).max(1));
        let near = |i: usize| {
            let squared = |j: usize| squared_difference(x.row(i), x.row(j));
            let squared: Vec<f64> = nearest.indices(i).map(squared).collect();
            nearest.indices(i).zip(weigh(&squared)).collect()
        };
        let near: Vec<Vec<(usize, f64)>> = (0..x.rows()).map(near).collect();
        let (weights, degrees) = symmetric(&near[..task.pool]);
        Self { near, weights, degrees }
    }

    /// The mean of `f` over the nearest rows of each of these rows, as probabilities.
    pub fn mean_over_nearest(&self, f: &Matrix, rows: Range<usize>) -> Matrix {
        let mut mean = Matrix::zeros(rows.len(), f.cols());
        for (i, row) in rows.enumerate() {
            let all: f64 = self.near[row].iter().map(|(_, weight)| weight).sum();
            for &(j, weight) in self.near[row].iter().filter(|_| all > 0.0) {
                vector::add_scaled(mean.row_mut(i), weight / all, f.row(j));
            }
        }
        normalise(&mut mean);
        mean
    }

    /// `D^(−½) W D^(−½)`, where `D` are the degrees.
    pub fn normalised(&self) -> Csr {
        let root: Vec<f64> = self.degrees.iter().map(|d| if *d > 0.0 { 1.0 / d.sqrt() } else { 0.0 }).collect();
        let mut normalised = Csr::new(self.degrees.len());
        for (i, root_i) in root.iter().enumerate() {
            let (columns, values) = self.weights.row(i);
            let scaled = |(j, w): (&u32, &f64)| (*j as usize, root_i * w * root[*j as usize]);
            normalised.push_row(columns.iter().zip(values).map(scaled));
        }
        normalised
    }
}

/// `½ (A + Aᵀ)` with the columns of a row in ascending order, and its row sums.
fn symmetric(near: &[Vec<(usize, f64)>]) -> (Csr, Vec<f64>) {
    let mut rows: Vec<Vec<(usize, f64)>> = vec![Vec::new(); near.len()];
    for (i, near) in near.iter().enumerate() {
        for &(j, weight) in near {
            rows[i].push((j, 0.5 * weight));
            rows[j].push((i, 0.5 * weight));
        }
    }
    let mut weights = Csr::new(near.len());
    let mut degrees = Vec::with_capacity(near.len());
    for row in &mut rows {
        row.sort_by_key(|&(j, _)| j);
        row.dedup_by(|from, into| {
            let same = from.0 == into.0;
            into.1 += if same { from.1 } else { 0.0 };
            same
        });
        degrees.push(row.iter().map(|(_, weight)| weight).sum());
        weights.push_row(row.iter().copied());
    }
    (weights, degrees)
}

/// Solves `(I − s S) X = B` for a symmetric `S` with eigenvalues of at most one, column by column at once, by conjugate gradients
/// until no residual exceeds `tolerance` times its right-hand side. A column that is zero stays zero, so that a part of
/// the graph on which `I − S` is singular but nothing is given does no harm.
pub(super) fn solve(s: &Csr, factor: f64, b: &Matrix, tolerance: f64, steps: usize) -> Matrix {
    let (n, m) = (b.rows(), b.cols());
    let squares = |a: &Matrix, b: &Matrix| {
        let mut sums = vec![0.0; m];
        for (a, b) in a.iter_rows().zip(b.iter_rows()) {
            sums.iter_mut().zip(a.iter().zip(b)).for_each(|(sum, (a, b))| *sum += a * b);
        }
        sums
    };
    let (mut x, mut r, mut p) = (Matrix::zeros(n, m), b.clone(), b.clone());
    let mut product = Matrix::zeros(n, m);
    let mut rr = squares(&r, &r);
    let small: Vec<f64> = rr.iter().map(|rr| rr * tolerance * tolerance).collect();
    for _ in 0..steps {
        if rr.iter().zip(&small).all(|(rr, small)| rr <= small) {
            break;
        }
        s.multiply(&p, &mut product);
        let of = product.as_mut_slice().iter_mut().zip(p.as_slice());
        of.for_each(|(product, p)| *product = p - factor * *product);
        let curvature = squares(&p, &product);
        let length = |k: usize| if rr[k] > small[k] { rr[k] / curvature[k] } else { 0.0 };
        let lengths: Vec<f64> = (0..m).map(length).collect();
        step(&mut x, &lengths, &p, 1.0);
        step(&mut r, &lengths, &product, -1.0);
        let next = squares(&r, &r);
        for i in 0..n {
            let pairs = p.row_mut(i).iter_mut().zip(r.row(i));
            for (k, (p, r)) in pairs.enumerate() {
                *p = r + if rr[k] > 0.0 { next[k] / rr[k] * *p } else { 0.0 };
            }
        }
        rr = next;
    }
    x
}

/// `Y ← Y + sign · X diag(lengths)`.
fn step(y: &mut Matrix, lengths: &[f64], x: &Matrix, sign: f64) {
    for i in 0..y.rows() {
        let entries = y.row_mut(i).iter_mut().zip(x.row(i)).zip(lengths);
        entries.for_each(|((y, x), length)| *y += sign * length * x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::pool;

    #[test]
    fn the_graph_is_symmetric_and_every_row_has_its_neighbours() {
        let pool = pool(2, &[9; 3], 0.8);
        let task = pool.checked();
        let graph = PoolGraph::new(&task, 4, self_tuned);
        assert_eq!(graph.weights.transpose(), graph.weights);
        for i in 0..task.pool {
            let (columns, values) = graph.weights.row(i);
            assert!(columns.len() >= 4 && columns.iter().all(|&j| j as usize != i));
            assert!(values.iter().all(|w| (0.5 * (-4.0f64).exp() - 1e-12..=1.0).contains(w)));
            assert!((values.iter().sum::<f64>() - graph.degrees[i]).abs() < 1e-12);
        }
    }

    #[test]
    fn the_solver_satisfies_its_equation_and_leaves_zeros_alone() {
        let pool = pool(2, &[9; 3], 0.8);
        let task = pool.checked();
        let s = PoolGraph::new(&task, 4, cubed_cosine).normalised();
        let b = Matrix::from_fn(33, 3, |i, k| if k == 2 { 0.0 } else { ((i + k) as f64).sin() });
        let x = solve(&s, 0.9, &b, 1e-12, 500);
        let mut spread = Matrix::zeros(33, 3);
        s.multiply(&x, &mut spread);
        for i in 0..33 {
            let left = (0..3).map(|k| (x[(i, k)] - 0.9 * spread[(i, k)] - b[(i, k)]).abs());
            assert!(left.fold(0.0, f64::max) < 1e-10);
        }
        assert!(x.iter_rows().all(|row| row[2] == 0.0));
    }

    #[test]
    fn weights_fall_with_the_distance_and_duplicates_have_weight_one() {
        assert_eq!(self_tuned(&[0.0, 0.0]), [1.0, 1.0]);
        let weights = self_tuned(&[0.0, 0.5, 1.0]);
        assert_eq!(weights[0], 1.0);
        assert!((weights[1] - (-2.0f64).exp()).abs() < 1e-15);
        assert!((weights[2] - (-4.0f64).exp()).abs() < 1e-15);
        assert_eq!(cubed_cosine(&[0.0, 1.0, 3.0]), [1.0, 0.125, 0.0]);
    }
}
