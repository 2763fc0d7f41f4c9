//! The adaptive mode: labels for a pool whose balance is unknown.
//!
//! Methods that assume equally frequent classes win on balanced pools and lose most on others; methods that assume nothing
//! lose a little everywhere. This one tests which case it is. In order:
//!
//! 1. power transform, span and smoothing ([`space`]);
//! 2. a first pass of the same mixture of prototypes ([`mixture`]) under two marginals ([`weights`]): free, in which `λ`
//!    rises and the belief in balance fades, and uniform at capped prices;
//! 3. a test between them from two marginals with opposite biases ([`balance`]);
//! 4. a second pass of the chosen one, in the metric in which the first pass's classes are round ([`metric`]).
//!
//! The capped prices make a wrong decision cheap: on a balanced pool they cost almost nothing compared with Sinkhorn's
//! exact counts, and on an unbalanced one they lose half as much.
//!
//! Cost: `O(n K D)` per epoch, about forty epochs, and two products with a `D × D` matrix. No `n × n` matrix unless
//! `n ≤ D`.

mod balance;
mod metric;
mod mixture;
mod space;
#[cfg(test)]
mod tests;
mod weights;

use self::mixture::{Fit, Schedule};
use super::{Posterior, Transductive, positive, require};
use crate::power::{SIGNED_FROM, is_signed, power};
use crate::task::CheckedTask;
use crate::{Matrix, Result, Task};

/// Parameters of the adaptive mode. The defaults were chosen on validation classes, over balanced and imbalanced pools of
/// 20 to 225 instances in 5 and 15 classes, and serve for all of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdaptiveParams {
    /// Features count as signed when at least this share of their mass is negative (0.1: features after leaky rectifiers
    /// had 5 to 7 %, signed ones have about 50 %).
    pub signed: f64,
    /// Neighbours towards which an instance moves (3).
    pub neighbors: usize,
    /// How far it moves (0.15: more blurs the classes).
    pub smoothing: f64,
    /// Sharpness `λ` in units of one over the spread of the pool, `1 − ‖mean‖²`: of the free branch in its first epoch
    /// (3.6: soft while the prototypes are those of the support alone), and of both branches in the last (7.2). For up to 5
    /// classes; beyond that, it grows with the logarithm of their number, as does the margin a row needs to stand out.
    pub sharpness: [f64; 2],
    /// Worth of the belief in balance in the free branch, in instances per class, in its first and last epoch, for pools
    /// of 15 instances per class; it grows with their square root (40 to 5).
    pub belief: [f64; 2],
    /// Epochs and step of the free branch (15 of 0.2: it stops before convergence).
    pub free: (usize, f64),
    /// Epochs and step of the priced branch (12 of 0.3).
    pub priced: (usize, f64),
    /// Cap `τ` on the logarithm of prices (1: a class is favoured by at most `e` over the mean).
    pub cap: f64,
    /// Evidence above which the pool counts as imbalanced (10).
    pub imbalance: f64,
    /// Weight `κ` of the scatter within classes in the metric of the second pass (0.2).
    pub scatter: f64,
}

impl Default for AdaptiveParams {
    fn default() -> Self {
        Self {
            signed: SIGNED_FROM,
            neighbors: 3,
            smoothing: 0.15,
            sharpness: [3.6, 7.2],
            belief: [40.0, 5.0],
            free: (15, 0.2),
            priced: (12, 0.3),
            cap: 1.0,
            imbalance: 10.0,
            scatter: 0.2,
        }
    }
}

/// Steps of expectation maximisation per epoch; enough for the weights to follow the prototypes.
const EM_STEPS: usize = 5;
/// Maximum number of Sinkhorn sweeps per epoch.
const SWEEPS: usize = 20;

checked! {
    /// The adaptive mode with checked parameters.
    ///
    /// ```
    /// use trustpath::transductive::AdaptiveParams;
    /// use trustpath::{Features, Task};
    ///
    /// // One labelled instance of each of two classes, then nine of the first and three of the second.
    /// let truth = [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1];
    /// let values: Vec<f64> = (0..14 * 6)
    ///     .map(|at| {
    ///         let (i, j) = (at / 6, at % 6);
    ///         let lean = if j % 2 == truth[i] { 1.0 } else { 0.2 };
    ///         lean + 0.15 * ((at * at) as f64).sin()
    ///     })
    ///     .collect();
    /// let instances = Features::new(&values[..], 14, 6)?.normalize()?;
    /// let task =
    ///     Task { instances: &instances, labels: &truth[..2], unlabeled: 12, classes: 2, truth: None };
    /// let adapted = AdaptiveParams::default().check()?.adapt(&task)?;
    /// assert!((0..12).all(|i| adapted.posterior.unlabeled[(i, truth[i + 2])] > 0.5));
    /// assert!(adapted.marginal[0] > adapted.marginal[1]);
    /// # Ok::<(), trustpath::Error>(())
    /// ```
    AdaptiveParams => Adaptive, |p| {
        for sharpness in p.sharpness {
            positive("sharpness", sharpness)?;
        }
        for belief in p.belief {
            positive("belief", belief)?;
        }
        for (name, step) in [("free", p.free.1), ("priced", p.priced.1)] {
            require(name, step, step > 0.0 && step <= 1.0, "a step is above 0 and at most 1")?;
        }
        for (name, value) in [("cap", p.cap), ("imbalance", p.imbalance)] {
            require(name, value, value >= 0.0, "it must not be negative")?;
        }
        for (name, share) in [("signed", p.signed), ("smoothing", p.smoothing)] {
            let valid = (0.0..=1.0).contains(&share);
            require(name, share, valid, "it is a share, between 0 and 1")?;
        }
        let valid = (0.0..1.0).contains(&p.scatter);
        require("scatter", p.scatter, valid, "it is a share below 1, so that the metric exists")
    }
}

/// The result of the adaptive mode.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Adapted {
    /// Class probabilities.
    pub posterior: Posterior,
    /// The estimated share of each class among the unlabeled instances.
    pub marginal: Vec<f64>,
    /// Whether the pool was taken to be balanced.
    pub balanced: bool,
    /// The evidence against balance; the decision is made at [`AdaptiveParams::imbalance`].
    pub evidence: f64,
}

impl Transductive for Adaptive {
    fn name(&self) -> &'static str {
        "adaptive"
    }

    fn label(&self, task: &Task<'_>) -> Result<Posterior> {
        Ok(self.adapt(task)?.posterior)
    }
}

impl Adaptive {
    /// Labels the pool, and reports whether it was taken to be balanced.
    ///
    /// # Errors
    /// As [`Transductive::label`].
    pub fn adapt(&self, task: &Task<'_>) -> Result<Adapted> {
        let task = CheckedTask::new(task)?;
        let params = &self.0;
        let n = task.unlabeled.len();
        let rank = task.pool.min(task.instances.dims());
        let mut x = task.instances.unit().clone();
        let signed = is_signed(&x, task.pool, params.signed);
        power(&mut x, signed);
        let mut x = space::build(x, task.pool, params.neighbors, params.smoothing);
        let uniform = vec![1.0 / task.classes as f64; task.classes];
        let rows = task.labelled..task.pool;

        let free = self.free(&task, &x, &uniform);
        let priced = self.priced(&task, &x, None);
        let evidence = balance::evidence(
            &mixture::marginal(&free.posterior),
            &priced.unweighted_marginal(&x, rows),
            n,
        );
        let balanced = evidence <= params.imbalance;

        let first = if balanced { &priced } else { &free };
        let soft = with_support(task.labels, &first.posterior);
        metric::whiten_classes(&mut x, &soft, params.scatter, rank);
        let last = if balanced {
            self.priced(&task, &x, Some(&priced.posterior))
        } else {
            let belief: Vec<f64> =
                free.weights.iter().zip(&uniform).map(|(pi, u)| 0.5 * (pi + u)).collect();
            self.free(&task, &x, &belief)
        };
        let marginal = if n == 0 { uniform } else { mixture::marginal(&last.posterior) };
        let unlabeled = last.posterior.clone();
        let posterior =
            Posterior::with_query(&task, unlabeled, |_, rows| last.posterior_of(&x, rows));
        Ok(Adapted { posterior, marginal, balanced, evidence })
    }

    fn sharpness(&self, classes: usize) -> [f64; 2] {
        self.0.sharpness.map(|sharpness| sharpness * (classes.max(5) as f64).ln() / 5f64.ln())
    }

    /// The mixture with free weights, with this prior belief about them.
    fn free(&self, task: &CheckedTask<'_>, x: &Matrix, belief: &[f64]) -> Fit {
        let load = task.unlabeled.len() as f64 / (15 * task.classes) as f64;
        let [from, to] = self.0.belief.map(|worth| worth * load.sqrt());
        let schedule = Schedule {
            sharpness: self.sharpness(task.classes),
            epochs: self.0.free.0,
            step: self.0.free.1,
            directions: true,
        };
        mixture::fit(task, x, None, &schedule, |progress, g, w| {
            let worth = from * (to / from).powf(progress);
            weights::free(g, belief, worth, EM_STEPS, w);
        })
    }

    /// The mixture with capped prices, from the support, or from a posterior in half the number of epochs.
    fn priced(&self, task: &CheckedTask<'_>, x: &Matrix, start: Option<&Matrix>) -> Fit {
        let (epochs, step) = self.0.priced;
        let schedule = Schedule {
            sharpness: [self.sharpness(task.classes)[1]; 2],
            epochs: if start.is_some() { epochs / 2 } else { epochs },
            step,
            directions: false,
        };
        mixture::fit(task, x, start, &schedule, |_, g, w| {
            weights::priced(g, self.0.cap, SWEEPS, w);
        })
    }
}

/// Soft labels of the pool: one-hot for the labelled rows.
fn with_support(labels: &[usize], posterior: &Matrix) -> Matrix {
    let classes = posterior.cols();
    let mut soft = Matrix::zeros(labels.len() + posterior.rows(), classes);
    let (support, rest) = soft.as_mut_slice().split_at_mut(labels.len() * classes);
    support.chunks_exact_mut(classes).zip(labels).for_each(|(row, &label)| row[label] = 1.0);
    rest.copy_from_slice(posterior.as_slice());
    soft
}
