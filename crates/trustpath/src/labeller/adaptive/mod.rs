//! The adaptive mode: labels for a pool whose balance is unknown.
//!
//! Methods that assume equally frequent classes win on balanced pools and lose most on others; methods that assume nothing
//! lose a little everywhere. This one estimates which case it is. In order:
//!
//! 1. power transform, span, neighbours and smoothing (`space`);
//! 2. a first pass of the same mixture of prototypes (`mixture`) under two marginals (`weights`): free, in which the belief in
//!    balance fades, and uniform at capped prices;
//! 3. the probability that the pool is balanced, from two marginals with opposite biases (`balance`);
//! 4. a second pass of each branch that this probability does not exclude, in the metric in which the first pass's classes are round
//!    (`metric`); posteriors are averaged by the probability.
//!
//! The capped prices make a wrong decision cheap: on a balanced pool they cost almost nothing compared with Sinkhorn's
//! exact counts, and on an unbalanced one they lose half as much.
//!
//! How sharp, how bold and how trusting each step is follows from a description of the pool by a learned schedule (`schedule`,
//! `learned`).
//!
//! Cost: `O(n K D)` per epoch, about forty epochs, and two products with a `D × D` matrix. No `n × n` matrix unless `n` is at most
//! [`GRAM_ROWS`](crate::limits::GRAM_ROWS).

mod balance;
mod blocks;
mod centres;
mod learned;
mod metric;
mod mixture;
mod schedule;
mod space;
#[cfg(test)]
mod tests;
mod weights;

use self::learned::LEARNED;
use self::mixture::{Fit, Marginal, Run};
use self::schedule::{PoolShape, combined, logistic};
use self::space::Space;
use crate::judge::PoolView;
use crate::labeller::{Labelled, Labeller, label_task};
use crate::linalg::vector;
use crate::pool::Labels;
use crate::power::{SIGNED_FROM, is_signed, power};
use crate::task::CheckedTask;
use crate::task::{Posterior, require};
use crate::{Matrix, Result, Task};

/// Parameters of the adaptive mode. All others are learned: one schedule serves every pool.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdaptiveParams {
    /// Features count as signed when at least this share of their mass is negative (0.1: features after leaky rectifiers
    /// had 5 to 7 %, signed ones have about 50 %).
    pub signed: f64,
    /// Added to the learned log-odds that the pool is balanced (1.6: the priced branch loses less where it is wrong than the free
    /// one).
    pub balance: f64,
}

impl Default for AdaptiveParams {
    fn default() -> Self {
        Self { signed: SIGNED_FROM, balance: 1.6 }
    }
}

/// Neighbours of an instance.
const NEIGHBORS: usize = 3;
/// Epochs of the free branch in its two passes.
const FREE: [usize; 2] = [15, 14];
/// Epochs of the priced branch.
const PRICED: [usize; 2] = [12, 8];
/// A branch less probable than this is not followed.
const EXCLUDED: f64 = 0.1;

impl AdaptiveParams {
    /// Checks the parameters.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for a parameter outside its domain.
    pub fn check(self) -> Result<Adaptive> {
        let share = (0.0..=1.0).contains(&self.signed);
        require("signed", self.signed, share, "it is a share, between 0 and 1")?;
        require("balance", self.balance, !self.balance.is_nan(), "it must be a number")?;
        Ok(Adaptive(self))
    }
}

/// The adaptive mode with checked parameters.
///
/// ```
/// use trustpath::labeller::AdaptiveParams;
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

/// The result of the adaptive mode.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Adapted {
    /// Class probabilities.
    pub posterior: Posterior,
    /// The estimated share of each class among the unlabeled instances.
    pub marginal: Vec<f64>,
    /// The estimated probability that the pool is balanced.
    pub balance: f64,
}

impl Labeller for Adaptive {
    fn name(&self) -> &'static str {
        "adaptive"
    }

    fn label(&self, view: &PoolView<'_>, labels: Labels<'_>) -> Result<Labelled> {
        label_task(view, labels, |task| self.posterior(task))
    }
}

impl Adaptive {
    /// Class probabilities of the unlabeled instances, and of the query where it is separate.
    ///
    /// # Errors
    /// When the task is not valid: no instances, labels out of range, fewer than two classes, a class without a labelled
    /// instance.
    pub fn posterior(&self, task: &Task<'_>) -> Result<Posterior> {
        Ok(self.adapt(task)?.posterior)
    }

    /// Labels the pool, and reports how probable it is that it is balanced.
    ///
    /// # Errors
    /// As [`posterior`](Self::posterior).
    pub fn adapt(&self, task: &Task<'_>) -> Result<Adapted> {
        let task = CheckedTask::new(task)?;
        let n = task.unlabeled.len();
        let rank = task.pool.min(task.instances.dims());
        let mut x = task.instances.unit().clone();
        let signed = is_signed(&x, task.pool, self.0.signed);
        power(&mut x, signed);
        let mut space = Space::build(x, task.pool, NEIGHBORS);
        let pool = PoolShape {
            classes: task.classes,
            labelled: task.labelled,
            unlabeled: n,
            spread: space.spread,
            dimensions: space.dimensions,
            graph: space.has_graph(),
        };
        let before = pool.covariates();
        space.smooth(logistic(combined(&LEARNED.smoothing, &before)));
        let uniform = vec![1.0 / task.classes as f64; task.classes];

        let free = free(&task, &space, 0, &before, &uniform);
        let priced = priced(&task, &space, 0, &before, None);
        let unweighted = priced.unweighted_marginal(&space, task.labelled..task.pool);
        let after = pool.covariates_after(&free.posterior, &priced.posterior, &unweighted);
        let balance = logistic(combined(&LEARNED.balance, &after) + self.0.balance);

        let second = |first: &Fit, metric: &[f64], fit: &dyn Fn(&Space) -> Fit| {
            let soft = with_support(task.labels, &first.posterior);
            let shrink = logistic(combined(metric, &after));
            let space = space.transformed(|x| metric::whiten_classes(x, &soft, shrink, rank));
            let fit = fit(&space);
            (space, fit)
        };
        let mut branches = Vec::new();
        if balance < 1.0 - EXCLUDED {
            let weight = logistic(combined(&LEARNED.belief, &after));
            let belief: Vec<f64> =
                (free.weights.iter().zip(&uniform)).map(|(pi, u)| weight * pi + (1.0 - weight) * u).collect();
            let again = |space: &Space| self::free(&task, space, 1, &after, &belief);
            branches.push((1.0 - balance, second(&free, &LEARNED.metric, &again)));
        }
        if balance > EXCLUDED {
            let start = Some(&priced.posterior);
            let again = |space: &Space| self::priced(&task, space, 1, &after, start);
            branches.push((balance, second(&priced, &LEARNED.priced_metric, &again)));
        }
        let unlabeled = averaged(&branches, |(_, fit)| fit.posterior.clone());
        let marginal = if n == 0 { uniform } else { mixture::marginal(&unlabeled) };
        let posterior = Posterior::with_query(&task, unlabeled, |_, rows| {
            averaged(&branches, |(space, fit)| fit.posterior_of(space, rows.clone()))
        });
        Ok(Adapted { posterior, marginal, balance })
    }
}

/// The mixture with free weights, in its first or second pass, with this prior belief about them.
fn free(task: &CheckedTask<'_>, space: &Space, pass: usize, z: &[f64], belief: &[f64]) -> Fit {
    let marginal = Marginal::Free(belief);
    let branch = &LEARNED.free[pass];
    let run = Run { branch, covariates: z, epochs: FREE[pass], marginal, start: None };
    mixture::fit(task, space, &run)
}

/// The mixture with capped prices, from the labelled rows or from a posterior.
fn priced(task: &CheckedTask<'_>, space: &Space, pass: usize, z: &[f64], start: Option<&Matrix>) -> Fit {
    let (branch, epochs) = (&LEARNED.priced[pass], PRICED[pass]);
    let run = Run { branch, covariates: z, epochs, marginal: Marginal::Priced, start };
    mixture::fit(task, space, &run)
}

/// The mean of the branches' posteriors by their probabilities.
fn averaged<B>(branches: &[(f64, B)], posterior: impl Fn(&B) -> Matrix) -> Matrix {
    let total: f64 = branches.iter().map(|(weight, _)| weight).sum();
    let mut mean: Option<Matrix> = None;
    for (weight, branch) in branches {
        let mut p = posterior(branch);
        p.as_mut_slice().iter_mut().for_each(|p| *p *= weight / total);
        match &mut mean {
            Some(mean) => vector::add_scaled(mean.as_mut_slice(), 1.0, p.as_slice()),
            None => mean = Some(p),
        }
    }
    mean.expect("at least one branch is followed, since their probabilities sum to one")
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
