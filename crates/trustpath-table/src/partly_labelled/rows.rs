//! Reading rows of features, which are in memory or in their file.

use std::sync::Arc;

use super::{PartlyLabelledTable, check_finite};
use crate::block_file::BlockFile;
use crate::{Error, Result};

/// Values checked at a time.
const AT_ONCE: usize = 1 << 20;

/// The features of a table.
#[derive(Debug, Clone)]
pub(super) enum FeatureStorage {
    /// In row-major order, all finite.
    InMemory(Vec<f32>),
    /// In their file; they are checked when they are read.
    InFile(Arc<dyn BlockFile>),
}

impl PartlyLabelledTable {
    /// Reads entire rows, beginning with row `first`, until `out` is full.
    ///
    /// # Errors
    /// For features that stay in their file: if it cannot be read or has been shortened, or if a
    /// value of these rows is missing or not finite.
    ///
    /// # Panics
    /// If these rows do not exist, or the length of `out` is not a multiple of the number of features.
    pub fn read(&self, first: usize, out: &mut [f32]) -> Result<()> {
        let dims = self.dims;
        assert_eq!(out.len() % dims, 0, "entire rows are read");
        assert!(first + out.len() / dims <= self.rows(), "there are {} rows", self.rows());
        match &self.features {
            FeatureStorage::InMemory(features) => {
                out.copy_from_slice(&features[first * dims..][..out.len()]);
                Ok(())
            }
            FeatureStorage::InFile(file) => {
                file.read(first, out)?;
                check_finite(out, dims, first, self.columns.as_deref(), file.file())
            }
        }
    }

    /// Reads the given rows in that order; consecutive rows are read at once.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    ///
    /// # Panics
    /// If a row does not exist, or `out` does not hold exactly these rows.
    pub fn gather(&self, rows: &[usize], out: &mut [f32]) -> Result<()> {
        assert_eq!(rows.len() * self.dims, out.len(), "one row each");
        let mut rest = out;
        for run in rows.chunk_by(|a, b| a + 1 == *b) {
            let (these, others) = rest.split_at_mut(run.len() * self.dims);
            self.read(run[0], these)?;
            rest = others;
        }
        Ok(())
    }

    /// The error for an instance whose features are all zero.
    pub fn zero_vector(&self, row: usize) -> Error {
        Error::ZeroVector { file: self.source.clone(), row, id: self.ids[row].clone() }
    }

    /// Reads all features once: checks those that stay in their file, and that none is all zero.
    ///
    /// # Errors
    /// As [`read`](Self::read), and [`Error::ZeroVector`].
    pub fn check_values(&self) -> Result<()> {
        let at_once = (AT_ONCE / self.dims).max(1);
        let mut values = vec![0.0; at_once.min(self.rows()) * self.dims];
        for first in (0..self.rows()).step_by(at_once) {
            let count = at_once.min(self.rows() - first);
            let values = &mut values[..count * self.dims];
            self.read(first, values)?;
            let mut rows = values.chunks_exact(self.dims);
            if let Some(row) = rows.position(|row| row.iter().all(|&value| value == 0.0)) {
                return Err(self.zero_vector(first + row));
            }
        }
        Ok(())
    }
}
