//! Where results are written: a file, which is complete or unchanged, or standard output.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::formats::is_stream;
use crate::{Error, Format, Result, write_atomically};

/// A file to write, or standard output.
///
/// ```
/// use trustpath_table::{Format, Output};
/// assert_eq!(Output::new("labels.parquet").format()?, Format::Parquet);
/// assert_eq!(Output::new("-").format()?, Format::Csv);
/// assert_eq!(Output::new("labels.txt").as_format(Format::Tsv).format()?, Format::Tsv);
/// # Ok::<(), trustpath_table::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    path: PathBuf,
    format: Option<Format>,
}

impl Output {
    /// The file at `path`; `-` is standard output.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), format: None }
    }

    /// Writes this format, regardless of the ending of the name.
    pub fn as_format(mut self, format: Format) -> Self {
        self.format = Some(format);
        self
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

    /// Checks before the work begins that the folder exists and can be written to, and that the
    /// format is known.
    ///
    /// # Errors
    /// [`Error::Write`] or [`Error::UnknownFormat`].
    pub fn check(&self) -> Result<()> {
        self.format()?;
        if self.is_stream() {
            return Ok(());
        }
        if self.path.is_dir() {
            return Err(Error::write(&self.path, "it is a folder"));
        }
        if is_device(&self.path) {
            return Ok(());
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
            return match written {
                Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                written => written.map_err(|e| Error::write(Path::new("standard output"), e)),
            };
        }
        if is_device(&self.path) {
            let opened = std::fs::OpenOptions::new().write(true).open(&self.path);
            let written = opened.and_then(|file| through(file, fill));
            return written.map_err(|e| Error::write(&self.path, e));
        }
        write_atomically(&self.path, |w| fill(w))
    }
}

fn through(w: impl Write, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut w = BufWriter::new(w);
    fill(&mut w)?;
    w.flush()
}

/// Whether `path` is neither a file nor a folder, so that it must not be replaced by a file.
fn is_device(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn problems_are_reported_before_the_work() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| Output::new(folder.path().join(name));
        at("a.csv").check().unwrap();
        assert!(matches!(at("missing/a.csv").check(), Err(Error::Write { .. })));
        assert!(matches!(at("a.doc").check(), Err(Error::UnknownFormat { .. })));
        at("a.doc").as_format(Format::Csv).check().unwrap();
        fs::create_dir(folder.path().join("d.csv")).unwrap();
        assert!(at("d.csv").check().unwrap_err().to_string().contains("it is a folder"));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "checking leaves nothing");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_reported_and_devices_stay() {
        let full = Output::new("/dev/full").as_format(Format::Csv);
        full.check().unwrap();
        let error = full.write(|w| w.write_all(b"a,b\n")).unwrap_err().to_string();
        assert!(error.contains("/dev/full") && error.contains("has room"), "{error}");
        Output::new("/dev/null").write(|w| w.write_all(b"a")).unwrap();
        assert!(is_device(Path::new("/dev/null")));
    }
}
