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

use rayon::prelude::*;

use crate::classify::{Classify, PoolLogistic};
use crate::limits::{Limits, SUGGEST_CANDIDATES, SUGGEST_COVERED};
use crate::linalg::vector::arg_max;
use crate::linalg::vector::dot;
use crate::represent::Represented;
use crate::{Instances, Matrix, Result};

/// Powers of the cosine and of the uncertainty; chosen on validation classes.
const SIMILARITY_POWER: i32 = 4;
const WEIGHT_POWER: i32 = 2;

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
}
