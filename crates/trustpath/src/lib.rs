//! Instance Credibility Inference: pseudo-labels, and how far each can be trusted.

pub mod classify;
mod error;
mod features;
mod identifiability;
pub mod incidental;
mod linalg;
mod matrix;
pub mod reduce;
pub mod select;
mod self_taught;

pub use error::{Error, Result};
pub use features::{Features, Instances, Values};
pub use identifiability::{Identifiability, identifiability};
pub use matrix::Matrix;
pub use self_taught::{Outcome, RoundRecord, SelfTaught, SelfTaughtParams, Task};
