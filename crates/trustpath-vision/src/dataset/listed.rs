//! Class folders of a dataset that is known by name: the class of a picture is the folder it lies in,
//! wherever that is, and its split is told by lists.

use std::collections::HashMap;

use super::stored::{Item, Store, Stored};
use super::{Class, Draft, Kind, Lists, Split};
use crate::Result;
use crate::source::{Source, is_picture};

/// Reads class folders; lists that come with the files have precedence over those of the program.
pub(super) fn read(source: Source, kind: Kind) -> Result<Draft> {
    let classes = classes(&source, kind)?;
    let numbers: HashMap<&str, usize> =
        classes.iter().enumerate().map(|(at, class)| (class.name.as_str(), at)).collect();
    let item = |name: &str| {
        let class = numbers.get(folder_of(name)?)?;
        Some(Item { id: name.into(), class: Some(*class), stored: Stored::File(None) })
    };
    let items = source.names().filter(|name| is_picture(name)).filter_map(item).collect();
    let store = Store { source, sections: Vec::new() };
    Ok(Draft { name: kind.to_string(), kind, classes, items, store })
}

/// The folder a file lies in.
pub(super) fn folder_of(name: &str) -> Option<&str> {
    name.rsplit('/').nth(1)
}

fn classes(source: &Source, kind: Kind) -> Result<Vec<Class>> {
    let shipped = Lists::of(kind);
    let mut classes = Vec::new();
    for split in Split::ALL {
        let ending = match kind {
            Kind::CifarFs => Some(format!("splits/bertinetto/{split}.txt")),
            Kind::Cub => Some(format!("splits/{split}.txt")),
            _ => None,
        };
        let file = ending.and_then(|ending| source.names().find(|name| is_path_end(name, &ending)));
        let names: Vec<String> = match (file, &shipped) {
            (Some(file), _) => source
                .text(file)?
                .lines()
                .map(str::trim)
                .filter(|l| !l.is_empty())
                .map(String::from)
                .collect(),
            (None, Some(lists)) => lists.split(split).map(|listed| listed.class.clone()).collect(),
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
