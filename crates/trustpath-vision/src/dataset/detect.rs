//! Which dataset some files are.

use std::collections::HashSet;

use super::{Kind, Lists, cifar, cub, listed, mini, table, tiered};
use crate::source::{Source, is_picture};
use crate::{Error, Result, pack};

/// Class folders that must be known to take a folder for a dataset known by name: a split of any has more.
const FEWEST: usize = 16;

fn is_pack(source: &Source) -> bool {
    source.names().any(|name| name.ends_with(pack::SHARD_ENDING))
}

/// The kind that is wanted, or else found out; a pack is a pack whatever was packed.
pub(super) fn kind(source: &Source, wanted: Option<Kind>) -> Result<Kind> {
    if is_pack(source) {
        return Ok(Kind::Pack);
    }
    if let Some(kind) = wanted {
        return Ok(kind);
    }
    let mut kinds = Vec::new();
    let mut found = |here: bool, kind: Kind| {
        if here {
            kinds.push(kind);
        }
    };
    found(mini::is_here(source), Kind::MiniImagenet);
    found(tiered::is_here(source), Kind::TieredImagenet);
    found(cifar::is_here(source), Kind::CifarFs);
    found(cub::is_here(source), Kind::Cub);
    if kinds.is_empty() {
        kinds = by_folders(source);
    }
    match kinds.as_slice() {
        [] if table::is_here(source) => Ok(Kind::Csv),
        [] => Ok(Kind::Folder),
        [kind] => Ok(*kind),
        several => {
            let names: Vec<String> = several.iter().map(Kind::to_string).collect();
            Err(Error::Ambiguous { name: source.name().into(), kinds: names.join(" and ") })
        }
    }
}

/// The datasets whose class folders these are: each has many, and together they have all.
fn by_folders(source: &Source) -> Vec<Kind> {
    let mut folders: HashSet<&str> =
        source.names().filter(|name| is_picture(name)).filter_map(listed::folder_of).collect();
    let mut kinds = Vec::new();
    // miniImageNet before tieredImageNet, with which it shares classes.
    for kind in [Kind::CifarFs, Kind::Cub, Kind::MiniImagenet, Kind::TieredImagenet] {
        let lists = Lists::of(kind).map(|lists| lists.classes).unwrap_or_default();
        let known = lists.iter().filter(|listed| folders.contains(listed.class.as_str()));
        if known.count() >= FEWEST {
            let classes: HashSet<&str> = lists.iter().map(|listed| listed.class.as_str()).collect();
            let rest: HashSet<&str> =
                folders.iter().filter(|folder| !classes.contains(*folder)).copied().collect();
            // A part of tieredImageNet that is larger than the classes shared with miniImageNet.
            if kind == Kind::MiniImagenet && !rest.is_empty() {
                continue;
            }
            kinds.push(kind);
            folders = rest;
        }
    }
    if folders.is_empty() { kinds } else { Vec::new() }
}
