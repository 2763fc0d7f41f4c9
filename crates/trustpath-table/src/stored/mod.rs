//! Features that stay in their file and are read from there, as often as they are needed.
//!
//! The file is kept open and read at places, so that several threads may read at once. It is not mapped into memory: a
//! mapped file that somebody shortens ends the process, a read that ends early is an error like any other.

mod at;

use std::fmt::Debug;

use crate::scalar::Scalar;
use crate::{Error, Result};
pub(crate) use at::At;

/// Bytes converted at a time; a multiple of every element's size.
const PIECE: usize = 1 << 18;

/// Rows of features somewhere else than in memory.
pub(crate) trait Stored: Debug + Send + Sync {
    /// Reads whole rows from row `first` on, as many as `out` has room for.
    fn read(&self, first: usize, out: &mut [f32]) -> Result<()>;

    /// What errors call the file.
    fn file(&self) -> &str;
}

/// Numbers of one type, row after row, in a file.
#[derive(Debug)]
pub(crate) struct StoredArray {
    pub at: At,
    /// Where the first row begins.
    pub start: u64,
    pub rows: usize,
    pub dims: usize,
    pub scalar: Scalar,
    pub big_endian: bool,
}

impl Stored for StoredArray {
    fn read(&self, first: usize, out: &mut [f32]) -> Result<()> {
        let size = self.scalar.size();
        let mut place = self.start + (first * self.dims * size) as u64;
        let mut piece = vec![0; PIECE.min(out.len() * size)];
        for values in out.chunks_mut(PIECE / size) {
            let bytes = &mut piece[..values.len() * size];
            self.at.read(bytes, place).map_err(|e| self.failure(&e))?;
            if self.big_endian {
                bytes.chunks_exact_mut(size).for_each(<[u8]>::reverse);
            }
            self.scalar.put_f32s(bytes, values);
            place += bytes.len() as u64;
        }
        Ok(())
    }

    fn file(&self) -> &str {
        &self.at.name
    }
}

impl StoredArray {
    /// A file that was long enough when it was opened has been shortened, or cannot be read.
    fn failure(&self, error: &std::io::Error) -> Error {
        let file = self.at.name.clone();
        match error.kind() {
            std::io::ErrorKind::UnexpectedEof => Error::Truncated {
                file,
                expected: (self.rows * self.dims * self.scalar.size()) as u64,
                found: self.at.length().saturating_sub(self.start),
            },
            _ => Error::Read { file, reason: error.to_string() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Input;

    #[test]
    fn bytes_of_a_stream_are_read_like_a_file() {
        let bytes: Vec<u8> = (0..12u16).flat_map(|x| x.to_be_bytes()).collect();
        let at = At::from(Input::memory([&[7; 3][..], &bytes].concat(), "standard input"));
        let (start, scalar) = (3, Scalar::U16);
        let array = StoredArray { at, start, rows: 5, dims: 3, scalar, big_endian: true };
        let mut out = [0.0; 6];
        array.read(2, &mut out).unwrap();
        assert_eq!(out, [6.0, 7.0, 8.0, 9.0, 10.0, 11.0]);
        let error = array.read(3, &mut out).unwrap_err();
        assert!(matches!(error, Error::Truncated { expected: 30, found: 24, .. }), "{error}");
    }
}
