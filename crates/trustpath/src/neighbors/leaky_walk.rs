//! A random walk on the similarity graph that stops where it meets a labelled point, and leaks out of the graph on its way.
//!
//! ```text
//! (D + κI − W) X = B   over the points without a label,    X = 0 at labelled ones
//! ```
//!
//! `κ` is the rate of the leak, the same everywhere. With `B = κ` the solution is the probability that the walk leaks before it
//! meets a label ([`absorption`](crate::trust)); with `Bᵢₖ` the weights of the edges from `i` to points of class `k`, it is the
//! probability that the first label it meets is of that class. The matrix is sparse and diagonally dominant: conjugate gradients need a
//! few dozen products with it, and solve for several columns at once.

use std::array::from_fn;

use rayon::prelude::*;

use super::SimilarityGraph;
use crate::linalg::simd;

/// Steps at most. The condition number is bounded by the largest degree over the leak, so some hundred are enough.
const STEPS: usize = 1000;
/// Points that are worked on and summed up together, so that sums do not depend on the number of threads.
const STRIP: usize = 4096;

/// The walk on one graph with some points labelled.
#[derive(Debug)]
pub(crate) struct LeakyWalk<'a> {
    graph: &'a SimilarityGraph,
    labelled: &'a [bool],
    leak: f64,
}

impl<'a> LeakyWalk<'a> {
    /// A walk whose leak is `leak` times the median degree.
    pub fn new(graph: &'a SimilarityGraph, labelled: &'a [bool], leak: f64) -> Self {
        let mut degrees = graph.degree().to_vec();
        degrees.sort_by(f64::total_cmp);
        let median = degrees.get(degrees.len() / 2).copied().filter(|d| *d > 0.0).unwrap_or(1.0);
        Self { graph, labelled, leak: leak * median }
    }

    /// `κ`.
    pub fn leak(&self) -> f64 {
        self.leak
    }

    /// Solves for `L` columns at once, from the start `x`, until the norm of the residual of each is at most `enough`. What
    /// `b` and `x` have at labelled points is not read.
    pub fn solve<const L: usize>(&self, b: &[[f64; L]], mut x: Vec<[f64; L]>, enough: [f64; L]) -> Vec<[f64; L]> {
        let n = self.graph.len();
        let labelled = (0..n).filter(|&i| self.labelled[i]);
        labelled.for_each(|i| x[i] = [0.0; L]);
        let mut product = vec![[0.0; L]; n];
        self.apply(&x, &mut product);
        let residual = |i: usize| if self.labelled[i] { [0.0; L] } else { from_fn(|k| b[i][k] - product[i][k]) };
        let mut residual: Vec<[f64; L]> = (0..n).map(residual).collect();
        let mut direction = vec![[0.0; L]; n];
        let mut z = vec![[0.0; L]; n];
        let mut rho = [0.0; L];
        for step in 0..STEPS {
            let norms = inner(&residual, &residual).map(f64::sqrt);
            if norms.iter().zip(&enough).all(|(norm, enough)| norm <= enough) {
                break;
            }
            let diagonal = |i: usize| self.graph.degree()[i] + self.leak;
            z.par_iter_mut().zip(&residual).enumerate().for_each(|(i, (z, r))| {
                let diagonal = diagonal(i);
                *z = r.map(|r| r / diagonal);
            });
            let next = inner(&residual, &z);
            let momentum: [f64; L] = from_fn(|k| if step > 0 { ratio(next[k], rho[k]) } else { 0.0 });
            direction.par_iter_mut().zip(&z).for_each(|(d, z)| {
                *d = from_fn(|k| z[k] + momentum[k] * d[k]);
            });
            rho = next;
            self.apply(&direction, &mut product);
            let curvature = inner(&direction, &product);
            let length: [f64; L] = from_fn(|k| ratio(rho[k], curvature[k]));
            x.par_iter_mut().zip(&direction).for_each(|(x, d)| {
                (0..L).for_each(|k| x[k] += length[k] * d[k]);
            });
            residual.par_iter_mut().zip(&product).for_each(|(r, p)| {
                (0..L).for_each(|k| r[k] -= length[k] * p[k]);
            });
        }
        x
    }

    /// The product with the matrix, zero at labelled points.
    fn apply<const L: usize>(&self, x: &[[f64; L]], product: &mut [[f64; L]]) {
        let strip = |(strip, product): (usize, &mut [[f64; L]])| {
            simd::dispatch(
                (self, x, strip * STRIP, product),
                #[inline(always)]
                |(walk, x, first, product)| {
                    for (at, product) in product.iter_mut().enumerate() {
                        let i = first + at;
                        if walk.labelled[i] {
                            *product = [0.0; L];
                            continue;
                        }
                        let mut around = [0.0; L];
                        for (j, w) in walk.graph.edges(i) {
                            (0..L).for_each(|k| around[k] += w * x[j][k]);
                        }
                        let diagonal = walk.graph.degree()[i] + walk.leak;
                        *product = from_fn(|k| diagonal * x[i][k] - around[k]);
                    }
                },
            );
        };
        product.par_chunks_mut(STRIP).enumerate().for_each(strip);
    }
}

/// `a / b`, and zero for a column that has converged to zero.
fn ratio(a: f64, b: f64) -> f64 {
    if b > 0.0 { a / b } else { 0.0 }
}

/// The inner products of the columns of `a` with those of `b`.
fn inner<const L: usize>(a: &[[f64; L]], b: &[[f64; L]]) -> [f64; L] {
    let of_strip = |(a, b): (&[[f64; L]], &[[f64; L]])| {
        let mut sum = [0.0; L];
        for (a, b) in a.iter().zip(b) {
            (0..L).for_each(|k| sum[k] += a[k] * b[k]);
        }
        sum
    };
    let strips = a.par_chunks(STRIP).zip(b.par_chunks(STRIP));
    let sums: Vec<[f64; L]> = strips.map(of_strip).collect();
    sums.iter().fold([0.0; L], |all, sum| from_fn(|k| all[k] + sum[k]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::neighbors::Neighbors;
    use crate::testing::clusters;

    #[test]
    fn columns_are_solved_together_as_each_alone() {
        let x = clusters(3, 20, 6, 0.8);
        let neighbors = Neighbors::of(&x, 60, 5).unwrap();
        let graph = SimilarityGraph::of(&neighbors, |i, k| neighbors.squared_distances(i)[k]);
        let labelled: Vec<bool> = (0..60).map(|i| i % 20 == 4).collect();
        let walk = LeakyWalk::new(&graph, &labelled, 0.1);
        // The last column has nothing to solve.
        let b: Vec<[f64; 3]> = (0..60).map(|i| [(i as f64).sin().abs(), (i % 7) as f64, 0.0]).collect();
        let together = walk.solve(&b, vec![[0.0; 3]; 60], [1e-9; 3]);
        for k in 0..3 {
            let own: Vec<[f64; 1]> = b.iter().map(|b| [b[k]]).collect();
            let alone = walk.solve(&own, vec![[0.0]; 60], [1e-9]);
            for i in 0..60 {
                assert!((together[i][k] - alone[i][0]).abs() < 1e-8, "{i} {k}");
                let around: f64 = graph.edges(i).map(|(j, w)| w * together[j][k]).sum();
                let left = (graph.degree()[i] + walk.leak()) * together[i][k] - around - b[i][k];
                assert!(if labelled[i] { together[i][k] == 0.0 } else { left.abs() < 1e-8 });
            }
        }
    }
}
