//! What to label next: the batch of instances whose labels would help most.
//!
//! ```text
//! max over S, |S| = b   of   Σᵢ wᵢ max( max over labelled j of s(i, j),  max over j ∈ S of s(i, j) )
//!
//! s(i, j) = max(0, cos(uᵢ, uⱼ))⁴        wᵢ = (1 − marginᵢ)²
//! ```
//!
//! with `uᵢ` the coordinates in which the pool is labelled. The batch covers best what the classifier is uncertain about:
//! instances that are uncertain, represent others that are, and differ from what is labelled and from each other. Without any
//! label all weights are equal. The objective is submodular, so that taking the best instance one after the other comes
//! within `1 − 1/e` of the best batch.
//!
//! Such instances are not like the pool, so that their labels cannot tell how many of all labels are right. Once there are labels, every
//! second suggestion is therefore a random one: the open row that comes next in a fixed random order of the pool
//! ([`random_order`](crate::random_order)), whether or not its label would help.

use std::collections::HashSet;

use rayon::prelude::*;

use crate::classify::{Classify, PoolLogistic};
use crate::limits::{Limits, SUGGEST_CANDIDATES, SUGGEST_COVERED};
use crate::linalg::vector::arg_max;
use crate::linalg::vector::dot;
use crate::pool::{Origin, Pool};
use crate::represent::Represented;
use crate::{Instances, Matrix, Result};

/// Powers of the cosine and of the uncertainty; chosen on validation classes.
const SIMILARITY_POWER: i32 = 4;
const WEIGHT_POWER: i32 = 2;

/// An instance to label next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Suggestion {
    /// Its row.
    pub row: usize,
    /// Whether it is random, or chosen because its label helps most. Its label has this origin.
    pub origin: Origin,
}

/// How many of so many suggestions are random: every second one, beginning with a useful one. A single one is in turn useful and random.
fn random_among(suggestions: usize, given: usize) -> usize {
    if suggestions == 1 { given % 2 } else { suggestions / 2 }
}

/// At most so many suggestions: random rows of the pool, and between them those that `useful` chooses, so many of the rows that are given
/// to it.
pub(crate) fn alternate(
    pool: &Pool,
    seed: u64,
    at_most: usize,
    useful: impl FnOnce(&[usize], usize) -> Result<Vec<usize>>,
) -> Result<Vec<Suggestion>> {
    let count = at_most.min(pool.open.len());
    let random = pool.next_random(seed, random_among(count, pool.given.len()));
    let taken: HashSet<usize> = random.iter().copied().collect();
    let others: Vec<usize> = pool.open.iter().copied().filter(|row| !taken.contains(row)).collect();
    let useful = useful(&others, count - random.len())?;
    let of = |rows: &[usize], at, origin| rows.get(at).map(|&row| Suggestion { row, origin });
    let pair = |at| [of(&useful, at, Origin::Chosen), of(&random, at, Origin::Random)];
    Ok((0..count).flat_map(pair).flatten().collect())
}

/// A pool of which some instances may have a label.
pub(crate) struct Candidates<'a> {
    /// The coordinates of all rows, of unit length.
    pub u: &'a Matrix,
    /// Rows that have a label.
    pub given: &'a [usize],
    /// Rows that have none.
    pub open: &'a [usize],
    /// For each open row, how much more probable its first class is than its second; 0 where nothing is known.
    pub margin: &'a [f64],
}

impl Candidates<'_> {
    /// The rows to label next, best first; at most as many as are open.
    pub fn choose(&self, batch: usize) -> Vec<usize> {
        let Self { u, given, open, margin } = *self;
        let batch = batch.min(open.len());
        if batch == 0 {
            return Vec::new();
        }
        let covered = self.evenly(SUGGEST_COVERED);
        let candidates = self.candidates(batch);
        let similar = |a: usize, b: usize| dot(u.row(a), u.row(b)).max(0.0).powi(SIMILARITY_POWER);
        let weight: Vec<f64> = covered.iter().map(|&i| (1.0 - margin[i]).powi(WEIGHT_POWER)).collect();
        let mut best: Vec<f64> =
            covered.par_iter().map(|&i| given.iter().map(|&j| similar(open[i], j)).fold(0.0, f64::max)).collect();
        let table: Vec<Vec<f64>> =
            candidates.par_iter().map(|&j| covered.iter().map(|&i| similar(open[i], open[j])).collect()).collect();
        let mut chosen = Vec::new();
        let mut left: Vec<usize> = (0..candidates.len()).collect();
        while chosen.len() < batch {
            let gains: Vec<f64> = left
                .par_iter()
                .map(|&candidate| {
                    let row = table[candidate].iter().zip(&best).zip(&weight);
                    row.map(|((s, b), w)| w * (s - b).max(0.0)).sum()
                })
                .collect();
            let candidate = left.remove(arg_max(&gains));
            best.iter_mut().zip(&table[candidate]).for_each(|(b, s)| *b = b.max(*s));
            chosen.push(open[candidates[candidate]]);
        }
        chosen
    }

    /// Places among the open rows that the batch is chosen from: of too many, half are the most uncertain ones, and the
    /// others are taken evenly.
    fn candidates(&self, batch: usize) -> Vec<usize> {
        let most = SUGGEST_CANDIDATES.max(2 * batch);
        let mut order: Vec<usize> = (0..self.open.len()).collect();
        if order.len() > most {
            order.sort_by(|&a, &b| self.margin[a].total_cmp(&self.margin[b]));
            order.truncate(most / 2);
            order.extend(self.evenly(most / 2));
            order.sort_unstable();
            order.dedup();
        }
        order
    }

    /// At most so many places among the open rows, evenly taken.
    fn evenly(&self, at_most: usize) -> Vec<usize> {
        let every = self.open.len().div_ceil(at_most).max(1);
        (0..self.open.len()).step_by(every).collect()
    }
}

/// How much more probable the first class of each open row is than its second, under a classifier that is trained on the given
/// labels.
pub(crate) fn margins(
    instances: &Instances,
    (given, labels): (&[usize], &[usize]),
    open: &[usize],
    classes: usize,
    limits: Limits,
) -> Result<Vec<f64>> {
    /// Rows at a time: their probabilities of all classes are in memory.
    const ROWS: usize = 4096;
    let classifier = PoolLogistic::new(limits)?;
    let mut trainer = classifier.trainer(instances, classes);
    trainer.train(given, labels)?;
    let margin = |p: &[f64]| {
        let (first, second) =
            p.iter().fold((0.0, 0.0), |(first, second): (f64, f64), &p| (first.max(p), second.max(p.min(first))));
        first - second
    };
    let of = |rows| trainer.probabilities(rows).iter_rows().map(margin).collect::<Vec<f64>>();
    Ok(open.chunks(ROWS).flat_map(of).collect())
}

impl Represented {
    /// What to label first, in a pool without any label.
    pub fn label_first(&self, batch: usize) -> Vec<usize> {
        let u = self.smooth.unit();
        let open: Vec<usize> = (0..u.rows()).collect();
        let margin = vec![0.0; u.rows()];
        Candidates { u, given: &[], open: &open, margin: &margin }.choose(batch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four groups on four axes, of 30 each; the last row is one more of the first group and has a label.
    fn groups() -> Matrix {
        Matrix::from_fn(121, 6, |i, j| if i % 4 == j { 1.0 } else { 0.02 * ((i * 6 + j) as f64 * 1.7).sin() })
    }

    #[test]
    fn a_batch_has_one_of_each_group_without_a_label() {
        let (u, open) = (groups(), (0..120).collect::<Vec<_>>());
        let margin = vec![0.5; 120];
        let pool = Candidates { u: &u, given: &[120], open: &open, margin: &margin };
        let mut groups: Vec<usize> = pool.choose(3).into_iter().map(|row| row % 4).collect();
        groups.sort_unstable();
        assert_eq!(groups, [1, 2, 3]);
    }

    #[test]
    fn a_batch_has_no_row_twice_and_never_more_than_there_are() {
        let (u, open) = (groups(), (0..10).collect::<Vec<_>>());
        let margin: Vec<f64> = (0..10).map(|i| f64::from(i) / 10.0).collect();
        let pool = Candidates { u: &u, given: &[100, 101], open: &open, margin: &margin };
        let mut batch = pool.choose(50);
        batch.sort_unstable();
        assert_eq!(batch, open);
        assert!(pool.choose(0).is_empty());
    }

    #[test]
    fn uncertain_instances_come_first() {
        let u = Matrix::from_fn(5, 5, |i, j| f64::from(u8::from(i == j)));
        let margin = [0.9, 0.1, 0.8, 0.7];
        let pool = Candidates { u: &u, given: &[0], open: &[1, 2, 3, 4], margin: &margin };
        assert_eq!(pool.choose(4), [2, 4, 3, 1]);
    }

    #[test]
    fn every_second_suggestion_is_random() {
        let labels: Vec<Option<usize>> = (0..12).map(|row| (row < 2).then_some(row)).collect();
        let pool = Pool::new(&labels, &[], 12, 2).unwrap();
        let order = pool.next_random(7, 10);
        let suggest = |pool: &Pool, n| alternate(pool, 7, n, |rows, count| Ok(rows[..count].to_vec())).unwrap();
        let origins = |n| suggest(&pool, n).iter().map(|next| next.origin).collect::<Vec<Origin>>();
        assert_eq!(origins(3), [Origin::Chosen, Origin::Random, Origin::Chosen]);
        assert!(suggest(&pool, 0).is_empty());
        for n in 2..14 {
            let suggested = suggest(&pool, n);
            let random = suggested.iter().filter(|next| next.origin == Origin::Random).map(|next| next.row);
            assert_eq!(random.collect::<Vec<usize>>(), order[..n.min(10) / 2]);
            let mut rows: Vec<usize> = suggested.iter().map(|next| next.row).collect();
            rows.sort_unstable();
            rows.dedup();
            assert_eq!(rows.len(), n.min(10), "no row twice");
        }
        // A single one alternates with the number of labels.
        assert_eq!(origins(1), [Origin::Chosen]);
        let third: Vec<Option<usize>> = (0..12).map(|row| (row < 3).then_some(row % 2)).collect();
        let pool = Pool::new(&third, &[], 12, 2).unwrap();
        let next = Suggestion { row: pool.next_random(7, 1)[0], origin: Origin::Random };
        assert_eq!(suggest(&pool, 1), [next]);
    }
}
