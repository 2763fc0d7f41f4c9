//! No reduction: the normalised features themselves.

use super::neighbors::Neighbors;
use super::{Embedding, Reduce, check_instances, rows};
use crate::{Instances, Result};

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

    fn neighbors(&self, _: usize) -> Option<usize> {
        None
    }

    fn reduce_on(
        &self,
        instances: &Instances,
        n: usize,
        _: Option<&Neighbors>,
    ) -> Result<Embedding> {
        check_instances(instances, n)?;
        Ok(Embedding::plain(rows(instances, n)?))
    }
}
