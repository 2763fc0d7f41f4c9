//! RA: in random order, which is a function of the seed, the round and the instance alone.

use trustpath::Labels;
use trustpath::Result;
use trustpath::judge::{Judge, PoolView, Ranking, Round};
use trustpath::random::mix;

/// Selects instances at random.
#[derive(Debug, Clone, Copy, Default)]
pub struct RandomOrder {
    /// Random seed.
    pub seed: u64,
}

impl Judge for RandomOrder {
    fn name(&self) -> &'static str {
        "ra"
    }

    fn ranking<'a>(&'a self, _: &'a PoolView<'a>, _: Labels<'a>) -> Result<Box<dyn Ranking + 'a>> {
        Ok(Box::new(*self))
    }
}

impl Ranking for RandomOrder {
    fn scores(&mut self, round: &Round<'_>) -> Result<Vec<f64>> {
        let seed = mix(self.seed ^ mix(round.number as u64));
        // 53 bits, so that the order of the integers is the order of the floating-point numbers.
        let random = |&position: &usize| (mix(seed ^ position as u64) >> 11) as f64;
        Ok(round.candidates.iter().map(random).collect())
    }
}
