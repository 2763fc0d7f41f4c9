//! Features of an extraction in progress, from which it is resumed after an interruption.
//!
//! The file `NAME.partial` is a header, which identifies what the features are made from, and one record per image, in
//! order: one byte that is 0 if there is a feature, and the feature. A record that was cut off is computed again.

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use trustpath_table::FileLock;

use crate::{Error, Result};

const MAGIC: &[u8; 8] = b"TPFEATS1";
const HEADER: u64 = 24;

/// Whether a record has a feature.
pub(super) const COMPLETE: u8 = 0;
pub(super) const SKIPPED: u8 = 1;

/// A file of records.
pub(super) struct PartialFile {
    path: PathBuf,
    file: File,
    record: usize,
    /// Records that are there.
    pub done: usize,
    /// Two processes that extract to one place would write over each other; none in tests.
    _lock: Option<FileLock>,
}

impl PartialFile {
    /// Resumes the file beside `out` if it was made from the same input, else starts it.
    pub fn open(out: &Path, fingerprint: u64, width: usize) -> Result<Self> {
        let lock = Some(FileLock::acquire(out)?);
        let mut name = out.as_os_str().to_owned();
        name.push(".partial");
        let path = PathBuf::from(name);
        let record = width + 1;
        let mut header = MAGIC.to_vec();
        header.extend(fingerprint.to_le_bytes());
        header.extend((record as u64).to_le_bytes());
        let options = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let begun = options.and_then(|mut file| {
            let mut beginning = Vec::new();
            (&mut file).take(HEADER).read_to_end(&mut beginning)?;
            let done = if beginning == header {
                (file.metadata()?.len() - HEADER) / record as u64
            } else {
                file.set_len(0)?;
                file.seek(SeekFrom::Start(0))?;
                file.write_all(&header)?;
                0
            };
            let end = HEADER + done * record as u64;
            file.set_len(end)?;
            file.seek(SeekFrom::Start(end))?;
            Ok((file, done as usize))
        });
        let (file, done) = begun.map_err(|e| Error::write(&path, &e))?;
        Ok(Self { path, file, record, done, _lock: lock })
    }

    /// Adds whole records.
    pub fn append(&mut self, records: &[u8]) -> Result<()> {
        debug_assert!(records.len().is_multiple_of(self.record));
        self.file.write_all(records).map_err(|e| Error::write(&self.path, &e))?;
        self.done += records.len() / self.record;
        Ok(())
    }

    /// Reads all records from the first on: what each is, and its feature.
    pub fn each(&self, mut take: impl FnMut(u8, &[u8]) -> io::Result<()>) -> io::Result<()> {
        let mut file = &self.file;
        file.seek(SeekFrom::Start(HEADER))?;
        let mut reader = BufReader::new(file);
        let mut record = vec![0; self.record];
        for _ in 0..self.done {
            reader.read_exact(&mut record)?;
            take(record[0], &record[1..])?;
        }
        Ok(())
    }

    /// The numbers of the records without a feature.
    pub fn skipped(&self) -> Result<Vec<usize>> {
        let (mut skipped, mut row) = (Vec::new(), 0);
        let read = self.each(|state, _| {
            if state != COMPLETE {
                skipped.push(row);
            }
            row += 1;
            Ok(())
        });
        read.map_err(|e| Error::write(&self.path, &e))?;
        Ok(skipped)
    }

    /// Removes the file: all is done.
    pub fn remove(self) -> Result<()> {
        drop(self.file);
        std::fs::remove_file(&self.path).map_err(|e| Error::write(&self.path, &e))
    }
}

#[cfg(test)]
mod tests {
    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_reported() {
        use super::*;

        let path = PathBuf::from("/dev/full");
        let file = OpenOptions::new().write(true).open(&path).unwrap();
        let mut partial = PartialFile { path, file, record: 3, done: 0, _lock: None };
        let error = partial.append(&[0; 6]).unwrap_err().to_string();
        assert!(error.starts_with("/dev/full cannot be written: No space left"), "{error}");
        assert_eq!(partial.done, 0);
    }
}
