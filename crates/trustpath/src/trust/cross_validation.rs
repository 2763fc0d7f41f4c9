//! Cross-validation over the given labels: how credible their pseudo-labels are, and which are correct.
//!
//! The given labels are divided into folds, class by class. For each fold the pool is labelled as if the fold had no
//! labels, by the same steps as in the real run. A class's only label cannot be held out. Each fold has fewer labels to
//! learn from than the real run, so the estimate is, if anything, too low.

use rayon::prelude::*;

use super::precision::Calibration;
use crate::Result;
use crate::judge::{Judge, Round, View, credibility};
use crate::labeller::{Labeller, PoolLabels};
use crate::limits::Limits;
use crate::random;
use crate::spec::LabelSpec;
use crate::split::{OwnedSplit, Split};

/// Assigns the labelled instances of every class to folds, in an order drawn from the seed; `None` for those that cannot be
/// held out.
fn assign_folds(labels: &[usize], classes: usize, folds: usize, seed: u64) -> Vec<Option<usize>> {
    let mut members = vec![Vec::new(); classes];
    for (at, &label) in labels.iter().enumerate() {
        members[label].push(at);
    }
    let mut fold = vec![None; labels.len()];
    let mut assigned = 0;
    for of_class in members.iter_mut().filter(|m| m.len() > 1) {
        of_class.sort_by_key(|&at| (mixed(seed, at as u64), at));
        for &at in of_class.iter() {
            fold[at] = Some(assigned % folds);
            assigned += 1;
        }
        // Two of a class in one fold are fine, all of it in one are not: a class of two has consecutive folds.
    }
    fold
}

/// Number `at` of the SplitMix64 sequence that starts at `seed`.
fn mixed(seed: u64, at: u64) -> u64 {
    random::mix(seed.wrapping_add(at.wrapping_mul(random::GOLDEN)))
}

/// Labels every fold by the others, and weights the held-out labels to the balance that the pool was found to have.
#[allow(clippy::too_many_arguments)]
pub(crate) fn cross_validate(
    labeller: &dyn Labeller,
    judge: &dyn Judge,
    view: &View<'_>,
    pool: &OwnedSplit,
    open: &[usize],
    found: &PoolLabels,
    spec: &LabelSpec,
    limits: Limits,
) -> Result<Calibration> {
    let classes = pool.classes;
    let mut shares = vec![0.0; classes];
    found.labels.iter().for_each(|&label| shares[label] += 1.0 / open.len() as f64);
    let open = limits.to_cross_validate(open, classes);
    let folds = assign_folds(&pool.labels, classes, spec.folds, spec.seed);
    let parts: Vec<Vec<(usize, f64, bool)>> = (0..spec.folds)
        .into_par_iter()
        .filter(|fold| folds.contains(&Some(*fold)))
        .map(|fold| {
            let held_out = |at: usize| folds[at] == Some(fold);
            validate_fold(labeller, judge, view, pool, &open, &held_out)
        })
        .collect::<Result<_>>()?;
    let mut counts = vec![0usize; classes];
    parts.iter().flatten().for_each(|(truth, ..)| counts[*truth] += 1);
    let mut calibration = Calibration::default();
    for (truth, credibility, right) in parts.into_iter().flatten() {
        calibration.credibility.push(credibility);
        calibration.right.push(right);
        calibration.weight.push(shares[truth] / counts[truth] as f64);
    }
    Ok(calibration)
}

/// The true label, the credibility of the pseudo-label and whether it is correct, for every label of the fold.
fn validate_fold(
    labeller: &dyn Labeller,
    judge: &dyn Judge,
    view: &View<'_>,
    pool: &OwnedSplit,
    open: &[usize],
    held_out: &dyn Fn(usize) -> bool,
) -> Result<Vec<(usize, f64, bool)>> {
    let (hidden, kept): (Vec<usize>, Vec<usize>) =
        (0..pool.given.len()).partition(|&at| held_out(at));
    let rows = |of: &[usize]| -> Vec<usize> { of.iter().map(|&at| pool.given[at]).collect() };
    let labels = |of: &[usize]| -> Vec<usize> { of.iter().map(|&at| pool.labels[at]).collect() };
    let (given, with, truth) = (rows(&kept), labels(&kept), labels(&hidden));
    let open = [&rows(&hidden), open].concat();
    let split = Split { given: &given, labels: &with, open: &open, classes: pool.classes };
    let found = labeller.label(view, split)?;
    let positions: Vec<usize> = (0..given.len() + open.len()).collect();
    let (training, candidates) = positions.split_at(given.len());
    let vanish = judge.ranking(view, split)?.scores(&Round {
        number: found.rounds.len(),
        labels: &split.all_labels(&found.labels),
        probability: &found.probability,
        training,
        candidates,
        quota: &[],
    })?;
    let outcome =
        |(at, truth): (usize, usize)| (truth, credibility(vanish[at]), found.labels[at] == truth);
    Ok(truth.into_iter().enumerate().map(outcome).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_class_is_held_out_completely() {
        let labels = [0, 0, 1, 2, 2, 2, 2, 2, 2, 2, 1, 3];
        for folds in 2..7 {
            for seed in 0..20 {
                let fold = assign_folds(&labels, 4, folds, seed);
                assert_eq!(fold[11], None);
                for f in 0..folds {
                    for class in 0..3 {
                        let left = labels.iter().zip(&fold);
                        assert!(left.clone().any(|(l, at)| *l == class && *at != Some(f)));
                    }
                }
            }
        }
        assert_ne!(assign_folds(&labels, 4, 3, 0), assign_folds(&labels, 4, 3, 1));
    }
}
