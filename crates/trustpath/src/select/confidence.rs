//! CO: the classifier's own confidence, `max_k p_k`, the highest first.

use super::{Pool, Round, Select, Selector, best_of_each_class};
use crate::Result;

/// Takes the instances that the classifier is most confident about.
#[derive(Debug, Clone, Copy, Default)]
pub struct Confidence;

impl Select for Confidence {
    fn name(&self) -> &'static str {
        "co"
    }

    fn selector<'a>(&'a self, pool: &'a Pool<'a>) -> Result<Box<dyn Selector + 'a>> {
        Ok(Box::new(ConfidenceSelector { labelled: pool.labelled }))
    }
}

struct ConfidenceSelector {
    labelled: usize,
}

impl Selector for ConfidenceSelector {
    fn select(&mut self, round: &Round<'_>) -> Result<Vec<usize>> {
        Ok(best_of_each_class(round.labels, round.open, round.quota, |k| {
            let row = round.open[k];
            -round.probabilities[(row - self.labelled, round.labels[row])]
        }))
    }
}
