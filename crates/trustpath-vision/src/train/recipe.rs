//! How a backbone is trained: the numbers of the paper, all of which can be set.

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// The recipe of a training run.
///
/// ```
/// use trustpath_vision::train::Recipe;
///
/// let recipe = Recipe::default();
/// assert_eq!(recipe.rate(59), 0.1);
/// assert_eq!(recipe.rate(60), 0.006);
/// assert_eq!(recipe.images_per_step(), 140);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recipe {
    /// How often `episodes` episodes are drawn.
    pub epochs: usize,
    /// Episodes per epoch.
    pub episodes: usize,
    /// Episodes per step of the optimiser.
    pub batch: usize,
    /// Classes per episode.
    pub ways: usize,
    /// Labeled images of each class in an episode.
    pub shots: usize,
    /// Images of each class that are to be recognised.
    pub queries: usize,
    /// Learning rates, each with the epoch before which it holds.
    pub rates: Vec<(usize, f64)>,
    /// Momentum of the optimiser.
    pub momentum: f64,
    /// Weight decay of the optimiser.
    pub weight_decay: f64,
    /// Weight of the nearest-neighbour loss; the global loss has weight one.
    pub nearest_weight: f64,
    /// The factor of the cosines before they become probabilities.
    pub scale: f64,
    /// Width and height of the images in pixels.
    pub size: usize,
    /// Black pixels around an image before it is cropped back to its size.
    pub padding: usize,
    /// Probability that a rectangle of an image is erased.
    pub erase: f64,
    /// Episodes by which an epoch is validated, for one shot and for five.
    pub validation: usize,
    /// Seed of everything random.
    pub seed: u64,
}

impl Default for Recipe {
    fn default() -> Self {
        Self {
            epochs: 90,
            episodes: 1200,
            batch: 4,
            ways: 5,
            shots: 1,
            queries: 6,
            rates: vec![(60, 0.1), (70, 0.006), (80, 0.0012), (90, 0.00024)],
            momentum: 0.9,
            weight_decay: 5e-4,
            nearest_weight: 0.5,
            scale: 7.0,
            size: 84,
            padding: 8,
            erase: 0.5,
            validation: 2000,
            seed: 1,
        }
    }
}

impl Recipe {
    /// The recipe for a dataset of this name: tieredImageNet has its own, all others share one.
    pub fn for_dataset(name: &str) -> Self {
        let recipe = Self::default();
        match name {
            "tiered-imagenet" => Self { episodes: 13_980, rates: vec![(30, 0.1), (60, 0.01), (90, 0.001)], ..recipe },
            _ => recipe,
        }
    }

    /// The learning rate of an epoch, counted from 0; the last one holds to the end.
    pub fn rate(&self, epoch: usize) -> f64 {
        let holds = self.rates.iter().find(|(until, _)| epoch < *until);
        holds.or(self.rates.last()).map_or(0.0, |(_, rate)| *rate)
    }

    /// Steps of the optimiser per epoch.
    pub fn steps(&self) -> usize {
        self.episodes / self.batch
    }

    /// Images per step of the optimiser.
    pub fn images_per_step(&self) -> usize {
        self.batch * self.ways * (self.shots + self.queries)
    }

    /// Refuses a recipe that cannot be used.
    pub fn check(&self) -> Result<()> {
        let counts = [self.epochs, self.batch, self.ways, self.shots, self.queries, self.size];
        let rates = self.rates.iter().map(|(_, rate)| *rate);
        let mut numbers = rates.chain([self.momentum, self.weight_decay, self.nearest_weight, self.scale]);
        let grow = !self.rates.is_empty() && self.rates.is_sorted_by(|a, b| a.0 < b.0);
        let rules = [
            (!counts.contains(&0), "epochs, batch, ways, shots, queries and size are at least 1"),
            (self.episodes >= self.batch, "an epoch has at least as many episodes as a batch"),
            (self.padding <= self.size, "the padding is at most the size"),
            (self.ways >= 2, "an episode has at least 2 ways"),
            (grow, "learning rates are given with growing epochs"),
            (
                numbers.all(|x| x.is_finite() && x >= 0.0),
                "rates, momentum, decay, weights and scale are finite and not negative",
            ),
            ((0.0..=1.0).contains(&self.erase), "the probability of erasing is between 0 and 1"),
        ];
        match rules.iter().find(|(holds, _)| !holds) {
            Some((_, rule)) => Err(Error::Input(format!("this recipe cannot be used: {rule}"))),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schedules_are_those_of_the_paper_and_of_its_code() {
        let rates = |name: &str| {
            let recipe = Recipe::for_dataset(name);
            [0, 29, 30, 60, 70, 80, 89].map(|epoch| recipe.rate(epoch))
        };
        assert_eq!(rates("cifar-fs"), [0.1, 0.1, 0.1, 0.006, 0.0012, 0.00024, 0.00024]);
        assert_eq!(rates("tiered-imagenet"), [0.1, 0.1, 0.01, 0.001, 0.001, 0.001, 0.001]);
        assert_eq!(Recipe::default().steps(), 300);
    }

    #[test]
    fn recipes_that_cannot_be_used_are_refused() {
        assert!(Recipe::default().check().is_ok());
        let bad = [
            Recipe { epochs: 0, ..Recipe::default() },
            Recipe { episodes: 3, ..Recipe::default() },
            Recipe { ways: 1, ..Recipe::default() },
            Recipe { rates: vec![], ..Recipe::default() },
            Recipe { rates: vec![(9, 0.1), (3, 0.2)], ..Recipe::default() },
            Recipe { momentum: f64::NAN, ..Recipe::default() },
            Recipe { erase: 1.5, ..Recipe::default() },
        ];
        for recipe in bad {
            assert!(recipe.check().is_err(), "{recipe:?}");
        }
    }
}
