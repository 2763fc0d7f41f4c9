//! Any folder of class folders.
//!
//! Folders that all pictures share are passed over, and so are `train`, `val` and `test` below them, which
//! divide the dataset; the next folder is the class. Pictures that lie in no folder have no class, nor have those in
//! a folder named `unlabeled`, `unlabelled` or `unknown`, with or without `_` before it.

use std::collections::HashMap;

use super::stored::{Item, Store, Stored};
use super::{Class, Draft, Kind, Split};
use crate::Result;
use crate::source::{Source, is_picture};

pub(super) fn read(source: Source) -> Result<Draft> {
    let names: Vec<&str> = source.names().filter(|name| is_picture(name)).collect();
    let shared = shared_folders(&names);
    let inner: Vec<Vec<&str>> = names.iter().map(|name| folders(name)[shared..].to_vec()).collect();
    let divided = !inner.is_empty()
        && inner.iter().all(|path| path.first().is_some_and(|first| split_of(first).is_some()));
    let mut classes: Vec<Class> = Vec::new();
    let mut numbers = HashMap::new();
    let mut items = Vec::with_capacity(names.len());
    for (name, path) in names.iter().zip(&inner) {
        let split = path.first().filter(|_| divided).and_then(|first| split_of(first));
        let class = path.get(usize::from(divided)).filter(|class| !is_unlabeled(class));
        let class = class.map(|class| {
            *numbers.entry((split, class.to_string())).or_insert_with(|| {
                classes.push(Class { name: class.to_string(), split });
                classes.len() - 1
            })
        });
        items.push(Item { id: name.to_string(), class, stored: Stored::File(None) });
    }
    let name = source.name().trim_end_matches('/').rsplit('/').next().unwrap_or_default().into();
    let store = Store { source, sections: Vec::new() };
    Ok(Draft { name, kind: Kind::Folder, classes, items, store })
}

/// Whether a folder holds pictures without a class.
fn is_unlabeled(folder: &str) -> bool {
    let name = folder.trim_start_matches('_').to_ascii_lowercase();
    matches!(name.as_str(), "unlabeled" | "unlabelled" | "unknown")
}

fn folders(name: &str) -> Vec<&str> {
    let mut parts: Vec<&str> = name.split('/').collect();
    parts.pop();
    parts
}

/// How many folders lead to all pictures alike; the last one is left, since it is the class of all.
fn shared_folders(names: &[&str]) -> usize {
    let Some(first) = names.first().map(|name| folders(name)) else { return 0 };
    let shared = names
        .iter()
        .map(|name| first.iter().zip(folders(name)).take_while(|(a, b)| *a == b).count());
    let shared = shared.min().unwrap_or(0);
    let shallowest = names.iter().map(|name| folders(name).len()).min().unwrap_or(0);
    shared.min(shallowest.saturating_sub(1))
}

fn split_of(folder: &str) -> Option<Split> {
    match folder.to_ascii_lowercase().as_str() {
        "train" | "base" | "training" => Some(Split::Train),
        "val" | "valid" | "validation" => Some(Split::Val),
        "test" | "novel" | "testing" => Some(Split::Test),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_folders_are_passed_over_but_for_the_class() {
        assert_eq!(shared_folders(&["a/b/x/1.png", "a/b/y/1.png"]), 2);
        assert_eq!(shared_folders(&["a/b/x/1.png", "a/b/x/2.png"]), 2);
        assert_eq!(shared_folders(&["x/1.png", "2.png"]), 0);
        assert_eq!(shared_folders(&["1.png", "2.png"]), 0);
        assert_eq!(shared_folders(&[]), 0);
    }
}
