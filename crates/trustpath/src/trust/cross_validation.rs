//! Cross-validation over the given labels: what each fold says of the labels that it hides, and of the pool.
//!
//! For every fold the pool is labelled and judged as in the real run, without the labels of the fold. What is chosen by
//! held-out labels (the labeller, and the score that ranks) is chosen for each fold by the labels of the others that it does not hide
//! itself, since several folds may hide the same label (`folds.rs`). So no label takes part in a choice that it then calibrates.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use super::folds::{ClassTiers, Fold};
use super::precision::{Calibration, HeldOut, rank};
use super::shares::tier_shares;
use crate::Result;
use crate::choices;
use crate::judge::{FrozenPath, Judgement, PoolView, judge_open};
use crate::labeller::{Labelled, Labeller};
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
    pub(crate) fn scores(self, probability: &[f64], judged: &[Judgement], novelty: impl Fn(usize) -> f64) -> Vec<f64> {
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
    pub view: PoolView<'a>,
}

/// What the held-out labels decide.
#[derive(Debug, Default)]
pub(crate) struct CrossValidation {
    /// The candidate that labels best.
    pub labeller: usize,
    /// The score that ranks best.
    pub ranked_by: RankedBy,
    /// How every fold was labelled and judged.
    pub runs: Vec<FoldRun>,
    /// The held-out labels.
    held_out: Vec<HeldOutOfTier>,
}

/// How a fold was labelled by the candidate that was chosen for it, and the path that judged it.
#[derive(Debug)]
pub(crate) struct FoldRun {
    pub labelled: Labelled,
    pub path: FrozenPath,
}

/// Labels of the open rows of a fold, the hidden ones first, by other means than the labeller.
#[derive(Debug)]
pub(crate) struct FoldPrediction {
    /// The most probable of the labelled classes.
    pub labels: Vec<usize>,
    /// Whether each is none of these.
    pub novel: Vec<bool>,
    /// Their scores by each ranking.
    pub scores: ScoresByRanking,
}

/// Scores of rows by each ranking.
pub(crate) type ScoresByRanking = [Vec<f64>; RankedBy::ALL.len()];

/// A held-out label that stands for a tier.
#[derive(Debug, Clone, Copy)]
struct HeldOutOfTier {
    row: usize,
    tier: usize,
    /// The tier of its pseudo-label.
    predicted_tier: usize,
    /// The share of the labels of its class that its fold keeps.
    kept_share: f64,
    label: HeldOut,
}

/// Labels every fold by every candidate. The first candidate is the one that is used unless held-out labels speak for another. `share` is
/// the share of the pool that takes part; the rest is none of these.
pub(crate) fn cross_validate(
    candidates: &[Candidate<'_>],
    folds: &[Fold],
    share: f64,
    limits: Limits,
) -> Result<CrossValidation> {
    let label = |fold: &Fold| label_by_all(candidates, fold);
    let trial = Trial {
        candidates,
        folds,
        labelled: folds.par_iter().map(label).collect::<Result<_>>()?,
        hidden: HiddenRows::of(folds),
        share,
        limits,
    };
    let judged: Vec<(FrozenPath, ScoredLabels)> =
        (0..folds.len()).into_par_iter().map(|k| trial.judge(k)).collect::<Result<_>>()?;
    let (paths, scored): (Vec<FrozenPath>, Vec<ScoredLabels>) = judged.into_iter().unzip();
    let (ranked_by, held_out) = trial.hidden.rank(&scored);
    let labeller = trial.choose_labeller(None);
    let chosen: Vec<usize> = (0..folds.len()).map(|k| trial.choose_labeller(Some(k))).collect();
    let labelled = trial.labelled.into_iter().zip(chosen);
    let labelled = labelled.map(|(mut labelled, chosen)| labelled.swap_remove(chosen));
    let runs = labelled.zip(paths).map(|(labelled, path)| FoldRun { labelled, path }).collect();
    Ok(CrossValidation { labeller, ranked_by, runs, held_out })
}

/// What the held-out labels of these folds say of predictions, which are made in every fold as those of new rows are.
pub(crate) fn cross_validate_predictions(
    folds: &[Fold],
    predictions: &[FoldPrediction],
    share: f64,
) -> CrossValidation {
    let score = |(fold, predicted): (&Fold, &FoldPrediction)| {
        score_hidden(fold, &predicted.labels, &predicted.novel, &predicted.scores, share)
    };
    let scored: Vec<ScoredLabels> = folds.iter().zip(predictions).map(score).collect();
    let (ranked_by, held_out) = HiddenRows::of(folds).rank(&scored);
    CrossValidation { ranked_by, held_out, ..CrossValidation::default() }
}

/// Every held-out label of a fold that stands for a tier, by every ranking. Those that count as none of these rank last.
fn score_hidden(fold: &Fold, labels: &[usize], novel: &[bool], scores: &ScoresByRanking, share: f64) -> ScoredLabels {
    RankedBy::ALL.map(|by| {
        let scores = &scores[by as usize];
        let mut pool = scores[fold.hidden.len()..].to_vec();
        pool.sort_by(|a, b| b.total_cmp(a));
        let held_out = |at: usize| {
            let (label, class) = (labels[at], fold.truth[at]);
            let is_novel = novel.get(at).is_some_and(|novel| *novel);
            let rank = if is_novel { 1.0 } else { share * rank(&pool, scores[at]) };
            Some(HeldOutOfTier {
                row: fold.hidden[at],
                tier: fold.stands_for[at]?,
                predicted_tier: fold.tiers[label],
                kept_share: fold.kept_share[at],
                label: HeldOut {
                    rank,
                    right: label == class,
                    weight: fold.counts[at],
                    class,
                    predicted: label,
                    stands_in: fold.stands_in[at],
                },
            })
        };
        (0..fold.hidden.len()).filter_map(held_out).collect()
    })
}

/// What every candidate makes of a fold.
fn label_by_all(candidates: &[Candidate<'_>], fold: &Fold) -> Result<Vec<Labelled>> {
    let mut all: Vec<Labelled> = Vec::with_capacity(candidates.len());
    for Candidate { labeller, view } in candidates {
        let contained = all.iter().find_map(|before| labeller.contained_in(before));
        all.push(match contained {
            Some(contained) => contained,
            None => labeller.label(view, fold.labels())?,
        });
    }
    Ok(all)
}

/// The held-out labels of a fold, by the score that ranks them.
type ScoredLabels = [Vec<HeldOutOfTier>; RankedBy::ALL.len()];

/// Folds that every candidate has labelled.
struct Trial<'a> {
    candidates: &'a [Candidate<'a>],
    folds: &'a [Fold],
    /// By fold and candidate.
    labelled: Vec<Vec<Labelled>>,
    hidden: HiddenRows,
    share: f64,
    limits: Limits,
}

impl Trial<'_> {
    /// Whether a candidate labels the hidden row at this place of a fold rightly.
    fn is_right(&self, fold: usize, candidate: usize, at: usize) -> bool {
        self.labelled[fold][candidate].labels[at] == self.folds[fold].truth[at]
    }

    /// The candidate for a fold, or for the real run.
    fn choose_labeller(&self, for_fold: Option<usize>) -> usize {
        let mut best = 0;
        for other in 1..self.candidates.len() {
            let (mut gained, mut lost) = (0usize, 0usize);
            for (k, fold) in self.folds.iter().enumerate() {
                let rows = fold.hidden.iter().enumerate();
                for (at, _) in rows.filter(|(_, row)| self.hidden.take_part(**row, for_fold)) {
                    let (ours, theirs) = (self.is_right(k, best, at), self.is_right(k, other, at));
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
    }

    /// The path that judges a fold, and every held-out label that stands for a tier. Those that count as none of these rank last.
    fn judge(&self, k: usize) -> Result<(FrozenPath, ScoredLabels)> {
        let (fold, chosen) = (&self.folds[k], self.choose_labeller(Some(k)));
        let (candidate, labelled) = (&self.candidates[chosen], &self.labelled[k][chosen]);
        let labels = fold.labels();
        let (path, judged) = judge_open(&candidate.view, labels, &labelled.labels, self.limits)?;
        let discount = |at: usize| fold.distance.get(labels.open[at]).copied().unwrap_or(0.0);
        let scores = RankedBy::ALL.map(|by| by.scores(&labelled.probability, &judged, discount));
        Ok((path, score_hidden(fold, &labelled.labels, &fold.novel, &scores, self.share)))
    }
}

/// The rows whose labels each fold hides.
struct HiddenRows(Vec<BTreeSet<usize>>);

impl HiddenRows {
    fn of(folds: &[Fold]) -> Self {
        Self(folds.iter().map(|fold| fold.hidden.iter().copied().collect()).collect())
    }

    /// The score that ranks, and the held-out labels of every fold by the score that is chosen without them.
    fn rank(&self, scored: &[ScoredLabels]) -> (RankedBy, Vec<HeldOutOfTier>) {
        let of_fold =
            |(k, scored_here): (usize, &ScoredLabels)| scored_here[self.choose_score(scored, Some(k)) as usize].clone();
        let held_out = scored.iter().enumerate().flat_map(of_fold).collect();
        (self.choose_score(scored, None), held_out)
    }

    /// The score that ranks, for a fold or for the real run.
    fn choose_score(&self, scored: &[ScoredLabels], for_fold: Option<usize>) -> RankedBy {
        let by = RankedBy::ALL.map(|by| {
            let held_out = scored.iter().flat_map(|scored| &scored[by as usize]);
            let others = held_out.filter(|label| self.take_part(label.row, for_fold));
            auroc(&others.map(|held_out| held_out.label).collect::<Vec<_>>())
        });
        if by[1] > by[0] { RankedBy::Probability } else { RankedBy::Credibility }
    }

    /// Whether the label of a row, wherever it is held out, takes part in what is chosen for this fold, or for the real run.
    fn take_part(&self, row: usize, for_fold: Option<usize>) -> bool {
        for_fold.is_none_or(|fold| !self.0[fold].contains(&row))
    }
}

impl CrossValidation {
    /// What the held-out labels say of ranks, each weighted by the share of the pool that its tier has. `labels` are those of the
    /// pool, and `known` the share of it that belongs to labelled classes.
    pub fn calibration(&self, tiers: &ClassTiers, labels: &[usize], known: f64) -> Calibration {
        let count = tiers.len();
        let mut by_pseudo_label = vec![0.0; count];
        labels.iter().for_each(|&label| by_pseudo_label[tiers.of_class(label)] += 1.0 / labels.len() as f64);
        let pairs: Vec<(usize, usize)> =
            self.held_out.iter().map(|held_out| (held_out.tier, held_out.predicted_tier)).collect();
        let mut of_tier = vec![0.0; count];
        self.held_out.iter().for_each(|held_out| of_tier[held_out.tier] += held_out.label.weight);
        let classes = tiers.shares_of_classes();
        let estimated = || tier_shares(&pairs, &by_pseudo_label, classes.clone());
        let mut shares = tiers.shares.clone().unwrap_or_else(estimated);
        let unseen = |tier: usize| of_tier[tier] == 0.0;
        // Instances of a tier that nothing stands for are given to others more often than not: it has at least the share
        // of its classes.
        if tiers.shares.is_none() {
            (0..count).filter(|&g| unseen(g)).for_each(|g| shares[g] = shares[g].max(classes[g]));
        }
        let total: f64 = shares.iter().sum();
        let n: f64 = of_tier.iter().sum();
        let weight = |tier: usize| shares[tier] / total * n / if unseen(tier) { 1.0 } else { of_tier[tier] };
        // A new instance belongs to each tier with the probability of the tier's share. Where labels of larger classes stand for the
        // tier, its weight is multiplied by their design effect.
        let of_larger = |tier: usize| {
            let stand_in =
                |held_out: &&HeldOutOfTier| held_out.tier == tier && tiers.of_class(held_out.label.class) != tier;
            let labels = self.held_out.iter().filter(stand_in).map(|held_out| held_out.label);
            wrong_together(labels.map(|label| (label.class, label.right)))
        };
        let added = (0..count).map(|g| shares[g] / total * weight(g) * of_larger(g)).sum();
        let mut all: Vec<HeldOut> =
            self.held_out.iter().map(|held_out| held_out.label.times(weight(held_out.tier))).collect();
        all.retain(|label| label.weight > 0.0);
        if n > 0.0 {
            let wrong = |g| HeldOut {
                rank: 0.0,
                right: false,
                weight: weight(g),
                class: usize::MAX,
                predicted: usize::MAX,
                stands_in: false,
            };
            all.extend((0..count).filter(|&g| unseen(g)).map(wrong));
        }
        let weights = || self.held_out.iter().map(|held_out| (weight(held_out.tier), held_out.kept_share));
        let kept = weights().map(|(weight, kept)| weight * kept).sum::<f64>()
            / weights().map(|(weight, _)| weight).sum::<f64>();
        Calibration::new(all, known).adding(added).with_kept_share(if kept.is_nan() { 1.0 } else { kept })
    }
}

/// The design effect of labels, given with their class: how many of one class are right or wrong together. At least 1; the number per
/// class where all of them are right, or all wrong, so that nothing tells.
fn wrong_together(labels: impl Iterator<Item = (usize, bool)> + Clone) -> f64 {
    let (count, right) =
        labels.clone().fold((0.0, 0.0), |(n, r), (_, right)| (n + 1.0, r + f64::from(u8::from(right))));
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
    if spread > 0.0 {
        let squares: f64 = of_class.values().map(|(_, sum)| sum * sum).sum();
        (squares / spread * classes / (classes - 1.0)).max(1.0)
    } else {
        count / classes
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
    use crate::pool::Pool;
    use crate::trust::folds::Folds;

    #[test]
    fn labels_that_are_right_or_wrong_together_count_as_one() {
        let of = |right: &dyn Fn(usize, usize) -> bool| {
            let labels = (0..10).flat_map(|class| (0..6).map(move |at| (class, at)));
            let labels: Vec<(usize, bool)> = labels.map(|(class, at)| (class, right(class, at))).collect();
            wrong_together(labels.iter().copied())
        };
        let (together, apart) = (of(&|class, _| class % 3 > 0), of(&|class, at| (class + at) % 3 > 0));
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
        let pool = Pool::new(&labels, &[], labels.len(), 6).unwrap();
        let folds = Folds::of(&pool, 5, 3).all;
        let hidden = HiddenRows::of(&folds);
        for (k, fold) in folds.iter().enumerate() {
            assert!(fold.hidden.iter().all(|&row| !hidden.take_part(row, Some(k))));
            assert!(fold.hidden.iter().all(|&row| hidden.take_part(row, None)));
            let others = folds.iter().flat_map(|other| &other.hidden);
            let choosing = others.filter(|row| hidden.take_part(**row, Some(k)));
            assert!(choosing.clone().count() > 0);
            assert!(choosing.clone().all(|row| !fold.hidden.contains(row)));
        }
    }

    #[test]
    fn auroc_counts_pairs() {
        let of = |items: &[(f64, bool)]| {
            let label = |&(rank, right)| HeldOut { rank, right, weight: 1.0, class: 0, predicted: 0, stands_in: false };
            auroc(&items.iter().map(label).collect::<Vec<_>>())
        };
        assert_eq!(of(&[(0.1, true), (0.2, true), (0.9, false)]), 1.0);
        assert_eq!(of(&[(0.9, true), (0.1, false)]), 0.0);
        assert_eq!(of(&[(0.5, true), (0.5, false), (0.1, true), (0.9, false)]), 0.875);
        assert_eq!(of(&[(0.5, true)]), 0.5);
    }
}
