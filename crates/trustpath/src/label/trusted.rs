//! The trusted set of a labelled pool, and what held-out labels say about it.

use super::Trust;
use crate::trust::{Calibration, Estimate, RankedBy};

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

/// By which rule a label is trusted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum TrustRule {
    /// Labels that score among this share of the pool.
    Share(f64),
    /// Labels at least as credible.
    Credibility(f64),
    /// No label one by one: none is supported, or the rule needs all rows at once.
    Nothing,
}

impl TrustRule {
    /// Whether a label of this rank and credibility is trusted.
    pub fn trusts(self, rank: f64, credibility: f64) -> bool {
        match self {
            Self::Share(share) => rank <= share,
            Self::Credibility(cut) => credibility >= cut,
            Self::Nothing => false,
        }
    }

    /// The rule that trusts the best `most` of `size` labels; labels of equal rank are trusted together or not at all.
    fn share(most: usize, size: usize) -> Self {
        match most {
            // A label that was not in the pool may rank above all that were.
            0 => Self::Nothing,
            _ => Self::Share((most as f64 + 1e-6) / size.max(1) as f64),
        }
    }
}

impl Trusted {
    /// By which rule its rows were chosen, in a pool with this number of unlabeled instances.
    pub(super) fn rule(&self, size: usize, trust: Trust) -> TrustRule {
        match trust {
            Trust::Precision(precision) => {
                let most = self.calibration.trusted(size, precision);
                TrustRule::share(most, size)
            }
            Trust::Credibility(cut) => TrustRule::Credibility(cut),
            Trust::PerClass(_) => TrustRule::Nothing,
        }
    }

    /// The precision that trusted predictions for new instances should have: that of the pool, as far as it is supported.
    pub(super) fn target_of_model(&self) -> Option<f64> {
        let target = self.target.or(self.estimate.map(|estimate| estimate.precision));
        target.filter(|_| !self.rows.is_empty())
    }
}

/// The part of a pool that trust is decided for. Columns without a row number are in the order of `rows`.
pub(super) struct TrustedPool<'a> {
    /// The rows that may be trusted.
    pub rows: &'a [usize],
    /// How many unlabeled instances the pool has, those that are none of these included.
    pub size: usize,
    pub labels: &'a [usize],
    pub ranks: &'a [f64],
    /// By row number.
    pub probability: &'a [f64],
    /// By row number.
    pub credibility: &'a [f64],
}

impl TrustedPool<'_> {
    /// Decides which labels are trusted.
    pub fn choose(
        &self,
        classes: usize,
        trust: Trust,
        calibration: Calibration,
        ranked_by: RankedBy,
    ) -> Trusted {
        let count = self.rows.len();
        // Best first; of equal ranks the earlier row.
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by(|&a, &b| self.ranks[a].total_cmp(&self.ranks[b]));
        let mut target = None;
        let chosen: Vec<usize> = match trust {
            Trust::Precision(precision) => {
                target = Some(precision);
                let most = calibration.trusted(self.size, precision).min(count);
                // Those that rank equally are trusted together or not at all.
                let within = |at: &usize| self.ranks[*at] * self.size as f64 <= most as f64 + 1e-6;
                order.iter().copied().filter(within).collect()
            }
            Trust::Credibility(cut) => {
                order.iter().copied().filter(|&at| self.credibility[self.rows[at]] >= cut).collect()
            }
            Trust::PerClass(quota) => {
                let mut left = vec![quota; classes];
                let taken = order.iter().copied().filter(|&at| {
                    let left = &mut left[self.labels[at]];
                    let take = *left > 0;
                    *left -= usize::from(take);
                    take
                });
                taken.collect()
            }
        };
        let lowest = chosen.iter().map(|&at| self.probability[self.rows[at]]).reduce(f64::min);
        // Of a set that is not made of the best ranks, what is known is what the best of the same number promise.
        let share = chosen.len() as f64 / self.size.max(1) as f64;
        let mut rows: Vec<usize> = chosen.iter().map(|&at| self.rows[at]).collect();
        rows.sort_unstable();
        Trusted {
            target,
            cut: lowest,
            promised: calibration.promise(share),
            estimate: calibration.estimate(share),
            best: calibration.best(self.size),
            ranked_by,
            calibration,
            rows,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_nothing_is_promised_no_label_is_trusted() {
        for size in [0, 1, 200] {
            assert_eq!(TrustRule::share(0, size), TrustRule::Nothing);
        }
        assert!(!TrustRule::Nothing.trusts(0.0, 1.0));
        let rule = TrustRule::share(2, 200);
        assert!(rule.trusts(0.0, 0.0) && rule.trusts(0.01, 0.0) && !rule.trusts(0.015, 1.0));
    }
}
