//! Principal components: the directions along which the instances vary most.
//!
//! ```text
//! max tr Uᵀ Xᵀ J X U,  UᵀU = I,  J = I − 11ᵀ/n;   Z = J X U
//! ```
//!
//! The Gram matrix of the instances is at hand, so `Z` comes from its eigenvectors: see [`classical`](super::classical).

use super::{
    DEFAULT_D, Embedding, Reduce, check_dimensions, check_instances, check_positive, classical,
};
use crate::{Instances, Matrix, Result};

/// Parameters of [`Pca`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PcaParams {
    /// Number of dimensions (5).
    pub d: usize,
}

impl Default for PcaParams {
    fn default() -> Self {
        Self { d: DEFAULT_D }
    }
}

impl PcaParams {
    /// Checks what can be checked without data.
    ///
    /// # Errors
    /// [`crate::Error::Parameter`].
    pub fn check(self) -> Result<Pca> {
        check_positive("d", self.d)?;
        Ok(Pca(self))
    }
}

/// Principal component analysis.
#[derive(Debug, Clone)]
pub struct Pca(PcaParams);

impl Reduce for Pca {
    fn name(&self) -> &'static str {
        "pca"
    }

    fn reduce(&self, instances: &Instances, n: usize) -> Result<Embedding> {
        check_instances(instances, n)?;
        check_dimensions(self.0.d, (n - 1).min(instances.dims()))?;
        let gram = instances.gram();
        let head = Matrix::from_fn(n, n, |i, j| gram[(i, j)]);
        Ok(Embedding { x: classical::coordinates(head, self.0.d)?, nullity: None })
    }
}
