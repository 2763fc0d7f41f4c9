//! Which labels to trust so that at most a given share of them is wrong, and what can be promised.
//!
//! Held-out given labels tell, for each, how credible its pseudo-label was and whether it was right. If they come from
//! the pool as the unlabeled instances do, then cutting at the lowest credibility `t` that satisfies
//!
//! ```text
//! (w_max + Σ_{held out, wrong, ≥ t} wᵢ) / (w_max + Σ_{held out} wᵢ)
//! ──────────────────────────────────────────────────────────────────   ≤   1 − target
//!              share of the pool's credibilities ≥ t
//! ```
//!
//! keeps the expected share of wrong labels among the trusted below `1 − target`: the Benjamini–Hochberg procedure on
//! conformal p-values (Jin and Candès, "Selection by prediction with conformal p-values", 2023). The one that is added
//! stands for the instance in question itself, and is why few labels promise little: with `n` held out and all of them
//! right, at best `1 − 1/(n + 1)`. The weights `wᵢ` turn the balance of the given labels into that of the pool.

/// Held-out labels: how credible their pseudo-labels were, and which were right.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Calibration {
    /// Credibility of the pseudo-label of each.
    pub credibility: Vec<f64>,
    /// Whether it was the given label.
    pub right: Vec<bool>,
    /// How much of the pool each stands for, up to a common factor.
    pub weight: Vec<f64>,
}

impl Calibration {
    /// Number of held-out labels.
    pub fn len(&self) -> usize {
        self.right.len()
    }

    /// Whether nothing could be held out.
    pub fn is_empty(&self) -> bool {
        self.right.is_empty()
    }

    /// The precision promised for the instances of `pool` that are at least as credible as `cut`; not above what the
    /// number of held-out labels allows, and 0 if nothing can be promised.
    pub fn promise(&self, pool: &[f64], cut: f64) -> f64 {
        let above = pool.iter().filter(|&&c| c >= cut).count();
        if self.is_empty() || above == 0 {
            return 0.0;
        }
        let own = self.weight.iter().copied().fold(0.0, f64::max);
        let (mut wrong, mut all) = (own, own);
        for ((&credibility, &right), &weight) in
            self.credibility.iter().zip(&self.right).zip(&self.weight)
        {
            all += weight;
            if !right && credibility >= cut {
                wrong += weight;
            }
        }
        let share = above as f64 / pool.len() as f64;
        (1.0 - wrong / all / share).max(0.0)
    }

    /// The lowest credibility of `pool` from which on the target is promised; `None` if it is nowhere.
    pub fn cut(&self, pool: &[f64], target: f64) -> Option<f64> {
        let promises = self.promises(pool);
        promises.into_iter().find(|(_, promise)| *promise >= target).map(|(cut, _)| cut)
    }

    /// The most that can be promised for any part of `pool`, and the lowest credibility to cut at for it.
    pub fn best(&self, pool: &[f64]) -> Option<(f64, f64)> {
        let mut best: Option<(f64, f64)> = None;
        for (cut, promise) in self.promises(pool) {
            if promise > best.map_or(0.0, |(most, _)| most) {
                best = Some((promise, cut));
            }
        }
        best
    }

    /// Every credibility of the pool, ascending, and what is promised from there on: one sweep over both sorted lists.
    fn promises(&self, pool: &[f64]) -> Vec<(f64, f64)> {
        let mut cuts = pool.to_vec();
        cuts.sort_by(f64::total_cmp);
        let mut wrong: Vec<(f64, f64)> = (0..self.len())
            .filter(|&i| !self.right[i])
            .map(|i| (self.credibility[i], self.weight[i]))
            .collect();
        wrong.sort_by(|a, b| a.0.total_cmp(&b.0));
        let own = self.weight.iter().copied().fold(0.0, f64::max);
        let all = own + self.weight.iter().sum::<f64>();
        if all == 0.0 {
            return Vec::new();
        }
        // From the top down, so that what is above a cut is a running sum.
        let mut promises = Vec::with_capacity(cuts.len());
        let (mut above, mut left) = (own, wrong.len());
        for (at, &cut) in cuts.iter().enumerate().rev() {
            while left > 0 && wrong[left - 1].0 >= cut {
                left -= 1;
                above += wrong[left].1;
            }
            if at > 0 && cuts[at - 1] == cut {
                continue;
            }
            let share = (cuts.len() - at) as f64 / cuts.len() as f64;
            promises.push((cut, (1.0 - above / all / share).max(0.0)));
        }
        promises.reverse();
        promises
    }

    /// The share of right ones among held-out labels at least as credible as `cut`, and their number.
    pub fn estimate(&self, cut: f64) -> Option<(f64, usize)> {
        let (mut right, mut all, mut count) = (0.0, 0.0, 0);
        for i in 0..self.len() {
            if self.credibility[i] >= cut {
                count += 1;
                all += self.weight[i];
                right += if self.right[i] { self.weight[i] } else { 0.0 };
            }
        }
        (all > 0.0).then(|| (right / all, count))
    }
}

/// Held-out labels that a target needs at the very least, were all of them right and the whole pool trusted.
pub fn labels_needed(target: f64) -> usize {
    (1.0 / (1.0 - target) - 1.0 - 1e-9).ceil().max(1.0) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers in [0, 1) from a counter.
    fn noise(at: u64) -> f64 {
        let mut z = at.wrapping_add(0x9E37_79B9_7F4A_7C15).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Instances whose label is right with a probability that grows with credibility.
    fn draw(n: usize, seed: u64) -> (Vec<f64>, Vec<bool>) {
        (0..n as u64)
            .map(|i| {
                let c = noise(seed * 1_000_003 + 2 * i);
                (c, noise(seed * 1_000_003 + 2 * i + 1) < 0.4 + 0.6 * c)
            })
            .unzip()
    }

    #[test]
    fn what_is_promised_is_kept_on_average() {
        for (held_out, target) in [(60, 0.9), (200, 0.9), (200, 0.8)] {
            let (mut wrong, mut some) = (0.0, 0);
            let runs = 400;
            for run in 0..runs {
                let (credibility, right) = draw(held_out, 2 * run);
                let weight = vec![1.0; held_out];
                let calibration = Calibration { credibility, right, weight };
                let (pool, truth) = draw(500, 2 * run + 1);
                if let Some(cut) = calibration.cut(&pool, target) {
                    some += 1;
                    let trusted: Vec<bool> = pool
                        .iter()
                        .zip(&truth)
                        .filter(|(c, _)| **c >= cut)
                        .map(|(_, t)| *t)
                        .collect();
                    wrong += trusted.iter().filter(|t| !**t).count() as f64 / trusted.len() as f64;
                }
            }
            // The expectation is over all runs, including those that trust no label; three standard errors of slack.
            let rate = wrong / runs as f64;
            assert!(rate <= 1.0 - target + 0.01, "{held_out} {target}: {rate}");
            assert!(some > runs / 4, "{held_out} {target}: only {some} runs trusted anything");
        }
    }

    #[test]
    fn the_sweep_promises_what_each_cut_does() {
        let (credibility, right) = draw(40, 3);
        let weight = (0..40).map(|i| 0.5 + noise(900 + i)).collect();
        let calibration = Calibration { credibility, right, weight };
        let mut pool = draw(60, 4).0;
        pool.extend_from_within(..7);
        let promises = calibration.promises(&pool);
        assert_eq!(promises.len(), 60);
        for (cut, promise) in promises {
            assert!((calibration.promise(&pool, cut) - promise).abs() < 1e-12);
        }
    }

    #[test]
    fn few_labels_promise_little() {
        assert_eq!(labels_needed(0.95), 19);
        assert_eq!(labels_needed(0.5), 1);
        let all_right = |n: usize| Calibration {
            credibility: vec![0.9; n],
            right: vec![true; n],
            weight: vec![1.0; n],
        };
        let pool = [0.8, 0.9, 1.0];
        assert!(all_right(18).cut(&pool, 0.95).is_none());
        assert_eq!(all_right(19).cut(&pool, 0.95), Some(0.8));
        assert_eq!(Calibration::default().cut(&pool, 0.5), None);
        assert_eq!(all_right(19).estimate(0.95), None);
        assert_eq!(all_right(19).best(&pool), Some((0.95, 0.8)));
        assert_eq!(Calibration::default().best(&pool), None);
    }

    #[test]
    fn weights_turn_one_balance_into_another() {
        // Class A is always right, class B always wrong; of the pool 9 in 10 are A.
        let credibility = vec![0.9; 20];
        let right: Vec<bool> = (0..20).map(|i| i < 10).collect();
        let weight = right.iter().map(|&a| if a { 0.9 } else { 0.1 }).collect();
        let (precision, count) = Calibration { credibility, right, weight }.estimate(0.5).unwrap();
        assert!((precision - 0.9).abs() < 1e-12 && count == 20);
    }
}
