//! Bytes to read: a file, or a stream that is held in memory.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::Path;

use crate::formats::is_stream;
use crate::limits::{LARGEST_TEXT, LONGEST_LINE};
use crate::{Error, Result};

/// An open file or stream, whose length is known.
#[derive(Debug)]
pub(crate) struct Input {
    /// The name that errors use.
    pub name: String,
    /// Number of bytes when it was opened.
    pub length: u64,
    bytes: Bytes,
    /// Where lines are limited, the bytes of the present one so far.
    line: Option<u64>,
}

#[derive(Debug)]
enum Bytes {
    File(BufReader<File>),
    Memory(Cursor<Vec<u8>>),
}

trait SeekableRead: BufRead + Seek {}
impl<T: BufRead + Seek> SeekableRead for T {}

impl Input {
    /// Opens `path`; `-` is standard input. Whatever is not a regular file, such as a pipe, does not
    /// support seeking and is therefore read into memory.
    pub fn open(path: &Path) -> Result<Self> {
        if is_stream(path) {
            return Self::read_all(io::stdin().lock(), Path::new("standard input"));
        }
        let opened = File::open(path).and_then(|file| Ok((file.metadata()?, file)));
        let (metadata, file) = opened.map_err(|e| Error::read(path, e))?;
        if metadata.is_dir() {
            return Err(Error::read(path, "it is a folder"));
        }
        if !metadata.is_file() {
            return Self::read_all(file, path);
        }
        let bytes = Bytes::File(BufReader::with_capacity(1 << 16, file));
        Ok(Self { name: path.display().to_string(), length: metadata.len(), bytes, line: None })
    }

    /// Bytes that are in memory already.
    pub fn memory(bytes: Vec<u8>, name: impl Into<String>) -> Self {
        let length = bytes.len() as u64;
        Self { name: name.into(), length, bytes: Bytes::Memory(Cursor::new(bytes)), line: None }
    }

    fn read_all(mut source: impl Read, name: &Path) -> Result<Self> {
        let mut bytes = Vec::new();
        source.read_to_end(&mut bytes).map_err(|e| Error::read(name, e))?;
        Ok(Self::memory(bytes, name.display().to_string()))
    }

    /// From here on, reading a line of more than [`LONGEST_LINE`] bytes fails with [`io::ErrorKind::FileTooLarge`].
    pub fn limit_lines(&mut self) {
        self.line = Some(0);
    }

    /// All of a text that is held in memory.
    pub fn read_text(&mut self) -> Result<Vec<u8>> {
        if self.length > LARGEST_TEXT {
            let reason = format!("such a file may have {} MiB; split it", LARGEST_TEXT >> 20);
            return Err(Error::too_large(&self.name, reason));
        }
        let mut bytes = Vec::new();
        self.stream().read_to_end(&mut bytes).map_err(|e| Error::read(&self.name, e))?;
        Ok(bytes)
    }

    /// Fills `buffer` with the bytes at `place`, which several threads may do at once;
    /// `UnexpectedEof` if there are too few.
    pub fn read_exact_at(&self, buffer: &mut [u8], place: u64) -> io::Result<()> {
        match &self.bytes {
            Bytes::File(file) => read_file(file.get_ref(), buffer, place),
            Bytes::Memory(bytes) => {
                let place = usize::try_from(place).unwrap_or(usize::MAX);
                let piece = bytes.get_ref().get(place..).and_then(|b| b.get(..buffer.len()));
                buffer.copy_from_slice(piece.ok_or(io::ErrorKind::UnexpectedEof)?);
                Ok(())
            }
        }
    }

    /// Number of bytes now, 0 if that is unknown.
    pub fn current_length(&self) -> u64 {
        match &self.bytes {
            Bytes::File(file) => file.get_ref().metadata().map_or(0, |metadata| metadata.len()),
            Bytes::Memory(_) => self.length,
        }
    }

    fn stream(&mut self) -> &mut dyn SeekableRead {
        match &mut self.bytes {
            Bytes::File(file) => file,
            Bytes::Memory(bytes) => bytes,
        }
    }
}

#[cfg(unix)]
fn read_file(file: &File, buffer: &mut [u8], place: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, place)
}

/// Seeks first, which only one thread at a time may do.
#[cfg(not(unix))]
fn read_file(mut file: &File, buffer: &mut [u8], place: u64) -> io::Result<()> {
    static SEEKING: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _alone = SEEKING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    file.seek(SeekFrom::Start(place))?;
    file.read_exact(buffer)
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.stream().read(buffer)?;
        if let Some(line) = &mut self.line {
            let end = buffer[..count].iter().rposition(|byte| matches!(byte, b'\n' | b'\r'));
            *line = end.map_or(*line + count as u64, |end| (count - 1 - end) as u64);
            if *line > LONGEST_LINE {
                return Err(io::ErrorKind::FileTooLarge.into());
            }
        }
        Ok(count)
    }
}

impl BufRead for Input {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.stream().fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.stream().consume(amount)
    }
}

impl Seek for Input {
    fn seek(&mut self, place: SeekFrom) -> io::Result<u64> {
        self.stream().seek(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Folder, refused};

    #[test]
    fn folders_and_missing_files_are_refused() {
        let folder = Folder::new();
        refused(Input::open(&folder.path("")), &["it is a folder"]);
        assert!(matches!(Input::open(&folder.path("none.npy")), Err(Error::Read { .. })));
    }

    #[cfg(unix)]
    #[test]
    fn a_source_without_seeking_is_held_in_memory() {
        let mut input = Input::open(Path::new("/dev/null")).unwrap();
        assert_eq!((input.length, input.seek(SeekFrom::End(0)).unwrap()), (0, 0));
    }
}
