//! Features → few dimensions.
//!
//! The incidental model regresses labels on few dimensions, `d ≪ n`. Each reduction is one file: its objective in the
//! module doc, a `…Params` struct with [`Default`] whose `check` gives the reduction itself, and its tests. All of them
//! follow scikit-learn's definitions with the arguments of the paper's code, and share one [`neighbors`] graph.

use crate::{Instances, Matrix, Result};

/// Few-dimensional coordinates of instances.
#[derive(Debug, Clone)]
pub struct Embedding {
    /// Coordinates, one row an instance.
    pub x: Matrix,
    /// Dimension of the null space of the alignment matrix, where the method has one: 1 when the neighbourhood graph
    /// holds together, more when it falls into pieces.
    pub nullity: Option<usize>,
}

/// A way to reduce the features of instances to few dimensions.
pub trait Reduce: Send + Sync + std::fmt::Debug {
    /// Its name, as on the command line.
    fn name(&self) -> &'static str;

    /// Coordinates of the first `n` instances, seen together and apart from the others.
    ///
    /// # Errors
    /// When `n` instances do not suffice for the neighbours or dimensions asked for.
    fn reduce(&self, instances: &Instances, n: usize) -> Result<Embedding>;
}
