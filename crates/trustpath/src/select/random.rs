//! RA: in random order, which is a function of the seed, the round and the instance alone.

use super::{Pool, Round, Select, Selector, best_of_each_class};
use crate::Result;
use crate::random::mix;

/// Takes instances at random.
#[derive(Debug, Clone, Copy, Default)]
pub struct Random {
    /// Seed of the order.
    pub seed: u64,
}

impl Select for Random {
    fn name(&self) -> &'static str {
        "ra"
    }

    fn selector<'a>(&'a self, _: &'a Pool<'a>) -> Result<Box<dyn Selector + 'a>> {
        Ok(Box::new(*self))
    }
}

impl Selector for Random {
    fn select(&mut self, round: &Round<'_>) -> Result<Vec<usize>> {
        let seed = mix(self.seed ^ mix(round.number as u64));
        Ok(best_of_each_class(round.labels, round.open, round.quota, |k| {
            // 53 bits, so that the order of the numbers is the order of the floats.
            (mix(seed ^ round.open[k] as u64) >> 11) as f64
        }))
    }
}
