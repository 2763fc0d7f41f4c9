//! Files of every format, as the usual tools write them and as this crate writes them.

use std::path::{Path, PathBuf};

use trustpath_table::{Error, Format, PartlyLabelledTable, Result};

mod blocks;
mod partly_labelled;
mod regressions;
mod results;
mod tables;
#[path = "../../src/testing.rs"]
mod testing;

/// A file of `tests/tables`, written by `make.py`.
fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables").join(name)
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
