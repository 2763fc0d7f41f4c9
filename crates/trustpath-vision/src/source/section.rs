//! Contiguous bytes of a file or in memory, read from any position by any number of threads.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

use crate::{Error, Result};

/// A file, or a part of one.
#[derive(Debug, Clone)]
pub(crate) struct Section {
    /// The name by which errors call it.
    pub name: String,
    backing: Backing,
    offset: u64,
    pub len: u64,
}

#[derive(Debug, Clone)]
enum Backing {
    // One handle for all: a read holds it for microseconds, the decoding that follows takes far longer.
    File(Arc<Mutex<File>>),
    Memory(Arc<[u8]>),
}

impl Section {
    /// Bytes in memory.
    pub fn of_bytes(name: &str, bytes: Vec<u8>) -> Self {
        let len = bytes.len() as u64;
        Self { name: name.into(), backing: Backing::Memory(bytes.into()), offset: 0, len }
    }

    /// `len` bytes of a file from `offset`; `name` is what refusals call them.
    pub(super) fn new(name: String, file: Arc<Mutex<File>>, offset: u64, len: u64) -> Self {
        Self { name, backing: Backing::File(file), offset, len }
    }

    /// An entire file.
    pub(crate) fn whole(name: String, file: File) -> Result<Self> {
        let len = file.metadata().map_err(|e| super::cannot(&name, &e))?.len();
        Ok(Self::new(name, Arc::new(Mutex::new(file)), 0, len))
    }

    /// `len` bytes from `offset`.
    pub fn read_at(&self, offset: u64, len: usize) -> Result<Vec<u8>> {
        if offset.checked_add(len as u64).is_none_or(|end| end > self.len) {
            return Err(Error::read(&self.name, "it ends too early; get it again"));
        }
        let mut bytes = vec![0; len];
        self.fill(offset, &mut bytes).map_err(|e| super::cannot(&self.name, &e))?;
        Ok(bytes)
    }

    fn fill(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        let start = self.offset + offset;
        match &self.backing {
            Backing::File(file) => {
                let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                file.seek(SeekFrom::Start(start))?;
                file.read_exact(bytes)
            }
            Backing::Memory(all) => {
                let from = usize::try_from(start).ok().and_then(|start| all.get(start..));
                from.unwrap_or_default().read_exact(bytes)
            }
        }
    }

    /// Reads it from the beginning.
    pub fn reader(&self) -> BufReader<SectionReader> {
        BufReader::with_capacity(1 << 16, SectionReader { section: self.clone(), at: 0 })
    }
}

/// Reads a [`Section`] in order.
#[derive(Debug)]
pub(crate) struct SectionReader {
    section: Section,
    at: u64,
}

impl Read for SectionReader {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.section.len.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let count = bytes.len().min(left);
        self.section.fill(self.at, &mut bytes[..count])?;
        self.at += count as u64;
        Ok(count)
    }
}

impl Seek for SectionReader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let to = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.section.len.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = to.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        Ok(self.at)
    }
}
