//! The share of the pool that each tier of classes has, by what held-out labels say about confusions between tiers.
//!
//! Pseudo-labels alone do not say it: instances of classes with few labels are often given to classes with many. With
//! `M[g → p]` the share of the held-out labels of tier `g` whose pseudo-label is in tier `p`, and `q_p` the share of the pool
//! with a pseudo-label in `p`, the shares `s` that explain it best, `q ≈ Mᵀs`, are found by expectation–maximisation:
//!
//! ```text
//! s_g ← s_g Σ_p q_p M[g → p] / Σ_h s_h M[h → p]
//! ```
//!
//! from the shares that the tiers have of the classes, in a few steps only, and half of the way: `M` is known from some dozens of
//! labels, and the maximum itself would make much of their noise.

/// Steps of expectation–maximisation.
const STEPS: usize = 20;

/// The shares of the tiers, starting from `shares`. `pairs` are the tier of every held-out label and that of its pseudo-label, `by_pseudo_label` the shares
/// by pseudo-label. A tier without held-out labels is taken to be given its own label always.
pub(crate) fn tier_shares(pairs: &[(usize, usize)], by_pseudo_label: &[f64], mut shares: Vec<f64>) -> Vec<f64> {
    let tiers = by_pseudo_label.len();
    let mut confusion = vec![vec![0.0; tiers]; tiers];
    pairs.iter().for_each(|&(of, to)| confusion[of][to] += 1.0);
    for (tier, row) in confusion.iter_mut().enumerate() {
        let total: f64 = row.iter().sum();
        if total > 0.0 { row.iter_mut().for_each(|share| *share /= total) } else { row[tier] = 1.0 }
    }
    let start = shares.clone();
    for _ in 0..STEPS {
        let expected: Vec<f64> =
            (0..tiers).map(|to| (0..tiers).map(|of| shares[of] * confusion[of][to]).sum()).collect();
        for (of, share) in shares.iter_mut().enumerate() {
            let ratio = |to: usize| by_pseudo_label[to] * confusion[of][to] / expected[to];
            *share *= (0..tiers).filter(|&to| expected[to] > 0.0).map(ratio).sum::<f64>();
        }
        let total: f64 = shares.iter().sum();
        if total <= 0.0 {
            // Nothing explains the pseudo-labels.
            return start;
        }
        shares.iter_mut().for_each(|share| *share /= total);
    }
    shares.iter().zip(start).map(|(share, start)| 0.5 * (share + start)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confusions_are_undone() {
        // A third of the first tier is given to the second, and nothing the other way.
        let pairs: Vec<(usize, usize)> =
            (0..300).map(|i| if i < 200 { (0, usize::from(i % 3 == 0)) } else { (1, 1) }).collect();
        let by_pseudo_label = [0.5 * 133.0 / 200.0, 1.0 - 0.5 * 133.0 / 200.0];
        let shares = tier_shares(&pairs, &by_pseudo_label, vec![0.4, 0.6]);
        assert!((shares[0] - 0.45).abs() < 1e-2, "{shares:?}");
        assert_eq!(tier_shares(&[], &[1.0], vec![1.0]), [1.0]);
    }
}
