//! The one dense matrix of this crate: row-major, one instance per row.

use faer::MatRef;

use crate::{Error, Result};

/// A dense row-major matrix of `f64`. Rows are instances, so that each instance is one contiguous slice.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Matrix {
    rows: usize,
    cols: usize,
    data: Vec<f64>,
}

impl Matrix {
    /// The zero matrix.
    pub fn zeros(rows: usize, cols: usize) -> Self {
        Self { rows, cols, data: vec![0.0; rows * cols] }
    }

    /// Wraps row-major values.
    ///
    /// # Errors
    /// [`Error::Shape`] when `data` does not hold `rows · cols` values.
    pub fn from_vec(rows: usize, cols: usize, data: Vec<f64>) -> Result<Self> {
        if data.len() != rows * cols {
            return Err(Error::Shape { rows, dims: cols, expected: rows * cols, given: data.len() });
        }
        Ok(Self { rows, cols, data })
    }

    /// The matrix whose entry `(i, j)` is `entry(i, j)`.
    pub fn from_fn(rows: usize, cols: usize, mut entry: impl FnMut(usize, usize) -> f64) -> Self {
        let mut data = Vec::with_capacity(rows * cols);
        for i in 0..rows {
            for j in 0..cols {
                data.push(entry(i, j));
            }
        }
        Self { rows, cols, data }
    }

    /// The one-hot matrix `Y` of labels: row `i` has a one in column `labels[i]`.
    pub fn one_hot(labels: &[usize], classes: usize) -> Self {
        let mut y = Self::zeros(labels.len(), classes);
        for (i, &label) in labels.iter().enumerate() {
            y[(i, label)] = 1.0;
        }
        y
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Row `i`.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.data[i * self.cols..(i + 1) * self.cols]
    }

    /// Row `i`, to be written.
    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.data[i * self.cols..(i + 1) * self.cols]
    }

    /// All rows in order. Empty when the matrix has no columns.
    pub fn iter_rows(&self) -> std::slice::ChunksExact<'_, f64> {
        self.data.chunks_exact(self.cols.max(1))
    }

    /// All values, row by row.
    pub fn as_slice(&self) -> &[f64] {
        &self.data
    }

    /// All values, row by row, to be written.
    pub fn as_mut_slice(&mut self) -> &mut [f64] {
        &mut self.data
    }

    /// A faer view of the same memory.
    pub fn view(&self) -> MatRef<'_, f64> {
        MatRef::from_row_major_slice(&self.data, self.rows, self.cols)
    }

    /// Copies a faer matrix.
    pub fn from_view(view: MatRef<'_, f64>) -> Self {
        Self::from_fn(view.nrows(), view.ncols(), |i, j| view[(i, j)])
    }
}

impl std::ops::Index<(usize, usize)> for Matrix {
    type Output = f64;

    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        &self.data[i * self.cols + j]
    }
}

impl std::ops::IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        &mut self.data[i * self.cols + j]
    }
}
