//! How much of a large pool is looked at, where a part tells as much as the whole.
//!
//! A regression or a classifier has some thousand coefficients; a million instances determine them no better than some ten
//! thousand do. So each is fitted to an even part of every class, and then everyone is labelled and judged by it.

use crate::neighbors::Search;

/// Numbers of instances up to which everything is done with all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Up to here the pool is represented as a whole, in double precision; beyond, its features are read block by block
    /// and kept in fewer dimensions (20,000).
    pub whole: usize,
    /// How neighbours are found in larger pools (whatever pays).
    pub search: Search,
    /// Instances without a given label that a classifier is trained on (20,000, but 50 of every class).
    pub train: usize,
    /// Instances that the path is fitted to (20,000, but 20 of every class).
    pub fit: usize,
    /// Instances without a label that take part when given labels are held out (5000, but 20 for every class).
    pub hold_out: usize,
}

/// Of every class, so many train a classifier however many classes there are.
const TRAIN_PER_CLASS: usize = 50;
/// Of every class, so many are fitted.
const FIT_PER_CLASS: usize = 20;
/// For every class, so many take part when labels are held out.
const HOLD_OUT_PER_CLASS: usize = 20;

impl Default for Limits {
    fn default() -> Self {
        Self { whole: 20_000, search: Search::Auto, train: 20_000, fit: 20_000, hold_out: 5_000 }
    }
}

impl Limits {
    /// No limits: exact neighbours, and everything with all instances.
    pub const NONE: Self = Self {
        whole: 20_000,
        search: Search::Exact,
        train: usize::MAX,
        fit: usize::MAX,
        hold_out: usize::MAX,
    };

    /// Places of those among `labels` that a path is fitted to.
    pub(crate) fn to_fit(self, labels: &[usize], classes: usize) -> Vec<usize> {
        evenly(labels, classes, self.fit, FIT_PER_CLASS)
    }

    /// Those of the open rows that take part when labels are held out.
    pub(super) fn to_hold_out(self, open: &[usize], classes: usize) -> Vec<usize> {
        let most = self.hold_out.max(HOLD_OUT_PER_CLASS * classes);
        open.iter().copied().step_by(open.len().div_ceil(most).max(1)).collect()
    }

    /// Places of those among `labels` that train a classifier.
    pub(super) fn to_train(self, labels: &[usize], classes: usize) -> Vec<usize> {
        evenly(labels, classes, self.train, TRAIN_PER_CLASS)
    }
}

/// About `most` places of `labels`, ascending: the same share of every class, spread evenly over it, but `floor` of each if
/// it has so many.
pub(super) fn evenly(labels: &[usize], classes: usize, most: usize, floor: usize) -> Vec<usize> {
    if labels.len() <= most {
        return (0..labels.len()).collect();
    }
    let mut members = vec![0usize; classes];
    labels.iter().for_each(|&label| members[label] += 1);
    let share = most as f64 / labels.len() as f64;
    let quota = |count: usize| ((share * count as f64).round() as usize).max(floor).min(count);
    let quotas: Vec<usize> = members.iter().map(|&count| quota(count)).collect();
    let mut seen = vec![0usize; classes];
    let mut taken = Vec::with_capacity(quotas.iter().sum());
    for (at, &label) in labels.iter().enumerate() {
        // The k-th of m is taken where k·quota/m passes a whole number.
        let (k, m, quota) = (seen[label], members[label], quotas[label]);
        if (k + 1) * quota / m > k * quota / m {
            taken.push(at);
        }
        seen[label] += 1;
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_even_and_has_enough_of_every_class() {
        // A common class, a rare one and one in between.
        let labels: Vec<usize> = (0..10_000)
            .map(|i| if i % 1000 == 7 { 1 } else { 2 * usize::from(i % 5 == 0) })
            .collect();
        let taken = evenly(&labels, 3, 500, 8);
        let of = |class: usize| taken.iter().filter(|&&at| labels[at] == class).count();
        assert_eq!((of(0), of(1), of(2)), (400, 8, 100));
        assert!(taken.is_sorted());
        // Every tenth of the rows has about a tenth of them.
        for tenth in 0..10 {
            let here = taken.iter().filter(|&&at| at / 1000 == tenth).count();
            assert!((48..=54).contains(&here), "{here}");
        }
        assert_eq!(evenly(&labels[..90], 3, 90, 1), (0..90).collect::<Vec<_>>());
    }
}
