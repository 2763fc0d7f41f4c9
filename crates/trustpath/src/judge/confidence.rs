//! CO: the classifier's own confidence, `max_k p_k`, the highest first.

use super::{Judge, PoolView, Ranking, Round};
use crate::Result;
use crate::pool::Labels;

/// Trusts the labels that the classifier is most confident about.
#[derive(Debug, Clone, Copy, Default)]
pub struct Confidence;

impl Judge for Confidence {
    fn name(&self) -> &'static str {
        "co"
    }

    fn ranking<'a>(&'a self, _: &'a PoolView<'a>, split: Labels<'a>) -> Result<Box<dyn Ranking + 'a>> {
        Ok(Box::new(ConfidenceRanking { given: split.given.len() }))
    }
}

struct ConfidenceRanking {
    given: usize,
}

impl Ranking for ConfidenceRanking {
    fn scores(&mut self, round: &Round<'_>) -> Result<Vec<f64>> {
        let confidence = |&position: &usize| -round.probability[position - self.given];
        Ok(round.candidates.iter().map(confidence).collect())
    }
}
