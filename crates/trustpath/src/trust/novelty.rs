//! None of these: instances of classes that were never labelled, at a stated share of false alarms.
//!
//! The score of an instance is the probability `h` that a random walk from it leaks before it meets a label
//! ([`absorption`](super::absorption)). What `h` is for an instance of a labelled class, held-out labels show: in each
//! fold they have no label, and are scored together with the pool.
//!
//! ```text
//! p_j = (1 + Σ over folds k of #{ i held out in k : h_i^k ≥ h_j^k }) / (1 + number of held-out labels)
//! π₀ = min(1, 2 × the share of p above ½)                       the share of known instances (Storey)
//! none of these  =  the Benjamini–Hochberg set of max(p, p') at level q / π₀
//! ```
//!
//! The pool is open if anything is found at level 0.3, or if it has more small p-values than held-out labels have (the share of
//! p-values below some `t ≤ 0.2` exceeds `t` by more than `0.5/√L`); otherwise it is taken to be closed, and `π₀ = 1`.
//!
//! An instance of a class with one label is farther from it than one of a class with ten. So the p-value is computed for every
//! tier of classes with about as many labels, by the held-out labels that stand for it (`folds.rs`), and these are added up by
//! the tiers' shares of the classes: how often an instance of any labelled class would score as high. Where labels of `C` other
//! classes stand for a tier, its p-value is at least `1/(C + 1)`. An instance is also farther
//! in a class of a thousand than in one of twenty. So `p'` has held-out labels weighted by the share of the pool nearest to their class over
//! the share of the labels that the class has. It decides whether the pool has more small p-values, and only what both call unusual is reported.

use std::collections::BTreeSet;

use super::density::{density_at, falling_density};
use super::folds::{ClassTiers, Fold, Folds};
use crate::pool::Pool;

/// Held-out labels that are needed to say anything.
pub const MIN_LABELS: usize = 20;
/// The level at which anything found makes the pool an open one.
const OPEN_LEVEL: f64 = 0.3;
/// P-values that count as small.
const SMALL: f64 = 0.2;
/// How much their share may exceed that of held-out labels, in units of `1/√L`. With more, pools with a few novel instances of each
/// kind are taken to be closed; with less, closed pools lose coverage.
const OPEN_EXCESS: f64 = 0.5;

/// The least share of novel instances that the ranking of labels allows for: a pool may be open without being found to be.
const LEAST_NOVEL: f64 = 0.1;
/// Bounds of the weight of a label.
const MOST_WEIGHT: f64 = 5.0;

/// Detected instances of classes without labels. Every column is in the order of the rows of the pool; of those that were not looked at,
/// because they have a label, the score is 0 and the p-value 1.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Novelty {
    /// The score of each row: from 0, in the middle of a labelled class, to 1.
    pub score: Vec<f64>,
    /// How often an instance of a labelled class would score as high.
    pub p_value: Vec<f64>,
    /// The probability that it is novel: 1 − π₀ / f(p), with the density `f` of the p-values of the pool, which falls.
    pub probability: Vec<f64>,
    /// Whether each is none of these.
    pub novel: Vec<bool>,
    /// Estimated share of the open instances that belongs to labelled classes; 1 where nothing suggests otherwise.
    pub known: f64,
}

/// Detects novel instances. `nearest` is the class of the given label nearest to each open row, `score` has the scores of all rows, and
/// each fold has its own. Also notes in every fold which of the held-out labels would be found, since the pool and the held-out labels
/// have to be treated alike. `None` if there are too few given labels.
pub(crate) fn novelty(pool: &Pool, nearest: &[usize], score: &[f64], folds: &mut Folds, level: f64) -> Option<Novelty> {
    let labels = folds.all.iter().map(|fold| fold.hidden.len()).sum::<usize>();
    if labels < MIN_LABELS {
        return None;
    }
    let equal = PValues::of(pool, folds, &vec![1.0; pool.classes]);
    let weighted = PValues::of(pool, folds, &class_weights(pool, nearest));
    let excess = excess_of_small(&weighted.pool) * (labels as f64).sqrt();
    let both = weighted.at_least(&equal);
    let p_value = equal.pool;
    let open = benjamini_hochberg(&both.pool, OPEN_LEVEL.max(level)).contains(&true) || excess > OPEN_EXCESS;
    let above_half = p_value.iter().filter(|&&p| p > 0.5).count() as f64;
    let known = if open { (2.0 * above_half / p_value.len() as f64).min(1.0) } else { 1.0 };
    let novel = benjamini_hochberg(&both.pool, level / known.max(level));
    let flagged = both.pool.iter().zip(&novel).filter(|(_, novel)| **novel).map(|(p, _)| *p);
    let cut = flagged.fold(0.0, f64::max);
    for (fold, p) in folds.all.iter_mut().zip(&both.hidden) {
        fold.novel = p.iter().map(|&p| p <= cut).collect();
    }
    let mut sorted: Vec<(f64, f64)> = p_value.iter().map(|&p| (p, 1.0)).collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let density = falling_density(&sorted);
    let probability = |&p: &f64| (1.0 - known / density_at(&density, p)).max(0.0);
    let probability: Vec<f64> = p_value.iter().map(probability).collect();
    let scores: Vec<f64> = pool.open.iter().map(|&row| score[row]).collect();
    Some(Novelty {
        score: pool.by_row(&scores, 0.0),
        probability: pool.by_row(&probability, 0.0),
        novel: pool.by_row(&novel, false),
        p_value: pool.by_row(&p_value, 1.0),
        known,
    })
}

/// How much less a label counts because of the novelty of its instance, for the score `h` of every row:
///
/// ```text
/// min(h, max(1 − m, 1 − r / 2ν))        m the median of h over the open rows, r the share of them that score at least as high,
///                                       ν the share of novel instances, at least 0.1
/// ```
///
/// Where labels are dense this is `h`. Where they are so sparse that most walks leak, as in a pool of a million with a few labels, `h` says
/// more about the distance to the next label than about novelty, and only its highest ranks count.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Discount {
    /// The scores of the open rows, from high to low.
    pub sorted: Vec<f64>,
    /// The share of novel instances is 1 − this.
    pub known: f64,
}

impl Discount {
    /// Replaces the score of every row by its discount, where the rows `open` are the pool, and returns what computes it.
    pub fn apply(h: &mut [f64], open: &[usize], known: f64) -> Self {
        let mut sorted: Vec<f64> = open.iter().map(|&row| h[row]).collect();
        sorted.sort_by(|a, b| b.total_cmp(a));
        let discount = Self { sorted, known };
        h.iter_mut().for_each(|h| *h = discount.at(*h));
        discount
    }

    /// For an instance with this score.
    pub fn at(&self, h: f64) -> f64 {
        let dense = self.sorted.get(self.sorted.len() / 2).map_or(1.0, |median| 1.0 - median);
        let until = 2.0 * (1.0 - self.known).max(LEAST_NOVEL) * self.sorted.len() as f64;
        let above = self.sorted.partition_point(|&other| other >= h) as f64;
        (1.0 - above / until).max(dense).min(h)
    }
}

/// P-values of the open instances, and of the held-out labels fold by fold.
struct PValues {
    pool: Vec<f64>,
    hidden: Vec<Vec<f64>>,
}

impl PValues {
    /// The larger of these and other p-values.
    fn at_least(mut self, other: &Self) -> Self {
        let larger = |(p, other): (&mut f64, &f64)| *p = p.max(*other);
        self.pool.iter_mut().zip(&other.pool).for_each(larger);
        let folds = self.hidden.iter_mut().zip(&other.hidden);
        folds.for_each(|(p, other)| p.iter_mut().zip(other).for_each(larger));
        self
    }

    /// With the held-out labels of each class weighted by this.
    fn of(pool: &Pool, folds: &Folds, weight: &[f64]) -> Self {
        let (table, folds) = (PValueTable::of(folds, weight), &folds.all);
        let of_pool = |&row: &usize| table.of_pool(&|fold: usize| folds[fold].distance[row]);
        let of_fold = |fold: &Fold| fold.hidden.iter().map(|&row| table.of_hidden(fold.distance[row])).collect();
        Self { pool: pool.open.iter().map(of_pool).collect(), hidden: folds.iter().map(of_fold).collect() }
    }
}

/// The held-out labels of every tier, weighted by class. P-values are added up by the tiers' shares of the classes; a tier that no label
/// stands for says nothing.
#[derive(Debug, Clone, PartialEq, Default)]
struct PValueTable {
    pub tiers: Vec<TierTable>,
}

/// The held-out labels that stand for a tier.
#[derive(Debug, Clone, PartialEq)]
struct TierTable {
    /// The share of the classes that the tier has.
    pub share: f64,
    /// The weight of the instance in question itself: that of a label on average.
    pub own: f64,
    /// The weight of all held-out labels.
    pub all: f64,
    /// The smallest p-value that they support.
    pub least: f64,
    /// Their scores, fold by fold.
    pub folds: Vec<HiddenScores>,
}

impl PValueTable {
    fn of(folds: &Folds, weight: &[f64]) -> Self {
        let of_tier = |(tier, share): (usize, f64)| {
            let held_out: Vec<HiddenScores> =
                folds.all.iter().map(|fold| HiddenScores::of(fold, tier, weight)).collect();
            let count: usize = held_out.iter().map(|hidden| hidden.scores.len()).sum();
            let all: f64 = held_out.iter().map(HiddenScores::weight).sum();
            let own = if count > 0 { all / count as f64 } else { 1.0 };
            TierTable { share, own, all, least: least_p_value(&folds.tiers, &folds.all, tier), folds: held_out }
        };
        Self { tiers: folds.tiers.shares_of_classes().into_iter().enumerate().map(of_tier).collect() }
    }

    /// Of an instance of the pool, by its score in every fold.
    fn of_pool(&self, h: &impl Fn(usize) -> f64) -> f64 {
        let of_tier = |tier: &TierTable| {
            let above = tier.folds.iter().enumerate().map(|(fold, hidden)| hidden.above(h(fold)));
            tier.share * ((tier.own + above.sum::<f64>()) / (tier.own + tier.all)).max(tier.least)
        };
        self.tiers.iter().map(of_tier).sum()
    }

    /// Of a held-out label: where it stands for the tier, it is one of those that score at least as high itself.
    fn of_hidden(&self, h: f64) -> f64 {
        let of_tier = |tier: &TierTable| {
            let above: f64 = tier.folds.iter().map(|hidden| hidden.above(h)).sum();
            let some = tier.folds.iter().any(|hidden| !hidden.scores.is_empty());
            tier.share * if some { (above / tier.all).max(tier.least) } else { 1.0 }
        };
        self.tiers.iter().map(of_tier).sum()
    }
}

/// The smallest p-value that the labels of a tier support: with labels of `C` other classes that stand for it, `1/(C + 1)`, since
/// classes differ more from each other than labels of one do.
fn least_p_value(tiers: &ClassTiers, folds: &[Fold], tier: usize) -> f64 {
    let hidden = folds.iter().flat_map(|fold| fold.truth.iter().zip(&fold.stands_for));
    let others = hidden.filter(|(class, stands_for)| **stands_for == Some(tier) && tiers.of_class(**class) != tier);
    let classes: BTreeSet<usize> = others.map(|(class, _)| *class).collect();
    if classes.is_empty() { 0.0 } else { 1.0 / (1 + classes.len()) as f64 }
}

/// By how much the share of p-values up to some small `t` exceeds `t`, at most.
fn excess_of_small(p_value: &[f64]) -> f64 {
    let mut sorted = p_value.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len() as f64;
    let small = sorted.iter().enumerate().take_while(|(_, p)| **p <= SMALL);
    small.map(|(at, p)| (at + 1) as f64 / n - p).fold(0.0, f64::max)
}

/// Labels of a fold that stand for a tier: their scores from high to low, and the sum of the weights up to each.
#[derive(Debug, Clone, PartialEq)]
struct HiddenScores {
    pub scores: Vec<f64>,
    pub sums: Vec<f64>,
}

impl HiddenScores {
    fn of(fold: &Fold, tier: usize, weight: &[f64]) -> Self {
        let mut hidden: Vec<(f64, f64)> = (0..fold.hidden.len())
            .filter(|&at| fold.stands_for[at] == Some(tier))
            .map(|at| (fold.distance[fold.hidden[at]], weight[fold.truth[at]]))
            .collect();
        hidden.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut sum = 0.0;
        let add = |(_, weight): &(f64, f64)| {
            sum += weight;
            sum
        };
        Self { sums: hidden.iter().map(add).collect(), scores: hidden.iter().map(|h| h.0).collect() }
    }

    fn weight(&self) -> f64 {
        self.sums.last().copied().unwrap_or(0.0)
    }

    /// The weight of those that score at least as high.
    fn above(&self, score: f64) -> f64 {
        let count = self.scores.partition_point(|&other| other >= score);
        count.checked_sub(1).map_or(0.0, |last| self.sums[last])
    }
}

/// How much of the pool a label of each class stands for: the share of the pool that is nearest to the class over the share of the
/// labels that it has. In a large class instances are farther from its labels than in a small one with as many.
fn class_weights(pool: &Pool, nearest: &[usize]) -> Vec<f64> {
    let (mut near, mut labels) = (vec![0.0; pool.classes], vec![0.0; pool.classes]);
    nearest.iter().for_each(|&class| near[class] += 1.0 / nearest.len() as f64);
    pool.labels.iter().for_each(|&class| labels[class] += 1.0 / pool.labels.len() as f64);
    let weight = |(near, labels): (&f64, &f64)| (near / labels).clamp(1.0 / MOST_WEIGHT, MOST_WEIGHT);
    near.iter().zip(&labels).map(weight).collect()
}

/// The Benjamini–Hochberg set: the largest `k` such that the `k`-th smallest p-value is at most `k/n` of the level.
pub(crate) fn benjamini_hochberg(p_value: &[f64], level: f64) -> Vec<bool> {
    let mut sorted = p_value.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len() as f64;
    let passes = |(at, &p): (usize, &f64)| (p <= level * (at + 1) as f64 / n).then_some(p);
    let cut = sorted.iter().enumerate().filter_map(passes).next_back();
    p_value.iter().map(|&p| cut.is_some_and(|cut| p <= cut)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn benjamini_and_hochberg_step_up() {
        let p = [0.01, 0.9, 0.02, 0.03, 0.5];
        // 0.01 ≤ 0.2/5, 0.02 ≤ 0.4/5, 0.03 ≤ 0.6/5 at level 0.2; at level 0.04 only 3/5 of it saves the third.
        assert_eq!(benjamini_hochberg(&p, 0.2), [true, false, true, true, false]);
        assert_eq!(benjamini_hochberg(&p, 0.05), [true, false, true, true, false]);
        assert_eq!(benjamini_hochberg(&p, 0.04), [false; 5]);
        assert_eq!(benjamini_hochberg(&[], 0.2), [] as [bool; 0]);
    }

    #[test]
    fn dense_labels_discount_by_score_and_sparse_ones_by_rank() {
        let open: Vec<usize> = (0..100).collect();
        let dense: Vec<f64> = open.iter().map(|&row| row as f64 / 400.0).collect();
        let mut discounted = dense.clone();
        Discount::apply(&mut discounted, &open, 1.0);
        assert_eq!(discounted, dense);
        // Nearly every walk leaks: only the fifth that scores highest is discounted, the highest most.
        let mut discounted: Vec<f64> = open.iter().map(|&row| 1.0 - 1e-6 * (100 - row) as f64).collect();
        Discount::apply(&mut discounted, &open, 1.0);
        assert!(discounted[..80].iter().all(|discount| *discount < 1e-4));
        assert!(discounted[81..].windows(2).all(|pair| pair[0] < pair[1]));
        assert!((discounted[99] - 0.95).abs() < 1e-12);
    }
}
