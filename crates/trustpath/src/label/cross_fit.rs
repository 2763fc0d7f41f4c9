//! Holding given labels out, to see how credible their pseudo-labels are and which are right.
//!
//! The given labels are dealt into folds, class by class. For each fold the pool is labelled as if the fold had no
//! labels, by the same steps as in earnest. A class's only label cannot be held out. Each fold has fewer labels to learn
//! from than the whole, so that what is estimated is, if anything, too low.

use rayon::prelude::*;

use super::credibility::credibility;
use super::pool::Pool;
use super::precision::Calibration;
use super::teach::{Lesson, Teacher};
use crate::{Result, random};

/// Deals the labelled of every class into folds, in an order drawn from the seed. `None` for what cannot be held out.
fn deal(labels: &[usize], classes: usize, folds: usize, seed: u64) -> Vec<Option<usize>> {
    let mut members = vec![Vec::new(); classes];
    for (at, &label) in labels.iter().enumerate() {
        members[label].push(at);
    }
    let mut fold = vec![None; labels.len()];
    let mut dealt = 0;
    for of_class in members.iter_mut().filter(|m| m.len() > 1) {
        of_class.sort_by_key(|&at| (mixed(seed, at as u64), at));
        for &at in of_class.iter() {
            fold[at] = Some(dealt % folds);
            dealt += 1;
        }
        // Two of a class in one fold are fine, all of it in one are not: a class of two has consecutive folds.
    }
    fold
}

/// Number `at` of the SplitMix64 sequence that starts at `seed`.
fn mixed(seed: u64, at: u64) -> u64 {
    random::mix(seed.wrapping_add(at.wrapping_mul(random::GOLDEN)))
}

/// Labels every fold by the others. `open` are the pool's instances that take part; `shares` is the estimated share of
/// each class among them.
pub(super) fn cross_fit(
    teacher: &Teacher<'_>,
    pool: &Pool,
    open: &[usize],
    shares: &[f64],
    folds: usize,
    seed: u64,
) -> Result<Calibration> {
    let classes = shares.len();
    let fold = deal(&pool.labels, classes, folds.max(2), seed);
    let parts: Vec<Vec<(usize, f64, bool)>> = (0..folds.max(2))
        .into_par_iter()
        .filter(|f| fold.contains(&Some(*f)))
        .map(|f| hold_out(teacher, pool, open, classes, &|at| fold[at] == Some(f)))
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

/// The true label, credibility and rightness of everyone held out.
fn hold_out(
    teacher: &Teacher<'_>,
    pool: &Pool,
    open: &[usize],
    classes: usize,
    held_out: &dyn Fn(usize) -> bool,
) -> Result<Vec<(usize, f64, bool)>> {
    let (mut given, mut labels) = (Vec::new(), Vec::new());
    let (mut hidden, mut truth) = (Vec::new(), Vec::new());
    for (at, (&row, &label)) in pool.given.iter().zip(&pool.labels).enumerate() {
        if held_out(at) {
            hidden.push(row);
            truth.push(label);
        } else {
            given.push(row);
            labels.push(label);
        }
    }
    let count = hidden.len();
    hidden.extend_from_slice(open);
    let lesson = Lesson { given: &given, labels: &labels, open: &hidden, classes };
    let taught = teacher.teach(lesson)?;
    let vanish = teacher.vanish(lesson, &taught.labels)?;
    Ok((0..count)
        .map(|at| (truth[at], credibility(vanish[at]), taught.labels[at] == truth[at]))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_class_is_held_out_whole() {
        let labels = [0, 0, 1, 2, 2, 2, 2, 2, 2, 2, 1, 3];
        for folds in 2..7 {
            for seed in 0..20 {
                let fold = deal(&labels, 4, folds, seed);
                assert_eq!(fold[11], None);
                for f in 0..folds {
                    for class in 0..3 {
                        let left = labels.iter().zip(&fold);
                        assert!(left.clone().any(|(l, at)| *l == class && *at != Some(f)));
                    }
                }
            }
        }
        assert_ne!(deal(&labels, 4, 3, 0), deal(&labels, 4, 3, 1));
    }
}
