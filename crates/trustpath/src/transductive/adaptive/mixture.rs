//! Prototypes and posteriors in turn: the loop that both branches share.
//!
//! A class is a prototype `μ_k` and a weight `w_k`,
//!
//! ```text
//! g_ik = exp(−λ ‖x_i − μ_k‖²),      p_ik = w_k g_ik / Σ_j w_j g_ij,      μ_k ← μ_k + s (c_k − μ_k),
//! ```
//!
//! where `c_k` is the mean of the rows, labelled ones counted fully and unlabeled ones by `p_ik`. What differs between the
//! branches is how the weights follow from `g`. With `directions`, the distance is to `μ_k/‖μ_k‖`: a mixture of von
//! Mises-Fisher distributions, in which a class of few instances is not set back for the length of its mean. The step
//! `s < 1` and the few epochs are early stopping: the support is the only sure thing here, and prototypes are not to
//! wander far from it.
//!
//! Distances have no scale of their own: `λ` is in units of `1/(1 − ‖x̄‖²)`, one over the spread of the pool about its mean.
//!
//! Rows are read in fixed strips whose sums are added in order, so that the result is the same for any number of threads.
//! An epoch costs `O(n K D)`.

use std::ops::Range;

use rayon::prelude::*;

use super::unit;
use crate::Matrix;
use crate::linalg::{simd, vector};

/// Rows a strip.
const STRIP: usize = 2048;

/// What is fitted to: all rows, of which the first are labelled and the next unlabeled.
#[derive(Clone, Copy)]
pub(super) struct Pool<'a> {
    pub x: &'a Matrix,
    pub labels: &'a [usize],
    pub unlabeled: usize,
    pub classes: usize,
}

impl Pool<'_> {
    /// The mean squared distance of the pool's rows to their mean, `1 − ‖mean‖²` on the sphere.
    fn spread(&self) -> f64 {
        let n = self.labels.len() + self.unlabeled;
        let mut mean = vec![0.0; self.x.cols()];
        self.x
            .iter_rows()
            .take(n)
            .for_each(|row| vector::add_scaled(&mut mean, 1.0 / n as f64, row));
        (1.0 - vector::dot(&mean, &mean)).max(1e-6)
    }

    pub fn unlabeled_rows(&self) -> Range<usize> {
        self.labels.len()..self.labels.len() + self.unlabeled
    }
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

/// Fits the prototypes, from the support or from a posterior. `weigh(progress, g, w)` sets the weights; the progress
/// goes from 0 to 1.
pub(super) fn fit(
    pool: &Pool<'_>,
    start: Option<&Matrix>,
    schedule: &Schedule,
    mut weigh: impl FnMut(f64, &[f64], &mut [f64]),
) -> Fit {
    let (classes, dims) = (pool.classes, pool.x.cols());
    let rows = pool.unlabeled_rows();
    let mut means = Means::new(pool);
    let mut posterior = match start {
        Some(posterior) => posterior.clone(),
        None => Matrix::zeros(rows.len(), classes),
    };
    let mut prototypes = means.of(pool, &posterior).clone();
    let mut weights = vec![1.0; classes];
    let mut g = vec![0.0; rows.len() * classes];
    let mut centres = Centres {
        points: Matrix::zeros(classes, dims),
        offsets: vec![0.0; classes],
        sharpness: 0.0,
    };
    let spread = pool.spread();
    let [from, to] = schedule.sharpness.map(|sharpness| sharpness / spread);
    for epoch in 0..=schedule.epochs {
        let progress = (epoch as f64 / (schedule.epochs.max(2) - 1) as f64).min(1.0);
        centres.place(&prototypes, from + (to - from) * progress, schedule.directions);
        centres.likelihoods(pool.x, rows.clone(), &mut g);
        weigh(progress, &g, &mut weights);
        posterior.as_mut_slice().copy_from_slice(&g);
        normalise(posterior.as_mut_slice(), &weights);
        if epoch < schedule.epochs {
            let target = means.of(pool, &posterior);
            for (mu, c) in prototypes.as_mut_slice().iter_mut().zip(target.as_slice()) {
                *mu += schedule.step * (c - *mu);
            }
        }
    }
    Fit { centres, weights, posterior }
}

/// Prototypes as the distance sees them: `−λ‖x − c‖² = 2λ x·c − λ‖c‖² + (the same for all classes)`.
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
        let strip = |(s, g): (usize, &mut [f64])| {
            simd::dispatch(
                g,
                #[inline(always)]
                |g| {
                    for (i, g) in (rows.start + s * STRIP..).zip(g.chunks_exact_mut(classes)) {
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
        in_strips(g, STRIP * classes, strip);
    }
}

/// Runs strip by strip, on several threads where there are several strips.
fn in_strips<T: Send>(data: &mut [T], size: usize, work: impl Fn((usize, &mut [T])) + Send + Sync) {
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

/// How many rows each class has: `Σ_i w_k g_ik / Σ_j w_j g_ij`.
pub(super) fn responsibilities(g: &[f64], weights: &[f64], counts: &mut [f64]) {
    counts.fill(0.0);
    for row in g.chunks_exact(weights.len()) {
        let sum: f64 = row.iter().zip(weights).map(|(g, w)| g * w).sum();
        vector::add_scaled(counts, 1.0 / sum, row);
    }
    counts.iter_mut().zip(weights).for_each(|(c, w)| *c *= w);
}

/// Class means, and the memory for them.
struct Means {
    support: Matrix,
    counts: Vec<f64>,
    partial: Vec<Matrix>,
    mean: Matrix,
}

impl Means {
    fn new(pool: &Pool<'_>) -> Self {
        let mut support = Matrix::zeros(pool.classes, pool.x.cols());
        let mut counts = vec![0.0; pool.classes];
        for (i, &label) in pool.labels.iter().enumerate() {
            vector::add_scaled(support.row_mut(label), 1.0, pool.x.row(i));
            counts[label] += 1.0;
        }
        let partial = vec![support.clone(); pool.unlabeled.div_ceil(STRIP)];
        Self { mean: support.clone(), support, counts, partial }
    }

    /// `c_k = (Σ labelled x_i + Σ p_ik x_i) / (their number)`.
    fn of(&mut self, pool: &Pool<'_>, posterior: &Matrix) -> &Matrix {
        let classes = pool.classes;
        let first = pool.labels.len();
        in_strips(&mut self.partial, 1, |(s, strip)| {
            let Some(sums) = strip.first_mut() else { return };
            let from = s * STRIP;
            let p = &posterior.as_slice()[from * classes..];
            simd::dispatch(
                sums,
                #[inline(always)]
                |sums| {
                    sums.as_mut_slice().fill(0.0);
                    for (i, p) in p.chunks_exact(classes).take(STRIP).enumerate() {
                        for (k, p) in p.iter().enumerate() {
                            vector::add_scaled(sums.row_mut(k), *p, pool.x.row(first + from + i));
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

    fn points(n: usize) -> Matrix {
        let mut x = Matrix::from_fn(n, 3, |i, j| {
            let lean = if j == i % 2 { 1.0 } else { 0.1 };
            lean + 0.3 * ((i * 7 + j * 3) as f64).sin()
        });
        (0..n).for_each(|i| unit(x.row_mut(i)));
        x
    }

    const SCHEDULE: Schedule =
        Schedule { sharpness: [5.0, 10.0], epochs: 8, step: 0.3, directions: true };

    #[test]
    fn strips_change_nothing() {
        // More than two strips, against sums taken in one go.
        let n = 2 * STRIP + 100;
        let x = points(n + 2);
        let pool = Pool { x: &x, labels: &[0, 1], unlabeled: n, classes: 2 };
        let posterior = Matrix::from_fn(n, 2, |i, k| if i % 3 == k { 0.75 } else { 0.25 });
        let mut means = Means::new(&pool);
        let mean = means.of(&pool, &posterior);
        for k in 0..2 {
            let count: f64 = 1.0 + (0..n).map(|i| posterior[(i, k)]).sum::<f64>();
            for j in 0..3 {
                let sum: f64 = (0..n).map(|i| posterior[(i, k)] * x[(i + 2, j)]).sum::<f64>();
                assert!((mean[(k, j)] - (sum + x[(k, j)]) / count).abs() < 1e-12);
            }
        }
        let fit = fit(&pool, None, &SCHEDULE, |_, _, w| w.fill(1.0));
        assert!((0..n).all(|i| fit.posterior[(i, i % 2)] > 0.5));
    }

    #[test]
    fn posteriors_are_probabilities_and_other_rows_get_the_same() {
        let x = points(12);
        let pool = Pool { x: &x, labels: &[0, 1], unlabeled: 6, classes: 2 };
        for directions in [true, false] {
            let schedule = Schedule { directions, ..SCHEDULE };
            let fit = fit(&pool, None, &schedule, |_, _, w| w.copy_from_slice(&[0.7, 0.3]));
            let again = fit.posterior_of(&x, 2..8);
            assert_eq!(again, fit.posterior);
            for row in fit.posterior_of(&x, 8..12).iter_rows() {
                assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            }
        }
    }
}
