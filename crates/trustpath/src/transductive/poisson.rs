//! Poisson learning and Poisson MBO: Calder, Cook, Thorpe and Slepčev, "Poisson Learning: Graph Based Semi-Supervised
//! Learning At Very Low Label Rates" (2020).
//!
//! Labels are sources and sinks on the graph of the ten nearest neighbours with `wᵢⱼ = exp(−4 d²/d_k²)`
//! ([`super::pool_graph`]):
//!
//! ```text
//! (D − W) U = B,      bᵢ = yᵢ − ȳ for the labelled rows, zero for the others
//! ```
//!
//! solved as published by `U ← U + D^(−1)(B − (D − W) U)` from zero, at least 50 and at most 1000 times, until a random
//! walk from the labelled rows has mixed: `‖v − D1/Σd‖∞ ≤ 1/n`. The label is the largest entry. On a part of the graph where
//! sources and sinks do not cancel `U` keeps growing, in favour of the classes that have labels there.
//!
//! **Poisson MBO** continues from these labels with 20 rounds of a graph cut under class sizes: 40 steps of the
//! heat equation with the same sources, `U ← U − dt ((D − W) U − μB)` with `dt = 1/max d` and `μ = 1`; then each row takes the
//! class with the largest `s_k u_k`, where the prices `s` are the best of 100 steps `t` of `s ← s + 10/t (share wanted − share
//! found)`, kept between ½ and 2. (The authors have steps of 10 and take the last. One row is a large share of a pool of a few
//! dozen, and steps of 10 jump between the bounds there. Their library has no bounds today, but steps of 0.1 until shares are
//! within 10⁻³.) The authors give it the true class sizes; a pool comes without them, so
//! that all classes are assumed to be equally frequent. The bounds of `s` leave some imbalance.
//!
//! `O(nK)` per step after `O(n²D)` for the neighbours. Probabilities are `u − min u`, divided by their sum (the authors rank by
//! `u − min u` too), for MBO the last state of the heat equation times `s`.

use super::pool_graph::{PoolGraph, self_tuned};
use super::softmax::normalise;
use super::{Posterior, Transductive, positive, require};
use crate::linalg::sparse::Factors;
use crate::linalg::vector;
use crate::task::{CheckedTask, arg_max};
use crate::{Matrix, Result, Task};

/// The bounds and the step of the prices.
const PRICES: (f64, f64) = (0.5, 2.0);
const PRICE_STEP: f64 = 10.0;
const PRICE_STEPS: usize = 100;

/// Parameters of Poisson learning and Poisson MBO.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PoissonParams {
    /// Neighbours of each row (10).
    pub neighbors: usize,
    /// The minimum and maximum number of iterations (50 and 1000).
    pub iterations: (usize, usize),
    /// Rounds of MBO and heat steps in each (20 and 40); `None` for Poisson learning.
    pub mbo: Option<(usize, usize)>,
    /// Weight `μ` of the sources in the heat equation (1).
    pub fidelity: f64,
}

impl Default for PoissonParams {
    fn default() -> Self {
        Self { neighbors: 10, iterations: (50, 1000), mbo: None, fidelity: 1.0 }
    }
}

impl PoissonParams {
    /// Poisson MBO with the published parameters.
    pub fn mbo() -> Self {
        Self { mbo: Some((20, 40)), ..Self::default() }
    }
}

checked! {
    /// Poisson learning or Poisson MBO with checked parameters.
    PoissonParams => Poisson, |p| {
        require("neighbors", p.neighbors as f64, p.neighbors > 0, "at least one is needed")?;
        positive("fidelity", p.fidelity)
    }
}

impl Transductive for Poisson {
    fn name(&self) -> &'static str {
        if self.0.mbo.is_some() { "poisson-mbo" } else { "poisson-learning" }
    }

    fn label(&self, task: &Task<'_>) -> Result<Posterior> {
        let task = CheckedTask::new(task)?;
        let graph = PoolGraph::new(&task, self.0.neighbors, self_tuned);
        let source = source(&task);
        let mut f = self.flow(&task, &graph, &source);
        let lowest = f.as_slice().iter().copied().fold(f64::INFINITY, f64::min);
        f.as_mut_slice().iter_mut().for_each(|u| *u -= lowest);
        if let Some((rounds, steps)) = self.0.mbo {
            self.cut(&graph, &source, &mut f, rounds, steps);
        }
        normalise(&mut f);
        let own = f.as_slice()[task.labelled * task.classes..].to_vec();
        let unlabeled = Matrix::from_vec(task.unlabeled.len(), task.classes, own)?;
        Ok(Posterior::with_query(&task, unlabeled, |_, rows| graph.mean_over_nearest(&f, rows)))
    }
}

/// `B`: one-hot labels less their mean, and zero for the unlabeled rows.
fn source(task: &CheckedTask<'_>) -> Matrix {
    let mut mean = vec![0.0; task.classes];
    task.labels.iter().for_each(|&label| mean[label] += 1.0 / task.labelled as f64);
    let mut source = Matrix::zeros(task.pool, task.classes);
    for (i, &label) in task.labels.iter().enumerate() {
        source[(i, label)] = 1.0;
        vector::add_scaled(source.row_mut(i), -1.0, &mean);
    }
    source
}

impl Poisson {
    /// `U` after as many iterations as a random walk needs to mix.
    fn flow(&self, task: &CheckedTask<'_>, graph: &PoolGraph, source: &Matrix) -> Matrix {
        let n = task.pool;
        let inverse: Vec<f64> =
            graph.degrees.iter().map(|d| if *d > 0.0 { 1.0 / d } else { 0.0 }).collect();
        let all: f64 = graph.degrees.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        // The walk, a row vector: its weights go through W after division by the degrees.
        let start = 1.0 / task.labelled as f64;
        let mut walk = Matrix::from_fn(n, 1, |i, _| if i < task.labelled { start } else { 0.0 });
        let mut moved = walk.clone();
        let mut u = Matrix::zeros(n, task.classes);
        let mut next = u.clone();
        let (least, most) = self.0.iterations;
        for iteration in 0..most {
            let far = (0..n).map(|i| (walk[(i, 0)] - graph.degrees[i] / all).abs());
            if iteration >= least && far.fold(0.0, f64::max) <= 1.0 / n as f64 {
                break;
            }
            let factors = Factors { product: 1.0, own: 1.0, old: 0.0 };
            graph.weights.multiply(&u, factors, Some(source), &mut next);
            for (i, inverse) in inverse.iter().enumerate() {
                next.row_mut(i).iter_mut().for_each(|u| *u *= inverse);
                walk[(i, 0)] *= inverse;
            }
            graph.weights.multiply(&walk, Factors::PRODUCT, None, &mut moved);
            std::mem::swap(&mut u, &mut next);
            std::mem::swap(&mut walk, &mut moved);
        }
        u
    }

    /// Rounds of the heat equation and of thresholds under class sizes, from the labels of `f`.
    fn cut(&self, graph: &PoolGraph, source: &Matrix, f: &mut Matrix, rounds: usize, steps: usize) {
        let dt = 1.0 / graph.degrees.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let classes = f.cols();
        let mut prices = vec![1.0; classes];
        let mut next = f.clone();
        for _ in 0..rounds {
            for i in 0..f.rows() {
                let scores: Vec<f64> = f.row(i).iter().zip(&prices).map(|(u, s)| u * s).collect();
                let label = arg_max(&scores);
                f.row_mut(i).fill(0.0);
                f[(i, label)] = 1.0;
            }
            for _ in 0..steps {
                let factors = Factors { product: dt, own: dt * self.0.fidelity, old: 0.0 };
                graph.weights.multiply(f, factors, Some(source), &mut next);
                for (i, degree) in graph.degrees.iter().enumerate() {
                    vector::add_scaled(next.row_mut(i), 1.0 - dt * degree, f.row(i));
                }
                std::mem::swap(f, &mut next);
            }
            prices = balancing_prices(f);
        }
        // Sources and sinks may push a state slightly below zero.
        for i in 0..f.rows() {
            let row = f.row_mut(i).iter_mut().zip(&prices);
            row.for_each(|(u, price)| *u = price * u.max(0.0));
        }
    }
}

/// Prices under which the classes with the largest `s_k u_k` are about equally frequent.
fn balancing_prices(u: &Matrix) -> Vec<f64> {
    let (n, classes) = (u.rows() as f64, u.cols());
    let mut prices = vec![1.0; classes];
    let mut scores = vec![0.0; classes];
    let (mut best, mut least_off) = (prices.clone(), f64::INFINITY);
    for step in 1..=PRICE_STEPS {
        let mut shares = vec![0.0; classes];
        for row in u.iter_rows() {
            scores.iter_mut().zip(row.iter().zip(&prices)).for_each(|(s, (u, p))| *s = u * p);
            shares[arg_max(&scores)] += 1.0 / n;
        }
        let wanted = 1.0 / classes as f64;
        let off = shares.iter().map(|share| (share - wanted).abs()).fold(0.0, f64::max);
        if off < least_off {
            (least_off, best) = (off, prices.clone());
        }
        for (price, share) in prices.iter_mut().zip(&shares) {
            *price =
                (*price + PRICE_STEP / step as f64 * (wanted - share)).clamp(PRICES.0, PRICES.1);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::super::tests::pool;
    use super::*;

    #[test]
    fn enough_iterations_solve_the_poisson_equation() {
        let pool = pool(2, &[12, 7, 9], 2.5);
        let task = pool.checked();
        let graph = PoolGraph::new(&task, 8, self_tuned);
        let source = source(&task);
        let params = PoissonParams { iterations: (20_000, 20_000), ..Default::default() };
        let u = params.check().unwrap().flow(&task, &graph, &source);
        for i in 0..task.pool {
            let (columns, values) = graph.weights.row(i);
            for k in 0..3 {
                let near = columns.iter().zip(values).map(|(&j, w)| w * u[(j as usize, k)]);
                let laplacian = graph.degrees[i] * u[(i, k)] - near.sum::<f64>();
                assert!((laplacian - source[(i, k)]).abs() < 1e-8, "{i} {k}");
            }
        }
    }

    #[test]
    fn prices_make_classes_equally_frequent_within_their_bounds() {
        // Class 0 is slightly ahead everywhere, by a different margin in each row.
        let u = Matrix::from_fn(40, 2, |i, k| if k == 0 { 0.5 + 0.005 * i as f64 } else { 0.5 });
        let prices = balancing_prices(&u);
        let first = u.iter_rows().filter(|row| row[0] * prices[0] > row[1] * prices[1]).count();
        assert!((15..=25).contains(&first), "{first} {prices:?}");
        assert!(prices.iter().all(|p| (0.5..=2.0).contains(p)));
    }
}
