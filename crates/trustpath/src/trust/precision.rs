//! Which labels to trust so that at most a given share of them is wrong: cross-conformal selection.
//!
//! Every given label is held out in one fold. Its pseudo-label in that fold is right or wrong, and its rank `v` is the share
//! of the pool that the same fold scores at least as high. With `L` held-out labels, of which `W(v)` are wrong and rank
//! at or above `v`, the expected share of wrong labels among the best `v` of the pool is at most about
//!
//! ```text
//! (1 + W(v)) / (L + 1) / v                                                                     closed pools
//! [ π₀ (1 + W(v)) / (L + 1) + max(0, v − π₀ C(v)/L) ] / v                                      open pools
//! ```
//!
//! and the trusted set is the largest share `v` of the pool for which this is at most `1 − target`. For a single split
//! this is the Benjamini–Hochberg procedure on conformal p-values (Jin and Candès, "Selection by prediction with
//! conformal p-values", 2023), which keeps the expected share below `1 − target`; pooled over folds that share a
//! pool it is proved up to a factor of two (Vovk, "Cross-conformal predictors", 2015), and `docs/trust.md`
//! has what was measured. The one that is added stands for the instance in question itself, and is why few labels
//! promise little.
//!
//! Where classes have very different numbers of labels, held-out labels are weighted by the share of the pool that the tier
//! they stand for has (`folds.rs`, `shares.rs`): `W`, `C` and `L` are then sums of weights. Held-out labels of one class that stand for
//! classes with fewer labels were all predicted from the same few that were left, and are right or wrong together. As many of them as do
//! so count as one where such a class is in question, and less is promised. The one that is added becomes
//!
//! ```text
//! max( largest weight, Σ_t s_t w_t δ_t )
//! ```
//!
//! with `s` the share of the pool that tier `t` has, `w` the weight of its labels, and `δ` the design effect of the labels of larger
//! classes that stand for it, 1 where there are none (`cross_validation.rs`).
//!
//! In an open pool a share `1 − π₀` belongs to no labelled class. Of the labelled classes the best `v` of the pool should
//! contain as many as it contains held-out labels: `π₀ C(v)/L`, where `C(v)` counts those that rank at or above `v`. What the
//! pool has in excess of that is taken to be novel, and wrong.

use std::collections::BTreeMap;

/// Standard errors of the interval of an estimate.
const ERRORS: f64 = 2.33;

/// A given label that was held out in its fold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeldOut {
    /// The share of the pool that its fold scores at least as high as this instance.
    pub rank: f64,
    /// Whether the pseudo-label of its fold is the given label.
    pub right: bool,
    /// How much of the pool it stands for; 1 on average.
    pub weight: f64,
    /// Its class: labels of one class are right or wrong together more often than others.
    pub class: usize,
    /// The class of its pseudo-label.
    pub predicted: usize,
    /// Whether it stands for classes with fewer labels than its own.
    pub stands_in: bool,
}

impl HeldOut {
    /// The same label, so many times as heavy.
    pub(crate) fn times(self, weight: f64) -> Self {
        Self { weight: self.weight * weight, ..self }
    }
}

/// Held-out labels, and the share of the pool that belongs to the labelled classes.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    /// The held-out labels, best rank first.
    pub held_out: Vec<HeldOut>,
    /// Estimated share `π₀` of the pool that belongs to labelled classes; 1 in closed pools.
    pub known: f64,
    /// The weight of the instance in question, which is added to that of the wrong labels: 1 where all labels count alike.
    pub added: f64,
    /// The share of the labels of a class that a fold keeps, on average. The pool is labelled with all of them, and is labelled better.
    pub kept_share: f64,
}

/// An estimated precision.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The estimate.
    pub precision: f64,
    /// The ends of a 95 % interval: Wilson's with 2.33 standard errors, since the same labels have chosen the set, where the upper end has as
    /// much less wrong as folds have fewer labels than the pool.
    pub interval: (f64, f64),
    /// Held-out labels behind it.
    pub labels: usize,
}

impl Default for Calibration {
    fn default() -> Self {
        Self { held_out: Vec::new(), known: 1.0, added: 1.0, kept_share: 1.0 }
    }
}

impl Calibration {
    /// In an open pool, `known` below 1, the share of known instances is at most `v / (C(v)/L)` for every `v`: the best `v` of the
    /// pool cannot hold more of them than there are instances. Ranks on which a third of the labels lie or more bound it.
    pub(crate) fn new(mut held_out: Vec<HeldOut>, known: f64) -> Self {
        held_out.sort_by(|a, b| a.rank.total_cmp(&b.rank));
        let added = held_out.iter().map(|label| label.weight).fold(1.0, f64::max);
        let mut calibration = Self { held_out, known, added, kept_share: 1.0 };
        if known < 1.0 {
            let labels = calibration.held_out.len() as f64;
            let mut above = Above::default();
            for label in &calibration.held_out {
                above.add(label);
                if 3.0 * above.all >= labels {
                    calibration.known = calibration.known.min(label.rank * labels / above.all);
                }
            }
        }
        calibration
    }

    /// Lets the instance in question count at least this much.
    pub(crate) fn adding(mut self, added: f64) -> Self {
        self.added = self.added.max(added);
        self
    }

    /// Notes how many labels folds keep.
    pub(crate) fn with_kept_share(self, kept_share: f64) -> Self {
        Self { kept_share, ..self }
    }

    /// The precision that is promised for the best share `v` of the pool; 0 if nothing can be promised.
    pub fn promise(&self, v: f64) -> f64 {
        self.promise_of(v, &self.above(v))
    }

    /// The held-out labels that rank within the best share `v`.
    fn above(&self, v: f64) -> Above {
        let mut above = Above::default();
        above.add_within(&self.held_out, v);
        above
    }

    /// The share of the best `v` that belongs to a labelled class.
    pub(super) fn known_within(&self, v: f64, above: &Above) -> f64 {
        if self.known < 1.0 { (self.known * above.all / self.held_out.len() as f64 / v).min(1.0) } else { 1.0 }
    }

    fn promise_of(&self, v: f64, above: &Above) -> f64 {
        if v <= 0.0 || self.held_out.is_empty() {
            return 0.0;
        }
        let labels = self.held_out.len() as f64;
        let known_wrong = self.known * (self.added + above.wrong) / (labels + self.added);
        let excess = if self.known < 1.0 { (v - self.known * above.all / labels).max(0.0) } else { 0.0 };
        (1.0 - (known_wrong + excess) / v).max(0.0)
    }

    /// How many of `pool` instances, best first, can be trusted such that this share of them is expected to be right; 0 if none.
    pub fn on_average(&self, pool: usize, target: f64) -> usize {
        let promises = self.promises(pool);
        promises.iter().rposition(|&promise| promise >= target).map_or(0, |at| at + 1)
    }

    /// The promise for the best 1, 2, … of `pool` instances.
    fn promises(&self, pool: usize) -> Vec<f64> {
        let mut above = Above::default();
        let promise = |count: usize| {
            let v = count as f64 / pool as f64;
            above.add_within(&self.held_out, v);
            self.promise_of(v, &above)
        };
        (1..=pool).map(promise).collect()
    }

    /// The estimated precision of the best share `v` of the pool: the share of right ones among the held-out labels that rank
    /// there, times that of known instances. `None` where no held-out label ranks there.
    pub fn estimate(&self, v: f64) -> Option<Estimate> {
        let above = self.above(v);
        if above.all <= 0.0 {
            return None;
        }
        let known = |weight: f64| {
            if self.known < 1.0 { (self.known * weight / self.held_out.len() as f64 / v).min(1.0) } else { 1.0 }
        };
        let right = above.right();
        // Labels of few classes are worth fewer of many.
        let (low, high) = wilson(right, above.effective().min(self.labels_by_class(above.count, right)), ERRORS);
        let spread = 1.96 * above.squares.sqrt();
        Some(Estimate {
            precision: known(above.all) * right,
            interval: (
                known((above.all - spread).max(0.0)) * low,
                known(above.all + spread) * (1.0 - self.kept_share * (1.0 - high)),
            ),
            labels: above.count,
        })
    }
}

impl Calibration {
    /// How many independent labels would determine the share of right ones as well as the best `count` do, judging by the
    /// differences between classes.
    fn labels_by_class(&self, count: usize, right: f64) -> f64 {
        let mut residuals = BTreeMap::<usize, f64>::new();
        for label in &self.held_out[..count] {
            let residual = f64::from(u8::from(label.right)) - right;
            *residuals.entry(label.class).or_default() += label.weight * residual;
        }
        let all: f64 = self.held_out[..count].iter().map(|label| label.weight).sum();
        let (classes, squares) = (residuals.len() as f64, residuals.values().map(|r| r * r).sum::<f64>());
        let variance = squares / (all * all) * classes / (classes - 1.0);
        if variance > 0.0 && variance.is_finite() { (right * (1.0 - right) / variance).max(1.0) } else { f64::INFINITY }
    }
}

/// Sums over the held-out labels of the best ranks.
#[derive(Debug, Clone, Default)]
pub(super) struct Above {
    pub count: usize,
    pub all: f64,
    wrong: f64,
    /// Sum of the squared weights, where labels of one class that stand for others count as one.
    squares: f64,
    /// The weight of labels that stand for classes with fewer labels, and that of each class.
    pub stands_in: f64,
    of_class: BTreeMap<usize, f64>,
}

impl Above {
    pub fn of(labels: &[HeldOut]) -> Self {
        let mut all = Self::default();
        labels.iter().for_each(|label| all.add(label));
        all
    }

    pub fn add(&mut self, label: &HeldOut) {
        self.count += 1;
        self.all += label.weight;
        self.squares += label.weight * label.weight;
        if label.stands_in {
            self.stands_in += label.weight;
            let of_class = self.of_class.entry(label.class).or_default();
            self.squares += 2.0 * *of_class * label.weight;
            *of_class += label.weight;
        }
        if !label.right {
            self.wrong += label.weight;
        }
    }

    /// Adds those of the labels, best rank first, that rank within the best share `v` and were not added yet.
    pub fn add_within(&mut self, labels: &[HeldOut], v: f64) {
        while let Some(label) = labels.get(self.count).filter(|label| label.rank <= v) {
            self.add(label);
        }
    }

    /// How many labels of equal weight they are worth (Kish).
    pub fn effective(&self) -> f64 {
        if self.squares > 0.0 { self.all * self.all / self.squares } else { 0.0 }
    }

    /// The share of them that is right; none where nothing has a weight.
    pub fn right(&self) -> f64 {
        if self.all > 0.0 { 1.0 - self.wrong / self.all } else { 0.0 }
    }
}

/// The interval of a share of `n` of so many standard errors, by Wilson's score.
pub(crate) fn wilson(share: f64, n: f64, z: f64) -> (f64, f64) {
    let centre = (share + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let half = z / (1.0 + z * z / n) * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    // Rounding must not leave the share itself outside.
    ((centre - half).clamp(0.0, share), (centre + half).clamp(share, 1.0))
}

/// The share of `pool`, which is sorted from high to low, that scores at least as high.
pub(crate) fn rank(pool: &[f64], score: f64) -> f64 {
    pool.partition_point(|&other| other >= score) as f64 / pool.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Ranks and truth of instances whose label is right with a probability that falls with rank.
    fn draw(n: usize, random: &mut Random) -> Vec<HeldOut> {
        let one = |_| {
            let rank = random.uniform();
            HeldOut {
                rank,
                right: random.uniform() < 1.0 - 0.6 * rank,
                weight: 1.0,
                class: 0,
                predicted: 0,
                stands_in: false,
            }
        };
        (0..n).map(one).collect()
    }

    #[test]
    fn what_is_promised_is_kept_on_average() {
        for (held_out, target) in [(60, 0.9), (200, 0.9), (200, 0.8)] {
            let (mut wrong, mut some) = (0.0, 0);
            let runs = 400;
            for run in 0..runs {
                let mut random = Random::stream(run, held_out as u64);
                let calibration = Calibration::new(draw(held_out, &mut random), 1.0);
                let mut pool = draw(500, &mut random);
                pool.sort_by(|a, b| a.rank.total_cmp(&b.rank));
                let trusted = &pool[..calibration.on_average(500, target)];
                if !trusted.is_empty() {
                    some += 1;
                    let right = trusted.iter().filter(|label| label.right).count();
                    wrong += 1.0 - right as f64 / trusted.len() as f64;
                }
            }
            // The expectation is over all runs, including those that trust no label; three standard errors of slack.
            let rate = wrong / runs as f64;
            assert!(rate <= 1.0 - target + 0.01, "{held_out} {target}: {rate}");
            assert!(some > runs / 4, "{held_out} {target}: only {some} runs trusted anything");
        }
    }

    #[test]
    fn the_interval_contains_the_precision_in_nearly_all_draws() {
        let (mut inside, runs) = (0, 400);
        for run in 0..runs {
            let calibration = Calibration::new(draw(100, &mut Random::stream(run, 1)), 1.0);
            let estimate = calibration.estimate(0.5).unwrap();
            // The mean of 1 − 0.6 v over the best half.
            inside += usize::from(estimate.interval.0 <= 0.85 && 0.85 <= estimate.interval.1);
        }
        assert!(inside >= 370, "{inside} of {runs}");
    }

    #[test]
    fn the_sweep_promises_what_each_share_does() {
        for known in [1.0, 0.8] {
            let calibration = Calibration::new(draw(40, &mut Random::stream(3, 0)), known);
            for (at, promise) in calibration.promises(67).into_iter().enumerate() {
                assert_eq!(calibration.promise((at + 1) as f64 / 67.0), promise);
            }
        }
    }

    #[test]
    fn an_instance_that_counts_more_is_promised_less() {
        let calibration = Calibration::new(draw(100, &mut Random::stream(3, 0)), 1.0);
        let trusted = |added| calibration.clone().adding(added).on_average(200, 0.8);
        assert_eq!(trusted(0.5), calibration.on_average(200, 0.8));
        assert!(trusted(5.0) < trusted(1.0), "{} {}", trusted(5.0), trusted(1.0));
    }

    #[test]
    fn few_labels_promise_little() {
        let all_right = |n: usize| {
            Calibration::new(
                vec![HeldOut { rank: 0.5, right: true, weight: 1.0, class: 0, predicted: 0, stands_in: false }; n],
                1.0,
            )
        };
        assert_eq!(all_right(18).on_average(30, 0.95), 0);
        assert_eq!(all_right(19).on_average(30, 0.95), 30);
        assert_eq!(all_right(19).estimate(0.4), None);
        assert_eq!(Calibration::default().on_average(30, 0.5), 0);
    }

    #[test]
    fn novel_instances_among_the_best_are_not_trusted() {
        // All held-out labels are right, and half of the pool is novel, evenly over all ranks.
        let labels: Vec<HeldOut> = (1..=100)
            .map(|i| HeldOut {
                rank: i as f64 / 100.0,
                right: true,
                weight: 1.0,
                class: 0,
                predicted: 0,
                stands_in: false,
            })
            .collect();
        let calibration = Calibration::new(labels.clone(), 0.5);
        assert_eq!(calibration.on_average(400, 0.8), 0);
        assert!((calibration.estimate(0.5).unwrap().precision - 0.5).abs() < 1e-12);
        // The novel half ranks last.
        let first: Vec<HeldOut> = labels.iter().map(|label| HeldOut { rank: label.rank / 2.0, ..*label }).collect();
        let calibration = Calibration::new(first, 0.5);
        assert!((190..=250).contains(&calibration.on_average(400, 0.8)));
        assert!((calibration.estimate(0.4).unwrap().precision - 1.0).abs() < 1e-12);
    }
}
