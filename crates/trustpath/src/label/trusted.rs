//! The trusted set of a labelled pool, and what held-out labels say about it.

use super::Trust;
use crate::trust::{Calibration, Estimate, RankedBy};
use trustpath_path::labels::best_of_each_class;

/// The trusted set, and how precise it is expected to be.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Trusted {
    /// Rows of the unlabeled instances that are trusted, ascending.
    pub rows: Vec<usize>,
    /// The precision that was asked for, where trust is by precision.
    pub target: Option<f64>,
    /// Lowest probability of a trusted label; `None` where nothing is trusted.
    pub cut: Option<f64>,
    /// Precision that held-out labels support for as many labels, by the rule of [`Calibration`]; 0 if none.
    pub promised: f64,
    /// Estimated precision; `None` where no held-out label ranks as high.
    pub estimate: Option<Estimate>,
    /// The most that could be promised, and for how many labels.
    pub best: (f64, usize),
    /// The score that ranked the labels.
    pub ranked_by: RankedBy,
    /// The held-out labels.
    pub calibration: Calibration,
}

impl Trusted {
    /// The precision that trusted predictions for new instances should have: that of the pool, as far as it is supported.
    pub(crate) fn target_of_model(&self) -> Option<f64> {
        let target = self.target.or(self.estimate.map(|estimate| estimate.precision));
        target.filter(|_| !self.rows.is_empty())
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
        let (mut rows, target) = match trust {
            Trust::Precision(precision) => (self.within(&calibration, precision), Some(precision)),
            Trust::Credibility(cut) => (self.at_least_as_credible(cut), None),
            Trust::PerClass(quota) => (self.best_of_each_class(classes, quota), None),
        };
        rows.sort_unstable();
        // Of a set that is not made of the best ranks, what is known is what the best of the same number promise.
        let share = rows.len() as f64 / self.size.max(1) as f64;
        Trusted {
            target,
            cut: rows.iter().map(|&row| self.probability[row]).reduce(f64::min),
            promised: calibration.promise(share),
            estimate: calibration.estimate(share),
            best: calibration.best(self.size),
            ranked_by,
            calibration,
            rows,
        }
    }

    /// As many of the best-ranked as this precision allows; those that rank equally are trusted together or not at all.
    fn within(&self, calibration: &Calibration, precision: f64) -> Vec<usize> {
        let most = calibration.trusted(self.size, precision).min(self.rows.len()) as f64 + 1e-6;
        let is_within = |row: &usize| self.rank[*row] * self.size as f64 <= most;
        self.rows.iter().copied().filter(is_within).collect()
    }

    fn at_least_as_credible(&self, cut: f64) -> Vec<usize> {
        self.rows.iter().copied().filter(|&row| self.credibility[row] >= cut).collect()
    }

    /// The best-ranked of every class; of equal ranks the earlier row.
    fn best_of_each_class(&self, classes: usize, quota: usize) -> Vec<usize> {
        best_of_each_class(self.labels, self.rows, &vec![quota; classes], |at| self.rank[self.rows[at]])
    }
}
