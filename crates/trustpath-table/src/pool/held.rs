//! Where the features of a pool are, and how rows of them are read.

use std::sync::Arc;

use super::Pool;
use crate::Result;
use crate::stored::Stored;
use crate::table::check_finite;

/// Values looked through at a time.
const AT_ONCE: usize = 1 << 20;

/// The features of a pool.
#[derive(Debug, Clone)]
pub(super) enum Held {
    /// Row after row, all finite.
    Memory(Vec<f32>),
    /// In their file; whether they are finite shows when they are read.
    Stored(Arc<dyn Stored>),
}

impl Pool {
    /// Reads whole rows from row `first` on, as many as `out` has room for.
    ///
    /// # Errors
    /// Where features stay in their file: if it cannot be read or is shorter than it was,
    /// [`Error::NotFinite`](crate::Error::NotFinite), or whatever is wrong with these rows.
    ///
    /// # Panics
    /// If there are no such rows, or `out` holds no whole rows.
    pub fn read(&self, first: usize, out: &mut [f32]) -> Result<()> {
        let dims = self.dims;
        assert_eq!(out.len() % dims, 0, "whole rows are read");
        assert!(first + out.len() / dims <= self.rows(), "there are {} rows", self.rows());
        match &self.features {
            Held::Memory(features) => {
                out.copy_from_slice(&features[first * dims..][..out.len()]);
                Ok(())
            }
            Held::Stored(stored) => {
                stored.read(first, out)?;
                check_finite(out, dims, first, self.columns.as_deref(), stored.file())
            }
        }
    }

    /// Reads the rows named, in that order; those that follow each other are read at once.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    ///
    /// # Panics
    /// If there is no such row, or `out` holds other than that many rows.
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

    /// Reads all features once, to say what is wrong with those that stay in their file.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn check_values(&self) -> Result<()> {
        if let Held::Memory(_) = self.features {
            return Ok(());
        }
        let at_once = (AT_ONCE / self.dims).max(1);
        let mut values = vec![0.0; at_once.min(self.rows()) * self.dims];
        for first in (0..self.rows()).step_by(at_once) {
            let count = at_once.min(self.rows() - first);
            self.read(first, &mut values[..count * self.dims])?;
        }
        Ok(())
    }
}
