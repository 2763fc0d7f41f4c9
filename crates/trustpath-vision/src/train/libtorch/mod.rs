//! Training with libtorch.

mod augment;
mod backbone;
mod checkpoint;
mod device;
mod draw;
mod drop_block;
mod group;
mod images;
mod loss;
mod model;
mod run;
#[cfg(test)]
mod tests;

pub use backbone::LibtorchBackbone;
pub use device::TrainDevice;
pub use images::TrainingImages;
pub use run::{TrainOutcome, Training};

use super::{Epoch, Recipe, TrainObserver, prototype_accuracy};

/// The result of a call into libtorch.
type Torch<T> = std::result::Result<T, tch::TchError>;
