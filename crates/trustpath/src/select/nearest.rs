//! NN: the distance to the nearest training instance of the same (pseudo-)class, the smallest first.

use super::{Pool, Round, Select, Selector, best_of_each_class};
use crate::{Instances, Result};

/// Takes the instances nearest to a training instance of their pseudo-class.
#[derive(Debug, Clone, Copy, Default)]
pub struct Nearest;

impl Select for Nearest {
    fn name(&self) -> &'static str {
        "nn"
    }

    fn selector<'a>(&'a self, pool: &'a Pool<'a>) -> Result<Box<dyn Selector + 'a>> {
        Ok(Box::new(NearestSelector { instances: pool.instances }))
    }
}

struct NearestSelector<'a> {
    instances: &'a Instances,
}

impl Selector for NearestSelector<'_> {
    fn select(&mut self, round: &Round<'_>) -> Result<Vec<usize>> {
        // On the unit sphere the nearest is the one with the largest cosine.
        let gram = self.instances.gram();
        Ok(best_of_each_class(round.labels, round.open, round.quota, |k| {
            let row = round.open[k];
            let same = round.taken.iter().filter(|&&t| round.labels[t] == round.labels[row]);
            same.map(|&t| -gram[(row, t)]).fold(f64::INFINITY, f64::min)
        }))
    }
}
