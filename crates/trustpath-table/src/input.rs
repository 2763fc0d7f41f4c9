//! Bytes to read: a file, or standard input held in memory.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::Path;

use crate::format::is_stream;
use crate::{Error, Result};

/// An open file or stream, whose length is known.
#[derive(Debug)]
pub(crate) struct Input {
    /// What errors call it.
    pub name: String,
    /// Bytes there.
    pub length: u64,
    bytes: Bytes,
}

#[derive(Debug)]
enum Bytes {
    File(BufReader<File>),
    Memory(Cursor<Vec<u8>>),
}

impl Input {
    /// Opens `path`; `-` is standard input. What is no regular file, a pipe for instance, cannot be
    /// sought in and is read into memory.
    pub fn open(path: &Path) -> Result<Self> {
        if is_stream(path) {
            let name = "standard input";
            return Self::slurp(io::stdin().lock(), name)
                .map_err(|e| Error::read(Path::new(name), e));
        }
        let opened = File::open(path).and_then(|file| Ok((file.metadata()?, file)));
        let (metadata, file) = opened.map_err(|e| Error::read(path, e))?;
        let name = path.display().to_string();
        if metadata.is_dir() {
            return Err(Error::read(path, "it is a folder"));
        }
        if !metadata.is_file() {
            return Self::slurp(file, &name).map_err(|e| Error::read(path, e));
        }
        let bytes = Bytes::File(BufReader::with_capacity(1 << 16, file));
        Ok(Self { name, length: metadata.len(), bytes })
    }

    /// Bytes that are in memory already.
    pub fn memory(bytes: Vec<u8>, name: impl Into<String>) -> Self {
        let length = bytes.len() as u64;
        Self { name: name.into(), length, bytes: Bytes::Memory(Cursor::new(bytes)) }
    }

    fn slurp(mut source: impl Read, name: &str) -> io::Result<Self> {
        let mut bytes = Vec::new();
        source.read_to_end(&mut bytes)?;
        Ok(Self::memory(bytes, name))
    }

    /// The file, or the bytes.
    pub fn into_parts(self) -> (String, u64, std::result::Result<File, Vec<u8>>) {
        let bytes = match self.bytes {
            Bytes::File(file) => Ok(file.into_inner()),
            Bytes::Memory(bytes) => Err(bytes.into_inner()),
        };
        (self.name, self.length, bytes)
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.bytes {
            Bytes::File(file) => file.read(buffer),
            Bytes::Memory(bytes) => bytes.read(buffer),
        }
    }
}

impl BufRead for Input {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        match &mut self.bytes {
            Bytes::File(file) => file.fill_buf(),
            Bytes::Memory(bytes) => bytes.fill_buf(),
        }
    }

    fn consume(&mut self, amount: usize) {
        match &mut self.bytes {
            Bytes::File(file) => file.consume(amount),
            Bytes::Memory(bytes) => bytes.consume(amount),
        }
    }
}

impl Seek for Input {
    fn seek(&mut self, place: SeekFrom) -> io::Result<u64> {
        match &mut self.bytes {
            Bytes::File(file) => file.seek(place),
            Bytes::Memory(bytes) => bytes.seek(place),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_and_missing_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let error = Input::open(folder.path()).unwrap_err().to_string();
        assert!(error.contains("it is a folder"), "{error}");
        let missing = folder.path().join("none.npy");
        assert!(matches!(Input::open(&missing), Err(Error::Read { .. })));
    }

    #[cfg(unix)]
    #[test]
    fn what_cannot_be_sought_in_is_held_in_memory() {
        let mut input = Input::open(Path::new("/dev/null")).unwrap();
        assert_eq!((input.length, input.seek(SeekFrom::End(0)).unwrap()), (0, 0));
    }
}
