//! Bytes that are read at any place, by several threads at once.

use std::fs::File;
use std::io;
#[cfg(not(unix))]
use std::sync::Mutex;

use crate::input::Input;

/// An open file, or bytes that came from a stream.
#[derive(Debug)]
pub(crate) struct At {
    /// What errors call it.
    pub name: String,
    bytes: Bytes,
}

#[derive(Debug)]
enum Bytes {
    #[cfg(unix)]
    File(File),
    /// Here a place is sought first, which one thread at a time may do.
    #[cfg(not(unix))]
    File(Mutex<File>),
    Memory(Vec<u8>),
}

impl From<Input> for At {
    fn from(input: Input) -> Self {
        let (name, _, bytes) = input.into_parts();
        let bytes = match bytes {
            #[cfg(unix)]
            Ok(file) => Bytes::File(file),
            #[cfg(not(unix))]
            Ok(file) => Bytes::File(Mutex::new(file)),
            Err(bytes) => Bytes::Memory(bytes),
        };
        Self { name, bytes }
    }
}

impl At {
    /// Fills `buffer` from `place` on; `UnexpectedEof` if there are not so many bytes.
    pub fn read(&self, buffer: &mut [u8], place: u64) -> io::Result<()> {
        match &self.bytes {
            Bytes::File(file) => read_file(file, buffer, place),
            Bytes::Memory(bytes) => {
                let place = usize::try_from(place).unwrap_or(usize::MAX);
                let found = bytes.get(place..).and_then(|rest| rest.get(..buffer.len()));
                buffer.copy_from_slice(found.ok_or(io::ErrorKind::UnexpectedEof)?);
                Ok(())
            }
        }
    }

    /// Bytes there now; none if that cannot be told.
    pub fn length(&self) -> u64 {
        match &self.bytes {
            Bytes::File(file) => file_length(file),
            Bytes::Memory(bytes) => bytes.len() as u64,
        }
    }
}

#[cfg(unix)]
fn read_file(file: &File, buffer: &mut [u8], place: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, place)
}

#[cfg(unix)]
fn file_length(file: &File) -> u64 {
    file.metadata().map_or(0, |metadata| metadata.len())
}

#[cfg(not(unix))]
fn read_file(file: &Mutex<File>, buffer: &mut [u8], place: u64) -> io::Result<()> {
    use std::io::{Read, Seek};
    let mut file = file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    file.seek(io::SeekFrom::Start(place))?;
    file.read_exact(buffer)
}

#[cfg(not(unix))]
fn file_length(file: &Mutex<File>) -> u64 {
    let file = file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    file.metadata().map_or(0, |metadata| metadata.len())
}
