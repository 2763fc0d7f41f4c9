//! Alternating updates of prototypes and posteriors: the loop that both branches share.
//!
//! A class is a prototype `μ_k` and a weight `w_k`,
//!
//! ```text
//! g_ik = exp(−λ ‖x_i − μ_k‖²),      p_ik = w_k g_ik / Σ_j w_j g_ij,      μ_k ← μ_k + s (c_k − μ_k),
//! ```
//!
//! where `c_k` is the mean of the rows, with labelled rows counted fully and unlabeled ones by `p_ik`. The branches differ
//! in how the weights follow from `g` ([`super::weights`]). With `directions`, the distance is to `μ_k/‖μ_k‖`: a mixture of
//! von Mises-Fisher distributions, in which a class of few instances is not penalised for the length of its mean. The step
//! `s < 1` and the small number of epochs are early stopping: only the support is certain, and prototypes should not move
//! far from it.
//!
//! `λ` is in units of `1/(1 − ‖x̄‖²)`, one over the spread of the pool about its mean.
//!
//! Rows are read in fixed blocks whose sums are added in order, so that the result is the same for any number of threads.
//! An epoch costs `O(n K D)`.

use std::ops::Range;

use rayon::prelude::*;

use crate::Matrix;
use crate::linalg::{simd, vector};
use crate::task::CheckedTask;
use crate::transductive::geometry::{class_sums, unit};

/// Rows per block.
const BLOCK: usize = 2048;

/// The mean squared distance of the pool's rows to their mean, `1 − ‖mean‖²` on the sphere.
fn spread(x: &Matrix, pool: usize) -> f64 {
    let mut mean = vec![0.0; x.cols()];
    x.iter_rows().take(pool).for_each(|row| vector::add_scaled(&mut mean, 1.0 / pool as f64, row));
    (1.0 - vector::dot(&mean, &mean)).max(1e-6)
}

/// How the loop runs.
#[derive(Clone, Copy)]
pub(super) struct Schedule {
    /// `λ` in the first epoch and in the last, in units of one over the spread of the pool.
    pub sharpness: [f64; 2],
    pub epochs: usize,
    pub step: f64,
    pub directions: bool,
}

/// Prototypes, weights, and the posterior of the unlabeled rows under them.
pub(super) struct Fit {
    centres: Centres,
    pub weights: Vec<f64>,
    pub posterior: Matrix,
}

impl Fit {
    /// The posterior of other rows.
    pub fn posterior_of(&self, x: &Matrix, rows: Range<usize>) -> Matrix {
        self.weighted(x, rows, &self.weights)
    }

    /// The marginal of the rows if all weights were equal.
    pub fn unweighted_marginal(&self, x: &Matrix, rows: Range<usize>) -> Vec<f64> {
        marginal(&self.weighted(x, rows, &vec![1.0; self.weights.len()]))
    }

    fn weighted(&self, x: &Matrix, rows: Range<usize>, weights: &[f64]) -> Matrix {
        let mut p = Matrix::zeros(rows.len(), weights.len());
        self.centres.likelihoods(x, rows, p.as_mut_slice());
        normalise(p.as_mut_slice(), weights);
        p
    }
}

/// The mean of the rows of a posterior.
pub(super) fn marginal(p: &Matrix) -> Vec<f64> {
    let mut sum = vec![0.0; p.cols()];
    p.iter_rows().for_each(|row| vector::add_scaled(&mut sum, 1.0, row));
    sum.iter_mut().for_each(|v| *v /= p.rows().max(1) as f64);
    sum
}

/// Fits the prototypes to the rows of `x`, from the support or from a posterior. `weigh(progress, g, w)` sets the weights;
/// the progress goes from 0 to 1.
pub(super) fn fit(
    task: &CheckedTask<'_>,
    x: &Matrix,
    start: Option<&Matrix>,
    schedule: &Schedule,
    mut weigh: impl FnMut(f64, &[f64], &mut [f64]),
) -> Fit {
    let (classes, rows) = (task.classes, task.labelled..task.pool);
    let mut means = Means::new(task, x);
    let mut posterior = start.cloned().unwrap_or_else(|| Matrix::zeros(rows.len(), classes));
    let mut prototypes = means.of(x, &posterior).clone();
    let mut weights = vec![1.0; classes];
    let mut g = vec![0.0; rows.len() * classes];
    let mut centres =
        Centres { points: prototypes.clone(), offsets: vec![0.0; classes], sharpness: 0.0 };
    let spread = spread(x, task.pool);
    let [from, to] = schedule.sharpness.map(|sharpness| sharpness / spread);
    for epoch in 0..=schedule.epochs {
        let progress = (epoch as f64 / (schedule.epochs.max(2) - 1) as f64).min(1.0);
        centres.place(&prototypes, from + (to - from) * progress, schedule.directions);
        centres.likelihoods(x, rows.clone(), &mut g);
        weigh(progress, &g, &mut weights);
        posterior.as_mut_slice().copy_from_slice(&g);
        normalise(posterior.as_mut_slice(), &weights);
        if epoch < schedule.epochs {
            let target = means.of(x, &posterior);
            for (mu, c) in prototypes.as_mut_slice().iter_mut().zip(target.as_slice()) {
                *mu += schedule.step * (c - *mu);
            }
        }
    }
    Fit { centres, weights, posterior }
}

/// Prototypes in the form that distances need: `−λ‖x − c‖² = 2λ x·c − λ‖c‖² + (the same for all classes)`.
struct Centres {
    points: Matrix,
    offsets: Vec<f64>,
    sharpness: f64,
}

impl Centres {
    fn place(&mut self, prototypes: &Matrix, sharpness: f64, directions: bool) {
        self.sharpness = sharpness;
        self.points.as_mut_slice().copy_from_slice(prototypes.as_slice());
        for (k, offset) in self.offsets.iter_mut().enumerate() {
            let point = self.points.row_mut(k);
            if directions {
                unit(point);
            }
            *offset = vector::dot(point, point);
        }
    }

    /// `g_ik`, each row scaled so that its largest is one.
    fn likelihoods(&self, x: &Matrix, rows: Range<usize>, g: &mut [f64]) {
        let classes = self.offsets.len();
        let block = |(b, g): (usize, &mut [f64])| {
            simd::dispatch(
                g,
                #[inline(always)]
                |g| {
                    for (i, g) in (rows.start + b * BLOCK..).zip(g.chunks_exact_mut(classes)) {
                        let mut top = f64::NEG_INFINITY;
                        for ((g, c), offset) in
                            g.iter_mut().zip(self.points.iter_rows()).zip(&self.offsets)
                        {
                            *g = self.sharpness * (2.0 * vector::dot(x.row(i), c) - offset);
                            top = top.max(*g);
                        }
                        g.iter_mut().for_each(|g| *g = (*g - top).exp());
                    }
                },
            );
        };
        in_blocks(g, BLOCK * classes, block);
    }
}

/// Runs block by block, in parallel where there are several blocks.
fn in_blocks<T: Send>(data: &mut [T], size: usize, work: impl Fn((usize, &mut [T])) + Send + Sync) {
    if data.len() <= size {
        work((0, data));
    } else {
        data.par_chunks_mut(size).enumerate().for_each(work);
    }
}

/// `p_ik ← w_k p_ik / Σ_j w_j p_ij`.
fn normalise(p: &mut [f64], weights: &[f64]) {
    for row in p.chunks_exact_mut(weights.len()) {
        row.iter_mut().zip(weights).for_each(|(p, w)| *p *= w);
        let sum: f64 = row.iter().sum();
        row.iter_mut().for_each(|p| *p /= sum);
    }
}

/// Class means, and the work space for them.
struct Means {
    labelled: usize,
    support: Matrix,
    counts: Vec<f64>,
    partial: Vec<Matrix>,
    mean: Matrix,
}

impl Means {
    fn new(task: &CheckedTask<'_>, x: &Matrix) -> Self {
        let (support, counts) = class_sums(x, task.labels, task.classes);
        let partial = vec![support.clone(); task.unlabeled.len().div_ceil(BLOCK)];
        Self { labelled: task.labelled, mean: support.clone(), support, counts, partial }
    }

    /// `c_k = (Σ labelled x_i + Σ p_ik x_i) / (their number)`.
    fn of(&mut self, x: &Matrix, posterior: &Matrix) -> &Matrix {
        let (classes, labelled) = (posterior.cols(), self.labelled);
        in_blocks(&mut self.partial, 1, |(b, block)| {
            let Some(sums) = block.first_mut() else { return };
            let from = b * BLOCK;
            let p = &posterior.as_slice()[from * classes..];
            simd::dispatch(
                sums,
                #[inline(always)]
                |sums| {
                    sums.as_mut_slice().fill(0.0);
                    for (i, p) in p.chunks_exact(classes).take(BLOCK).enumerate() {
                        for (k, p) in p.iter().enumerate() {
                            vector::add_scaled(sums.row_mut(k), *p, x.row(labelled + from + i));
                        }
                    }
                },
            );
        });
        self.mean.as_mut_slice().copy_from_slice(self.support.as_slice());
        for sums in &self.partial {
            vector::add_scaled(self.mean.as_mut_slice(), 1.0, sums.as_slice());
        }
        for (k, count) in self.counts.iter().enumerate() {
            let count = count + (0..posterior.rows()).map(|i| posterior[(i, k)]).sum::<f64>();
            self.mean.row_mut(k).iter_mut().for_each(|v| *v /= count);
        }
        &self.mean
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Features, Instances, Task};

    fn points(n: usize) -> Instances {
        let value = |i: usize, j: usize| {
            let lean = if j == i % 2 { 1.0 } else { 0.1 };
            lean + 0.3 * ((i * 7 + j * 3) as f64).sin()
        };
        let values: Vec<f64> = (0..n * 3).map(|at| value(at / 3, at % 3)).collect();
        Features::new(&values[..], n, 3).unwrap().normalize().unwrap()
    }

    fn task(instances: &Instances, unlabeled: usize) -> CheckedTask<'_> {
        let task = Task { instances, labels: &[0, 1], unlabeled, classes: 2, truth: None };
        CheckedTask::new(&task).unwrap()
    }

    const SCHEDULE: Schedule =
        Schedule { sharpness: [5.0, 10.0], epochs: 8, step: 0.3, directions: true };

    #[test]
    fn sums_over_blocks_equal_sums_over_all_rows() {
        // More than two blocks.
        let n = 2 * BLOCK + 100;
        let instances = points(n + 2);
        let x = instances.unit();
        let task = task(&instances, n);
        let posterior = Matrix::from_fn(n, 2, |i, k| if i % 3 == k { 0.75 } else { 0.25 });
        let mut means = Means::new(&task, x);
        let mean = means.of(x, &posterior);
        for k in 0..2 {
            let count: f64 = 1.0 + (0..n).map(|i| posterior[(i, k)]).sum::<f64>();
            for j in 0..3 {
                let sum: f64 = (0..n).map(|i| posterior[(i, k)] * x[(i + 2, j)]).sum::<f64>();
                assert!((mean[(k, j)] - (sum + x[(k, j)]) / count).abs() < 1e-12);
            }
        }
        let fit = fit(&task, x, None, &SCHEDULE, |_, _, w| w.fill(1.0));
        assert!((0..n).all(|i| fit.posterior[(i, i % 2)] > 0.5));
    }

    #[test]
    fn posteriors_are_probabilities_and_other_rows_get_the_same() {
        let instances = points(12);
        let x = instances.unit();
        let task = task(&instances, 6);
        for directions in [true, false] {
            let schedule = Schedule { directions, ..SCHEDULE };
            let fit = fit(&task, x, None, &schedule, |_, _, w| w.copy_from_slice(&[0.7, 0.3]));
            assert_eq!(fit.posterior_of(x, 2..8), fit.posterior);
            for row in fit.posterior_of(x, 8..12).iter_rows() {
                assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            }
        }
    }
}
