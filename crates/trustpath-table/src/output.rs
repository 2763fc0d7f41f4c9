//! Where results are written: a file, which is complete or unchanged, or standard output.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::atomic::StagedFile;
use crate::formats::is_stream;
use crate::{Error, FileSet, Format, Result, write_atomically};

/// A file to write, or standard output.
///
/// ```
/// use trustpath_table::{Format, Output};
/// assert_eq!(Output::new("labels.parquet").format()?, Format::Parquet);
/// assert_eq!(Output::new("-").format()?, Format::Csv);
/// assert_eq!(Output::new("labels.txt").as_format(Format::Tsv).format()?, Format::Tsv);
/// # Ok::<(), trustpath_table::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Output {
    path: PathBuf,
    format: Option<Format>,
    staged: Option<FileSet>,
}

impl Output {
    /// The file at `path`; `-` is standard output.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), format: None, staged: None }
    }

    /// Writes this format, regardless of the ending of the name.
    pub fn as_format(mut self, format: Format) -> Self {
        self.format = Some(format);
        self
    }

    /// Writes a file under a temporary name until the set is [published](FileSet::publish).
    pub fn staged(mut self, set: &FileSet) -> Self {
        self.staged = Some(set.clone());
        self
    }

    /// Where it is written.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The format that is written.
    ///
    /// # Errors
    /// [`Error::UnknownFormat`] if it was not given and the ending of the name is unknown.
    pub fn format(&self) -> Result<Format> {
        self.format.map_or_else(|| Format::of(&self.path), Ok)
    }

    /// Whether it is standard output.
    pub fn is_stream(&self) -> bool {
        is_stream(&self.path)
    }

    /// Checks before the work begins that the folder exists and can be written to, and that the format is known.
    ///
    /// # Errors
    /// [`Error::Write`] or [`Error::UnknownFormat`].
    pub fn check(&self) -> Result<()> {
        self.format()?;
        if self.is_stream() || is_device(&self.path) {
            return Ok(());
        }
        if self.path.is_dir() {
            return Err(Error::write(&self.path, "it is a folder"));
        }
        crate::atomic::check_writable(&self.path)
    }

    /// Writes with `fill`. Devices and pipes are written to directly; a file is complete afterwards or
    /// unchanged. It is not an error if the reader of standard output stops early.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn write(&self, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
        if self.is_stream() {
            let written = through(io::stdout().lock(), fill);
            return written.map_err(|e| Error::write(Path::new("standard output"), e));
        }
        if is_device(&self.path) {
            let opened = std::fs::OpenOptions::new().write(true).open(&self.path);
            return opened.and_then(|file| through(file, fill)).map_err(|e| Error::write(&self.path, e));
        }
        match &self.staged {
            Some(set) => set.add(StagedFile::write(&self.path, |w| fill(w))?),
            None => write_atomically(&self.path, |w| fill(w))?,
        }
        Ok(())
    }
}

/// Writes to a stream. A reader that stops early (`| head`) is not an error.
fn through(w: impl Write, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut stream = Stream { inner: w, closed: false };
    let mut w = BufWriter::new(&mut stream);
    let written = fill(&mut w).and_then(|()| w.flush());
    // What is left cannot be written either.
    drop(w.into_parts());
    if stream.closed { Ok(()) } else { written }
}

/// A stream that remembers that its reader stopped: encoders turn that error into others.
struct Stream<W> {
    inner: W,
    closed: bool,
}

impl<W> Stream<W> {
    fn note<T>(&mut self, done: io::Result<T>) -> io::Result<T> {
        self.closed |= done.as_ref().is_err_and(|e| e.kind() == io::ErrorKind::BrokenPipe);
        done
    }
}

impl<W: Write> Write for Stream<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let done = self.inner.write(bytes);
        self.note(done)
    }

    fn flush(&mut self) -> io::Result<()> {
        let done = self.inner.flush();
        self.note(done)
    }
}

/// Whether `path` is neither a file nor a folder, so that it must not be replaced by a file.
fn is_device(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Folder, refused};

    #[test]
    fn problems_are_reported_before_the_work() {
        let folder = Folder::new();
        let at = |name: &str| Output::new(folder.path(name));
        at("a.csv").check().unwrap();
        assert!(matches!(at("missing/a.csv").check(), Err(Error::Write { .. })));
        assert!(matches!(at("a.doc").check(), Err(Error::UnknownFormat { .. })));
        at("a.doc").as_format(Format::Csv).check().unwrap();
        std::fs::create_dir(folder.path("d.csv")).unwrap();
        refused(at("d.csv").check(), &["it is a folder"]);
        assert_eq!(folder.names(), ["d.csv"], "checking leaves nothing");
    }

    #[test]
    fn a_reader_that_stops_early_is_no_error_in_any_format() {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        // As encoders do.
        let other = |e: io::Error| io::Error::other(e.to_string());
        let fill = |w: &mut dyn Write| w.write_all(&vec![0; 1 << 20]).map_err(other);
        through(writer, fill).unwrap();
        assert!(through(io::sink(), |_| Err(io::Error::other("something else"))).is_err());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_reported_and_devices_stay() {
        let full = Output::new("/dev/full").as_format(Format::Csv);
        full.check().unwrap();
        refused(full.write(|w| w.write_all(b"a,b\n")), &["/dev/full", "has room"]);
        Output::new("/dev/null").write(|w| w.write_all(b"a")).unwrap();
        assert!(is_device(Path::new("/dev/null")));
    }
}
