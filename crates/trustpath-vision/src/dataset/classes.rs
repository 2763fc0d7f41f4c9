//! Classes, numbered as they are found.

use std::collections::HashMap;

use super::{Class, DatasetKind, DatasetSplit, PublishedSplits};

/// The number of each class: those of the published division in its order, if these are they, then any others.
#[derive(Default)]
pub(super) struct ClassNumbers {
    pub classes: Vec<Class>,
    /// By name and the split it was found in; none for published names, whose split is known.
    numbers: HashMap<(Option<DatasetSplit>, String), usize>,
}

impl ClassNumbers {
    /// `is_here` tells whether a class occurs. Where no published name does, the names are of another kind, such as
    /// words instead of WordNet ids, and the published ones are of no use.
    pub fn published(kind: DatasetKind, is_here: impl Fn(&str) -> bool) -> Self {
        let mut all = Self::default();
        let published = PublishedSplits::of(kind).map(|splits| splits.classes).unwrap_or_default();
        if published.iter().any(|class| is_here(&class.name)) {
            for class in published {
                all.numbers.insert((None, class.name.clone()), all.classes.len());
                all.classes.push(Class { name: class.name, split: Some(class.split) });
            }
        }
        all
    }

    /// The number of a class. A published division has precedence over the split given here.
    pub fn number(&mut self, name: &str, split: Option<DatasetSplit>) -> usize {
        if let Some(number) = self.numbers.get(&(None, name.to_string())) {
            return *number;
        }
        *self.numbers.entry((split, name.to_string())).or_insert_with(|| {
            self.classes.push(Class { name: name.into(), split });
            self.classes.len() - 1
        })
    }
}
