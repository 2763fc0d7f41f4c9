//! The accuracies of one method over many episodes.

use serde::Serialize;

use crate::stats::{MeanEstimate, paired_difference, per_round};
use crate::{Finished, Result};

/// Accuracies of a method over episodes, as fractions.
#[derive(Debug, Clone, Serialize)]
pub struct AccuracySummary {
    /// Of the classifier trained on the labelled instances alone.
    pub plain: MeanEstimate,
    /// After each round; an episode that has ended keeps its last accuracy.
    pub rounds: Vec<MeanEstimate>,
    /// After the last round.
    #[serde(rename = "final")]
    pub last: MeanEstimate,
    /// The paired difference between the last and the plain accuracy.
    pub gain: MeanEstimate,
}

impl AccuracySummary {
    /// The summary of episodes.
    ///
    /// # Errors
    /// If there is no episode, or one without a score.
    pub fn of(finished: &[Finished]) -> Result<Self> {
        let accuracies: Vec<&[f64]> = finished.iter().map(|f| f.accuracies.as_slice()).collect();
        let mut rounds = per_round(&accuracies)?;
        let plain = rounds.remove(0);
        let (first, last): (Vec<f64>, Vec<f64>) = finished.iter().map(|f| (first_of(f), last_of(f))).unzip();
        let gain = paired_difference(&last, &first)?;
        Ok(Self { plain, rounds, last: MeanEstimate::of(&last)?, gain })
    }

    /// Number of rounds after which the accuracy, as printed, no longer changes.
    pub fn settled_after(&self) -> usize {
        let end = self.last.percent();
        let moving = self.rounds.iter().rposition(|estimate| estimate.percent() != end);
        moving.map_or(0, |round| round + 2).min(self.rounds.len())
    }
}

/// The accuracy of the plain classifier on an episode.
pub fn first_of(finished: &Finished) -> f64 {
    finished.accuracies.first().copied().unwrap_or(f64::NAN)
}

/// The accuracy after the last round.
pub fn last_of(finished: &Finished) -> f64 {
    finished.accuracies.last().copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn episodes_that_end_early_keep_their_last_accuracy() {
        let episode = |episode, accuracies: &[f64]| Finished { episode, accuracies: accuracies.to_vec(), seconds: 0.0 };
        let summary = AccuracySummary::of(&[episode(0, &[0.5, 0.7]), episode(1, &[0.7, 0.7, 0.8])]).unwrap();
        let means: Vec<f64> = summary.rounds.iter().map(|e| e.mean).collect();
        assert_eq!((summary.plain.mean, means), (0.6, vec![0.7, 0.75]));
        assert_eq!(summary.last, summary.rounds[1]);
        assert!((summary.gain.mean - 0.15).abs() < 1e-12);
        assert!(AccuracySummary::of(&[]).is_err());
        assert_eq!(summary.settled_after(), 2);
        let still = AccuracySummary::of(&[episode(0, &[0.5, 0.6, 0.7, 0.7, 0.7])]).unwrap();
        assert_eq!(still.settled_after(), 2);
    }
}
