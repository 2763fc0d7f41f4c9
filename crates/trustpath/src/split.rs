//! Which rows of a pool have a given label, and which are to be labelled.

use crate::incidental::check_labels;
use crate::{Error, Matrix, Result};

/// Rows that take part in labelling. Positions count the rows with a given label first, then the open ones; in an
/// episode they are the row numbers.
#[derive(Debug, Clone, Copy)]
pub struct Split<'a> {
    /// Rows with a given label.
    pub given: &'a [usize],
    /// Their labels.
    pub labels: &'a [usize],
    /// Rows to be labelled.
    pub open: &'a [usize],
    /// Number of classes.
    pub classes: usize,
}

impl Split<'_> {
    /// The row at a position.
    pub(crate) fn row(&self, position: usize) -> usize {
        match position.checked_sub(self.given.len()) {
            None => self.given[position],
            Some(at) => self.open[at],
        }
    }

    /// Given labels, then these labels of the open rows: one for every position.
    pub(crate) fn all_labels(&self, labels: &[usize]) -> Vec<usize> {
        [self.labels, labels].concat()
    }

    /// The leading `dims` coordinates of the rows at these positions.
    pub(crate) fn gather(&self, x: &Matrix, dims: usize, positions: &[usize]) -> Matrix {
        Matrix::from_fn(positions.len(), dims, |i, j| x[(self.row(positions[i]), j)])
    }
}

/// A split that owns its rows.
#[derive(Debug, Clone)]
pub(crate) struct OwnedSplit {
    /// Rows with a given label, ascending.
    pub given: Vec<usize>,
    /// Their labels.
    pub labels: Vec<usize>,
    /// The other rows, ascending.
    pub open: Vec<usize>,
    /// Number of classes.
    pub classes: usize,
}

impl OwnedSplit {
    /// Splits rows by whether they have a label.
    pub fn new(labels: &[Option<usize>], rows: usize, classes: usize) -> Result<Self> {
        if labels.len() != rows {
            return Err(Error::LabelCount { labels: labels.len(), rows });
        }
        let mut split = Self { given: Vec::new(), labels: Vec::new(), open: Vec::new(), classes };
        for (row, label) in labels.iter().enumerate() {
            match label {
                Some(label) => {
                    split.given.push(row);
                    split.labels.push(*label);
                }
                None => split.open.push(row),
            }
        }
        check_labels(&split.labels, split.labels.len(), classes)?;
        check_support(&split.labels, classes)?;
        Ok(split)
    }

    /// The split with these open rows in place of its own.
    pub fn with_open<'a>(&'a self, open: &'a [usize]) -> Split<'a> {
        Split { given: &self.given, labels: &self.labels, open, classes: self.classes }
    }
}

/// Refuses a class that has no label.
pub(crate) fn check_support(labels: &[usize], classes: usize) -> Result<()> {
    let mut seen = vec![false; classes];
    labels.iter().for_each(|&label| seen[label] = true);
    match seen.iter().position(|seen| !seen) {
        Some(class) => Err(Error::ClassWithoutSupport { class }),
        None => Ok(()),
    }
}
