//! Folds of the given labels: in turn some are hidden, and the pool is labelled as if they had never been given.
//!
//! What a fold says of a held-out label holds for instances of the pool whose class has about as many labels as are left of
//! its class. So classes form groups by their number of labels (1, 2–3, 4–7, …), and a held-out label stands for a group:
//!
//! - in `K` folds every label of a class with several is hidden once. It stands for its own class's group, if that has enough of
//!   them.
//! - for every other group, and for that of classes with one label above all, the labels of larger classes are hidden until as
//!   few are left as in the group. Each of five folds does that for a fifth of the larger classes, so that most of the classes
//!   that compete keep their labels.
//!
//! The only label of a class is never hidden: without it nothing would be known of the class. A group that no held-out label can
//! stand for is taken to be always wrong.

use crate::pool::{Labels, Pool};
use crate::random;

/// Held-out labels of a group that are enough for it.
const ENOUGH: usize = 20;
/// Folds in which the labels of larger classes are hidden for a group.
const THINNED_FOLDS: usize = 5;
/// Classes that have to be larger than those of a group, for their labels to stand for it.
const LARGER_CLASSES: usize = 3;

/// Classes by their number of labels.
#[derive(Debug)]
pub(crate) struct ClassGroups {
    /// The group of each class.
    of_class: Vec<usize>,
    /// Labels of each class.
    counts: Vec<usize>,
    /// The smallest number of labels of a class in each group, ascending.
    smallest: Vec<usize>,
}

impl ClassGroups {
    pub fn of(pool: &Pool) -> Self {
        let mut counts = vec![0usize; pool.classes];
        pool.labels.iter().for_each(|&label| counts[label] += 1);
        let mut powers: Vec<u32> = counts.iter().map(|count| count.ilog2()).collect();
        powers.sort_unstable();
        powers.dedup();
        let place = |count: &usize| powers.partition_point(|power| *power < count.ilog2());
        let of_class: Vec<usize> = counts.iter().map(place).collect();
        let smallest = |group: usize| {
            let of_group = counts.iter().zip(&of_class).filter(|(_, of)| **of == group);
            of_group.map(|(count, _)| *count).min().unwrap_or(1)
        };
        Self { smallest: (0..powers.len()).map(smallest).collect(), of_class, counts }
    }

    /// Number of groups.
    pub fn len(&self) -> usize {
        self.smallest.len()
    }

    /// The group of a class.
    pub fn of_class(&self, class: usize) -> usize {
        self.of_class[class]
    }

    /// The share of the classes that each group has.
    pub fn shares_of_classes(&self) -> Vec<f64> {
        let mut shares = vec![0.0; self.len()];
        self.of_class.iter().for_each(|&group| shares[group] += 1.0 / self.of_class.len() as f64);
        shares
    }
}

/// The folds in which given labels are held out, and the groups of classes that these stand for.
#[derive(Debug)]
pub(crate) struct Folds {
    pub groups: ClassGroups,
    pub all: Vec<Fold>,
}

impl Folds {
    /// Of a pool, in an order drawn from the seed.
    pub fn of(pool: &Pool, folds: usize, seed: u64) -> Self {
        let groups = ClassGroups::of(pool);
        let all = Fold::all(pool, &groups, folds, seed);
        Self { groups, all }
    }
}

/// One fold: a pool in which some of the given labels are hidden.
#[derive(Debug)]
pub(crate) struct Fold {
    /// How far every row of the pool is from the labels that the fold keeps, or how much it is discounted for that; empty in a closed pool.
    pub distance: Vec<f64>,
    /// Which of the hidden labels would be found to be none of these; empty where nothing is.
    pub novel: Vec<bool>,
    /// Rows whose labels are hidden.
    pub hidden: Vec<usize>,
    /// Their labels.
    pub truth: Vec<usize>,
    /// The group that each of them stands for, if any.
    pub stands_for: Vec<Option<usize>>,
    /// The group of every class, by the labels that are left.
    pub groups: Vec<usize>,
    /// Rows that keep their label.
    given: Vec<usize>,
    /// Their labels.
    kept: Vec<usize>,
    /// The hidden rows, then those of the pool.
    open: Vec<usize>,
    classes: usize,
}

impl Fold {
    /// Hides the given labels at these positions. No other row takes part yet.
    fn hiding(pool: &Pool, groups: Vec<usize>, hide: impl Fn(usize) -> bool, stands: impl Fn(usize) -> bool) -> Self {
        let (hidden, kept): (Vec<usize>, Vec<usize>) = (0..pool.given.len()).partition(|&at| hide(at));
        let rows = |of: &[usize]| -> Vec<usize> { of.iter().map(|&at| pool.given[at]).collect() };
        let labels = |of: &[usize]| -> Vec<usize> { of.iter().map(|&at| pool.labels[at]).collect() };
        let truth = labels(&hidden);
        Self {
            distance: Vec::new(),
            novel: Vec::new(),
            stands_for: truth.iter().map(|&class| stands(class).then(|| groups[class])).collect(),
            truth,
            groups,
            given: rows(&kept),
            kept: labels(&kept),
            open: rows(&hidden),
            hidden: rows(&hidden),
            classes: pool.classes,
        }
    }

    /// All folds of a pool, in an order drawn from the seed.
    pub fn all(pool: &Pool, groups: &ClassGroups, folds: usize, seed: u64) -> Vec<Self> {
        let of_label = assign(&pool.labels, pool.classes, folds, seed);
        let several = |at: usize| groups.counts[pool.labels[at]] > 1;
        let top = groups.len() - 1;
        let own = |group: usize| {
            let hidden = |at: &usize| several(*at) && groups.of_class(pool.labels[*at]) == group;
            let count = (0..pool.labels.len()).filter(hidden).count();
            count >= ENOUGH || group == top && count > 0
        };
        let has_own: Vec<bool> = (0..=top).map(own).collect();
        let mut all: Vec<Self> = (0..folds)
            .map(|fold| {
                Self::hiding(
                    pool,
                    groups.of_class.clone(),
                    |at| of_label[at] == fold && several(at),
                    |class| has_own[groups.of_class(class)],
                )
            })
            .collect();
        for group in (0..top).filter(|&group| !has_own[group]) {
            all.extend(Self::thinned(pool, groups, group, seed));
        }
        all.retain(|fold| !fold.hidden.is_empty());
        all
    }

    /// Folds in each of which some of the larger classes have as few labels as the smallest class of a group.
    fn thinned(pool: &Pool, groups: &ClassGroups, group: usize, seed: u64) -> Vec<Self> {
        let keep = groups.smallest[group];
        let seed = mixed(seed, group as u64 + 1);
        let mut larger: Vec<usize> = (0..pool.classes).filter(|&class| groups.counts[class] > keep).collect();
        if larger.len() < LARGER_CLASSES {
            return Vec::new();
        }
        larger.sort_by_key(|&class| (mixed(!seed, class as u64), class));
        let mut order: Vec<usize> = (0..pool.labels.len()).collect();
        order.sort_by_key(|&at| (mixed(seed, at as u64), at));
        let mut kept = vec![0usize; pool.classes];
        let mut beyond = vec![false; order.len()];
        for at in order {
            let kept = &mut kept[pool.labels[at]];
            beyond[at] = *kept >= keep;
            *kept += 1;
        }
        let fold = |some: &[usize]| {
            let hide = |at: usize| beyond[at] && some.contains(&pool.labels[at]);
            let mut of_class = groups.of_class.clone();
            some.iter().for_each(|&class| of_class[class] = group);
            Self::hiding(pool, of_class, hide, |_| true)
        };
        larger.chunks(larger.len().div_ceil(THINNED_FOLDS)).map(fold).collect()
    }

    /// Lets these rows of the pool take part, and no others but the hidden ones.
    pub fn let_take_part(&mut self, rows: &[usize]) {
        self.open.truncate(self.hidden.len());
        self.open.extend_from_slice(rows);
    }

    /// The pool as the fold sees it.
    pub fn labels(&self) -> Labels<'_> {
        Labels { given: &self.given, labels: &self.kept, open: &self.open, classes: self.classes }
    }

    /// Which rows keep their label.
    pub fn labelled(&self, rows: usize) -> Vec<bool> {
        let mut labelled = vec![false; rows];
        self.given.iter().for_each(|&row| labelled[row] = true);
        labelled
    }
}

/// The fold of each given label, class by class in an order drawn from the seed, so that a class with several labels is
/// never hidden completely.
fn assign(labels: &[usize], classes: usize, folds: usize, seed: u64) -> Vec<usize> {
    let mut members = vec![Vec::new(); classes];
    for (at, &label) in labels.iter().enumerate() {
        members[label].push(at);
    }
    let mut fold = vec![0; labels.len()];
    let mut assigned = 0;
    for of_class in &mut members {
        of_class.sort_by_key(|&at| (mixed(seed, at as u64), at));
        for &at in of_class.iter() {
            fold[at] = assigned % folds;
            assigned += 1;
        }
    }
    fold
}

/// Number `at` of the SplitMix64 sequence that starts at `seed`.
fn mixed(seed: u64, at: u64) -> u64 {
    random::mix(seed.wrapping_add(at.wrapping_mul(random::GOLDEN)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_class_is_hidden_completely() {
        let labels = [0, 0, 1, 2, 2, 2, 2, 2, 2, 2, 1, 3];
        for folds in 2..7 {
            for seed in 0..20 {
                let fold = assign(&labels, 4, folds, seed);
                for f in 0..folds {
                    for class in 0..3 {
                        let mut left = labels.iter().zip(&fold);
                        assert!(left.any(|(l, at)| *l == class && *at != f));
                    }
                }
            }
        }
        assert_ne!(assign(&labels, 4, 3, 0), assign(&labels, 4, 3, 1));
    }

    /// A pool whose classes have these numbers of labels, and two open rows.
    fn pool(counts: &[usize]) -> Pool {
        let labels = counts.iter().enumerate().flat_map(|(class, &n)| vec![Some(class); n]);
        let labels: Vec<Option<usize>> = labels.chain([None, None]).collect();
        Pool::new(&labels, &[], labels.len(), counts.len()).unwrap()
    }

    #[test]
    fn equal_counts_hide_every_label_once() {
        let pool = pool(&[5; 4]);
        let groups = ClassGroups::of(&pool);
        assert_eq!(groups.len(), 1);
        let folds = Fold::all(&pool, &groups, 5, 3);
        assert_eq!(folds.len(), 5);
        let mut hidden: Vec<usize> = folds.iter().flat_map(|fold| fold.hidden.clone()).collect();
        hidden.sort_unstable();
        assert_eq!(hidden, pool.given);
        assert!(folds.iter().all(|fold| fold.stands_for.iter().all(|group| *group == Some(0))));
    }

    #[test]
    fn larger_classes_stand_for_those_with_one_label() {
        let pool = pool(&[10, 1, 10, 1, 10, 1]);
        let groups = ClassGroups::of(&pool);
        assert_eq!((groups.len(), groups.of_class(0), groups.of_class(1)), (2, 1, 0));
        let folds = Fold::all(&pool, &groups, 5, 3);
        assert_eq!(folds.len(), 8);
        // The folds of every label leave the only one of a class alone.
        assert!(folds[..5].iter().all(|fold| fold.truth.iter().all(|class| class % 2 == 0)));
        let thinned: Vec<usize> = folds[5..].iter().flat_map(|fold| fold.truth.clone()).collect();
        assert_eq!(thinned.len(), 27);
        assert!(folds[5..].iter().all(|fold| fold.stands_for.iter().all(|group| *group == Some(0))));
        for fold in &folds {
            let labels = fold.labels();
            assert!((0..6).all(|class| labels.labels.contains(&class)));
        }
    }

    #[test]
    fn classes_of_one_label_alone_hide_nothing() {
        let pool = pool(&[1; 5]);
        assert!(Fold::all(&pool, &ClassGroups::of(&pool), 5, 0).is_empty());
    }
}
