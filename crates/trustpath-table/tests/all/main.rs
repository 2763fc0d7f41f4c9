//! Files of every format, as the usual tools write them and as this crate writes them.

use std::fs;
use std::path::{Path, PathBuf};

use trustpath_table::{Error, Format, PartlyLabelledTable, Result};

mod blocks;
mod partly_labelled;
mod regressions;
mod results;
mod tables;

/// A file of `tests/tables`, written by `make.py`.
fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables").join(name)
}

/// A folder that is removed in the end.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        // Some file systems flush a file that is overwritten, but not a new one.
        let _ = fs::remove_file(&path);
        fs::write(&path, bytes).unwrap();
        path
    }
}

/// The names of all formats that this build can write.
fn format_names() -> impl Iterator<Item = &'static str> {
    let built = |name: &&str| cfg!(feature = "parquet") || *name != "parquet";
    Format::NAMES.into_iter().filter(built)
}

/// The names of the labels, `-` for missing ones.
fn label_names(table: &PartlyLabelledTable) -> Vec<&str> {
    let name = |label: &Option<usize>| label.map_or("-", |class| &table.class_names()[class]);
    table.labels().iter().map(name).collect()
}

/// Checks that an error is one short line that contains all `parts`.
#[track_caller]
fn refused<T>(result: Result<T>, parts: &[&str]) -> Error {
    let error = result.err().expect("it is refused");
    let sentence = error.to_string();
    assert!(parts.iter().all(|part| sentence.contains(part)), "{parts:?}: {sentence}");
    assert!(!sentence.contains('\n') && sentence.len() < 400, "{sentence}");
    error
}

/// Copies of a file with one byte changed, for every byte.
fn with_one_byte_changed(bytes: &[u8]) -> impl Iterator<Item = (usize, Vec<u8>)> {
    (0..bytes.len()).map(|place| {
        let mut changed = bytes.to_vec();
        changed[place] ^= [1, 0x80, 0xff][place % 3];
        (place, changed)
    })
}

/// The last resort against a decoder that panics should not be needed.
#[track_caller]
fn assert_did_not_panic<T>(result: Result<T>, context: &str) {
    if let Err(error) = result {
        assert!(!error.to_string().contains("contradict each other"), "{context}");
    }
}
