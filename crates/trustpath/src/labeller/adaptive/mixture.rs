//! Alternating updates of prototypes and posteriors: the loop that both branches share.
//!
//! A class is a prototype `c_k`, a weight `w_k` and a spread `σ_k²`,
//!
//! ```text
//! g_ik = exp( −λ (σ̄²/σ_k²)^v ‖x_i − c_k‖² − d log(σ_k²/σ̄²) + γ Σ_j a_ij (p_jk − 1/K) ),
//! p_ik = w_k g_ik / Σ_j w_j g_ij,      μ_k ← μ_k + s (m_k − μ_k),
//! ```
//!
//! where `a_ij` are the weights of the neighbours of `i`, whose labels enter its likelihood, and `m_k` is the mean of the rows, with
//! unlabeled rows weighted by `p_ik` and labelled ones by a weight of their own. The spread `σ_k²` is the mean squared distance to the
//! prototype under `p`, shrunk towards the mean `σ̄²` of all classes by five instances. The first epoch uses neither spreads nor
//! neighbours. The branches differ in how the weights follow from `g` ([`super::weights`]), and in the place `c_k`: the priced branch
//! takes the prototype itself, the free one its direction `μ_k/‖μ_k‖`, as in a mixture of von Mises-Fisher distributions, in which a
//! class of few instances is not penalised for the length of its mean. Steps `s < 1` and few epochs are early stopping: only the labels
//! are certain, and prototypes should not move far from them.
//!
//! `λ` is in units of `1/(1 − ‖x̄‖²)`, one over the spread of the pool about its mean. All other quantities follow the schedule
//! ([`super::schedule`]).
//!
//! Rows are read in fixed blocks whose sums are added in order, so that the result is the same for any number of threads.
//! An epoch costs `O(n K D)`.

use std::ops::Range;

use crate::Matrix;
use crate::linalg::geometry::class_sums;
use crate::linalg::vector;
use crate::task::CheckedTask;

use super::blocks::{BLOCK, in_blocks, multiply};
use super::centres::Centres;
use super::schedule::Branch;
use super::space::Space;
use super::weights;

/// Steps of expectation maximisation per epoch; weights start from those of the epoch before.
const EM_STEPS: usize = 3;
/// Maximum number of sweeps over the prices in the first epoch, and in each later one.
const FIRST_SWEEPS: usize = 12;
const SWEEPS: usize = 6;

/// The mean squared distance of the pool's rows to their mean, `1 − ‖mean‖²` on the sphere.
fn spread(x: &Matrix, pool: usize) -> f64 {
    let mut mean = vec![0.0; x.cols()];
    x.iter_rows().take(pool).for_each(|row| vector::add_scaled(&mut mean, 1.0 / pool as f64, row));
    (1.0 - vector::dot(&mean, &mean)).max(1e-6)
}

/// The way the marginal enters.
pub(super) enum Marginal<'a> {
    /// Mixture weights with this prior belief.
    Free(&'a [f64]),
    /// Equal counts at capped prices.
    Priced,
}

/// How the loop runs.
pub(super) struct Run<'a> {
    pub branch: &'a Branch,
    /// Covariates of the pool.
    pub covariates: &'a [f64],
    pub epochs: usize,
    pub marginal: Marginal<'a>,
    /// The posterior to start from instead of the labelled rows.
    pub start: Option<&'a Matrix>,
}

/// Prototypes, weights, and the posterior of the unlabeled rows under them.
pub(super) struct Fit {
    centres: Centres,
    pub weights: Vec<f64>,
    pub posterior: Matrix,
}

impl Fit {
    /// The posterior of other rows.
    pub fn posterior_of(&self, space: &Space, rows: Range<usize>) -> Matrix {
        self.weighted(space, rows, &self.weights)
    }

    /// The marginal of the rows if all weights were equal.
    pub fn unweighted_marginal(&self, space: &Space, rows: Range<usize>) -> Vec<f64> {
        marginal(&self.weighted(space, rows, &vec![1.0; self.weights.len()]))
    }

    fn weighted(&self, space: &Space, rows: Range<usize>, weights: &[f64]) -> Matrix {
        let mut p = Matrix::zeros(rows.len(), weights.len());
        self.centres.distances(&space.x, rows.clone(), p.as_mut_slice());
        self.centres.likelihoods(space, rows, p.as_mut_slice());
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

/// Fits the prototypes to the rows of the space, from the labelled rows or from a posterior.
pub(super) fn fit(task: &CheckedTask<'_>, space: &Space, run: &Run<'_>) -> Fit {
    let (x, classes, rows) = (&space.x, task.classes, task.labelled..task.pool);
    let (branch, z) = (run.branch, run.covariates);
    let mut means = Means::new(task, x);
    let start = || Matrix::zeros(rows.len(), classes);
    let mut posterior = run.start.cloned().unwrap_or_else(start);
    let mut prototypes = means.of(x, &posterior, 1.0).clone();
    let uniform = match run.marginal {
        Marginal::Free(_) => 1.0 / classes as f64,
        Marginal::Priced => 1.0,
    };
    let mut weights = vec![uniform; classes];
    let mut centres = Centres::new(prototypes.clone(), task);
    let spread = spread(x, task.pool);
    for epoch in 0..=run.epochs {
        let t = (epoch as f64 / (run.epochs.max(2) - 1) as f64).min(1.0);
        centres.place(&prototypes, matches!(run.marginal, Marginal::Free(_)));
        // The previous posterior is no longer needed once the soft labels are taken from it, so its memory holds the new one.
        if epoch > 0 {
            centres.set_neighbor_labels(&posterior, branch.neighbors.value(z, t));
        }
        let mut last = posterior;
        posterior = Matrix::zeros(rows.len(), classes);
        centres.distances(x, rows.clone(), posterior.as_mut_slice());
        let shape = [branch.spread.value(z, t), branch.breadth.value(z, t)];
        centres.shape(branch.sharpness.positive(z, t) / spread, (epoch > 0).then_some((&last, &posterior, shape)));
        centres.likelihoods(space, rows.clone(), posterior.as_mut_slice());
        last.as_mut_slice().copy_from_slice(posterior.as_slice());
        let g = last.as_slice();
        match run.marginal {
            Marginal::Free(belief) => {
                weights::free(g, belief, branch.marginal.positive(z, t), EM_STEPS, &mut weights);
            }
            Marginal::Priced => {
                let sweeps = if epoch == 0 { FIRST_SWEEPS } else { SWEEPS };
                weights::priced(g, branch.marginal.positive(z, t), sweeps, &mut weights);
            }
        }
        normalise(posterior.as_mut_slice(), &weights);
        if epoch < run.epochs {
            let target = means.of(x, &posterior, branch.labelled.positive(z, t));
            let step = branch.step.share(z, t);
            for (mu, c) in prototypes.as_mut_slice().iter_mut().zip(target.as_slice()) {
                *mu += step * (c - *mu);
            }
        }
    }
    Fit { centres, weights, posterior }
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

    /// `m_k = (ω Σ labelled x_i + Σ p_ik x_i) / (ω · their number + Σ p_ik)`.
    fn of(&mut self, x: &Matrix, posterior: &Matrix, weight: f64) -> &Matrix {
        let (classes, labelled) = (posterior.cols(), self.labelled);
        in_blocks(&mut self.partial, 1, |(b, block)| {
            let Some(sums) = block.first_mut() else { return };
            let from = b * BLOCK;
            let count = BLOCK.min(posterior.rows() - from);
            let p = posterior.view().subrows(from, count).transpose();
            let x = x.view().subrows(labelled + from, count);
            multiply(sums.as_mut_slice(), [classes, x.ncols()], p, x, 1.0);
        });
        self.mean.as_mut_slice().fill(0.0);
        vector::add_scaled(self.mean.as_mut_slice(), weight, self.support.as_slice());
        for sums in &self.partial {
            vector::add_scaled(self.mean.as_mut_slice(), 1.0, sums.as_slice());
        }
        let mut soft = vec![0.0; classes];
        posterior.iter_rows().for_each(|p| vector::add_scaled(&mut soft, 1.0, p));
        for (k, (count, soft)) in self.counts.iter().zip(soft).enumerate() {
            let count = weight * count + soft;
            self.mean.row_mut(k).iter_mut().for_each(|v| *v /= count);
        }
        &self.mean
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labeller::adaptive::learned::LEARNED;
    use crate::labeller::adaptive::schedule::BEFORE;
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

    fn run<'a>(covariates: &'a [f64], belief: &'a [f64]) -> Run<'a> {
        let branch = &LEARNED.free[0];
        Run { branch, covariates, epochs: 8, marginal: Marginal::Free(belief), start: None }
    }

    #[test]
    fn sums_over_blocks_equal_sums_over_all_rows() {
        // More than two blocks.
        let n = 2 * BLOCK + 100;
        let instances = points(n + 2);
        let x = instances.unit();
        let task = task(&instances, n);
        let posterior = Matrix::from_fn(n, 2, |i, k| if i % 3 == k { 0.75 } else { 0.25 });
        let mut means = Means::new(&task, x);
        let mean = means.of(x, &posterior, 2.0);
        for k in 0..2 {
            let count: f64 = 2.0 + (0..n).map(|i| posterior[(i, k)]).sum::<f64>();
            for j in 0..3 {
                let sum: f64 = (0..n).map(|i| posterior[(i, k)] * x[(i + 2, j)]).sum::<f64>();
                assert!((mean[(k, j)] - (sum + 2.0 * x[(k, j)]) / count).abs() < 1e-12);
            }
        }
        let space = Space::build(x.clone(), n + 2, 3);
        let fit = fit(&task, &space, &run(&[0.0; BEFORE], &[0.5, 0.5]));
        assert!((0..n).all(|i| fit.posterior[(i, i % 2)] > 0.5));
    }

    #[test]
    fn posteriors_are_probabilities_and_other_rows_get_the_same() {
        let instances = points(12);
        let task = task(&instances, 6);
        let space = Space::build(instances.unit().clone(), 8, 3);
        let free = run(&[0.0; BEFORE], &[0.7, 0.3]);
        let priced = Run { branch: &LEARNED.priced[0], marginal: Marginal::Priced, ..run(&[0.0; BEFORE], &[]) };
        for run in [free, priced] {
            let fit = fit(&task, &space, &run);
            assert_eq!(fit.posterior_of(&space, 2..8), fit.posterior);
            for row in fit.posterior_of(&space, 8..12).iter_rows() {
                assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            }
        }
    }
}
