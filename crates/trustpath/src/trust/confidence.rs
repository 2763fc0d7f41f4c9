//! Which labels to trust so that, with a stated confidence, at most a given share of them is wrong: learn then test.
//!
//! A sequence of sets is fixed before anybody looks at right and wrong: the best `1, 2, …` of the pool, from the first that holds a quarter
//! of the held-out labels and as many as it takes. Of each set the hypothesis "more than `α` of it are wrong" is tested, and the last set
//! before the first that is not rejected is trusted. With `n` held-out labels in the set, a share `e` of which is wrong,
//!
//! ```text
//! p = P( Binomial(n, α) ≤ e n ) ≤ 1 − confidence        at least log(1 − confidence) / log(1 − α) labels, all of them right
//! ```
//!
//! A later set is only tested where all earlier ones were rejected, so that no correction for their number is needed (Angelopoulos,
//! Bates, Candès, Jordan and Lei, "Learn then test", 2021). Of a set that passes, its best part is no worse, since instances are ranked; so
//! much of the pool is trusted:
//!
//! ```text
//! min(v, 0.3 ((1 − confidence) / p)^⅓)               v the share of the pool that the set is; the largest of all sets that pass
//! ```
//!
//! so that the trusted set grows with the evidence: one label more or less would otherwise decide between nothing and everything. Labels of unequal weight count as `n = (Σ w)² / Σ w²` (Kish), where the labels of one class that
//! stand for smaller classes count as a single one: they are right or wrong together. Where such labels stand for more than
//! a third of the pool, nothing is promised: they are a little more often right than what they stand for. In an open pool
//!
//! ```text
//! e = 1 − f (1 − wrong/all)         f = min(1, π₀ C(v) / (L v)), the share of the best v that belongs to a labelled class
//! ```
//!
//! Held-out labels were labelled with fewer labels than the pool, and share them, so that the level is measured and not proved
//! (`docs/measured/promise.md`).

use super::precision::{Above, Calibration, HeldOut};

/// The share of the held-out labels that the first set holds.
const FIRST: f64 = 0.25;
/// The share of the pool that labels of larger classes may stand for, at most.
const STANDS_IN: f64 = 0.35;
/// The share of the pool that is trusted by the least evidence, and the power of the evidence that more of it takes. With a larger share or a
/// smaller power, more updates of a session change the trusted share by more than 40 points; otherwise coverage is lost.
const GROWTH: (f64, f64) = (0.3, 3.0);
/// Held-out labels of a set from which is guessed how many are needed.
const ENOUGH_TO_GUESS: f64 = 5.0;

/// With this confidence at least this share of the trusted labels is right.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Promise {
    /// The share.
    pub precision: f64,
    /// The confidence.
    pub confidence: f64,
}

impl Promise {
    /// Held-out labels that it takes, were all of them right.
    ///
    /// ```
    /// use trustpath::trust::Promise;
    /// assert_eq!(Promise { precision: 0.9, confidence: 0.9 }.least_labels(), 22);
    /// assert_eq!(Promise { precision: 0.95, confidence: 0.9 }.least_labels(), 45);
    /// ```
    pub fn least_labels(self) -> usize {
        ((1.0 - self.confidence).ln() / self.precision.ln() - 1e-9).ceil().max(1.0) as usize
    }

    /// How probable it is that no larger share of so many labels is wrong than this, where the promise is not kept.
    fn chance(self, labels: f64, wrong: f64) -> f64 {
        binomial_tail(labels, labels * wrong, 1.0 - self.precision)
    }

    /// How probable that may be.
    fn level(self) -> f64 {
        1.0 - self.confidence + 1e-12
    }

    /// How many labels, of which this share is wrong, would support it; `None` if no number would.
    fn labels_at(self, wrong: f64) -> Option<f64> {
        const MOST: usize = 100_000;
        if wrong >= 1.0 - self.precision {
            return None;
        }
        let mut labels = self.least_labels();
        while labels < MOST && self.chance(labels as f64, wrong) > self.level() {
            labels += labels.div_ceil(50);
        }
        (labels < MOST).then_some(labels as f64)
    }
}

/// What can be promised of the labels of one class.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct ClassPromise {
    /// The best share of the pool, of which the labels of this class are promised; 0 if none are.
    pub share: f64,
    /// Held-out labels that were given this class.
    pub labels: usize,
    /// How many of them it takes, if they go on being right as often; `None` if no number would do.
    pub needed: Option<usize>,
}

impl Calibration {
    /// How many of `pool` instances, best first, can be trusted with this promise; 0 if none.
    pub fn confident(&self, pool: usize, promise: Promise) -> usize {
        self.confident_of(&self.held_out, pool, promise)
    }

    /// How many independent labels of equal weight the held-out labels are worth.
    pub fn effective_labels(&self) -> usize {
        (Above::of(&self.held_out).effective() + 1e-9) as usize
    }

    /// Whether labels of larger classes stand for more of the pool than they can say something about.
    pub fn stands_in_too_much(&self) -> bool {
        Above::of(&self.held_out).stands_in_too_much()
    }

    /// How many labels have to be held out for anything to be trusted, if they go on being right as often; `None` if no number would
    /// do.
    pub fn labels_needed(&self, promise: Promise) -> Option<usize> {
        self.needed_of(&self.held_out, promise)
    }

    /// What can be promised of every class by itself.
    pub fn by_class(&self, classes: usize, pool: usize, promise: Promise) -> Vec<ClassPromise> {
        let of_class = |class: usize| {
            let labels: Vec<HeldOut> = self.held_out.iter().filter(|label| label.predicted == class).copied().collect();
            ClassPromise {
                share: self.confident_of(&labels, pool, promise) as f64 / pool.max(1) as f64,
                labels: labels.len(),
                needed: self.needed_of(&labels, promise),
            }
        };
        (0..classes).map(of_class).collect()
    }

    /// The same by some of the held-out labels.
    fn confident_of(&self, labels: &[HeldOut], pool: usize, promise: Promise) -> usize {
        let all = Above::of(labels);
        if all.stands_in_too_much() {
            return 0;
        }
        let first = (FIRST * all.effective()).max(promise.least_labels() as f64);
        let (mut above, mut of_all) = (Above::default(), Above::default());
        let mut trusted = 0;
        for count in 1..=pool {
            let v = count as f64 / pool as f64;
            above.add_within(labels, v);
            of_all.add_within(&self.held_out, v);
            if above.effective() < first {
                continue;
            }
            let chance = promise.chance(above.effective(), 1.0 - self.known_within(v, &of_all) * above.right());
            if chance > promise.level() {
                break;
            }
            let grown = GROWTH.0 * (promise.level() / chance).powf(1.0 / GROWTH.1);
            trusted = trusted.max(count.min((grown * pool as f64) as usize));
        }
        trusted
    }

    fn needed_of(&self, labels: &[HeldOut], promise: Promise) -> Option<usize> {
        let all = Above::of(labels).effective();
        let (mut above, mut of_all) = (Above::default(), Above::default());
        let mut least: Option<f64> = None;
        for label in labels {
            above.add(label);
            of_all.add_within(&self.held_out, label.rank);
            let n = above.effective();
            if n < ENOUGH_TO_GUESS {
                continue;
            }
            let wrong = 1.0 - self.known_within(label.rank, &of_all) * above.right();
            if let Some(needed) = promise.labels_at(wrong) {
                least = Some(least.map_or(f64::INFINITY, |least| least).min(needed * all / n));
            }
        }
        least.map(|needed| needed.ceil() as usize)
    }
}

impl Above {
    fn stands_in_too_much(&self) -> bool {
        self.stands_in > STANDS_IN * self.all
    }
}

/// `P(Binomial(n, p) ≤ k)`, continued to numbers that are not whole by the incomplete beta function.
fn binomial_tail(n: f64, k: f64, p: f64) -> f64 {
    if k >= n - 1e-9 { 1.0 } else { 1.0 - incomplete_beta(k.max(0.0) + 1.0, n - k.max(0.0), p) }
}

/// The regularised incomplete beta function, by its continued fraction (Lentz's method).
fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    // The fraction converges fast below the mean.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(b, a, 1.0 - x);
    }
    const TINY: f64 = 1e-300;
    const STEPS: usize = 1000;
    let bounded = |value: f64| if value.abs() < TINY { TINY } else { value };
    let (mut c, mut d) = (1.0, 1.0 / bounded(1.0 - (a + b) * x / (a + 1.0)));
    let mut fraction = d;
    for step in 1..STEPS {
        let m = step as f64;
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        for numerator in [even, odd] {
            d = 1.0 / bounded(1.0 + numerator * d);
            c = bounded(1.0 + numerator / c);
            fraction *= c * d;
        }
        if (c * d - 1.0).abs() < 1e-14 {
            break;
        }
    }
    let log = libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b) + a * x.ln() + b * (1.0 - x).ln();
    log.exp() * fraction / a
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    const PROMISE: Promise = Promise { precision: 0.9, confidence: 0.9 };

    #[test]
    fn the_tail_is_the_sum_of_its_terms() {
        for (n, p) in [(1usize, 0.3f64), (22, 0.1), (150, 0.2), (400, 0.05)] {
            let mut term = (1.0 - p).powi(n as i32);
            let mut sum = 0.0;
            for k in 0..n {
                sum += term;
                assert!((binomial_tail(n as f64, k as f64, p) - sum).abs() < 1e-10, "{n} {k} {p}");
                term *= (n - k) as f64 / (k + 1) as f64 * p / (1.0 - p);
            }
        }
        assert_eq!(binomial_tail(0.0, 0.0, 0.1), 1.0);
    }

    fn label(rank: f64, right: bool) -> HeldOut {
        HeldOut { rank, right, weight: 1.0, class: 0, predicted: 0, stands_in: false }
    }

    /// Ranks and truth of instances whose label is right with a probability that falls with rank.
    fn draw(n: usize, random: &mut Random) -> Vec<HeldOut> {
        let one = |_| {
            let rank = random.uniform();
            label(rank, random.uniform() < 1.0 - 0.4 * rank)
        };
        (0..n).map(one).collect()
    }

    #[test]
    fn what_is_promised_is_broken_in_few_draws() {
        for (labels, at_least) in [(60, 150), (200, 250)] {
            let (mut above, mut some, runs) = (0, 0, 1000);
            for run in 0..runs {
                let calibration = Calibration::new(draw(labels, &mut Random::stream(run, labels as u64)), 1.0);
                let share = calibration.confident(500, PROMISE) as f64 / 500.0;
                some += usize::from(share > 0.0);
                // The mean of 0.4 v over the best share is 0.2 of it.
                above += usize::from(0.2 * share > 0.1);
            }
            assert!(above <= 100, "{labels}: {above} of {runs} are above");
            assert!(some > at_least, "{labels}: {some} of {runs} trust anything");
        }
    }

    #[test]
    fn as_many_right_labels_as_it_takes_are_enough() {
        let all_right = |n: usize| Calibration::new((0..n).map(|at| label(at as f64 / n as f64, true)).collect(), 1.0);
        assert_eq!(all_right(21).confident(100, PROMISE), 0);
        // The more there are, the more is trusted.
        let sizes = [22, 30, 40, 60].map(|n| all_right(n).confident(100, PROMISE));
        assert!((25..=31).contains(&sizes[0]) && sizes.is_sorted() && sizes[3] == 100, "{sizes:?}");
        assert_eq!(all_right(10).labels_needed(PROMISE), Some(22));
        let wrong = Calibration::new((0..50).map(|at| label(at as f64 / 50.0, at % 2 == 0)).collect(), 1.0);
        assert_eq!((wrong.confident(100, PROMISE), wrong.labels_needed(PROMISE)), (0, None));
        assert_eq!(Calibration::default().confident(100, PROMISE), 0);
    }

    #[test]
    fn every_class_has_a_promise_of_its_own() {
        let of = |predicted: usize, at: usize| HeldOut {
            predicted,
            ..label(at as f64 / 40.0, predicted == 0 || !at.is_multiple_of(3))
        };
        let labels = (0..40).flat_map(|at| [of(0, at), of(1, at)]).collect();
        let classes = Calibration::new(labels, 1.0).by_class(3, 100, PROMISE);
        assert_eq!((classes[0].share, classes[0].labels), (0.56, 40));
        assert_eq!((classes[1].share, classes[1].labels, classes[1].needed), (0.0, 40, None));
        assert_eq!((classes[2].share, classes[2].labels), (0.0, 0));
    }

    #[test]
    fn labels_that_stand_for_too_much_promise_nothing() {
        let of = |at: usize| HeldOut { stands_in: at.is_multiple_of(2), class: at, ..label(at as f64 / 100.0, true) };
        assert_eq!(Calibration::new((0..100).map(of).collect(), 1.0).confident(100, PROMISE), 0);
        // Forty labels of four classes that stand for smaller ones are four.
        let few = |at: usize| HeldOut {
            stands_in: at < 40,
            class: at % 4,
            weight: if at < 40 { 0.1 } else { 1.0 },
            ..label(0.5, true)
        };
        let all = Above::of(&(0..60).map(few).collect::<Vec<_>>());
        assert!((all.effective() - 24.0).abs() < 1e-9, "{}", all.effective());
    }
}
