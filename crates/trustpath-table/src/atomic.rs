//! Writing files so that they are either complete or unchanged.
//!
//! A file is written under a temporary name beside it, `.NAME.PROCESS-NUMBER.partial`, and renamed when it is
//! complete. The process holds a lock on its temporary files, which the system releases however the process
//! ends: those without a lock belong to a run that was killed, and are removed by the next one.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::paths::through_links;
use crate::{Error, Result};

/// The ending of temporary files.
const ENDING: &str = ".partial";

/// Lets `fill` write a temporary file beside `path`, which is renamed to `path` once it is complete.
///
/// A reader of `path` sees the old contents or the new ones, never a part. If writing fails, the old contents remain
/// and the temporary file is removed. A symbolic link stays one: the file that it points to is written.
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
    StagedFile::write(path.as_ref(), fill)?.publish()
}

/// Checks that `path` can be written, and leaves nothing behind.
pub(crate) fn check_writable(path: &Path) -> Result<()> {
    StagedFile::create(path).map(drop).map_err(|e| Error::write(path, e))
}

/// Files that get their names together, once all of them are complete ([`Output::staged`](crate::Output::staged)).
///
/// They are renamed one after another, in the order in which they were written: a run that is killed in
/// between leaves complete files, of which those that were written later are still the old ones.
#[derive(Debug, Clone, Default)]
pub struct FileSet(Arc<Mutex<Vec<StagedFile>>>);

impl FileSet {
    pub(crate) fn add(&self, file: StagedFile) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(file);
    }

    /// Gives all files their names. Without this call they are removed.
    ///
    /// # Errors
    /// [`Error::Write`] for the first that cannot be renamed.
    pub fn publish(&self) -> Result<()> {
        let files = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        files.into_iter().try_for_each(StagedFile::publish)
    }
}

/// A temporary file, which is removed unless it is published.
#[derive(Debug)]
pub(crate) struct StagedFile {
    /// The path that the caller gave.
    path: PathBuf,
    /// The same without symbolic links.
    target: PathBuf,
    partial: PathBuf,
    /// Holds the lock.
    file: File,
    published: bool,
}

impl StagedFile {
    /// Writes the temporary file completely.
    pub fn write(path: &Path, fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> Result<Self> {
        let staged = Self::create(path).map_err(|e| Error::write(path, e))?;
        let written = staged.file.try_clone().and_then(|file| {
            let mut writer = BufWriter::new(file);
            fill(&mut writer)?;
            writer.flush()?;
            writer.get_ref().sync_all()
        });
        written.map_err(|e| Error::write(path, e))?;
        Ok(staged)
    }

    /// Gives the file its name.
    fn publish(mut self) -> Result<()> {
        fs::rename(&self.partial, &self.target).map_err(|e| Error::write(&self.path, e))?;
        self.published = true;
        Ok(())
    }

    /// A new file in the folder of the target: a rename is atomic only within one file system.
    fn create(path: &Path) -> io::Result<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let target = through_links(path)?;
        let name =
            target.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"))?;
        remove_abandoned(&target);
        loop {
            let mut partial = OsString::from(".");
            partial.push(name);
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            partial.push(format!(".{}-{count}{ENDING}", std::process::id()));
            let partial = target.with_file_name(partial);
            let file = match OpenOptions::new().write(true).create_new(true).open(&partial) {
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => continue,
                opened => opened?,
            };
            // Another process may have taken it for abandoned before it was locked.
            let taken = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
            if !taken && partial.exists() {
                let path = path.to_owned();
                return Ok(Self { path, target, partial, file, published: false });
            }
        }
    }
}

impl Drop for StagedFile {
    fn drop(&mut self) {
        if !self.published {
            // The error that led here is the one to report, even if the temporary file stays.
            let _ = fs::remove_file(&self.partial);
        }
    }
}

/// Removes the temporary files of killed runs in the folder of `target`, as far as that is possible.
fn remove_abandoned(target: &Path) {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    let Ok(entries) = fs::read_dir(folder.unwrap_or(Path::new("."))) else { return };
    for entry in entries.flatten() {
        if !entry.file_name().to_str().is_some_and(is_temporary) {
            continue;
        }
        // Where files cannot be locked, it is unknown whether a process still writes.
        let file = OpenOptions::new().write(true).open(entry.path());
        if file.is_ok_and(|file| file.try_lock().is_ok()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Whether a file has a name that only [`StagedFile::create`] gives.
fn is_temporary(name: &str) -> bool {
    let numbers = || {
        let (_, numbers) = name.strip_prefix('.')?.strip_suffix(ENDING)?.rsplit_once('.')?;
        numbers.split_once('-')
    };
    let number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    numbers().is_some_and(|(process, count)| number(process) && number(count))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Folder, refused, strings};

    #[test]
    fn a_file_is_replaced_or_unchanged_and_nothing_is_left_behind() {
        let folder = Folder::new();
        let path = folder.path("a.txt");
        write_atomically(&path, |w| w.write_all(b"a longer first version")).unwrap();
        write_atomically(&path, |w| w.write_all(b"second")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        let failed = write_atomically(&path, |w| {
            w.write_all(b"half of the third")?;
            Err(io::Error::other("the plug was pulled"))
        });
        refused(failed, &["the plug was pulled"]);
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(folder.names(), ["a.txt"]);
    }

    #[test]
    fn places_that_cannot_be_written_are_refused() {
        let folder = Folder::new();
        // A file in the place of a folder cannot be written into, not even by root.
        folder.file("file", b"");
        fs::create_dir(folder.path("taken")).unwrap();
        folder.file("taken/inside", b"x");
        for path in ["missing/a.txt", "file/a.txt", "taken", "/"] {
            let written = write_atomically(folder.path(path), |_| Ok(()));
            let error = refused(written, &[path, "choose a folder"]);
            assert!(matches!(error, Error::Write { .. }), "{error}");
        }
        assert_eq!(folder.names(), ["file", "taken"]);
    }

    #[test]
    fn temporary_files_of_killed_runs_are_removed_and_those_of_others_kept() {
        let folder = Folder::new();
        for name in [".a.txt.1-0.partial", ".b.csv.99999-17.partial", "x.npy.partial", ".c.partial"] {
            folder.file(name, b"half");
        }
        let running = StagedFile::write(&folder.path("d.txt"), |w| w.write_all(b"d")).unwrap();
        let its_name = running.partial.file_name().unwrap().to_str().unwrap().to_owned();
        write_atomically(folder.path("a.txt"), |w| w.write_all(b"new")).unwrap();
        assert_eq!(folder.names(), [".c.partial", &its_name, "a.txt", "x.npy.partial"]);
        running.publish().unwrap();
        assert_eq!(fs::read(folder.path("d.txt")).unwrap(), b"d");
    }

    #[test]
    fn files_of_a_set_appear_together_or_not_at_all() {
        let folder = Folder::new();
        let path = folder.file("a", b"old");
        let stage = || {
            let set = FileSet::default();
            for name in ["a", "b"] {
                set.add(StagedFile::write(&folder.path(name), |w| w.write_all(b"new")).unwrap());
            }
            set
        };
        drop(stage());
        assert_eq!((folder.names(), fs::read(&path).unwrap()), (strings(&["a"]), b"old".into()));
        let set = stage();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        set.publish().unwrap();
        assert_eq!((folder.names(), fs::read(&path).unwrap()), (strings(&["a", "b"]), b"new".into()));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_and_its_target_is_written() {
        use std::os::unix::fs::symlink;
        let folder = Folder::new();
        let at = |name: &str| folder.path(name);
        fs::create_dir(at("inner")).unwrap();
        symlink("inner/file", at("link")).unwrap();
        symlink("link", at("second")).unwrap();
        for contents in ["not there before", "there before"] {
            write_atomically(at("second"), |w| w.write_all(contents.as_bytes())).unwrap();
            assert_eq!(fs::read_to_string(at("inner/file")).unwrap(), contents);
        }
        assert!(at("link").is_symlink() && at("second").is_symlink());
        symlink("loop", at("loop")).unwrap();
        refused(write_atomically(at("loop"), |_| Ok(())), &["loop", "links"]);
    }

    #[cfg(unix)]
    #[test]
    fn permissions_follow_the_umask() {
        use std::os::unix::fs::PermissionsExt;
        let folder = Folder::new();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let (plain, atomic) = (folder.file("plain", b""), folder.path("atomic"));
        write_atomically(&atomic, |_| Ok(())).unwrap();
        assert_eq!(mode(&atomic), mode(&plain));
    }
}
