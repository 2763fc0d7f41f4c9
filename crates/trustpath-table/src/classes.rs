//! The classes of rows, which is all that drawing episodes needs of a table.

use crate::labels::in_range;
use crate::{Error, Result};

/// One label per row, the name of each class, and the rows of each class.
#[derive(Debug, Clone, PartialEq)]
pub struct Classes {
    pub(crate) labels: Vec<usize>,
    pub(crate) names: Vec<String>,
    pub(crate) source: String,
    /// Rows of each class, ascending.
    pub(crate) members: Vec<Vec<usize>>,
}

impl Classes {
    /// Labels that are indices into `names`; errors call them `source`.
    ///
    /// # Errors
    /// If a label has no name.
    pub fn new(labels: Vec<usize>, names: Vec<String>, source: impl Into<String>) -> Result<Self> {
        let source = source.into();
        let mut members = vec![Vec::new(); names.len()];
        for (row, &label) in labels.iter().enumerate() {
            let of_class = members.get_mut(label);
            let of_class = of_class.ok_or_else(|| Error::label(&source, row, label, in_range(names.len())))?;
            of_class.push(row);
        }
        Ok(Self { labels, names, source, members })
    }

    /// The names of the classes.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The rows of each class, ascending.
    pub fn members(&self) -> &[Vec<usize>] {
        &self.members
    }

    /// Where the labels come from.
    pub fn source(&self) -> &str {
        &self.source
    }
}
