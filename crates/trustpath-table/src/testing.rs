//! What the tests in `src` and in `tests` share.

use std::fs;
use std::path::PathBuf;

use crate::{Error, Result};

/// A folder that is removed in the end.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file.
    pub fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        // Some file systems flush a file that is overwritten, but not a new one.
        let _ = fs::remove_file(&path);
        fs::write(&path, bytes).unwrap();
        path
    }

    /// The names of all files, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

/// Checks that an error is one short line that contains all `parts`.
#[track_caller]
pub fn refused<T>(result: Result<T>, parts: &[&str]) -> Error {
    let error = result.err().expect("it is refused");
    let sentence = error.to_string();
    assert!(parts.iter().all(|part| sentence.contains(part)), "{parts:?}: {sentence}");
    assert!(!sentence.contains('\n') && sentence.len() < 400, "{sentence}");
    error
}

pub fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.into()).collect()
}
