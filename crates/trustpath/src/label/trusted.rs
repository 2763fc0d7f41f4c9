//! The trusted set of a labelled pool, and what held-out labels say about it.

use super::Trust;
use crate::trust::{Calibration, ClassPromise, Estimate, RankedBy};

/// The trusted set, and how precise it is expected to be.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Trusted {
    /// Rows of the unlabeled instances that are trusted, ascending.
    pub rows: Vec<usize>,
    /// How they were chosen.
    pub trust: Trust,
    /// Lowest probability of a trusted label; `None` where nothing is trusted.
    pub cut: Option<f64>,
    /// Estimated precision; `None` where no held-out label ranks as high.
    pub estimate: Option<Estimate>,
    /// How many labels would be trusted at each of some precisions, by the same kind of promise; none where every class has a promise of
    /// its own.
    pub curve: Vec<(f64, usize)>,
    /// What can be promised of every class; none but where that was asked for.
    pub classes: Vec<ClassPromise>,
    /// The score that ranked the labels.
    pub ranked_by: RankedBy,
    /// The held-out labels.
    pub calibration: Calibration,
}

impl Trusted {
    /// How predictions for new instances are to be trusted: as those of the pool, as far as that is supported.
    pub(crate) fn trust_of_model(&self) -> Option<Trust> {
        let trust = match self.trust {
            Trust::PerClass(promise) => Some(Trust::Precision(promise)),
            Trust::Credibility(_) => self.estimate.map(|estimate| Trust::Average(estimate.precision)),
            trust => Some(trust),
        };
        trust.filter(|_| !self.rows.is_empty())
    }
}

/// Precisions at which the size of the trusted set is reported.
const CURVE: [f64; 6] = [0.7, 0.8, 0.85, 0.9, 0.95, 0.99];

impl Calibration {
    /// How many of `pool` instances, best first, are trusted in this way, as far as that goes by rank.
    pub fn trusted(&self, pool: usize, trust: Trust) -> usize {
        match trust {
            Trust::Precision(promise) | Trust::PerClass(promise) => self.confident(pool, promise),
            Trust::Average(precision) => self.on_average(pool, precision),
            Trust::Credibility(_) => 0,
        }
    }
}

/// Labels that may be trusted, ranked. Every column is in the order of the rows of the pool.
pub(crate) struct RankedRows<'a> {
    /// The rows that may be trusted, ascending.
    pub rows: &'a [usize],
    /// How many unlabeled instances the pool has, those that are none of these included.
    pub size: usize,
    /// The label of each row.
    pub labels: &'a [usize],
    /// The share of the unlabeled instances that score at least as high.
    pub rank: &'a [f64],
    /// The probability that the label is right.
    pub probability: &'a [f64],
    /// How credible the label is.
    pub credibility: &'a [f64],
}

impl RankedRows<'_> {
    /// Decides which labels are trusted.
    pub fn choose(&self, classes: usize, trust: Trust, calibration: Calibration, ranked_by: RankedBy) -> Trusted {
        let promises = match trust {
            Trust::PerClass(promise) => calibration.by_class(classes, self.size, promise),
            _ => Vec::new(),
        };
        let mut rows: Vec<usize> = match trust {
            Trust::Credibility(cut) => self.rows.iter().copied().filter(|&row| self.credibility[row] >= cut).collect(),
            Trust::PerClass(_) => self.within(|row| promises[self.labels[row]].share),
            trust => {
                let share = calibration.trusted(self.size, trust) as f64 / self.size.max(1) as f64;
                self.within(|_| share)
            }
        };
        rows.sort_unstable();
        // Of a set that is not made of the best ranks, what is known is what the best of the same number promise.
        let share = rows.len() as f64 / self.size.max(1) as f64;
        let size = |precision| (precision, calibration.trusted(self.size, trust.with_precision(precision)));
        Trusted {
            trust,
            cut: rows.iter().map(|&row| self.probability[row]).reduce(f64::min),
            estimate: calibration.estimate(share),
            curve: if promises.is_empty() { CURVE.into_iter().map(size).collect() } else { Vec::new() },
            classes: promises,
            ranked_by,
            calibration,
            rows,
        }
    }

    /// Those within the best share of the pool that this says; those that rank equally are trusted together or not at all.
    fn within(&self, share: impl Fn(usize) -> f64) -> Vec<usize> {
        let size = self.size.max(1) as f64;
        let is_within = |row: &usize| share(*row) > 0.0 && self.rank[*row] <= share(*row) + 1e-6 / size;
        self.rows.iter().copied().filter(is_within).collect()
    }
}
