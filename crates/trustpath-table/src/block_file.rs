//! Features that stay in their file and are read from there in blocks of rows, as often as needed.
//!
//! The file stays open and is read at given offsets, so that several threads may read at once. It is
//! not mapped into memory: shortening a mapped file kills the process that reads it, whereas a read
//! that ends early is an ordinary error.

use std::fmt::Debug;
use std::io;
use std::sync::Arc;

use crate::formats::raw::{RawTable, ReadOptions};
use crate::input::Input;
use crate::scalar::Scalar;
use crate::{Error, Result};

/// Bytes converted at a time; a multiple of every element's size.
const PIECE: usize = 1 << 18;

/// A file whose rows of features are read in blocks.
pub(crate) trait BlockFile: Debug + Send + Sync {
    /// Reads entire rows, beginning with row `first`, until `out` is full.
    fn read(&self, first: usize, out: &mut [f32]) -> Result<()>;

    /// The name that errors use.
    fn file(&self) -> &str;
}

/// Numbers of one type in row-major order somewhere in a file.
#[derive(Debug)]
pub(crate) struct ArrayInFile {
    pub input: Input,
    /// Offset of the first row.
    pub start: u64,
    pub rows: usize,
    pub dims: usize,
    pub scalar: Scalar,
    pub big_endian: bool,
}

impl BlockFile for ArrayInFile {
    fn read(&self, first: usize, out: &mut [f32]) -> Result<()> {
        let size = self.scalar.size();
        let mut place = self.start + (first * self.dims * size) as u64;
        let mut piece = vec![0; PIECE.min(out.len() * size)];
        for values in out.chunks_mut(PIECE / size) {
            let bytes = &mut piece[..values.len() * size];
            self.input.read_exact_at(bytes, place).map_err(|e| self.failure(&e))?;
            if self.big_endian {
                bytes.chunks_exact_mut(size).for_each(<[u8]>::reverse);
            }
            self.scalar.put_f32s(bytes, values);
            place += bytes.len() as u64;
        }
        Ok(())
    }

    fn file(&self) -> &str {
        &self.input.name
    }
}

impl ArrayInFile {
    /// The array as features, which stay in their file if they are too large for memory.
    pub fn into_table(self, options: ReadOptions) -> Result<RawTable> {
        let raw = RawTable { rows: self.rows, dims: self.dims, ..RawTable::default() };
        if options.stays_in_file(self.rows, self.dims) {
            return Ok(RawTable { in_file: Some(Arc::new(self)), ..raw });
        }
        let mut features = vec![0.0; self.rows * self.dims];
        self.read(0, &mut features)?;
        Ok(RawTable { features, ..raw })
    }

    /// The file was long enough when it was opened, but has been shortened or cannot be read now.
    fn failure(&self, error: &io::Error) -> Error {
        let file = self.input.name.clone();
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Error::Truncated {
                file,
                expected: (self.rows * self.dims * self.scalar.size()) as u64,
                available: self.input.current_length().saturating_sub(self.start),
            },
            _ => Error::read(file, error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_in_memory_is_read_like_a_file() {
        let bytes: Vec<u8> = (0..12u16).flat_map(|x| x.to_be_bytes()).collect();
        let input = Input::memory([&[7; 3][..], &bytes].concat(), "standard input");
        let (start, scalar) = (3, Scalar::U16);
        let array = ArrayInFile { input, start, rows: 5, dims: 3, scalar, big_endian: true };
        let mut out = [0.0; 6];
        array.read(2, &mut out).unwrap();
        assert_eq!(out, [6.0, 7.0, 8.0, 9.0, 10.0, 11.0]);
        let error = array.read(3, &mut out).unwrap_err();
        assert!(matches!(error, Error::Truncated { expected: 30, available: 24, .. }), "{error}");
    }
}
