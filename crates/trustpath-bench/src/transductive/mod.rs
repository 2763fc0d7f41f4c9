//! Methods that label the entire pool at once, without rounds of selection.
//!
//! They see the labelled and the unlabeled instances together and return class probabilities. How credible those labels
//! are is a separate question, answered by [`incidental`](trustpath::incidental).
//!
//! | method | idea | assumption about class sizes | cost |
//! |---|---|---|---|
//! | `plain` | logistic regression on the labelled instances | – | |
//! | `simpleshot` | the nearest class mean | – | `O(nKD)` |
//! | `bd-cspn` | class means rectified once by the instances near them | none | `O(nKD)` |
//! | `laplacianshot` | neighbours get the same label | none | `O(n²D)` |
//! | `soft-kmeans`, `pt-map` | class means moved by soft assignments | none; PT-MAP: equal | `O(nKD)` per iteration |
//! | `protolp`, `protolp-free` | class means as anchors of a graph | equal, or none | `O(nK²)` per iteration |
//! | `paddle` | class means, and as few classes as explain the pool | as unequal as fits | `O(nKD)` per iteration |
//! | `unem-gaussian` | PADDLE in ten steps with learned weights | as unequal as learned | `O(nKD)` per step |
//! | `bavardage` | a mixture of Gaussians where class means differ | estimated | `O(nKD)` per iteration |
//! | `laplace-learning` | the harmonic function on the graph of neighbours | none | `O(n²D)` |
//! | `ilpc` | rounds of propagation, balance and cleaning by a classifier | equal | `O(n²)` per step |
//! | `adaptive` | class means under two marginals, and a test between them | estimated | `O(nKD)` per iteration |
//! | `tim-gd`, `alpha-tim` | a classifier certain of each instance and balanced over all | Shannon: nearly equal; α: less so | `O(nKD)` per step |
//!
//! In the semi-supervised setting, the model learned from the labelled and unlabeled instances is applied to each query
//! instance independently; each method documents how.

mod adam;
mod bavardage;
mod bd_cspn;
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
mod prototypes;
mod soft_kmeans;
mod softmax;
#[cfg(test)]
mod tests;
mod tim;
mod transport;
mod unem;

pub use method::TransductiveKind;
pub use trustpath::task::Posterior;

use trustpath::labeller::Adaptive;
use trustpath::{Result, Task};

/// A method that labels a pool.
pub trait Transductive: Send + Sync + std::fmt::Debug {
    /// Class probabilities of the unlabeled instances, and of the query where it is separate from them.
    ///
    /// # Errors
    /// When the task is not valid: no instances, labels out of range, fewer than two classes, a class without a labelled
    /// instance.
    fn label(&self, task: &Task<'_>) -> Result<Posterior>;
}

/// The adaptive mode of `label`, on episodes.
impl Transductive for Adaptive {
    fn label(&self, task: &Task<'_>) -> Result<Posterior> {
        self.posterior(task)
    }
}
