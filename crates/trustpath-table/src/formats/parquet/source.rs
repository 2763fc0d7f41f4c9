//! The bytes of a file for the Parquet decoder.

use std::io::{self, BufReader, Read};
use std::sync::Arc;

use ::parquet::errors::{ParquetError, Result as ParquetResult};
use ::parquet::file::reader::{ChunkReader, Length};
use bytes::Bytes;

use crate::input::Input;

/// An open file or stream.
#[derive(Clone)]
pub(super) struct ParquetBytes(pub Arc<Input>);

/// Reads on from one place. Unlike a file it fails at its end: the decoder skips what a damaged
/// header announces, and would do so for hours if reading nothing were a success.
pub(super) struct ParquetBytesReader {
    input: Arc<Input>,
    place: u64,
}

impl Length for ParquetBytes {
    fn len(&self) -> u64 {
        self.0.length
    }
}

impl ChunkReader for ParquetBytes {
    type T = BufReader<ParquetBytesReader>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        Ok(BufReader::new(ParquetBytesReader { input: Arc::clone(&self.0), place: start }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        if start.saturating_add(length as u64) > self.0.length {
            return Err(ParquetError::EOF("a page lies beyond the end of the file".into()));
        }
        let mut bytes = vec![0; length];
        self.0.read_exact_at(&mut bytes, start)?;
        Ok(bytes.into())
    }
}

impl Read for ParquetBytesReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.input.length.saturating_sub(self.place);
        let count = usize::try_from(left).map_or(buffer.len(), |left| buffer.len().min(left));
        if count == 0 && !buffer.is_empty() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.input.read_exact_at(&mut buffer[..count], self.place)?;
        self.place += count as u64;
        Ok(count)
    }
}
