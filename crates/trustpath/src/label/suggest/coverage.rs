//! The batch that covers best what is uncertain.
//!
//! ```text
//! max over S, |S| = b   of   Σᵢ wᵢ max( max over labelled j of s(i, j),  max over j ∈ S of s(i, j) )
//!
//! s(i, j) = max(0, cos(uᵢ, uⱼ))⁴        wᵢ = (1 − marginᵢ)²
//! ```
//!
//! Instances that are uncertain, represent others that are, and differ from what is labelled and from each other. Without any
//! label all weights are equal. The objective is submodular, so taking the best one after the other comes within `1 − 1/e`
//! of the best batch.

use rayon::prelude::*;

use super::Candidates;
use crate::limits::SUGGEST_CANDIDATES;
use crate::linalg::vector::dot;

/// Powers of the cosine and of the uncertainty; chosen on validation classes.
const SIMILARITY_POWER: i32 = 4;
const WEIGHT_POWER: i32 = 2;

pub(super) fn choose(pool: &Candidates<'_>, batch: usize) -> Vec<usize> {
    let Candidates { u, given, open, .. } = *pool;
    let places = |at_most: usize| -> Vec<usize> {
        let every = open.len().div_ceil(at_most).max(1);
        (0..open.len()).step_by(every).collect()
    };
    let covered = places(crate::limits::SUGGEST_COVERED);
    // Half of the candidates are the most uncertain ones, the others are taken evenly.
    let most = SUGGEST_CANDIDATES.max(2 * batch);
    let candidates: Vec<usize> = if open.len() <= most {
        (0..open.len()).collect()
    } else {
        let mut order: Vec<usize> = (0..open.len()).collect();
        order.sort_by(|&a, &b| pool.margin[a].total_cmp(&pool.margin[b]));
        order.truncate(most / 2);
        order.extend(places(most / 2));
        order.sort_unstable();
        order.dedup();
        order
    };
    let similar = |a: usize, b: usize| dot(u.row(a), u.row(b)).max(0.0).powi(SIMILARITY_POWER);
    let weight: Vec<f64> =
        covered.iter().map(|&i| (1.0 - pool.margin[i]).powi(WEIGHT_POWER)).collect();
    let mut best: Vec<f64> = covered
        .par_iter()
        .map(|&i| given.iter().map(|&j| similar(open[i], j)).fold(0.0, f64::max))
        .collect();
    let table: Vec<Vec<f64>> = candidates
        .par_iter()
        .map(|&j| covered.iter().map(|&i| similar(open[i], open[j])).collect())
        .collect();
    let mut chosen = Vec::new();
    let mut left: Vec<usize> = (0..candidates.len()).collect();
    while chosen.len() < batch && !left.is_empty() {
        let gains: Vec<f64> = left
            .par_iter()
            .map(|&candidate| {
                let row = table[candidate].iter().zip(&best).zip(&weight);
                row.map(|((s, b), w)| w * (s - b).max(0.0)).sum()
            })
            .collect();
        let at = crate::task::arg_max(&gains);
        let candidate = left.remove(at);
        best.iter_mut().zip(&table[candidate]).for_each(|(b, s)| *b = b.max(*s));
        chosen.push(open[candidates[candidate]]);
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Matrix;

    #[test]
    fn uncertain_instances_come_first() {
        let u = Matrix::from_fn(5, 5, |i, j| f64::from(u8::from(i == j)));
        let margin = [0.9, 0.1, 0.8, 0.7];
        let pool = Candidates {
            u: &u,
            given: &[0],
            labels: &[0],
            open: &[1, 2, 3, 4],
            margin: &margin,
            predicted: &[0; 4],
            classes: 2,
        };
        assert_eq!(choose(&pool, 4), [2, 4, 3, 1]);
    }
}
