//! Ranking the instances of one episode round after round.

use super::path::Walk;
use crate::Result;
use crate::incidental::{Keep, Ranker, check_labels};

/// A walk that is started anew for the labels of every round.
pub(super) struct WalkRanker<'a> {
    walk: Walk<'a>,
    classes: usize,
}

impl<'a> WalkRanker<'a> {
    pub fn new(walk: Walk<'a>, classes: usize) -> Self {
        Self { walk, classes }
    }
}

impl Ranker for WalkRanker<'_> {
    fn vanish(&mut self, labels: &[usize]) -> Result<Vec<f64>> {
        check_labels(labels, self.walk.rows.len(), self.classes)?;
        Ok(self.walk.path(labels, Keep::default())?.vanish)
    }
}
