//! No reduction: the normalised features themselves.

use super::{Embedding, Reduce, check_instances};
use crate::{Instances, Matrix, Result};

/// Parameters of [`Identity`]: there are none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IdentityParams {}

impl IdentityParams {
    /// Nothing can be wrong.
    ///
    /// # Errors
    /// None.
    pub fn check(self) -> Result<Identity> {
        Ok(Identity)
    }
}

/// The features as they are.
#[derive(Debug, Clone)]
pub struct Identity;

impl Reduce for Identity {
    fn name(&self) -> &'static str {
        "none"
    }

    fn reduce(&self, instances: &Instances, n: usize) -> Result<Embedding> {
        check_instances(instances, n)?;
        let head = instances.unit().as_slice()[..n * instances.dims()].to_vec();
        Ok(Embedding { x: Matrix::from_vec(n, instances.dims(), head)?, nullity: None })
    }
}
