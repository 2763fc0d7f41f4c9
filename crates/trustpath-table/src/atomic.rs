//! Writing files so that they are either complete or unchanged.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::{Error, Result};

/// Lets `fill` write a temporary file beside `path`, which is renamed to `path` once it is complete.
///
/// A reader of `path` sees the old contents or the new ones, never a part. If writing fails, the old
/// contents remain and the temporary file is removed.
///
/// ```
/// use std::io::Write;
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("table.csv");
/// trustpath_table::write_atomically(&path, |w| writeln!(w, "method,accuracy"))?;
/// assert_eq!(std::fs::read_to_string(&path).unwrap(), "method,accuracy\n");
/// # Ok::<(), trustpath_table::Error>(())
/// ```
///
/// # Errors
/// [`Error::Write`] if the folder is missing, unwritable or full, or if `fill` fails.
pub fn write_atomically(
    path: impl AsRef<Path>,
    fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<()> {
    let path = path.as_ref();
    let (partial, file) = create_beside(path).map_err(|e| Error::write(path, e))?;
    let mut writer = BufWriter::new(file);
    let written = fill(&mut writer)
        .and_then(|()| writer.flush())
        .and_then(|()| writer.get_ref().sync_all())
        .and_then(|()| fs::rename(&partial, path));
    written.map_err(|e| {
        // The first error is the one to report, even if the temporary file stays.
        let _ = fs::remove_file(&partial);
        Error::write(path, e)
    })
}

/// Checks that `path` can be written, and leaves nothing behind.
pub(crate) fn check_writable(path: &Path) -> Result<()> {
    let tried = create_beside(path).and_then(|(partial, _)| fs::remove_file(partial));
    tried.map_err(|e| Error::write(path, e))
}

/// A new file in the folder of `path`: a rename is atomic only within one file system.
fn create_beside(path: &Path) -> io::Result<(PathBuf, File)> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let name = path
        .file_name()
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"))?;
    loop {
        let mut partial = OsString::from(".");
        partial.push(name);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        partial.push(format!(".{}-{count}.partial", std::process::id()));
        let partial = path.with_file_name(partial);
        match OpenOptions::new().write(true).create_new(true).open(&partial) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => continue,
            opened => return opened.map(|file| (partial, file)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::refused;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_or_unchanged_and_nothing_is_left_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        write_atomically(&path, |w| w.write_all(b"a longer first version")).unwrap();
        write_atomically(&path, |w| w.write_all(b"second")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        let failed = write_atomically(&path, |w| {
            w.write_all(b"half of the third")?;
            Err(io::Error::other("the plug was pulled"))
        });
        refused(failed, &["the plug was pulled"]);
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(names(folder.path()), ["a.txt"]);
    }

    #[test]
    fn places_that_cannot_be_written_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        // A file in the place of a folder cannot be written into, not even by root.
        fs::write(folder.path().join("file"), b"").unwrap();
        fs::create_dir(folder.path().join("taken")).unwrap();
        fs::write(folder.path().join("taken/inside"), b"x").unwrap();
        for path in ["missing/a.txt", "file/a.txt", "taken", "/"] {
            let written = write_atomically(folder.path().join(path), |_| Ok(()));
            let error = refused(written, &[path, "choose a folder"]);
            assert!(matches!(error, Error::Write { .. }), "{error}");
        }
        assert_eq!(names(folder.path()), ["file", "taken"]);
    }
}
