//! Which rows of a pool are labelled, and which are open.

use crate::incidental::check_labels;
use crate::{Error, Result};

/// The rows of a pool.
#[derive(Debug, Clone)]
pub(crate) struct Pool {
    /// Rows with a given label, ascending.
    pub given: Vec<usize>,
    /// Their labels.
    pub labels: Vec<usize>,
    /// The other rows, ascending.
    pub open: Vec<usize>,
}

impl Pool {
    /// Sorts the rows out.
    pub fn new(labels: &[Option<usize>], rows: usize, classes: usize) -> Result<Self> {
        if labels.len() != rows {
            return Err(Error::LabelCount { labels: labels.len(), rows });
        }
        let (mut given, mut of, mut open) = (Vec::new(), Vec::new(), Vec::new());
        for (row, label) in labels.iter().enumerate() {
            match label {
                Some(label) => {
                    given.push(row);
                    of.push(*label);
                }
                None => open.push(row),
            }
        }
        check_labels(&of, of.len(), classes)?;
        let mut seen = vec![false; classes];
        of.iter().for_each(|&label| seen[label] = true);
        match seen.iter().position(|seen| !seen) {
            Some(class) => Err(Error::ClassWithoutSupport { class }),
            None => Ok(Self { given, labels: of, open }),
        }
    }
}
