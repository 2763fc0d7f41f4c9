//! Shards.

use crate::dataset::Draft;
use crate::source::Source;
use crate::{Error, Result};

/// Ending.
pub const ENDING: &str = ".shard";

pub(crate) fn open(source: Source) -> Result<Draft> {
    Err(Error::Read { name: source.name().into(), reason: "not yet".into() })
}
