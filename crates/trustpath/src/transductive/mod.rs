//! Methods that label the entire pool at once, without rounds of selection.
//!
//! They see the labelled and the unlabeled instances together and return class probabilities. How credible those labels
//! are is a separate question, answered by [`incidental`](crate::incidental).
//!
//! | method | idea | assumption about class sizes | cost |
//! |---|---|---|---|
//! | [`Plain`] | logistic regression on the labelled instances | – | |
//! | [`Prototype`] | the nearest class mean | – | `O(nKD)` |
//! | [`BdCspn`] | class means rectified once by the instances near them | none | `O(nKD)` |
//! | [`LaplacianShot`] | neighbours get the same label | none | `O(n²D)` |
//! | [`SoftKmeans`] | class means moved by soft assignments | none; PT-MAP: equal | `O(nKD)` per iteration |
//! | [`ProtoLp`] | class means as anchors of a graph | equal, or none | `O(nK²)` per iteration |
//! | [`Paddle`] | class means, and as few classes as explain the pool | as unequal as fits | `O(nKD)` per iteration |
//! | [`Unem`] | PADDLE in ten steps with learned weights | as unequal as learned | `O(nKD)` per step |
//! | [`Bavardage`] | a mixture of Gaussians where class means differ | estimated | `O(nKD)` per iteration |
//! | [`Laplace`] | the harmonic function on the graph of neighbours | none | `O(n²D)` |
//! | [`Ilpc`] | rounds of propagation, balance and cleaning by a classifier | equal | `O(n²)` per step |
//! | [`Adaptive`] | class means under two marginals, and a test between them | estimated | `O(nKD)` per iteration |
//! | [`Tim`] | a classifier certain of each instance and balanced over all | Shannon: nearly equal; α: less so | `O(nKD)` per step |
//!
//! In the semi-supervised setting, the model learned from the labelled and unlabeled instances is applied to each query
//! instance independently; each method documents how.

/// Defines a method as its parameters after a check: `PARAMS => METHOD, RULE`, where the rule returns an error for a
/// parameter outside its domain.
macro_rules! checked {
    ($(#[$doc:meta])* $params:ident => $method:ident, $rule:expr) => {
        impl $params {
            /// Checks the parameters.
            ///
            /// # Errors
            /// [`Error::Parameter`](crate::Error::Parameter) for a parameter outside its domain.
            pub fn check(self) -> crate::Result<$method> {
                let rule: fn(&Self) -> crate::Result<()> = $rule;
                rule(&self)?;
                Ok($method(self))
            }
        }

        $(#[$doc])*
        #[derive(Debug, Clone)]
        pub struct $method($params);
    };
}

mod adam;
mod adaptive;
mod bavardage;
mod bd_cspn;
mod geometry;
mod ilpc;
mod information;
mod laplace;
mod laplacian_shot;
mod method;
mod paddle;
mod plain;
mod pool_graph;
mod proto_lp;
mod prototype;
mod soft_kmeans;
mod softmax;
#[cfg(test)]
mod tests;
mod tim;
mod transport;
mod unem;

use std::ops::Range;

pub use adaptive::{Adapted, Adaptive, AdaptiveParams};
pub use bavardage::{Bavardage, BavardageParams};
pub use bd_cspn::{BdCspn, BdCspnParams};
pub use ilpc::{Ilpc, IlpcParams};
pub use laplace::{Laplace, LaplaceParams};
pub use laplacian_shot::{LaplacianShot, LaplacianShotParams};
pub use method::TransductiveKind;
pub use paddle::{Paddle, PaddleParams};
pub use plain::Plain;
pub use proto_lp::{ProtoLp, ProtoLpParams};
pub use prototype::{Prototype, PrototypeParams};
pub use soft_kmeans::{SoftKmeans, SoftKmeansParams};
pub use tim::{Entropy, Tim, TimParams};
pub use unem::{Unem, UnemParams};

use crate::task::{CheckedTask, arg_max};
use crate::{Error, Matrix, Result, Task};

/// A method that labels a pool.
pub trait Transductive: Send + Sync + std::fmt::Debug {
    /// Its name, as on the command line.
    fn name(&self) -> &'static str;

    /// Class probabilities of the unlabeled instances, and of the query where it is separate from them.
    ///
    /// # Errors
    /// When the task is not valid: no instances, labels out of range, fewer than two classes, a class without a labelled
    /// instance.
    fn label(&self, task: &Task<'_>) -> Result<Posterior>;
}

/// Class probabilities, one row per instance.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Posterior {
    /// Of the unlabeled instances.
    pub unlabeled: Matrix,
    /// Of the query, where it is separate from the unlabeled instances: semi-supervised and inductive.
    pub query: Option<Matrix>,
}

impl Posterior {
    /// The most probable class of every query instance; in the transductive setting, of every unlabeled instance.
    pub fn query_labels(&self) -> Vec<usize> {
        self.query.as_ref().unwrap_or(&self.unlabeled).iter_rows().map(arg_max).collect()
    }

    /// By a rule that gives the class probabilities of any rows.
    fn of(task: &CheckedTask<'_>, rule: impl Fn(Range<usize>) -> Matrix) -> Self {
        Self::with_query(task, rule(task.labelled..task.pool), |_, rows| rule(rows))
    }

    /// Adds the query, where it is separate, by a rule from the probabilities of the unlabeled instances and the rows of
    /// the query.
    fn with_query(
        task: &CheckedTask<'_>,
        unlabeled: Matrix,
        rule: impl FnOnce(&Matrix, Range<usize>) -> Matrix,
    ) -> Self {
        let rows = task.pool..task.instances.len();
        let query = (!task.transductive()).then(|| rule(&unlabeled, rows));
        Self { unlabeled, query }
    }
}

/// Refuses a parameter that is not valid.
fn require(name: &'static str, value: f64, valid: bool, expected: &'static str) -> Result<()> {
    if valid { Ok(()) } else { Err(Error::parameter(name, value, expected)) }
}

/// Refuses a parameter that is not a positive number.
fn positive(name: &'static str, value: f64) -> Result<()> {
    require(name, value, value > 0.0 && value.is_finite(), "it must be positive and finite")
}
