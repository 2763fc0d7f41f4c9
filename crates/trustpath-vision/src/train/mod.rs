//! Training of a backbone by the recipe of the paper.
//!
//! A step draws a few episodes from the training classes and lowers the global and the
//! nearest-neighbour loss over the feature map (`loss.rs`) by stochastic gradient descent
//! (`group.rs`). After every epoch the features of the validation classes are judged by prototypes, the
//! best network so far and a checkpoint are written; a run that is resumed gives the
//! same numbers as one that was never stopped. The [`Recipe`] is always available; training itself
//! needs the cargo feature `libtorch`.

#[cfg(feature = "libtorch")]
mod libtorch;
mod prototypes;
mod recipe;

#[cfg(feature = "libtorch")]
pub use libtorch::{LibtorchBackbone, TrainDevice, TrainOutcome, Training, TrainingImages};
pub use prototypes::prototype_accuracy;
pub use recipe::Recipe;

use serde::{Deserialize, Serialize};

/// The results of an epoch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Epoch {
    /// Its number, from 1.
    pub number: usize,
    /// Its learning rate.
    pub rate: f64,
    /// Mean of the loss that is lowered.
    pub loss: f64,
    /// Mean of the global loss.
    pub global: f64,
    /// Mean of the nearest-neighbour loss.
    pub nearest: f64,
    /// Share of the positions at which the nearest mean is right.
    pub right: f64,
    /// Accuracy of prototypes on validation classes, one and five shots.
    pub validation: Option<[f64; 2]>,
    /// Seconds it took to train, without validation.
    pub seconds: f64,
    /// Images trained per second, without validation.
    #[serde(alias = "pictures_per_second")]
    pub images_per_second: f64,
}

/// Observes how a training goes, and may stop it.
pub trait TrainObserver {
    /// A run is resumed after these epochs.
    fn resumed(&mut self, epochs: &[Epoch]);
    /// Some steps of an epoch are done, with this mean loss.
    fn steps(&mut self, epoch: usize, done: usize, loss: f64);
    /// An epoch is done.
    fn epoch(&mut self, epoch: &Epoch);

    /// Whether to stop now; the epochs that are done are not lost.
    fn stop(&self) -> bool {
        false
    }
}
