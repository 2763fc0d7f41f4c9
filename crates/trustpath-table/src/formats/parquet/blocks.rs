//! Features that stay in a Parquet file, of which one block of rows is decoded at a time.
//!
//! A block lies within one row group, where the pages of a column follow each other. The last block stays in memory, so
//! that a pass over the rows in order decodes every block once. Lists of features are a single column, whose decoder
//! continues from block to block. Features in separate columns may number a thousand, and as many decoders would hold
//! one page each; therefore every block opens them again, and pages that span several blocks are decoded more than
//! once.

use std::mem::take;
use std::sync::{Mutex, PoisonError};

use ::parquet::column::reader::ColumnReader;

use super::{ParquetTable, RowSpan, guarded};
use crate::block_file::BlockFile;
use crate::{Error, Result};

/// The largest number of values in a block; 128 MiB.
const LARGEST_BLOCK: usize = 1 << 25;

/// A file whose features stay in it.
pub(super) struct ParquetBlocks {
    table: ParquetTable,
    /// The first row of each row group, and the number of rows.
    starts: Vec<usize>,
    dims: usize,
    /// Rows of a block.
    rows: usize,
    last: Mutex<DecodedBlock>,
}

/// Decoded rows.
#[derive(Default)]
struct DecodedBlock {
    first: usize,
    values: Vec<f32>,
    /// For lists, the row that comes next and its decoder.
    next: Option<(usize, ColumnReader)>,
}

impl ParquetBlocks {
    /// Blocks of at most `in_memory` bytes of a table whose row groups begin with these rows.
    pub fn new(table: ParquetTable, starts: Vec<usize>, dims: usize, in_memory: u64) -> Self {
        let values = usize::try_from(in_memory / 4).map_or(LARGEST_BLOCK, |most| most.min(LARGEST_BLOCK));
        let rows = (values / dims).max(1);
        Self { table, starts, dims, rows, last: Mutex::default() }
    }

    /// Decodes the block that contains `row`. After an error `block` is empty.
    fn decode(&self, row: usize, block: &mut DecodedBlock) -> Result<()> {
        let DecodedBlock { mut values, next, .. } = take(block);
        let group = self.starts.partition_point(|&start| start <= row) - 1;
        let (start, end) = (self.starts[group], self.starts[group + 1]);
        let skip = (row - start) / self.rows * self.rows;
        let span = RowSpan { first: start + skip, skip, take: self.rows.min(end - start - skip) };
        values.clear();
        let next = guarded(&self.table.file, || {
            let group = self.table.group(group)?;
            if !self.table.lists {
                self.table.read_columns(&*group, span, &mut values)?;
                return Ok(None);
            }
            let mut reader = match next {
                Some((row, reader)) if row == span.first && skip > 0 => reader,
                _ => self.table.column(&*group, self.table.features[0], skip)?,
            };
            self.table.read_lists(&mut reader, span, self.dims, &mut values)?;
            Ok(Some((span.first + span.take, reader)))
        })?;
        if values.len() != span.take * self.dims {
            return Err(Error::damaged(&self.table.file, "it has fewer rows than announced"));
        }
        *block = DecodedBlock { first: span.first, values, next };
        Ok(())
    }
}

impl BlockFile for ParquetBlocks {
    fn read(&self, first: usize, out: &mut [f32]) -> Result<()> {
        let mut block = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut row, mut rest) = (first, out);
        while !rest.is_empty() {
            let rows = block.first..block.first + block.values.len() / self.dims;
            if !rows.contains(&row) {
                self.decode(row, &mut block)?;
            }
            let values = &block.values[(row - block.first) * self.dims..];
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

impl std::fmt::Debug for ParquetBlocks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ParquetBlocks").field("file", &self.table.file).finish_non_exhaustive()
    }
}
