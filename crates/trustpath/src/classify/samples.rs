//! The rows that a classifier is trained on, checked and sorted.

use crate::{Error, Instances, Matrix, Result};
use trustpath_path::labels::check_labels;

/// Training rows with their labels, sorted by row so that no result depends on the order in which they were given.
#[derive(Debug, Clone, Default)]
pub struct Samples {
    /// The rows.
    pub rows: Vec<usize>,
    /// Their labels.
    pub labels: Vec<usize>,
}

impl Samples {
    /// Checks that every class of `classes` has a sample among the instances.
    ///
    /// # Errors
    /// [`Error::OneClass`], [`Error::LabelCount`], [`Error::LabelOutOfRange`], [`Error::RowOutOfRange`],
    /// [`Error::ClassWithoutSupport`].
    pub fn new(rows: &[usize], labels: &[usize], instances: &Instances, classes: usize) -> Result<Self> {
        check_labels(labels, rows.len(), classes)?;
        if let Some(&row) = rows.iter().find(|&&row| row >= instances.len()) {
            return Err(Error::RowOutOfRange { row, rows: instances.len() });
        }
        let mut seen = vec![false; classes];
        labels.iter().for_each(|&label| seen[label] = true);
        if let Some(class) = seen.iter().position(|seen| !seen) {
            return Err(Error::ClassWithoutSupport { class });
        }
        let mut pairs: Vec<_> = rows.iter().copied().zip(labels.iter().copied()).collect();
        pairs.sort_unstable();
        let (rows, labels) = pairs.into_iter().unzip();
        Ok(Self { rows, labels })
    }

    /// The features of the samples, one row each.
    pub fn features(&self, instances: &Instances) -> Matrix {
        let mut x = Matrix::zeros(self.rows.len(), instances.dims());
        for (i, &row) in self.rows.iter().enumerate() {
            x.row_mut(i).copy_from_slice(instances.unit().row(row));
        }
        x
    }
}
