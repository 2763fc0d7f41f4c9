//! Folds of the given labels: in turn some are hidden, and the pool is labelled as if they had never been given.
//!
//! What a fold says of a held-out label holds for instances of the pool whose class has about as many labels as are left of
//! its class. So classes form tiers by their number of labels (1, 2–3, 4–7, …), and a held-out label stands for a tier:
//!
//! - in `K` folds every label of a class with several is hidden once. It stands for its own class's tier, if that has enough of
//!   them.
//! - for every other tier, and for that of classes with one label above all, the labels of larger classes are hidden until as
//!   few are left as in the tier. Each of five folds does that for a fifth of the larger classes, so that most of the classes
//!   that compete keep their labels.
//!
//! The only label of a class is never hidden: without it nothing would be known of the class. A tier that no held-out label can
//! stand for is taken to be always wrong. Labels of chosen instances are not like the pool: they stand for nothing, and are hidden only
//! where few are to be left. Labels of one group of rows are hidden together, and count as one.

use std::collections::{BTreeMap, BTreeSet};

use crate::pool::{Labels, Pool, hash};

/// Held-out labels of a tier that are enough for it.
const ENOUGH: usize = 10;
/// Folds in which the labels of larger classes are hidden for a tier.
const THINNED_FOLDS: usize = 5;
/// Classes that have to be larger than those of a tier, for their labels to stand for it.
const LARGER_CLASSES: usize = 3;

/// Classes by their number of labels.
#[derive(Debug)]
pub(crate) struct ClassTiers {
    /// The tier of each class.
    of_class: Vec<usize>,
    /// Labels of each class.
    counts: Vec<usize>,
    /// The smallest number of labels of a class in each tier, ascending.
    smallest: Vec<usize>,
    /// The share of the pool that each tier has, where the labels are a random sample of it.
    pub shares: Option<Vec<f64>>,
}

impl ClassTiers {
    pub fn of(pool: &Pool) -> Self {
        // Labels of one group count as one.
        let groups: BTreeSet<(usize, usize)> =
            pool.given.iter().zip(&pool.labels).map(|(&row, &label)| (label, pool.group_of(row))).collect();
        let mut counts = vec![0usize; pool.classes];
        groups.into_iter().for_each(|(label, _)| counts[label] += 1);
        let random = pool.is_random_sample();
        // Labels of a random sample stand for the pool as they are; only those that cannot be hidden need others to stand for them.
        let power = |count: &usize| if random { u32::from(*count > 1) } else { count.ilog2() };
        let mut powers: Vec<u32> = counts.iter().map(power).collect();
        powers.sort_unstable();
        powers.dedup();
        let place = |count: &usize| powers.partition_point(|other| *other < power(count));
        let of_class: Vec<usize> = counts.iter().map(place).collect();
        let smallest = |tier: usize| {
            let of_tier = counts.iter().zip(&of_class).filter(|(_, of)| **of == tier);
            of_tier.map(|(count, _)| *count).min().unwrap_or(1)
        };
        let shares = random.then(|| {
            let mut shares = vec![0.0; powers.len()];
            let drawn: Vec<usize> = (0..pool.labels.len()).filter(|&at| pool.calibrates(at)).collect();
            drawn.iter().for_each(|&at| shares[of_class[pool.labels[at]]] += 1.0 / drawn.len() as f64);
            shares
        });
        Self { smallest: (0..powers.len()).map(smallest).collect(), of_class, counts, shares }
    }

    /// Number of tiers.
    pub fn len(&self) -> usize {
        self.smallest.len()
    }

    /// The tier of a class.
    pub fn of_class(&self, class: usize) -> usize {
        self.of_class[class]
    }

    /// The share of the classes that each tier has.
    pub fn shares_of_classes(&self) -> Vec<f64> {
        let mut shares = vec![0.0; self.len()];
        self.of_class.iter().for_each(|&tier| shares[tier] += 1.0 / self.of_class.len() as f64);
        shares
    }
}

/// The folds in which given labels are held out, and the tiers of classes that these stand for.
#[derive(Debug)]
pub(crate) struct Folds {
    pub tiers: ClassTiers,
    pub all: Vec<Fold>,
}

impl Folds {
    /// Of a pool, in an order drawn from the seed.
    pub fn of(pool: &Pool, folds: usize, seed: u64) -> Self {
        let tiers = ClassTiers::of(pool);
        let all = Fold::all(pool, &tiers, folds, seed);
        Self { tiers, all }
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
    /// The tier that each of them stands for, if any.
    pub stands_for: Vec<Option<usize>>,
    /// Whether that is another tier than that of its class.
    pub stands_in: Vec<bool>,
    /// The share of the labels of its class that the fold keeps; 1 where it stands for a class with that many.
    pub kept_share: Vec<f64>,
    /// How much each of them counts: labels of one group count as one together.
    pub counts: Vec<f64>,
    /// The tier of every class, by the labels that are left.
    pub tiers: Vec<usize>,
    /// Rows that keep their label.
    given: Vec<usize>,
    /// Their labels.
    kept: Vec<usize>,
    /// The hidden rows, then those of the pool.
    open: Vec<usize>,
    classes: usize,
}

impl Fold {
    /// Hides the given labels at these positions, as far as every class keeps one. No other row takes part yet.
    fn hiding(
        pool: &Pool,
        own: &ClassTiers,
        tiers: Vec<usize>,
        hide: impl Fn(usize) -> bool,
        stands: impl Fn(usize) -> bool,
    ) -> Self {
        let mut left = vec![0usize; pool.classes];
        pool.labels.iter().for_each(|&class| left[class] += 1);
        let mut groups = BTreeMap::<usize, Vec<usize>>::new();
        (0..pool.given.len()).for_each(|at| groups.entry(pool.group_of(pool.given[at])).or_default().push(at));
        let mut is_hidden = vec![false; pool.given.len()];
        let mut counts = vec![0.0; pool.given.len()];
        for places in groups.values().filter(|places| places.iter().any(|&at| hide(at))) {
            places.iter().for_each(|&at| left[pool.labels[at]] -= 1);
            let keeps = places.iter().any(|&at| left[pool.labels[at]] == 0);
            let calibrating = places.iter().filter(|&&at| pool.calibrates(at)).count();
            for &at in places {
                left[pool.labels[at]] += usize::from(keeps);
                is_hidden[at] = !keeps;
                counts[at] = 1.0 / calibrating.max(1) as f64;
            }
        }
        let (hidden, kept): (Vec<usize>, Vec<usize>) = (0..pool.given.len()).partition(|&at| is_hidden[at]);
        let rows = |of: &[usize]| -> Vec<usize> { of.iter().map(|&at| pool.given[at]).collect() };
        let labels = |of: &[usize]| -> Vec<usize> { of.iter().map(|&at| pool.labels[at]).collect() };
        let stands_in = |&at: &usize| tiers[pool.labels[at]] != own.of_class(pool.labels[at]);
        let mut of_class = vec![0usize; pool.classes];
        pool.labels.iter().for_each(|&class| of_class[class] += 1);
        let kept_share = |at: &usize| {
            let class = pool.labels[*at];
            if stands_in(at) { 1.0 } else { left[class] as f64 / of_class[class] as f64 }
        };
        let stands_for = |&at: &usize| {
            let class = pool.labels[at];
            (pool.calibrates(at) && stands(class)).then(|| tiers[class])
        };
        Self {
            distance: Vec::new(),
            novel: Vec::new(),
            stands_for: hidden.iter().map(stands_for).collect(),
            stands_in: hidden.iter().map(stands_in).collect(),
            kept_share: hidden.iter().map(kept_share).collect(),
            counts: hidden.iter().map(|&at| counts[at]).collect(),
            truth: labels(&hidden),
            tiers,
            given: rows(&kept),
            kept: labels(&kept),
            open: rows(&hidden),
            hidden: rows(&hidden),
            classes: pool.classes,
        }
    }

    /// All folds of a pool, in an order drawn from the seed.
    pub fn all(pool: &Pool, tiers: &ClassTiers, folds: usize, seed: u64) -> Vec<Self> {
        let fold_of = assign(pool, folds, seed);
        let several = |at: usize| pool.calibrates(at) && tiers.counts[pool.labels[at]] > 1;
        let top = tiers.len() - 1;
        let own = |tier: usize| {
            let hidden = |at: &usize| several(*at) && tiers.of_class(pool.labels[*at]) == tier;
            let count = (0..pool.labels.len()).filter(hidden).count();
            count >= ENOUGH || tier == top && count > 0
        };
        let has_own: Vec<bool> = (0..=top).map(own).collect();
        let mut all: Vec<Self> = (0..folds)
            .map(|fold| {
                Self::hiding(
                    pool,
                    tiers,
                    tiers.of_class.clone(),
                    |at| fold_of[at] == fold && several(at),
                    |class| has_own[tiers.of_class(class)],
                )
            })
            .collect();
        for tier in (0..top).filter(|&tier| !has_own[tier]) {
            all.extend(Self::thinned(pool, tiers, tier, seed));
        }
        all.retain(|fold| !fold.hidden.is_empty());
        all
    }

    /// Folds in each of which some of the larger classes have as few labels as the smallest class of a tier.
    fn thinned(pool: &Pool, tiers: &ClassTiers, tier: usize, seed: u64) -> Vec<Self> {
        let keep = tiers.smallest[tier];
        let seed = hash(seed, tier + 1);
        let mut larger: Vec<usize> = (0..pool.classes).filter(|&class| tiers.counts[class] > keep).collect();
        if larger.len() < LARGER_CLASSES {
            return Vec::new();
        }
        larger.sort_by_key(|&class| (hash(!seed, class), class));
        // Labels that say nothing of the pool are kept first.
        let mut order: Vec<usize> = (0..pool.labels.len()).collect();
        order.sort_by_key(|&at| (pool.calibrates(at), hash(seed, pool.group_of(pool.given[at])), at));
        let mut kept = vec![BTreeSet::new(); pool.classes];
        let mut beyond = vec![false; order.len()];
        for at in order {
            let (kept, group) = (&mut kept[pool.labels[at]], pool.group_of(pool.given[at]));
            beyond[at] = kept.len() >= keep && !kept.contains(&group);
            if !beyond[at] {
                kept.insert(group);
            }
        }
        let fold = |some: &[usize]| {
            let hide = |at: usize| beyond[at] && some.contains(&pool.labels[at]);
            let mut of_class = tiers.of_class.clone();
            some.iter().for_each(|&class| of_class[class] = tier);
            Self::hiding(pool, tiers, of_class, hide, |_| true)
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

/// The fold of each given label: one drawn from the seed and its group, or the next that has room for another label of the class. So a
/// class with several groups is never hidden completely, and another label moves few of the others to another fold.
fn assign(pool: &Pool, folds: usize, seed: u64) -> Vec<usize> {
    let drawn = |at: usize| hash(seed, pool.group_of(pool.given[at]));
    let mut order: Vec<usize> = (0..pool.labels.len()).collect();
    order.sort_by_key(|&at| (drawn(at), at));
    let mut of_class = vec![0usize; pool.classes];
    pool.labels.iter().for_each(|&label| of_class[label] += 1);
    let mut taken = vec![vec![0usize; folds]; pool.classes];
    let mut fold_of = vec![0; pool.labels.len()];
    let mut of_group = BTreeMap::<usize, usize>::new();
    for at in order {
        let (label, group) = (pool.labels[at], pool.group_of(pool.given[at]));
        let first = (drawn(at) % folds as u64) as usize;
        let room = of_class[label].div_ceil(folds);
        let next = (first..first + folds).map(|fold| fold % folds).find(|&fold| taken[label][fold] < room);
        let fold = *of_group.entry(group).or_insert(next.unwrap_or(first));
        taken[label][fold] += 1;
        fold_of[at] = fold;
    }
    fold_of
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_class_is_hidden_completely() {
        let labels = [0, 0, 1, 2, 2, 2, 2, 2, 2, 2, 1, 3];
        let given: Vec<Option<usize>> = labels.into_iter().map(Some).collect();
        let pool = Pool::new(&given, &[], labels.len(), 4).unwrap();
        for folds in 2..7 {
            for seed in 0..20 {
                let fold = assign(&pool, folds, seed);
                for f in 0..folds {
                    for class in 0..3 {
                        let mut left = labels.iter().zip(&fold);
                        assert!(left.any(|(l, at)| *l == class && *at != f));
                    }
                }
            }
        }
        assert_ne!(assign(&pool, 3, 0), assign(&pool, 3, 1));
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
        let tiers = ClassTiers::of(&pool);
        assert_eq!(tiers.len(), 1);
        let folds = Fold::all(&pool, &tiers, 5, 3);
        assert_eq!(folds.len(), 5);
        let mut hidden: Vec<usize> = folds.iter().flat_map(|fold| fold.hidden.clone()).collect();
        hidden.sort_unstable();
        assert_eq!(hidden, pool.given);
        assert!(folds.iter().all(|fold| fold.stands_for.iter().all(|tier| *tier == Some(0))));
    }

    #[test]
    fn larger_classes_stand_for_those_with_one_label() {
        let pool = pool(&[10, 1, 10, 1, 10, 1]);
        let tiers = ClassTiers::of(&pool);
        assert_eq!((tiers.len(), tiers.of_class(0), tiers.of_class(1)), (2, 1, 0));
        let folds = Fold::all(&pool, &tiers, 5, 3);
        assert_eq!(folds.len(), 8);
        // The folds of every label leave the only one of a class alone.
        assert!(folds[..5].iter().all(|fold| fold.truth.iter().all(|class| class % 2 == 0)));
        let thinned: Vec<usize> = folds[5..].iter().flat_map(|fold| fold.truth.clone()).collect();
        assert_eq!(thinned.len(), 27);
        assert!(folds[5..].iter().all(|fold| fold.stands_for.iter().all(|tier| *tier == Some(0))));
        for fold in &folds {
            let labels = fold.labels();
            assert!((0..6).all(|class| labels.labels.contains(&class)));
        }
    }

    #[test]
    fn classes_of_one_label_alone_hide_nothing() {
        let pool = pool(&[1; 5]);
        assert!(Fold::all(&pool, &ClassTiers::of(&pool), 5, 0).is_empty());
    }
}
