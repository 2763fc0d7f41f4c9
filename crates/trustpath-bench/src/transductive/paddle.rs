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

use super::softmax::softmax;
use super::{Posterior, Transductive, positive};
use trustpath::task::CheckedTask;
use trustpath::{Matrix, Result, Task};
use trustpath_path::linalg::geometry::{Distances, class_means, class_sums, product, scaled_distances};

/// Added to the frequencies under the logarithm, as in the authors' code.
const OFFSET: f64 = 1e-6;
/// Least number of features for which the other parameters were published.
const FEATURES: f64 = 512.0;
/// Stop when no probability changes by more than this.
const SETTLED: f64 = 1e-10;

/// Parameters of PADDLE.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PaddleParams {
    /// Weight `λ` of the description length, per unlabeled row (1).
    pub lambda: f64,
    /// Maximum number of iterations (1000).
    pub iterations: usize,
}

impl Default for PaddleParams {
    fn default() -> Self {
        Self { lambda: 1.0, iterations: 1000 }
    }
}

checked! {
    /// PADDLE with checked parameters.
    PaddleParams => Paddle, |p| positive("lambda", p.lambda)
}

impl Transductive for Paddle {
    fn name(&self) -> &'static str {
        "paddle"
    }

    fn label(&self, task: &Task<'_>) -> Result<Posterior> {
        let task = CheckedTask::new(task)?;
        let x = by_range(&task);
        let mut prototypes = class_means(&x, task.labels, task.classes);
        let mut bonus = vec![0.0; task.classes];
        let unlabeled = self.refine(&x, &task, &mut prototypes, &mut bonus);
        Ok(Posterior::with_query(&task, unlabeled, |_, rows| {
            let mut p = scaled_distances(&x, rows, &prototypes, -0.5);
            assign(&mut p, &bonus);
            p
        }))
    }
}

/// Adds the description length to the scores, and makes them probabilities.
fn assign(scores: &mut Matrix, bonus: &[f64]) {
    for i in 0..scores.rows() {
        scores.row_mut(i).iter_mut().zip(bonus).for_each(|(score, bonus)| *score += bonus);
    }
    softmax(scores);
}

impl Paddle {
    /// Moves the prototypes, and returns the last assignment of the unlabeled rows; `bonus` is left at the frequencies
    /// under which it was made.
    fn refine(&self, x: &Matrix, task: &CheckedTask<'_>, prototypes: &mut Matrix, bonus: &mut [f64]) -> Matrix {
        let unlabeled = Distances::new(x, task.labelled..task.pool);
        let mut p = Matrix::zeros(unlabeled.len(), task.classes);
        if unlabeled.len() == 0 {
            return p;
        }
        let n = unlabeled.len() as f64;
        let (support, shots) = class_sums(x, task.labels, task.classes);
        let mut sums = Matrix::zeros(task.classes, x.cols());
        let mut before = p.clone();
        let mut next_bonus = bonus.to_vec();
        for _ in 0..self.0.iterations {
            bonus.copy_from_slice(&next_bonus);
            unlabeled.to(prototypes, &mut p);
            p.as_mut_slice().iter_mut().for_each(|d| *d *= -0.5);
            assign(&mut p, bonus);
            let pairs = p.as_slice().iter().zip(before.as_slice());
            if pairs.map(|(p, before)| (p - before).abs()).fold(0.0, f64::max) <= SETTLED {
                break;
            }
            product(&mut sums, p.view().transpose(), unlabeled.instances(), 1.0);
            for k in 0..task.classes {
                let weight: f64 = p.iter_rows().map(|row| row[k]).sum();
                next_bonus[k] = self.0.lambda * ((weight / n + OFFSET).ln() + 1.0);
                let parts = sums.row(k).iter().zip(support.row(k));
                for (mu, (sum, labelled)) in prototypes.row_mut(k).iter_mut().zip(parts) {
                    *mu = (sum + labelled) / (weight + shots[k]);
                }
            }
            before.as_mut_slice().copy_from_slice(p.as_slice());
        }
        p
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
            let method = PaddleParams { iterations, ..Default::default() }.check().unwrap();
            let mut mu = class_means(&x, task.labels, 3);
            let p = method.refine(&x, &task, &mut mu, &mut [0.0; 3]);
            objective(&x, &task, &mu, &p)
        };
        let values: Vec<f64> = (1..12).map(value).collect();
        assert!(values.windows(2).all(|w| w[1] <= w[0] + 1e-3), "{values:?}");
        assert!(values[10] < values[0], "{values:?}");
    }

    #[test]
    fn a_class_that_is_absent_stays_empty() {
        let pool = pool(1, &[30, 30, 0], 0.5);
        let p = PaddleParams::default().check().unwrap().label(&pool.task()).unwrap().unlabeled;
        let absent: f64 = p.iter_rows().map(|row| row[2]).sum();
        assert!(absent < 0.5, "{absent}");
    }
}
