//! Methods that label a whole pool at once, without rounds of selection.
//!
//! They see the labelled and the unlabeled instances together and return class probabilities. How credible those labels
//! are is another question, which [`incidental`](crate::incidental) answers.
//!
//! | method | idea | knows of class sizes | cost |
//! |---|---|---|---|
//! | [`Plain`] | logistic regression on the labelled instances | – | |
//! | [`Prototype`] | the nearest class mean | – | `O(nKD)` |
//! | [`BdCspn`] | class means rectified once by what lies near | nothing | `O(nKD)` |
//! | [`LaplacianShot`] | neighbours get the same label | nothing | `O(n²D)` |
//! | [`SoftKmeans`] | class means moved by soft assignments | nothing | `O(nKD)` a turn |
//! | [`PtMap`] | the same by optimal transport | they are equal | `O(nKD)` a turn |
//! | [`LabelPropagation`] | random walks on a graph of all instances | nothing | `O(n²D)` |
//! | [`Adaptive`] | class means under two marginals, and a test between them | finds out | `O(nKD)` a turn |
//! | [`Tim`] | a classifier sure of each, and even over all | Shannon: nearly equal; α: less so | `O(nKD)` a step |
//!
//! In the semi-supervised setting, what was learned from the labelled and unlabeled instances is applied to the query,
//! one instance at a time; each method says how.

mod adam;
mod adaptive;
mod bd_cspn;
mod centre;
mod distance;
mod graph;
mod label_propagation;
mod laplacian_shot;
mod method;
mod plain;
mod prototype;
mod pt_map;
mod refine;
mod soft_kmeans;
mod softmax;
#[cfg(test)]
mod tests;
mod tim;
mod transport;

use std::ops::Range;

pub use adaptive::{Adapted, Adaptive, AdaptiveParams};
pub use bd_cspn::{BdCspn, BdCspnParams};
pub use label_propagation::{Kernel, LabelPropagation, LabelPropagationParams};
pub use laplacian_shot::{LaplacianShot, LaplacianShotParams};
pub use method::TransductiveKind;
pub use plain::Plain;
pub use prototype::{Prototype, PrototypeParams};
pub use pt_map::{PtMap, PtMapParams};
pub use soft_kmeans::{SoftKmeans, SoftKmeansParams};
pub use tim::{Entropy, Tim, TimParams};

use crate::task::{CheckedTask, arg_max};
use crate::{Error, Matrix, Result, Task};

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

impl Posterior {
    /// The likeliest class of every query; in the transductive setting, of every unlabeled instance.
    pub fn query_labels(&self) -> Vec<usize> {
        self.query.as_ref().unwrap_or(&self.unlabeled).iter_rows().map(arg_max).collect()
    }

    /// By a rule that gives the class probabilities of any rows.
    pub(crate) fn of(task: &CheckedTask<'_>, rule: impl Fn(Range<usize>) -> Matrix) -> Self {
        let query = (!task.transductive()).then(|| rule(task.pool..task.instances.len()));
        Self { unlabeled: rule(task.labelled..task.pool), query }
    }
}

/// Refuses what must be a positive number and is not.
fn positive(name: &'static str, value: f64) -> Result<()> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(Error::parameter(name, value, "it must be positive and finite"))
}

/// Refuses a step that stands still or goes too far.
fn step(value: f64) -> Result<()> {
    if value > 0.0 && value <= 1.0 {
        return Ok(());
    }
    Err(Error::parameter("step", value, "it must be above 0 and at most 1"))
}
