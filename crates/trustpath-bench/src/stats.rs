//! Means over episodes with their 95% intervals.
//!
//! The interval is the one the few-shot literature reports, x̄ ± 1.96 · s / √n, with the sample
//! standard deviation s² = Σ (xᵢ − x̄)² / (n − 1). Scores stand in the order of their episodes and
//! sums are compensated (Neumaier 1974), so no result depends on the number of threads.

use serde::Serialize;

use crate::{Error, Result};

/// The 97.5% quantile of the normal distribution, rounded as the literature rounds it.
const QUANTILE: f64 = 1.96;

/// A mean with half the width of its 95% interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MeanEstimate {
    /// The mean.
    pub mean: f64,
    /// Half the width of the interval; infinite (`null` in JSON) for a single episode, whose spread is unknown.
    pub half_width: f64,
    /// Number of episodes.
    pub episodes: usize,
}

impl MeanEstimate {
    /// The mean of the scores, one for each episode.
    ///
    /// ```
    /// use trustpath_bench::stats::MeanEstimate;
    /// let accuracy = MeanEstimate::of(&[0.70, 0.80, 0.90])?;
    /// assert_eq!(accuracy.percent(), "80.00 ± 11.32");
    /// # Ok::<(), trustpath_bench::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no score.
    pub fn of(scores: &[f64]) -> Result<Self> {
        if scores.is_empty() {
            return Err(Error::parameter("episodes", 0, "score at least one episode"));
        }
        let n = scores.len() as f64;
        let mean = sum(scores.iter().copied()) / n;
        let half_width = if scores.len() == 1 {
            f64::INFINITY
        } else {
            let variance = sum(scores.iter().map(|x| (x - mean).powi(2))) / (n - 1.0);
            QUANTILE * (variance / n).sqrt()
        };
        Ok(Self { mean, half_width, episodes: scores.len() })
    }

    /// The lower and the upper end of the interval.
    pub fn interval(&self) -> (f64, f64) {
        (self.mean - self.half_width, self.mean + self.half_width)
    }

    /// Mean and half width in percent with two decimals.
    pub fn percent(&self) -> String {
        let mean = 100.0 * self.mean;
        if self.half_width.is_finite() {
            format!("{mean:.2} ± {:.2}", 100.0 * self.half_width)
        } else {
            format!("{mean:.2}")
        }
    }
}

/// The mean after each round. An episode with fewer rounds than others keeps its last score.
///
/// # Errors
/// If there is no episode, or one without a score.
pub fn per_round<S: AsRef<[f64]>>(episodes: &[S]) -> Result<Vec<MeanEstimate>> {
    let rounds = episodes.iter().map(|scores| scores.as_ref().len()).max().unwrap_or(0);
    (0..rounds.max(1))
        .map(|round| {
            let score = |scores: &S| {
                let scores = scores.as_ref();
                scores
                    .get(round)
                    .or(scores.last())
                    .copied()
                    .ok_or_else(|| Error::parameter("rounds", 0, "every episode needs at least one score"))
            };
            let scores: Result<Vec<f64>> = episodes.iter().map(score).collect();
            MeanEstimate::of(&scores?)
        })
        .collect()
}

/// The mean of `left` − `right` over episodes on which both were scored.
///
/// Its interval is far narrower than those of the means, whose spread is mostly that of the
/// episodes.
///
/// # Errors
/// [`Error::Unpaired`] if they differ in number; also if there is none.
pub fn paired_difference(left: &[f64], right: &[f64]) -> Result<MeanEstimate> {
    if left.len() != right.len() {
        return Err(Error::Unpaired { left: left.len(), right: right.len() });
    }
    let differences: Vec<f64> = left.iter().zip(right).map(|(l, r)| l - r).collect();
    MeanEstimate::of(&differences)
}

/// The sum, with compensation for rounding.
pub fn sum(values: impl IntoIterator<Item = f64>) -> f64 {
    let (mut sum, mut lost) = (0.0f64, 0.0);
    for value in values {
        let next = sum + value;
        lost += if sum.abs() >= value.abs() { (sum - next) + value } else { (value - next) + sum };
        sum = next;
    }
    sum + lost
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_interval_uses_the_sample_deviation() {
        let estimate = MeanEstimate::of(&[1.0, 2.0, 3.0, 4.0]).unwrap();
        assert_eq!(estimate.mean, 2.5);
        // s² = 5/3.
        assert!((estimate.half_width - 1.96 * (5.0f64 / 12.0).sqrt()).abs() < 1e-15);
        assert_eq!(estimate.interval().0, 2.5 - estimate.half_width);
    }

    #[test]
    fn one_episode_has_no_spread_and_no_episode_has_no_mean() {
        let one = MeanEstimate::of(&[0.5]).unwrap();
        assert_eq!((one.half_width, one.percent().as_str()), (f64::INFINITY, "50.00"));
        assert!(serde_json::to_string(&one).unwrap().contains("\"half_width\":null"));
        assert!(MeanEstimate::of(&[]).is_err());
        assert!(per_round::<Vec<f64>>(&[]).is_err());
        assert!(per_round(&[vec![0.5], vec![]]).is_err());
        assert_eq!(paired_difference(&[1.0], &[1.0, 2.0]), Err(Error::Unpaired { left: 1, right: 2 }));
    }

    #[test]
    fn an_episode_that_has_ended_keeps_its_last_score() {
        let means = per_round(&[vec![0.2, 0.4, 0.6], vec![0.4], vec![0.0, 0.2]]).unwrap();
        let means: Vec<f64> = means.iter().map(|round| round.mean).collect();
        for (mean, expected) in means.iter().zip([0.2, 1.0 / 3.0, 0.4]) {
            assert!((mean - expected).abs() < 1e-15);
        }
        assert_eq!(means.len(), 3);
    }

    #[test]
    fn pairing_removes_what_episodes_have_in_common() {
        let left = [0.9, 0.5, 0.7, 0.3];
        let right = left.map(|x| x - 0.1);
        let difference = paired_difference(&left, &right).unwrap();
        assert!((difference.mean - 0.1).abs() < 1e-15 && difference.half_width < 1e-15);
    }

    #[test]
    fn compensated_sums_are_exact_where_plain_ones_are_not() {
        let values = [1e16, 1.0, -1e16, 1.0];
        assert_eq!(sum(values), 2.0);
        assert_ne!(values.iter().sum::<f64>(), 2.0);
    }

    proptest! {
        #[test]
        fn the_interval_moves_and_scales_with_the_scores(
            scores in proptest::collection::vec(0f64..1.0, 2..50), shift in -2f64..2.0
        ) {
            let plain = MeanEstimate::of(&scores).unwrap();
            let moved: Vec<f64> = scores.iter().map(|x| 2.0 * x + shift).collect();
            let moved = MeanEstimate::of(&moved).unwrap();
            prop_assert!((moved.mean - 2.0 * plain.mean - shift).abs() < 1e-12);
            prop_assert!((moved.half_width - 2.0 * plain.half_width).abs() < 1e-12);
        }
    }
}
