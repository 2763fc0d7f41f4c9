//! Cross-validation over the given labels: what each fold says of the labels that it hides, and of the pool.
//!
//! For every fold the pool is labelled and judged as in the real run, without the labels of the fold. What is chosen by
//! held-out labels (the labeller, and the score that ranks) is chosen for each fold by the labels of the others that it does not hide
//! itself, since several folds may hide the same label (`folds.rs`). So no label takes part in a choice that it then calibrates.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use super::folds::{Fold, Groups};
use super::precision::{Calibration, HeldOut, rank};
use super::shares::group_shares;
use crate::Result;
use crate::choice::choices;
use crate::judge::{Judgement, View, judge_open};
use crate::labeller::{Labeller, PoolLabels};
use crate::limits::Limits;

choices! {
    /// The score by which labels are ranked for trust.
    #[derive(Default)]
    #[non_exhaustive]
    pub enum RankedBy("ranking") {
        /// Credibility on the path of incidental parameters.
        #[default]
        Credibility = "credibility",
        /// The labeller's probability.
        Probability = "probability",
    }
}

impl RankedBy {
    /// The scores of labels; `novelty` is what an instance is discounted by, from 0 to 1: the [discount](super::Discount) of its distance from
    /// all labels, the distance itself where too few labels are held out to detect novel instances, and 0 in a closed pool.
    pub(crate) fn scores(
        self,
        probability: &[f64],
        judged: &[Judgement],
        novelty: impl Fn(usize) -> f64,
    ) -> Vec<f64> {
        let score = |at: usize| match self {
            Self::Credibility => judged[at].credibility(),
            Self::Probability => probability[at],
        };
        (0..judged.len()).map(|at| score(at) * (1.0 - novelty(at))).collect()
    }
}

/// A labeller that may be chosen, and what it reads.
#[derive(Debug)]
pub(crate) struct Candidate<'a> {
    pub labeller: Box<dyn Labeller>,
    pub view: View<'a>,
}

/// What the held-out labels decide.
#[derive(Debug, Default)]
pub(crate) struct CrossValidation {
    /// The candidate that labels best.
    pub labeller: usize,
    /// The score that ranks best.
    pub ranked_by: RankedBy,
    /// The held-out labels.
    held_out: Vec<HeldOutOfGroup>,
}

/// A held-out label that stands for a group.
#[derive(Debug, Clone, Copy)]
struct HeldOutOfGroup {
    row: usize,
    group: usize,
    /// The group of its pseudo-label.
    found: usize,
    label: HeldOut,
}

/// Labels every fold by every candidate. The first candidate is the one that is used unless held-out labels speak for another.
/// Each fold comes with the distances of all rows from its labels, where these were computed, and `novel` says which hidden
/// labels count as none of these: they rank last. `share` is the share of the pool that takes part; the rest is none of these.
pub(crate) fn cross_validate(
    candidates: &[Candidate<'_>],
    folds: &[(Fold, Vec<f64>)],
    novel: &[Vec<bool>],
    share: f64,
    limits: Limits,
) -> Result<CrossValidation> {
    let label = |(fold, _): &(Fold, Vec<f64>)| -> Result<Vec<PoolLabels>> {
        let mut found: Vec<PoolLabels> = Vec::with_capacity(candidates.len());
        for Candidate { labeller, view } in candidates {
            let contained = found.iter().find_map(|before| labeller.contained_in(before));
            found.push(match contained {
                Some(contained) => contained,
                None => labeller.label(view, fold.split())?,
            });
        }
        Ok(found)
    };
    let found: Vec<Vec<PoolLabels>> = folds.par_iter().map(label).collect::<Result<_>>()?;
    let right = |fold: usize, candidate: usize, at: usize| {
        found[fold][candidate].labels[at] == folds[fold].0.truth[at]
    };
    let hidden_rows = HiddenRows::of(folds);
    let choose_labeller = |for_fold: Option<usize>| {
        let mut best = 0;
        for other in 1..candidates.len() {
            let (mut gained, mut lost) = (0usize, 0usize);
            for (fold, (hidden, _)) in folds.iter().enumerate() {
                let rows = hidden.hidden.iter().enumerate();
                for (at, _) in rows.filter(|(_, row)| hidden_rows.take_part(**row, for_fold)) {
                    let (ours, theirs) = (right(fold, best, at), right(fold, other, at));
                    gained += usize::from(theirs && !ours);
                    lost += usize::from(ours && !theirs);
                }
            }
            // Another one has to be better by more than a standard error, with McNemar's correction for continuity: two labels
            // more are no evidence.
            if gained as f64 - lost as f64 - 1.0 > ((gained + lost) as f64).sqrt() {
                best = other;
            }
        }
        best
    };
    // By score: every held-out label that stands for a group.
    type Judged = [Vec<HeldOutOfGroup>; 2];
    let judge = |(k, (fold, distance)): (usize, &(Fold, Vec<f64>))| -> Result<Judged> {
        let (split, chosen) = (fold.split(), choose_labeller(Some(k)));
        let (candidate, found) = (&candidates[chosen], &found[k][chosen]);
        let judged = judge_open(&candidate.view, split, &found.labels, limits)?;
        let distance = |at: usize| distance.get(split.open[at]).copied().unwrap_or(0.0);
        Ok(RankedBy::ALL.map(|ranked_by| {
            let scores = ranked_by.scores(&found.probability, &judged, distance);
            let mut pool = scores[fold.hidden.len()..].to_vec();
            pool.sort_by(|a, b| b.total_cmp(a));
            let held_out = |at: usize| {
                let label = HeldOut {
                    rank: match novel.get(k).is_some_and(|novel| novel[at]) {
                        true => 1.0,
                        false => share * rank(&pool, scores[at]),
                    },
                    right: right(k, chosen, at),
                    weight: 1.0,
                    class: fold.truth[at],
                };
                Some(HeldOutOfGroup {
                    row: fold.hidden[at],
                    group: fold.stands_for[at]?,
                    found: fold.groups[found.labels[at]],
                    label,
                })
            };
            (0..fold.hidden.len()).filter_map(held_out).collect()
        }))
    };
    let judged: Vec<Judged> = folds.par_iter().enumerate().map(judge).collect::<Result<_>>()?;
    let choose_score = |for_fold: Option<usize>| {
        let by = RankedBy::ALL.map(|by| {
            let held_out = judged.iter().flat_map(|judged| &judged[by as usize]);
            let others = held_out.filter(|held_out| hidden_rows.take_part(held_out.row, for_fold));
            auroc(&others.map(|held_out| held_out.label).collect::<Vec<_>>())
        });
        if by[1] > by[0] { RankedBy::Probability } else { RankedBy::Credibility }
    };
    let held_out = judged.iter().enumerate();
    let held_out =
        held_out.flat_map(|(k, h)| &h[choose_score(Some(k)) as usize]).copied().collect();
    Ok(CrossValidation { labeller: choose_labeller(None), ranked_by: choose_score(None), held_out })
}

/// The rows whose labels each fold hides.
struct HiddenRows(Vec<BTreeSet<usize>>);

impl HiddenRows {
    fn of(folds: &[(Fold, Vec<f64>)]) -> Self {
        Self(folds.iter().map(|(fold, _)| fold.hidden.iter().copied().collect()).collect())
    }

    /// Whether the label of a row, wherever it is held out, takes part in what is chosen for this fold, or for the real run.
    fn take_part(&self, row: usize, for_fold: Option<usize>) -> bool {
        for_fold.is_none_or(|fold| !self.0[fold].contains(&row))
    }
}

impl CrossValidation {
    /// What the held-out labels say of ranks, each weighted by the share of the pool that its group has. `labels` are those of the
    /// pool, and `known` the share of it that belongs to labelled classes.
    pub fn calibration(self, groups: &Groups, labels: &[usize], known: f64) -> Calibration {
        let count = groups.len();
        let mut found = vec![0.0; count];
        labels.iter().for_each(|&label| found[groups.of_class(label)] += 1.0 / labels.len() as f64);
        let pairs: Vec<(usize, usize)> =
            self.held_out.iter().map(|held_out| (held_out.group, held_out.found)).collect();
        let mut of_group = vec![0usize; count];
        pairs.iter().for_each(|&(of, _)| of_group[of] += 1);
        let classes = groups.shares_of_classes();
        let mut shares = group_shares(&pairs, &found, classes.clone());
        let unseen = |group: usize| of_group[group] == 0;
        // Instances of a group that nothing stands for are given to others more often than not: it has at least the share
        // of its classes.
        (0..count).filter(|&g| unseen(g)).for_each(|g| shares[g] = shares[g].max(classes[g]));
        let total: f64 = shares.iter().sum();
        let n = self.held_out.len() as f64;
        let weight = |group: usize| shares[group] / total * n / of_group[group].max(1) as f64;
        // A new instance belongs to each group with the probability of the group's share. Where labels of larger classes stand for the
        // group, its weight is multiplied by their design effect.
        let of_larger = |group: usize| {
            let stand_in = |held_out: &&HeldOutOfGroup| {
                held_out.group == group && groups.of_class(held_out.label.class) != group
            };
            let labels = self.held_out.iter().filter(stand_in).map(|held_out| held_out.label);
            wrong_together(labels.map(|label| (label.class, label.right)))
        };
        let added = (0..count).map(|g| shares[g] / total * weight(g) * of_larger(g)).sum();
        let mut all: Vec<HeldOut> = self
            .held_out
            .iter()
            .map(|held_out| HeldOut { weight: weight(held_out.group), ..held_out.label })
            .collect();
        if n > 0.0 {
            let wrong =
                |g| HeldOut { rank: 0.0, right: false, weight: weight(g), class: usize::MAX };
            all.extend((0..count).filter(|&g| unseen(g)).map(wrong));
        }
        Calibration::new(all, known).adding(added)
    }
}

/// The design effect of labels, given with their class: how many of one class are right or wrong together. At least 1; the number per
/// class where all of them are right, or all wrong, so that nothing tells.
fn wrong_together(labels: impl Iterator<Item = (usize, bool)> + Clone) -> f64 {
    let (count, right) = labels
        .clone()
        .fold((0.0, 0.0), |(n, r), (_, right)| (n + 1.0, r + f64::from(u8::from(right))));
    let mut of_class = BTreeMap::<usize, (f64, f64)>::new();
    for (class, right_one) in labels {
        let (number, residuals) = of_class.entry(class).or_default();
        *number += 1.0;
        *residuals += f64::from(u8::from(right_one)) - right / count;
    }
    let classes = of_class.len() as f64;
    if classes < 2.0 {
        return count.max(1.0);
    }
    let spread = right * (count - right) / count;
    match spread > 0.0 {
        true => {
            let squares: f64 = of_class.values().map(|(_, sum)| sum * sum).sum();
            (squares / spread * classes / (classes - 1.0)).max(1.0)
        }
        false => count / classes,
    }
}

/// How often a right label ranks before a wrong one, ties counting half; ½ where there are none of either.
pub(crate) fn auroc(held_out: &[HeldOut]) -> f64 {
    let of = |right: bool| held_out.iter().filter(move |label| label.right == right);
    let pairs = of(true).count() * of(false).count();
    if pairs == 0 {
        return 0.5;
    }
    let mut sorted: Vec<&HeldOut> = held_out.iter().collect();
    sorted.sort_by(|a, b| a.rank.total_cmp(&b.rank));
    let (mut wins, mut wrong_after) = (0.0, of(false).count() as f64);
    for tied in sorted.chunk_by(|a, b| a.rank == b.rank) {
        let right = tied.iter().filter(|label| label.right).count() as f64;
        let wrong = tied.len() as f64 - right;
        wrong_after -= wrong;
        wins += right * (wrong_after + 0.5 * wrong);
    }
    wins / pairs as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::split::OwnedSplit;

    #[test]
    fn labels_that_are_right_or_wrong_together_count_as_one() {
        let of = |right: &dyn Fn(usize, usize) -> bool| {
            let labels = (0..10).flat_map(|class| (0..6).map(move |at| (class, at)));
            let labels: Vec<(usize, bool)> =
                labels.map(|(class, at)| (class, right(class, at))).collect();
            wrong_together(labels.iter().copied())
        };
        let (together, apart) =
            (of(&|class, _| class % 3 > 0), of(&|class, at| (class + at) % 3 > 0));
        assert!((6.0..7.0).contains(&together), "{together}");
        assert_eq!(apart, 1.0);
        assert_eq!(of(&|_, _| true), 6.0);
        assert_eq!(wrong_together([].into_iter()), 1.0);
    }

    #[test]
    fn no_label_takes_part_in_a_choice_for_a_fold_that_hides_it() {
        // Labels of the larger classes are hidden twice: in an ordinary fold, and in one for the classes with one label.
        let counts = [10, 1, 10, 1, 10, 1];
        let labels = counts.into_iter().enumerate().flat_map(|(class, n)| vec![Some(class); n]);
        let labels: Vec<Option<usize>> = labels.collect();
        let pool = OwnedSplit::new(&labels, labels.len(), 6).unwrap();
        let folds = Fold::all(&pool, &Groups::of(&pool), 5, 3);
        let folds: Vec<(Fold, Vec<f64>)> = folds.into_iter().map(|f| (f, Vec::new())).collect();
        let hidden = HiddenRows::of(&folds);
        for (k, (fold, _)) in folds.iter().enumerate() {
            assert!(fold.hidden.iter().all(|&row| !hidden.take_part(row, Some(k))));
            assert!(fold.hidden.iter().all(|&row| hidden.take_part(row, None)));
            let others = folds.iter().flat_map(|(other, _)| &other.hidden);
            let choosing = others.filter(|row| hidden.take_part(**row, Some(k)));
            assert!(choosing.clone().count() > 0);
            assert!(choosing.clone().all(|row| !fold.hidden.contains(row)));
        }
    }

    #[test]
    fn auroc_counts_pairs() {
        let of = |items: &[(f64, bool)]| {
            let label = |&(rank, right)| HeldOut { rank, right, weight: 1.0, class: 0 };
            auroc(&items.iter().map(label).collect::<Vec<_>>())
        };
        assert_eq!(of(&[(0.1, true), (0.2, true), (0.9, false)]), 1.0);
        assert_eq!(of(&[(0.9, true), (0.1, false)]), 0.0);
        assert_eq!(of(&[(0.5, true), (0.5, false), (0.1, true), (0.9, false)]), 0.875);
        assert_eq!(of(&[(0.5, true)]), 0.5);
    }
}
