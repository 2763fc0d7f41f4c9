//! Class folders of a dataset that is known by name: the class of an image is the folder it is in, wherever that is,
//! and lists say to which split a class belongs.

use std::collections::HashMap;

use super::store::{ImageLocation, StoredImage};
use super::{Class, DatasetKind, DatasetSplit, PublishedSplits, RawDataset};
use crate::Result;
use crate::source::{FileTree, is_image};

/// Reads class folders; lists that come with the files have precedence over those of the program.
pub(super) fn read(source: FileTree, kind: DatasetKind) -> Result<RawDataset> {
    let classes = classes(&source, kind)?;
    let numbers: HashMap<&str, usize> =
        classes.iter().enumerate().map(|(at, class)| (class.name.as_str(), at)).collect();
    let item = |name: &str| {
        let class = numbers.get(folder_of(name)?)?;
        Some(StoredImage { id: name.into(), class: Some(*class), location: ImageLocation::File(None) })
    };
    let items = source.names().filter(|name| is_image(name)).filter_map(item).collect();
    Ok(RawDataset::known(kind, classes, items, source, Vec::new()))
}

/// The name of the folder a file is in.
pub(super) fn folder_of(name: &str) -> Option<&str> {
    name.rsplit('/').nth(1)
}

fn classes(source: &FileTree, kind: DatasetKind) -> Result<Vec<Class>> {
    let published = PublishedSplits::of(kind);
    let mut classes = Vec::new();
    for split in DatasetSplit::ALL {
        let ending = match kind {
            DatasetKind::CifarFs => Some(format!("splits/bertinetto/{split}.txt")),
            DatasetKind::Cub => Some(format!("splits/{split}.txt")),
            _ => None,
        };
        let file = ending.and_then(|ending| source.names().find(|name| is_path_end(name, &ending)));
        let names: Vec<String> = match (file, &published) {
            (Some(file), _) => {
                let text = source.text(file)?;
                let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
                lines.map(String::from).collect()
            }
            (None, Some(lists)) => lists.split(split).map(|class| class.name.clone()).collect(),
            (None, None) => Vec::new(),
        };
        classes.extend(names.into_iter().map(|name| Class { name, split: Some(split) }));
    }
    Ok(classes)
}

/// Whether a name ends in a path, not merely in its letters.
pub(super) fn is_path_end(name: &str, end: &str) -> bool {
    name.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}
