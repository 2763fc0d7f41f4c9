//! Any folder of class folders.
//!
//! Folders that all images share are skipped, and so are `train`, `val` and `test` below them, which
//! divide the dataset; the next folder is the class. Images in no folder have no class, nor have those in a folder named `unlabeled`, `unlabelled` or `unknown`, with or without `_` before it.

use super::classes::ClassNumbers;
use super::store::{ImageLocation, StoredImage};
use super::{DatasetKind, DatasetSplit, RawDataset};
use crate::Result;
use crate::source::{FileTree, is_image};

pub(super) fn read(source: FileTree) -> Result<RawDataset> {
    let names: Vec<&str> = source.names().filter(|name| is_image(name)).collect();
    let shared = shared_folders(&names);
    let inner: Vec<Vec<&str>> = names.iter().map(|name| folders(name)[shared..].to_vec()).collect();
    let divided =
        !inner.is_empty() && inner.iter().all(|path| path.first().is_some_and(|first| split_of(first).is_some()));
    let mut numbers = ClassNumbers::default();
    let mut items = Vec::with_capacity(names.len());
    for (name, path) in names.iter().zip(&inner) {
        let split = path.first().filter(|_| divided).and_then(|first| split_of(first));
        let class = path.get(usize::from(divided)).filter(|class| !is_unlabeled(class));
        let class = class.map(|class| numbers.number(class, split));
        items.push(StoredImage { id: name.to_string(), class, location: ImageLocation::File(None) });
    }
    Ok(RawDataset::unknown(DatasetKind::Folder, numbers.classes, items, source))
}

/// Whether a folder of this name holds images or texts without a class.
pub fn is_unlabeled(folder: &str) -> bool {
    let name = folder.trim_start_matches('_').to_ascii_lowercase();
    matches!(name.as_str(), "unlabeled" | "unlabelled" | "unknown")
}

fn folders(name: &str) -> Vec<&str> {
    let mut parts: Vec<&str> = name.split('/').collect();
    parts.pop();
    parts
}

/// How many folders all images share; if that is all of them, the last is not counted, since it is the class.
fn shared_folders(names: &[&str]) -> usize {
    let Some(first) = names.first().map(|name| folders(name)) else { return 0 };
    let shared = names.iter().map(|name| first.iter().zip(folders(name)).take_while(|(a, b)| *a == b).count());
    let shared = shared.min().unwrap_or(0);
    let shallowest = names.iter().map(|name| folders(name).len()).min().unwrap_or(0);
    shared.min(shallowest.saturating_sub(1))
}

fn split_of(folder: &str) -> Option<DatasetSplit> {
    match folder.to_ascii_lowercase().as_str() {
        "train" | "base" | "training" => Some(DatasetSplit::Train),
        "val" | "valid" | "validation" => Some(DatasetSplit::Val),
        "test" | "novel" | "testing" => Some(DatasetSplit::Test),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_folders_are_skipped_except_for_the_class() {
        assert_eq!(shared_folders(&["a/b/x/1.png", "a/b/y/1.png"]), 2);
        assert_eq!(shared_folders(&["a/b/x/1.png", "a/b/x/2.png"]), 2);
        assert_eq!(shared_folders(&["x/1.png", "2.png"]), 0);
        assert_eq!(shared_folders(&["1.png", "2.png"]), 0);
        assert_eq!(shared_folders(&[]), 0);
    }
}
