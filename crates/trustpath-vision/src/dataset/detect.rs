//! Which dataset some files are.

use std::collections::HashSet;

use super::{DatasetKind, PublishedSplits, cifar, class_folders, cub, mini, pack, table, tiered};
use crate::source::{FileTree, is_image};
use crate::{Error, Result};

/// Class folders that must be known to take a folder for a dataset known by name: a split of any has more.
const FEWEST: usize = 16;

/// The kind that is asked for, or else detected; a pack is a pack whatever was packed.
pub(super) fn kind(source: &FileTree, wanted: Option<DatasetKind>) -> Result<DatasetKind> {
    if source.names().any(|name| name.ends_with(pack::SHARD_ENDING)) {
        return Ok(DatasetKind::Pack);
    }
    if let Some(kind) = wanted {
        return Ok(kind);
    }
    let here = [
        (DatasetKind::MiniImagenet, mini::is_here(source)),
        (DatasetKind::TieredImagenet, tiered::is_here(source)),
        (DatasetKind::CifarFs, cifar::is_here(source)),
        (DatasetKind::Cub, cub::is_here(source)),
    ];
    let mut kinds: Vec<DatasetKind> = here.iter().filter(|(_, here)| *here).map(|(kind, _)| *kind).collect();
    if kinds.is_empty() {
        kinds = by_folders(source);
    }
    match kinds.as_slice() {
        [] if table::is_here(source) => Ok(DatasetKind::Csv),
        [] => Ok(DatasetKind::Folder),
        [kind] => Ok(*kind),
        several => {
            let names: Vec<String> = several.iter().map(DatasetKind::to_string).collect();
            let (name, names) = (source.name(), names.join(" and "));
            Err(Error::Input(format!("{name} holds {names}: choose one with --dataset")))
        }
    }
}

/// The datasets whose class folders these are: each has many, and together they have all.
fn by_folders(source: &FileTree) -> Vec<DatasetKind> {
    let mut folders: HashSet<&str> =
        source.names().filter(|name| is_image(name)).filter_map(class_folders::folder_of).collect();
    let mut kinds = Vec::new();
    // miniImageNet before tieredImageNet, with which it shares classes.
    for kind in [DatasetKind::CifarFs, DatasetKind::Cub, DatasetKind::MiniImagenet, DatasetKind::TieredImagenet] {
        let lists = PublishedSplits::of(kind).map(|lists| lists.classes).unwrap_or_default();
        let classes: HashSet<&str> = lists.iter().map(|class| class.name.as_str()).collect();
        if folders.intersection(&classes).count() >= FEWEST {
            let rest: HashSet<&str> = folders.iter().filter(|folder| !classes.contains(*folder)).copied().collect();
            // A part of tieredImageNet that is larger than the classes shared with miniImageNet.
            if kind == DatasetKind::MiniImagenet && !rest.is_empty() {
                continue;
            }
            kinds.push(kind);
            folders = rest;
        }
    }
    if folders.is_empty() { kinds } else { Vec::new() }
}
