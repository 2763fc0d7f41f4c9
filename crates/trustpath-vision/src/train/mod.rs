//! Training of a backbone by the recipe of the paper.
//!
//! A step draws a few episodes from the training classes and lowers the global and the
//! nearest-neighbour loss over the feature map (`loss.rs`) by stochastic gradient descent
//! (`group.rs`). After every epoch the features of the validation classes are judged by prototypes, the
//! best network so far is kept, and a checkpoint is written from which a run that was stopped goes on
//! as if it had not been. The [`Recipe`] is always here; training itself needs libtorch (the cargo
//! feature `libtorch`).

#[cfg(feature = "libtorch")]
mod augment;
#[cfg(feature = "libtorch")]
mod checkpoint;
#[cfg(feature = "libtorch")]
mod draw;
#[cfg(feature = "libtorch")]
mod drop_block;
#[cfg(feature = "libtorch")]
mod group;
#[cfg(feature = "libtorch")]
mod loss;
#[cfg(feature = "libtorch")]
mod model;
#[cfg(feature = "libtorch")]
mod on_device;
#[cfg(feature = "libtorch")]
mod pictures;
mod prototypes;
mod recipe;
#[cfg(feature = "libtorch")]
mod run;
#[cfg(all(test, feature = "libtorch"))]
mod tests;
#[cfg(feature = "libtorch")]
mod torch;

#[cfg(feature = "libtorch")]
pub use pictures::Pictures;
pub use prototypes::prototype_accuracy;
pub use recipe::Recipe;
#[cfg(feature = "libtorch")]
pub use run::{Outcome, Training};
#[cfg(feature = "libtorch")]
pub use torch::Where;

use serde::{Deserialize, Serialize};

/// What an epoch came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    /// Pictures trained a second, without validation.
    pub pictures_per_second: f64,
}

/// Looks on while a backbone is trained.
pub trait Watch {
    /// A run goes on after so many epochs.
    fn resumed(&mut self, epochs: &[Epoch]);
    /// Some steps of an epoch are done, with this mean loss; returns whether to go on.
    fn steps(&mut self, epoch: usize, done: usize, loss: f64) -> bool;
    /// An epoch is done.
    fn epoch(&mut self, epoch: &Epoch);
}
