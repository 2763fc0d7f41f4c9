//! Classes of a dataset that is known by name, found one by one.

use std::collections::HashMap;

use super::{Class, Kind, Lists, Split};

/// Classes by name: those of the published division in its order, if these are they, then any others.
pub(super) struct Named {
    pub classes: Vec<Class>,
    numbers: HashMap<String, usize>,
}

impl Named {
    /// `is_here` tells whether a class occurs. Where none that was published does, names are of another
    /// kind, such as words for WordNet ids, and the published ones of no use.
    pub fn new(kind: Kind, is_here: impl Fn(&str) -> bool) -> Self {
        let mut named = Self { classes: Vec::new(), numbers: HashMap::new() };
        let lists = Lists::of(kind).map(|lists| lists.classes).unwrap_or_default();
        if lists.iter().any(|listed| is_here(&listed.class)) {
            for listed in lists {
                named.number(&listed.class, Some(listed.split));
            }
        }
        named
    }

    /// The number of a class. A published division has precedence over the split said here.
    pub fn number(&mut self, name: &str, split: Option<Split>) -> usize {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        self.classes.push(Class { name: name.into(), split });
        self.numbers.insert(name.into(), self.classes.len() - 1);
        self.classes.len() - 1
    }
}
