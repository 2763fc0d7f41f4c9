//! Whether the given labels are more typical than the pool, as where somebody picked clear examples.
//!
//! Everything that held-out labels say about the pool assumes that they are like it. The degree of an instance in the similarity
//! graph says how typical it is, without any label. For labels that were chosen at random, the mean share `r` of the pool with a
//! larger degree is ½, with a variance of `1/(12 L)`:
//!
//! ```text
//! z = (½ − r) √(12 L)
//! ```
//!
//! New instances are compared with the pool in the same way, by the ranks of their scores among those of `S` rows of the pool, with the
//! opposite sign and a variance of `1/(12 L) + 1/(12 S)`.
//!
//! Over random, stratified, imbalanced and open pools of four kinds of features `z` stayed below 3; where labels were picked near
//! the mean of their class it was above 6.

/// `z` from which labels count as picked, and the mean share that has to come with it: in large pools small differences between
/// classes are significant too.
const PICKED: (f64, f64) = (4.5, 0.4);

/// Whether the labels at the rows `given` are more typical than the rows `open`.
pub(crate) fn are_picked(degree: &[f64], given: &[usize], open: &[usize]) -> bool {
    if given.is_empty() || open.is_empty() {
        return false;
    }
    let mut pool: Vec<f64> = open.iter().map(|&row| degree[row]).collect();
    pool.sort_by(f64::total_cmp);
    let larger = |row: &usize| {
        let below = pool.partition_point(|&other| other < degree[*row]);
        let up_to = pool.partition_point(|&other| other <= degree[*row]);
        1.0 - 0.5 * (below + up_to) as f64 / pool.len() as f64
    };
    let labels = given.len() as f64;
    let mean = given.iter().map(larger).sum::<f64>() / labels;
    let z = (0.5 - mean) * (12.0 * labels).sqrt();
    z > PICKED.0 && mean < PICKED.1
}

/// Whether instances rank lower than those of the pool that they are ranked among, of which there are so many.
pub(crate) fn rank_low(rank: &[f64], among: usize) -> bool {
    let (n, pool) = (rank.len() as f64, among as f64);
    let mean = rank.iter().sum::<f64>() / n;
    let z = (mean - 0.5) * (12.0 / (1.0 / n + 1.0 / pool)).sqrt();
    z > PICKED.0 && mean > 1.0 - PICKED.1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn ranks_like_those_of_the_pool_are_not_low() {
        let mut random = Random::stream(4, 0);
        let ranks: Vec<f64> = (0..300).map(|_| random.uniform()).collect();
        assert!(!rank_low(&ranks, 500) && !rank_low(&[], 500) && !rank_low(&[0.99; 5], 500));
        assert!(rank_low(&ranks.iter().map(|rank| rank.sqrt()).collect::<Vec<f64>>(), 500));
    }

    #[test]
    fn random_labels_are_not_picked_and_the_most_typical_are() {
        let degree: Vec<f64> = (0..500).map(f64::from).collect();
        let mut picked = 0;
        for seed in 0..200 {
            let mut rows: Vec<usize> = (0..500).collect();
            Random::stream(seed, 0).shuffle(&mut rows);
            picked += usize::from(are_picked(&degree, &rows[..50], &rows[50..]));
        }
        assert_eq!(picked, 0);
        let rows: Vec<usize> = (0..500).collect();
        assert!(are_picked(&degree, &rows[450..], &rows[..450]));
        assert!(!are_picked(&degree, &rows[..50], &rows[50..]));
        assert!(!are_picked(&[1.0; 500], &rows[450..], &rows[..450]));
    }
}
