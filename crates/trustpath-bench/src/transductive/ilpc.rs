//! iLPC: Lazarou, Stathaki and Avrithis, "Iterative Label Cleaning for Transductive and Semi-Supervised Few-Shot Learning"
//! (2021).
//!
//! Until every row has a label:
//!
//! ```text
//! propagate   Z = (I − α D^(−½) W D^(−½))^(−1) Y,        W of the 15 nearest neighbours with weights cos³, α = 0.8
//! balance     P = rows of Z divided by their sums, to the power 3, scaled to rows of sum one and columns of the
//!             class sizes that are left of n/K
//! clean       labels = largest entries of P; a linear classifier is trained on all of them by gradient descent, starting from
//!             the class means; the three rows of every class with the least loss, averaged over training, keep their labels
//! ```
//!
//! The classifier takes 1000 steps of 0.1 with momentum 0.9 and weight decay 5·10⁻⁴. Its average loss is small for rows that it
//! learns early: those whose labels agree with others. A graph method with `O(n²)` per step up to 500 rows.
//!
//! The published settings are for 15 queries of each class, which takes five rounds. Here a round accepts a fifth of `n/K` of every
//! class if that is more than three, and beyond 500 rows training takes 100 steps: otherwise a pool of thousands
//! would take hours. The weights start without the random bias of the authors' code.
//!
//! Probabilities are the rows of `P` in the round in which a row got its label. A separate query gets the mean of the labels
//! of its 15 nearest rows, weighted by `cos³`.

use super::pool_graph::{PoolGraph, cubed_cosine, solve};
use super::softmax::{normalise, softmax};
use super::transport::Transport;
use super::{Posterior, Transductive};
use trustpath::task::CheckedTask;
use trustpath::{Matrix, Result, Task};
use trustpath_path::linalg::geometry::{class_means, product, unit_rows};
use trustpath_path::linalg::vector::arg_max;
use trustpath_path::linalg::{gram, vector};

/// Relative residual and number of steps of the propagation.
const TOLERANCE: f64 = 1e-10;
const STEPS: usize = 500;
/// The step, momentum and weight decay of the classifier.
const RATE: f64 = 0.1;
const MOMENTUM: f64 = 0.9;
const DECAY: f64 = 5e-4;
/// Rounds that accept all of a balanced pool.
const ROUNDS: usize = 5;
/// Up to this number of rows the classifier takes all its steps, beyond a tenth of them.
const SMALL: usize = 500;
/// A class that nothing was propagated to has this share of a row, so that it can get its part of the pool.
const LEAST: f64 = 1e-12;

/// Neighbours of each row.
const NEIGHBORS: usize = 15;
/// `α` of the propagation.
const ALPHA: f64 = 0.8;
/// The power that probabilities are raised to before they are balanced.
const POWER: f64 = 3.0;
/// Rows of each class that a round accepts, or a fifth of `n/K` if that is more.
const ACCEPTED: usize = 3;
/// Steps of the classifier.
const TRAINING_STEPS: usize = 1000;

#[derive(Debug)]
pub(super) struct Ilpc;

impl Transductive for Ilpc {
    fn label(&self, task: &Task<'_>) -> Result<Posterior> {
        let task = CheckedTask::new(task)?;
        let graph = PoolGraph::new(&task, NEIGHBORS, cubed_cosine);
        let (unlabeled, labels) = clean(&task, &graph);
        let labels = Matrix::one_hot(&labels, task.classes);
        Ok(Posterior::with_query(&task, unlabeled, |_, rows| graph.mean_over_nearest(&labels, rows)))
    }
}

/// The probabilities of the unlabeled rows, and the labels of the pool.
fn clean(task: &CheckedTask<'_>, graph: &PoolGraph) -> (Matrix, Vec<usize>) {
    let (n, classes) = (task.unlabeled.len(), task.classes);
    let accepted = ACCEPTED.max(n.div_ceil(ROUNDS * classes));
    let steps = if task.pool > SMALL { TRAINING_STEPS.div_ceil(10) } else { TRAINING_STEPS };
    let spread = graph.normalised();
    let mut posterior = Matrix::zeros(n, classes);
    let mut labels = task.labels.to_vec();
    labels.resize(task.pool, 0);
    let mut known: Vec<usize> = (0..task.labelled).collect();
    let mut open: Vec<usize> = task.unlabeled.clone();
    let mut left = vec![n as f64 / classes as f64; classes];
    while !open.is_empty() {
        let mut given = Matrix::zeros(task.pool, classes);
        known.iter().for_each(|&row| given[(row, labels[row])] = 1.0);
        let z = solve(&spread, ALPHA, &given, TOLERANCE, STEPS);
        let mut p = Matrix::zeros(open.len(), classes);
        for (i, &row) in open.iter().enumerate() {
            let values = z.row(row).iter().map(|z| z.max(0.0));
            p.row_mut(i).iter_mut().zip(values).for_each(|(p, z)| *p = z);
        }
        normalise(&mut p);
        balance(&mut p, &left);
        for (i, &row) in open.iter().enumerate() {
            labels[row] = arg_max(p.row(i));
            posterior.row_mut(row - task.labelled).copy_from_slice(p.row(i));
        }
        let losses = training_losses(task, &known, &open, &labels, steps);
        let mut order: Vec<usize> = (0..open.len()).collect();
        order.sort_by(|&a, &b| losses[a].total_cmp(&losses[b]));
        let mut taken = vec![0; classes];
        let mut keep = vec![false; open.len()];
        for at in order {
            let label = labels[open[at]];
            keep[at] = taken[label] < accepted;
            taken[label] += usize::from(keep[at]);
        }
        left.iter_mut().zip(&taken).for_each(|(left, taken)| *left -= *taken as f64);
        let rows = std::mem::take(&mut open);
        for (row, keep) in rows.into_iter().zip(keep) {
            if keep { known.push(row) } else { open.push(row) }
        }
    }
    (posterior, labels)
}

/// Probabilities to the power, scaled to what is left of each class; a class that has all its rows gets no more.
fn balance(p: &mut Matrix, left: &[f64]) {
    let wanted: Vec<f64> = left.iter().map(|left| left.max(0.0)).collect();
    let open: Vec<usize> = (0..left.len()).filter(|&k| wanted[k] > 0.0).collect();
    let cost = |p: f64| -POWER * p.max(LEAST).ln();
    let mut part = Matrix::from_fn(p.rows(), open.len(), |i, k| cost(p[(i, open[k])]));
    let shares: Vec<f64> = open.iter().map(|&k| wanted[k]).collect();
    Transport::new(1.0, p.rows(), open.len()).plan_with(&mut part, &shares);
    p.as_mut_slice().fill(0.0);
    for i in 0..p.rows() {
        open.iter().enumerate().for_each(|(at, &k)| p[(i, k)] = part[(i, at)]);
    }
}

/// The loss of each open row under a linear classifier that is trained on the labels of all rows, averaged over the steps.
///
/// The weights are `Xᵀ C`: gradient descent with momentum and decay stays in the span of the rows, and only `C` and the Gram matrix
/// `XXᵀ` are needed, where that is smaller than the rows themselves.
fn training_losses(
    task: &CheckedTask<'_>,
    known: &[usize],
    open: &[usize],
    labels: &[usize],
    steps: usize,
) -> Vec<f64> {
    let unit = task.instances.unit();
    let rows: Vec<usize> = known.iter().chain(open).copied().collect();
    let (n, classes) = (rows.len(), task.classes);
    let x = Matrix::from_fn(n, unit.cols(), |i, j| unit[(rows[i], j)]);
    let truth: Vec<usize> = rows.iter().map(|&row| labels[row]).collect();
    let mut start = class_means(&x, &truth[..known.len()], classes);
    unit_rows(&mut start);
    let mut scores = Matrix::zeros(n, classes);
    product(&mut scores, x.view(), start.view().transpose(), 1.0);
    let products = (n <= x.cols()).then(|| gram(&x));

    // Scores are start · (1 − decay …) + X Xᵀ C + bias; the start shrinks by the decay like everything else.
    let mut share = (1.0, 0.0);
    let mut c = (Matrix::zeros(n, classes), Matrix::zeros(n, classes));
    let mut bias = (vec![0.0; classes], vec![0.0; classes]);
    let base = scores.clone();
    let mut weights = Matrix::zeros(unit.cols(), classes);
    let mut losses = vec![0.0; n];
    for _ in 0..steps {
        let mut p = scores.clone();
        softmax(&mut p);
        for (i, &y) in truth.iter().enumerate() {
            losses[i] -= p[(i, y)].max(f64::MIN_POSITIVE).ln() / steps as f64;
            p[(i, y)] -= 1.0;
        }
        let mut slope = vec![0.0; classes];
        p.iter_rows().for_each(|row| vector::add_scaled(&mut slope, 1.0 / n as f64, row));
        share.1 = MOMENTUM * share.1 + DECAY * share.0;
        share.0 -= RATE * share.1;
        let entries = c.0.as_mut_slice().iter_mut().zip(c.1.as_mut_slice()).zip(p.as_slice());
        for ((c, speed), p) in entries {
            *speed = MOMENTUM * *speed + p / n as f64 + DECAY * *c;
            *c -= RATE * *speed;
        }
        for ((b, speed), slope) in bias.0.iter_mut().zip(&mut bias.1).zip(&slope) {
            *speed = MOMENTUM * *speed + slope + DECAY * *b;
            *b -= RATE * *speed;
        }
        match &products {
            Some(gram) => product(&mut scores, gram.view(), c.0.view(), 1.0),
            None => {
                product(&mut weights, x.view().transpose(), c.0.view(), 1.0);
                product(&mut scores, x.view(), weights.view(), 1.0);
            }
        }
        for i in 0..n {
            vector::add_scaled(scores.row_mut(i), share.0, base.row(i));
            vector::add_scaled(scores.row_mut(i), 1.0, &bias.0);
        }
    }
    losses.split_off(known.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::pool;

    #[test]
    fn a_wrong_label_has_the_largest_loss() {
        let pool = pool(2, &[8; 3], 0.6);
        let task = pool.checked();
        let known: Vec<usize> = (0..6).collect();
        let open: Vec<usize> = (6..30).collect();
        let mut labels = [&pool.labels[..], &pool.truth].concat();
        labels[10] = 2;
        let losses = training_losses(&task, &known, &open, &labels, 300);
        let worst = (0..24).max_by(|&a, &b| losses[a].total_cmp(&losses[b]));
        assert_eq!(worst, Some(4), "{losses:?}");
    }

    /// The same descent on the weights themselves.
    #[test]
    fn losses_are_those_of_descent_on_the_weights() {
        let pool = pool(1, &[5; 3], 0.9);
        let task = pool.checked();
        let (known, open): (Vec<usize>, Vec<usize>) = ((0..3).collect(), (3..18).collect());
        let labels = [&pool.labels[..], &pool.truth].concat();
        let losses = training_losses(&task, &known, &open, &labels, 40);
        let x = task.instances.unit();
        let dims = x.cols();
        let mut w = class_means(x, task.labels, 3);
        let mut speed = Matrix::zeros(3, dims);
        let (mut b, mut b_speed) = ([0.0; 3], [0.0; 3]);
        let mut expected = [0.0; 18];
        for _ in 0..40 {
            let mut p = Matrix::from_fn(18, 3, |i, k| vector::dot(x.row(i), w.row(k)) + b[k]);
            softmax(&mut p);
            for i in 0..18 {
                expected[i] -= p[(i, labels[i])].ln() / 40.0;
                p[(i, labels[i])] -= 1.0;
            }
            for k in 0..3 {
                for j in 0..dims {
                    let slope: f64 = (0..18).map(|i| p[(i, k)] * x[(i, j)] / 18.0).sum();
                    speed[(k, j)] = 0.9 * speed[(k, j)] + slope + 5e-4 * w[(k, j)];
                    w[(k, j)] -= 0.1 * speed[(k, j)];
                }
                let slope: f64 = (0..18).map(|i| p[(i, k)] / 18.0).sum();
                b_speed[k] = 0.9 * b_speed[k] + slope + 5e-4 * b[k];
                b[k] -= 0.1 * b_speed[k];
            }
        }
        for (loss, expected) in losses.iter().zip(&expected[3..]) {
            assert!((loss - expected).abs() < 1e-10, "{loss} {expected}");
        }
    }
}
