//! NN: the distance to the nearest training instance of the same (pseudo-)class, the smallest first.

use trustpath::Labels;
use trustpath::judge::{Judge, PoolView, Ranking, Round};
use trustpath::{Instances, Result};

/// Trusts the labels of instances that lie near a training instance of their pseudo-class.
#[derive(Debug, Clone, Copy, Default)]
pub struct Nearest;

impl Judge for Nearest {
    fn name(&self) -> &'static str {
        "nn"
    }

    fn ranking<'a>(&'a self, view: &'a PoolView<'a>, split: Labels<'a>) -> Result<Box<dyn Ranking + 'a>> {
        Ok(Box::new(NearestRanking { instances: view.instances, split }))
    }
}

struct NearestRanking<'a> {
    instances: &'a Instances,
    split: Labels<'a>,
}

impl Ranking for NearestRanking<'_> {
    fn scores(&mut self, round: &Round<'_>) -> Result<Vec<f64>> {
        // On the unit sphere the nearest instance is the one with the largest cosine.
        let gram = self.instances.gram();
        let nearest = |&position: &usize| {
            let row = self.split.row(position);
            let same = |&&other: &&usize| round.labels[other] == round.labels[position];
            let distances = round.training.iter().filter(same);
            distances.map(|&other| -gram[(row, self.split.row(other))]).fold(f64::INFINITY, f64::min)
        };
        Ok(round.candidates.iter().map(nearest).collect())
    }
}
