//! What to label next: the batch that covers best what is doubtful.
//!
//! ```text
//! max over S, |S| = b   of   Σᵢ dᵢ max( max over labelled j of s(i, j),  max over j ∈ S of s(i, j) ),    s = max(0, cos)²
//! ```
//!
//! with the doubt `dᵢ = 1 − credibility`: instances that are doubtful, stand for others that are, and differ from what is
//! labelled and from each other. The objective is submodular, so that taking the best one after the other comes within
//! `1 − 1/e` of the best batch.

use rayon::prelude::*;

use crate::Matrix;
use crate::limits::{SUGGEST_CANDIDATES, SUGGEST_COVERED};
use crate::linalg::vector::dot;

/// The rows to label next, best first.
pub(crate) fn suggest(
    u: &Matrix,
    given: &[usize],
    open: &[usize],
    doubt: &[f64],
    batch: usize,
) -> Vec<usize> {
    let mut order: Vec<usize> = (0..open.len()).collect();
    order.sort_by(|&a, &b| doubt[b].total_cmp(&doubt[a]));
    order.truncate(SUGGEST_CANDIDATES.max(batch));
    let every = open.len().div_ceil(SUGGEST_COVERED).max(1);
    let covered: Vec<usize> = (0..open.len()).step_by(every).collect();
    let similar = |a: usize, b: usize| dot(u.row(a), u.row(b)).max(0.0).powi(2);
    let mut best: Vec<f64> = covered
        .par_iter()
        .map(|&i| given.iter().map(|&j| similar(open[i], j)).fold(0.0, f64::max))
        .collect();
    let table: Vec<Vec<f64>> = order
        .par_iter()
        .map(|&j| covered.iter().map(|&i| similar(open[i], open[j])).collect())
        .collect();
    let mut chosen = Vec::new();
    let mut left: Vec<usize> = (0..order.len()).collect();
    while chosen.len() < batch && !left.is_empty() {
        let gains: Vec<f64> = left
            .par_iter()
            .map(|&candidate| {
                let row = table[candidate].iter().zip(&best).zip(&covered);
                row.map(|((s, b), &i)| doubt[i] * (s - b).max(0.0)).sum()
            })
            .collect();
        let at = crate::task::arg_max(&gains);
        let candidate = left.remove(at);
        best.iter_mut().zip(&table[candidate]).for_each(|(b, s)| *b = b.max(*s));
        chosen.push(open[order[candidate]]);
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_covers_every_doubtful_group_once() {
        // Four groups of five on four axes; the first is labelled.
        let u = Matrix::from_fn(21, 4, |i, j| f64::from(u8::from(i % 4 == j)));
        let (given, open) = ([20], (0..20).collect::<Vec<_>>());
        let batch = suggest(&u, &given, &open, &[0.5; 20], 3);
        let mut groups: Vec<usize> = batch.iter().map(|row| row % 4).collect();
        groups.sort_unstable();
        assert_eq!(groups, [1, 2, 3]);
    }

    #[test]
    fn doubt_comes_first_and_a_batch_is_never_larger_than_the_pool() {
        let u = Matrix::from_fn(5, 5, |i, j| f64::from(u8::from(i == j)));
        let batch = suggest(&u, &[0], &[1, 2, 3, 4], &[0.1, 0.9, 0.2, 0.3], 9);
        assert_eq!(batch, [2, 4, 3, 1]);
    }
}
