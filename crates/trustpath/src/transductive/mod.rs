//! Methods that label a whole pool at once, without rounds of selection.
//!
//! They see the labelled and the unlabeled instances together and return class probabilities. How credible those labels
//! are is another question, which [`incidental`](crate::incidental) answers.

mod adaptive;
mod prototype;

pub use adaptive::{Adapted, Adaptive, AdaptiveParams};
pub use prototype::{Prototype, PrototypeParams};

use crate::{Matrix, Result, Task};

/// A method that labels a pool.
pub trait Transductive: Send + Sync + std::fmt::Debug {
    /// Its name, as on the command line.
    fn name(&self) -> &'static str;

    /// Class probabilities of the unlabeled instances, and of the query where that is apart from them.
    ///
    /// # Errors
    /// When the task is not one: no instances, labels out of range, fewer than two classes, a class without a labelled
    /// instance.
    fn label(&self, task: &Task<'_>) -> Result<Posterior>;
}

/// Class probabilities, one row an instance.
#[derive(Debug, Clone, PartialEq)]
pub struct Posterior {
    /// Of the unlabeled instances.
    pub unlabeled: Matrix,
    /// Of the query, where it is apart from the unlabeled instances: semi-supervised and inductive.
    pub query: Option<Matrix>,
}
