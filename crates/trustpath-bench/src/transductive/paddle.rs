//! PADDLE: Martin, Boudiaf, Chouzenoux, Pesquet and Ben Ayed, "Towards Practical Few-Shot Query Sets: Transductive Minimum
//! Description Length Inference" (2022).
//!
//! ```text
//! min over μ and P of   ½ Σ_labelled ‖x − μ_y‖² + ½ Σᵢₖ Pᵢₖ ‖xᵢ − μₖ‖² + Σᵢₖ Pᵢₖ log Pᵢₖ − λ Σₖ πₖ log πₖ,     πₖ = mean of Pᵢₖ
//! ```
//!
//! The last term is the description length of the labels: it prefers few and unequal classes, so that classes that are
//! absent from the pool may stay empty. Alternating iterations:
//!
//! ```text
//! pᵢₖ ∝ exp(−½ ‖xᵢ − μₖ‖² + λ (log πₖ + 1)/n)        μₖ ← mean of class k, labelled rows counted once, unlabeled ones by pᵢₖ
//! ```
//!
//! starting from the class means without the `π` term. `λ = n`, the number of unlabeled rows (the authors' 75 for 75 queries), and
//! at most 1000 iterations, fewer where nothing changes. Each feature is divided by its range over the unlabeled rows first, as in
//! the authors' code. Distances then grow with the number of features, and the authors have 512: with a smaller number `D` they are
//! multiplied by `512/D`, because with a few features the last term would put all rows into one class. `O(nKD)` per iteration.
//!
//! A separate query gets `p` under the last `μ` and `π`.

use super::prototypes::Prototypes;
use super::softmax::softmax;
use super::{Posterior, Transductive};
use trustpath::task::CheckedTask;
use trustpath::{Matrix, Result, Task};
use trustpath_path::linalg::geometry::scaled_distances;

/// Added to the frequencies under the logarithm, as in the authors' code.
const OFFSET: f64 = 1e-6;
/// Least number of features for which the other parameters were published.
const FEATURES: f64 = 512.0;
/// Stop when no probability changes by more than this.
const UNCHANGED: f64 = 1e-10;

/// Maximum number of iterations.
const ITERATIONS: usize = 1000;
/// Weights of every step: `λ` is one per unlabeled row.
const WEIGHTS: StepWeights = StepWeights { half: 0.5, lambda: 1.0, temperature: 1.0 };

#[derive(Debug)]
pub(super) struct Paddle;

impl Transductive for Paddle {
    fn label(&self, task: &Task<'_>) -> Result<Posterior> {
        let task = CheckedTask::new(task)?;
        let x = by_range(&task);
        Ok(refine(&x, &task, ITERATIONS).posterior(&task, &x, &WEIGHTS))
    }
}

/// Repeats both steps until nothing changes.
fn refine<'a>(x: &'a Matrix, task: &CheckedTask<'_>, iterations: usize) -> MinimumLength<'a> {
    let mut state = MinimumLength::new(x, task);
    let mut before = state.p.clone();
    for _ in 0..iterations {
        state.assign(&WEIGHTS);
        let pairs = state.p.as_slice().iter().zip(before.as_slice());
        if pairs.map(|(p, before)| (p - before).abs()).fold(0.0, f64::max) <= UNCHANGED {
            break;
        }
        before.as_mut_slice().copy_from_slice(state.p.as_slice());
        state.follow();
    }
    state
}

/// The weights of a step.
pub(super) struct StepWeights {
    /// Of the squared distances: half the square of the scale of the features.
    pub half: f64,
    /// Of the class frequencies.
    pub lambda: f64,
    /// What both are divided by.
    pub temperature: f64,
}

impl StepWeights {
    /// Replaces squared distances by probabilities.
    pub fn assign(&self, p: &mut Matrix, log_shares: &[f64]) {
        for i in 0..p.rows() {
            for (d, share) in p.row_mut(i).iter_mut().zip(log_shares) {
                *d = (self.lambda * share - self.half * *d) / self.temperature;
            }
        }
        softmax(p);
    }
}

/// The state of the iteration that PADDLE and UNEM share.
pub(super) struct MinimumLength<'a> {
    pub prototypes: Prototypes<'a>,
    /// The probabilities of the unlabeled rows.
    pub p: Matrix,
    /// `log πₖ + 1` that they were computed with; zero in the first step.
    pub log_shares: Vec<f64>,
    next_log_shares: Vec<f64>,
}

impl<'a> MinimumLength<'a> {
    pub fn new(x: &'a Matrix, task: &CheckedTask<'_>) -> Self {
        Self {
            prototypes: Prototypes::new(x, task),
            p: Matrix::zeros(task.unlabeled.len(), task.classes),
            log_shares: vec![0.0; task.classes],
            next_log_shares: vec![0.0; task.classes],
        }
    }

    pub fn assign(&mut self, weights: &StepWeights) {
        self.log_shares.copy_from_slice(&self.next_log_shares);
        self.prototypes.distances(&mut self.p);
        weights.assign(&mut self.p, &self.log_shares);
    }

    /// Moves the prototypes to the means of their classes.
    pub fn follow(&mut self) {
        let n = self.p.rows();
        if n == 0 {
            return;
        }
        self.prototypes.follow(&self.p, |mu, mean| *mu = mean);
        for (share, weight) in self.next_log_shares.iter_mut().zip(&self.prototypes.weights) {
            *share = (weight / n as f64 + OFFSET).ln() + 1.0;
        }
    }

    /// The probabilities, and those of the query under these prototypes and the last frequencies.
    pub fn posterior(self, task: &CheckedTask<'_>, x: &Matrix, weights: &StepWeights) -> Posterior {
        let Self { prototypes, p, log_shares, .. } = self;
        Posterior::with_query(task, p, |_, rows| {
            let mut p = scaled_distances(x, rows, &prototypes.places, 1.0);
            weights.assign(&mut p, &log_shares);
            p
        })
    }
}

/// All rows, each feature divided by its range over the unlabeled rows, or over the labelled ones where there are no others.
fn by_range(task: &CheckedTask<'_>) -> Matrix {
    let mut x = task.instances.unit().clone();
    let rows = if task.unlabeled.is_empty() { 0..task.labelled } else { task.labelled..task.pool };
    let mut low = vec![f64::INFINITY; x.cols()];
    let mut high = vec![f64::NEG_INFINITY; x.cols()];
    for i in rows {
        for ((low, high), v) in low.iter_mut().zip(&mut high).zip(x.row(i)) {
            *low = low.min(*v);
            *high = high.max(*v);
        }
    }
    // A feature that is the same in all of these rows stays as it is.
    let range = |(low, high): (&f64, &f64)| if high > low { high - low } else { 1.0 };
    let scale = (FEATURES / x.cols() as f64).max(1.0).sqrt();
    let range: Vec<f64> = low.iter().zip(&high).map(|ends| range(ends) / scale).collect();
    for i in 0..x.rows() {
        x.row_mut(i).iter_mut().zip(&range).for_each(|(v, range)| *v /= range);
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::pool;

    /// The objective as defined in the module documentation.
    fn objective(x: &Matrix, task: &CheckedTask<'_>, mu: &Matrix, p: &Matrix) -> f64 {
        let d = scaled_distances(x, 0..x.rows(), mu, 0.5);
        let mut sum: f64 = task.labels.iter().enumerate().map(|(i, &y)| d[(i, y)]).sum();
        let n = p.rows() as f64;
        let mut pi = vec![0.0; task.classes];
        for i in 0..p.rows() {
            for (k, p) in p.row(i).iter().enumerate() {
                sum += p * (d[(task.labelled + i, k)] + p.max(1e-300).ln());
                pi[k] += p / n;
            }
        }
        sum - n * pi.iter().map(|pi| pi * (pi + OFFSET).ln()).sum::<f64>()
    }

    #[test]
    fn the_objective_falls() {
        let pool = pool(2, &[17, 9, 5], 0.6);
        let task = pool.checked();
        let x = by_range(&task);
        let value = |iterations| {
            let state = refine(&x, &task, iterations);
            objective(&x, &task, &state.prototypes.places, &state.p)
        };
        let values: Vec<f64> = (1..12).map(value).collect();
        assert!(values.windows(2).all(|w| w[1] <= w[0] + 1e-3), "{values:?}");
        assert!(values[10] < values[0], "{values:?}");
    }

    #[test]
    fn a_class_that_is_absent_stays_empty() {
        let pool = pool(1, &[30, 30, 0], 0.5);
        let p = Paddle.label(&pool.task()).unwrap().unlabeled;
        let absent: f64 = p.iter_rows().map(|row| row[2]).sum();
        assert!(absent < 0.5, "{absent}");
    }
}
