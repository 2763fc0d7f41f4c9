//! Files that only one process at a time may work on.
//!
//! Beside the file `NAME` lies `NAME.lock` while a process holds the lock, with the number of that process in
//! it. The system releases the lock however the process ends, so that a lock file that was left behind by a
//! killed run locks nothing.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::paths::{identity, through_links};
use crate::{Error, Result};

/// The exclusive right to work on a file, until it is dropped.
///
/// ```
/// use trustpath_table::FileLock;
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("run.jsonl");
/// let lock = FileLock::acquire(&path)?;
/// let refused = FileLock::acquire(&path).unwrap_err().to_string();
/// assert!(refused.contains(&format!("process {}", std::process::id())));
/// drop(lock);
/// FileLock::acquire(&path)?;
/// # Ok::<(), trustpath_table::Error>(())
/// ```
#[derive(Debug)]
pub struct FileLock {
    path: PathBuf,
    /// Holds the lock; none where the file system has no locks.
    file: Option<File>,
}

impl FileLock {
    /// Locks the file at `path`, which need not exist.
    ///
    /// # Errors
    /// [`Error::InUse`] if another process holds the lock, [`Error::Write`] if its folder cannot be written.
    pub fn acquire(path: &Path) -> Result<Self> {
        let target = through_links(path).map_err(|e| Error::write(path, e))?;
        let mut name = target.into_os_string();
        name.push(".lock");
        let place = PathBuf::from(name);
        loop {
            let mut options = OpenOptions::new();
            let opened = options.read(true).write(true).create(true).truncate(false).open(&place);
            let mut file = opened.map_err(|e| Error::write(path, e))?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    let mut holder = String::new();
                    // The holder may not have written its number yet.
                    let _ = file.take(32).read_to_string(&mut holder);
                    let holder = holder.trim().parse::<u32>().ok();
                    return Err(Error::InUse {
                        file: path.display().to_string(),
                        holder: holder.map_or("another process".into(), |id| format!("process {id}")),
                        lock: place.display().to_string(),
                    });
                }
                Err(TryLockError::Error(_)) => return Ok(Self { path: place, file: None }),
            }
            // Its last holder may have removed the file between opening and locking.
            if identity(file.metadata()) != identity(fs::metadata(&place)) {
                continue;
            }
            let noted =
                file.set_len(0).and_then(|()| file.rewind()).and_then(|()| writeln!(file, "{}", std::process::id()));
            noted.map_err(|e| Error::write(path, e))?;
            return Ok(Self { path: place, file: Some(file) });
        }
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        // Elsewhere than on Unix, another process could lock a file that is about to vanish.
        if cfg!(unix) || self.file.is_none() {
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Folder;

    #[test]
    fn a_lock_file_that_was_left_behind_locks_nothing() {
        let folder = Folder::new();
        let path = folder.path("run.jsonl");
        let beside = folder.file("run.jsonl.lock", "12345\n");
        let lock = FileLock::acquire(&path).unwrap();
        assert_eq!(fs::read_to_string(&beside).unwrap(), format!("{}\n", std::process::id()));
        assert!(matches!(FileLock::acquire(&path), Err(Error::InUse { .. })));
        drop(lock);
        assert_eq!(beside.exists(), cfg!(not(unix)));
    }

    #[test]
    fn threads_take_turns() {
        let folder = Folder::new();
        let path = folder.file("count", "0");
        let count = || {
            for _ in 0..50 {
                let _lock = loop {
                    match FileLock::acquire(&path) {
                        Ok(lock) => break lock,
                        Err(_) => std::thread::yield_now(),
                    }
                };
                let number: usize = fs::read_to_string(&path).unwrap().parse().unwrap();
                fs::write(&path, (number + 1).to_string()).unwrap();
            }
        };
        std::thread::scope(|scope| {
            (0..4).for_each(|_| drop(scope.spawn(count)));
        });
        assert_eq!(fs::read_to_string(&path).unwrap(), "200");
    }
}
