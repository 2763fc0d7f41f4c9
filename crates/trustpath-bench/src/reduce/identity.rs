//! No reduction: the normalised features themselves.

use super::{Embedding, Reduce, first_rows};
use trustpath::neighbors::Neighbors;
use trustpath::{Instances, Result};

#[derive(Debug)]
pub(super) struct Identity;

impl Reduce for Identity {
    fn dimensions(&self) -> Option<usize> {
        None
    }

    fn most(&self) -> Option<usize> {
        None
    }

    fn embed(&self, instances: &Instances, n: usize, _: &Neighbors) -> Result<Embedding> {
        Ok(Embedding::plain(first_rows(instances, n)?))
    }
}
