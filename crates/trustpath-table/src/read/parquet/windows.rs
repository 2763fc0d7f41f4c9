//! Features that stay in a parquet file, of which one window of rows is decoded at a time.
//!
//! A window lies within a row group, since pages of one column follow each other there. The last one is
//! kept, so that a pass over the rows in order decodes every window once. Lists of features are one
//! column, whose decoder goes on from window to window. Of features in columns of their own there may be
//! a thousand, and as many decoders would hold a page each: there every window opens them anew, and pages
//! that lie across windows are decoded more than once.

use std::mem::take;
use std::sync::{Mutex, PoisonError};

use ::parquet::column::reader::ColumnReader;

use super::{Span, Table, guarded};
use crate::stored::Stored;
use crate::{Error, Result};

/// Values of a window at most; 128 MiB.
const WINDOW: usize = 1 << 25;

/// A file whose features stay in it.
pub(super) struct Windows {
    table: Table,
    /// The row that each row group begins with, and the number of rows.
    starts: Vec<usize>,
    dims: usize,
    /// Rows of a window.
    rows: usize,
    last: Mutex<Window>,
}

/// Decoded rows.
#[derive(Default)]
struct Window {
    first: usize,
    values: Vec<f32>,
    /// Lists that come next: the row, and the decoder.
    next: Option<(usize, ColumnReader)>,
}

impl Windows {
    /// Windows of at most `in_memory` bytes on a table whose row groups begin with these rows.
    pub fn new(table: Table, starts: Vec<usize>, dims: usize, in_memory: u64) -> Self {
        let values = usize::try_from(in_memory / 4).map_or(WINDOW, |most| most.min(WINDOW));
        let rows = (values / dims).max(1);
        Self { table, starts, dims, rows, last: Mutex::default() }
    }

    /// Decodes the window that `row` lies in. After an error there is none.
    fn decode(&self, row: usize, window: &mut Window) -> Result<()> {
        let Window { mut values, next, .. } = take(window);
        let group = self.starts.partition_point(|&start| start <= row) - 1;
        let (start, end) = (self.starts[group], self.starts[group + 1]);
        let skip = (row - start) / self.rows * self.rows;
        let span = Span { first: start + skip, skip, take: self.rows.min(end - start - skip) };
        values.clear();
        let next = guarded(&self.table.file, || {
            let group = self.table.group(group)?;
            if !self.table.lists {
                self.table.read_columns(group.as_ref(), span, &mut values)?;
                return Ok(None);
            }
            let mut reader = match next {
                Some((row, reader)) if row == span.first && skip > 0 => reader,
                _ => self.table.column(group.as_ref(), self.table.features[0], skip)?,
            };
            self.table.read_lists(&mut reader, span, self.dims, &mut values)?;
            Ok(Some((span.first + span.take, reader)))
        })?;
        if values.len() != span.take * self.dims {
            return Err(Error::damaged(&self.table.file, "it has fewer rows than it announces"));
        }
        *window = Window { first: span.first, values, next };
        Ok(())
    }
}

impl Stored for Windows {
    fn read(&self, first: usize, out: &mut [f32]) -> Result<()> {
        let mut window = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut row, mut rest) = (first, out);
        while !rest.is_empty() {
            let rows = window.first..window.first + window.values.len() / self.dims;
            if !rows.contains(&row) {
                self.decode(row, &mut window)?;
            }
            let values = &window.values[(row - window.first) * self.dims..];
            let (these, others) = rest.split_at_mut(values.len().min(rest.len()));
            these.copy_from_slice(&values[..these.len()]);
            row += these.len() / self.dims;
            rest = others;
        }
        Ok(())
    }

    fn file(&self) -> &str {
        &self.table.file
    }
}

impl std::fmt::Debug for Windows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Windows").field("file", &self.table.file).finish_non_exhaustive()
    }
}
