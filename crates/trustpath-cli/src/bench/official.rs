//! What the official code scored on the episodes of a list: `official-NAME-accuracy.npy` beside them.

use std::fs;
use std::path::Path;

use trustpath_bench::read_scores;

use super::Scores;
use crate::error::Result;

/// The scores by name, in the order of the names.
pub fn read(folder: &Path) -> Result<Vec<(String, Scores)>> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut named: Vec<_> = files.filter_map(|path| Some((name(&path)?, path))).collect();
    named.sort();
    named.into_iter().map(|(name, path)| Ok((name, (0..).zip(read_scores(path)?).collect()))).collect()
}

fn name(path: &Path) -> Option<String> {
    let file = path.file_name()?.to_str()?;
    Some(file.strip_prefix("official-")?.strip_suffix("-accuracy.npy")?.to_owned())
}
