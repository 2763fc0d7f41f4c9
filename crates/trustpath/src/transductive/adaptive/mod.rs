//! The adaptive mode: labels for a pool whose balance nobody knows.
//!
//! Methods that assume as many instances of each class win on balanced pools and lose most on others; methods that assume
//! nothing lose a little everywhere. This one looks. In order:
//!
//! 1. power transform, span and smoothing ([`space`]);
//! 2. a first pass of the same mixture of prototypes ([`mixture`]) under two marginals: free ([`marginal`]), in which `λ`
//!    rises and the belief in balance fades, and uniform at capped prices ([`prices`]);
//! 3. a test between them by two witnesses that err in opposite ways ([`balance`]);
//! 4. a second pass of the one that is believed, in the metric in which the first pass's classes are round ([`metric`]).
//!
//! The capped prices are what makes the test forgiving: on a pool that is balanced they cost next to nothing against
//! Sinkhorn's exact counts, and on one that is not they lose half of what those lose.
//!
//! Cost: `O(n K D)` an epoch, some forty epochs, and two products with a `D × D` matrix. No `n × n` matrix unless
//! `n ≤ D`.

mod balance;
mod marginal;
mod metric;
mod mixture;
mod prices;
mod space;

use self::mixture::{Fit, Pool, Schedule};
use super::{Posterior, Transductive};
use crate::linalg::{simd, vector};
use crate::power::{SIGNED_FROM, is_signed, power};
use crate::task::CheckedTask;
use crate::{Error, Matrix, Result, Task};

/// Parameters of the adaptive mode. The defaults were chosen on validation classes, over balanced and imbalanced pools of
/// 20 to 225 instances in 5 and 15 classes, and serve for all of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdaptiveParams {
    /// Features are taken for signed when at least this share of their mass is negative (0.1: features behind leaky
    /// rectifiers had 5 to 7 %, signed ones have about 50 %).
    pub signed: f64,
    /// Neighbours towards which an instance moves (3).
    pub neighbors: usize,
    /// How far it moves (0.15: more blurs the classes).
    pub smoothing: f64,
    /// Sharpness `λ` in units of one over the spread of the pool, `1 − ‖mean‖²`: of the free branch in its first epoch
    /// (3.6: soft while the prototypes are the bare support), and of both branches in the last (7.2). For up to 5 classes;
    /// beyond, it grows with the logarithm of their number, since so does what a row must gain on its own class to stand out.
    pub sharpness: [f64; 2],
    /// What the belief in balance is worth in the free branch, in instances a class, in its first and last epoch, for
    /// pools of 15 instances a class; it grows with their square root (40 to 5).
    pub belief: [f64; 2],
    /// Epochs and step of the free branch (15 of 0.2: a stop before convergence).
    pub free: (usize, f64),
    /// Epochs and step of the priced branch (12 of 0.3).
    pub priced: (usize, f64),
    /// Cap `τ` on the logarithm of prices (1: a class is favoured by at most `e` over the mean).
    pub cap: f64,
    /// Evidence from which the pool is held to be imbalanced (10).
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

/// Steps of expectation maximisation an epoch: the weights follow the prototypes closely enough.
const EM_STEPS: usize = 5;
/// Sinkhorn sweeps an epoch, at most.
const SWEEPS: usize = 20;

impl AdaptiveParams {
    /// Checks the parameters.
    ///
    /// # Errors
    /// [`Error::Parameter`] for shares outside `[0, 1]`, steps outside `(0, 1]`, and others that are not positive.
    pub fn check(self) -> Result<Adaptive> {
        let positive = [
            ("sharpness", self.sharpness[0]),
            ("sharpness", self.sharpness[1]),
            ("belief", self.belief[0]),
            ("belief", self.belief[1]),
        ];
        for (name, value) in positive {
            if !(value > 0.0 && value.is_finite()) {
                return Err(Error::parameter(name, value, "it must be positive"));
            }
        }
        for (name, value) in [("free", self.free.1), ("priced", self.priced.1)] {
            if !(value > 0.0 && value <= 1.0) {
                return Err(Error::parameter(name, value, "a step is above 0 and at most 1"));
            }
        }
        for (name, value) in [("cap", self.cap), ("imbalance", self.imbalance)] {
            if value.is_nan() || value < 0.0 {
                return Err(Error::parameter(name, value, "it must not be negative"));
            }
        }
        let shares = [("signed", self.signed), ("smoothing", self.smoothing)];
        for (name, value) in shares {
            if !(0.0..=1.0).contains(&value) {
                return Err(Error::parameter(name, value, "it is a share, between 0 and 1"));
            }
        }
        if !(0.0..1.0).contains(&self.scatter) {
            return Err(Error::parameter(
                "scatter",
                self.scatter,
                "it is a share below 1: at 1 the metric may not exist",
            ));
        }
        Ok(Adaptive(self))
    }
}

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
#[derive(Debug, Clone)]
pub struct Adaptive(AdaptiveParams);

/// What the adaptive mode found.
#[derive(Debug, Clone, PartialEq)]
pub struct Adapted {
    /// Class probabilities.
    pub posterior: Posterior,
    /// The estimated share of each class among the unlabeled instances.
    pub marginal: Vec<f64>,
    /// Whether the pool was held to be balanced.
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
    /// Labels the pool, and says what it took the pool for.
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
        fn pool<'a>(task: &CheckedTask<'a>, x: &'a Matrix) -> Pool<'a> {
            let unlabeled = task.unlabeled.len();
            Pool { x, labels: task.labels, unlabeled, classes: task.classes }
        }
        let uniform = vec![1.0 / task.classes as f64; task.classes];
        let rows = task.labelled..task.pool;

        let free = self.free(&pool(&task, &x), &uniform);
        let priced = self.priced(&pool(&task, &x), None);
        let evidence = balance::evidence(
            &mixture::marginal(&free.posterior),
            &priced.unweighted_marginal(&x, rows),
            n,
        );
        let balanced = evidence <= params.imbalance;

        let first = if balanced { &priced } else { &free };
        let soft = with_support(task.labels, &first.posterior);
        metric::round_classes(&mut x, &soft, params.scatter, rank);
        let last = if balanced {
            self.priced(&pool(&task, &x), Some(&priced.posterior))
        } else {
            let belief: Vec<f64> =
                free.weights.iter().zip(&uniform).map(|(pi, u)| 0.5 * (pi + u)).collect();
            self.free(&pool(&task, &x), &belief)
        };
        let query =
            (!task.transductive()).then(|| last.posterior_of(&x, task.pool..task.instances.len()));
        Ok(Adapted {
            marginal: if n == 0 { uniform } else { mixture::marginal(&last.posterior) },
            posterior: Posterior { unlabeled: last.posterior, query },
            balanced,
            evidence,
        })
    }

    fn sharpness(&self, classes: usize) -> [f64; 2] {
        self.0.sharpness.map(|sharpness| sharpness * (classes.max(5) as f64).ln() / 5f64.ln())
    }

    /// The mixture with free weights, believed at first to be `belief`.
    fn free(&self, pool: &Pool<'_>, belief: &[f64]) -> Fit {
        let load = pool.unlabeled as f64 / (15 * pool.classes) as f64;
        let [from, to] = self.0.belief.map(|worth| worth * load.sqrt());
        let schedule = Schedule {
            sharpness: self.sharpness(pool.classes),
            epochs: self.0.free.0,
            step: self.0.free.1,
            directions: true,
        };
        mixture::fit(pool, None, &schedule, |progress, g, weights| {
            let worth = from * (to / from).powf(progress);
            marginal::weights(g, belief, worth, EM_STEPS, weights);
        })
    }

    /// The mixture with capped prices, from the support or from a posterior that needs only half the epochs more.
    fn priced(&self, pool: &Pool<'_>, start: Option<&Matrix>) -> Fit {
        let (epochs, step) = self.0.priced;
        let schedule = Schedule {
            sharpness: [self.sharpness(pool.classes)[1]; 2],
            epochs: if start.is_some() { epochs / 2 } else { epochs },
            step,
            directions: false,
        };
        mixture::fit(pool, start, &schedule, |_, g, weights| {
            prices::weights(g, self.0.cap, SWEEPS, weights);
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

/// Puts a row on the unit sphere. A row without direction stays at the origin, as far from every class as from any other.
fn unit(row: &mut [f64]) {
    simd::dispatch(
        row,
        #[inline(always)]
        |row| {
            let norm = vector::norm(row);
            if norm > 1e-12 {
                row.iter_mut().for_each(|v| *v /= norm);
            }
        },
    );
}

#[cfg(test)]
mod tests;
