//! Instance Credibility Inference: pseudo-labels, and how far each can be trusted.

pub mod classify;
mod error;
mod features;
pub mod incidental;
mod linalg;
mod matrix;
pub mod reduce;
pub mod select;

pub use error::{Error, Result};
pub use features::{Features, Instances, Values};
pub use matrix::Matrix;
