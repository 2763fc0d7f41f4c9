//! Sizes at which an algorithm changes or a part of the data is used instead of all of it, each with its reason.
//!
//! A regression or a classifier has some thousand coefficients, and a million instances determine them no better than
//! some ten thousand do. So each is fitted to an even part of every class, and then labels and judges every instance.

use crate::pool::Labels;

/// Numbers of instances up to which each step uses all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Up to this size all rows of a pool are labelled together; beyond, a random part of this size is, and its model predicts the
    /// others (20,000).
    pub in_memory: usize,
    /// Up to this size the classifier is solved to a certified minimum in double precision; beyond, by L-BFGS in single
    /// precision (4096).
    pub certified: usize,
    /// Pseudo-labelled instances that a classifier is trained on (20,000, but 20 of every class).
    pub train: usize,
    /// Instances with given labels that a path is fitted to in an audit, and twice those in a pool (20,000, but 20 of
    /// every class).
    pub fit: usize,
    /// Open instances that a path is fitted to (2048, but 20 for every class).
    pub fit_open: usize,
    /// Open instances that take part in cross-validation (5000, but 20 for every class).
    pub cross_validation: usize,
    /// Instances times classes up to which self-training reads the similarity graph of a pool in memory: a probability of each
    /// class is kept for every instance and fold (8 million).
    pub graph_labels: usize,
}

/// Samples that the basis of L-BFGS is computed from: any basis is correct, and a good one does not need all samples.
pub(crate) const BASIS_ROWS: usize = 8192;
/// Classes up to which the classifier of a small pool is solved to a certified minimum: beyond, L-BFGS is faster.
const CERTIFIED_CLASSES: usize = 64;
/// Instances that suggestions are chosen from: all pairs of a large pool would be too many.
pub(crate) const SUGGEST_CANDIDATES: usize = 1024;
/// Instances that suggestions are to cover, evenly taken.
pub(crate) const SUGGEST_COVERED: usize = 4096;
/// Unlabeled instances per class up to which `label` uses the adaptive mode unless held-out labels speak for another one: on
/// pools of that size of four kinds of features it was better than self-training on average.
pub const ADAPTIVE: usize = 20;
/// Unlabeled instances per class up to which the adaptive mode may be chosen by held-out labels.
pub const ADAPTIVE_CANDIDATE: usize = 50;
/// Given labels per class from which on it is no such candidate. On four kinds of features (16 classes, 20 draws) being able to choose it
/// was worth up to 2.2 points with two labels and up to 1.3 with five, but 0.1 on average with twenty, where it takes as long as all the rest of
/// a run.
pub const ADAPTIVE_LABELS: usize = 20;
/// Classes up to which `label` considers the adaptive mode, whose schedule was learned on up to 40. An earlier schedule labelled pools of
/// 77 and 150 classes worse than self-training by 1 to 4 points, at twice the cost.
pub const ADAPTIVE_CLASSES: usize = 64;

/// Classes up to which the rounds of self-training accept labels by the path where the similarity graph is read. With more, the 128
/// coordinates of a pool cannot hold the corners of all classes, and the probability of the product with the graph ranks labels as
/// well in a third of the time.
pub(crate) const PATH_CLASSES: usize = 64;

/// Instances up to which their Gram matrix is computed. Beyond, it needs more memory (32 MiB here) than most features.
pub const GRAM_ROWS: usize = 2048;
/// Instances up to which near-duplicates are searched among all pairs, in time that grows with the square. Beyond, each is
/// compared with those of the cells around it.
pub const EXACT_POINTS: usize = 20_000;
/// Principal components in which a pool is labelled, at most.
pub(crate) const POOL_COMPONENTS: usize = 128;
/// Reference rows that a new row is compared with, at least: those of the cells around it. Up to this number it is compared with all.
pub(crate) const COMPARED_TARGETS: usize = 1024;
/// Cells that reference rows are sorted into, for each of the root of their number.
pub(crate) const CELLS_PER_ROOT: usize = 2;
/// Reference rows that a model keeps, at most.
pub(crate) const REFERENCE_ROWS: usize = 20_000;
/// Dimensions of the reference rows that a model keeps, at most.
pub(crate) const REFERENCE_DIMS: usize = 160;
/// Rows that the kept dimensions are computed from.
pub(crate) const REFERENCE_BASIS_ROWS: usize = 8192;
/// Points for each cell that k-means places the cells by: the centres need to be spread like the points, not optimal.
pub(crate) const CELL_SAMPLE: usize = 32;
/// Points, at most, that the centre of all points is the mean of.
pub(crate) const CENTRE_ROWS: usize = 4096;

/// However many classes there are, this many instances of each train the classifier.
const TRAIN_PER_CLASS: usize = 20;
/// However many classes there are, this many instances of each are fitted.
const FIT_PER_CLASS: usize = 20;
/// However many classes there are, this many instances per class take part in cross-validation.
const CROSS_VALIDATION_PER_CLASS: usize = 20;

impl Default for Limits {
    fn default() -> Self {
        Self {
            in_memory: 20_000,
            certified: 4096,
            train: 20_000,
            fit: 20_000,
            fit_open: 2048,
            cross_validation: 5_000,
            graph_labels: 1 << 23,
        }
    }
}

impl Limits {
    /// No limits: every step uses all instances, and neighbours are exact.
    pub const NONE: Self = Self {
        in_memory: usize::MAX,
        certified: usize::MAX,
        train: usize::MAX,
        fit: usize::MAX,
        fit_open: usize::MAX,
        cross_validation: usize::MAX,
        graph_labels: usize::MAX,
    };

    /// Rows whose given labels an audit fits its path to.
    pub(crate) fn to_fit_given(self, labels: &[usize], classes: usize) -> Vec<usize> {
        evenly(labels, classes, self.fit, FIT_PER_CLASS)
    }

    /// Places of the given labels that the part of a large pool has: half of the part at most, but enough of every class.
    pub(crate) fn to_give(self, labels: &[usize], classes: usize) -> Vec<usize> {
        evenly(labels, classes, self.in_memory / 2, TRAIN_PER_CLASS)
    }

    /// Positions of a split that a path is fitted to, under these labels of the open rows: an even part of the given ones, and of
    /// the open ones.
    pub(crate) fn to_fit(self, split: Labels<'_>, labels: &[usize]) -> Vec<usize> {
        let given = split.given.len();
        let mut fitted = evenly(split.labels, split.classes, self.fit / 2, FIT_PER_CLASS);
        let most = self.fit_open.max(FIT_PER_CLASS.saturating_mul(split.classes));
        let every = labels.len().div_ceil(most).max(1);
        fitted.extend((given..given + labels.len()).step_by(every));
        fitted
    }

    /// Those of the open rows that take part in cross-validation.
    pub(crate) fn to_cross_validate(self, open: &[usize], classes: usize) -> Vec<usize> {
        let most = self.cross_validation.max(CROSS_VALIDATION_PER_CLASS * classes);
        open.iter().copied().step_by(open.len().div_ceil(most).max(1)).collect()
    }

    /// Whether a classifier of this number of classes in a pool of this number of instances is solved to a certified minimum.
    pub(crate) fn certifies(self, instances: usize, classes: usize) -> bool {
        let all = self.certified == usize::MAX;
        all || instances <= self.certified && classes <= CERTIFIED_CLASSES
    }

    /// Whether self-training reads the similarity graph of a pool of this size.
    pub(crate) fn reads_graph(self, instances: usize, classes: usize) -> bool {
        instances <= self.in_memory && instances.saturating_mul(classes) <= self.graph_labels
    }

    /// Places among `labels` of those that train a classifier.
    pub(crate) fn to_train(self, labels: &[usize], classes: usize) -> Vec<usize> {
        evenly(labels, classes, self.train, TRAIN_PER_CLASS)
    }
}

/// About `most` places of `labels`, ascending: the same share of every class, spread evenly over it, but at least `floor` of
/// each class that has that many.
fn evenly(labels: &[usize], classes: usize, most: usize, floor: usize) -> Vec<usize> {
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
        let labels: Vec<usize> =
            (0..10_000).map(|i| if i % 1000 == 7 { 1 } else { 2 * usize::from(i % 5 == 0) }).collect();
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
