//! NumPy's `.npz`: a zip archive of `.npy` arrays, stored or deflated.

use std::io::Read;

use zip::ZipArchive;

use super::npy::NpyArray;
use super::raw::{RawTable, ReadOptions, no_column, no_feature_array};
use crate::input::Input;
use crate::{Error, Result};

/// Deflate cannot expand a byte to more than this, so an entry that says so is wrong.
const MOST_EXPANSION: u64 = 1032;
/// Real features do not compress like this; arrays that do may fill [`HARMLESS`] bytes at most.
const SUSPICIOUS_EXPANSION: u64 = 100;
const HARMLESS: u64 = 1 << 30;

/// Reads the arrays of features, labels, ids and class names.
pub(super) fn read(input: Input, options: ReadOptions) -> Result<RawTable> {
    let file = input.name.clone();
    let archive = ZipArchive::new(input).map_err(|e| Error::damaged(&file, e))?;
    let mut archive = Archive { file, archive };
    let mut raw = RawTable::default();
    if !options.labels_only {
        let name = archive.first(&options.feature_names());
        let name = name.ok_or_else(|| no_feature_array(&archive.file, &archive.names()))?;
        raw = archive.open(name, NpyArray::read_matrix)?;
    }
    if let Some(name) = archive.first(&options.label_names()) {
        let labels = archive.array(name)?.to_labels()?;
        raw.rows = if options.labels_only { labels.len() } else { raw.rows };
        raw.labels = Some(labels);
    }
    match (archive.first(&options.id_names()), options.id) {
        (Some(name), _) => raw.ids = Some(archive.array(name)?.to_texts()?),
        (None, Some(name)) if !options.labels_only => {
            return Err(no_column(&archive.file, name, &archive.names()));
        }
        (None, _) => {}
    }
    if let Some(name) = archive.first(&["class_names"]) {
        raw.class_names = Some(archive.array(name)?.to_strings()?);
    }
    Ok(raw)
}

struct Archive {
    file: String,
    archive: ZipArchive<Input>,
}

impl Archive {
    /// The first of these names that the archive has.
    fn first<'a>(&self, names: &[&'a str]) -> Option<&'a str> {
        let has = |name: &&str| self.archive.index_for_name(&format!("{name}.npy")).is_some();
        names.iter().copied().find(has)
    }

    /// The names of all arrays, sorted.
    fn names(&self) -> Vec<String> {
        let names = self.archive.file_names().flatten();
        let mut names: Vec<String> = names.map(|name| name.trim_end_matches(".npy").into()).collect();
        names.sort_unstable();
        names
    }

    fn array(&mut self, name: &str) -> Result<NpyArray> {
        self.open(name, |entry, available, file| NpyArray::read(entry, available, file))
    }

    fn open<T>(&mut self, name: &str, read: impl FnOnce(&mut dyn Read, u64, String) -> Result<T>) -> Result<T> {
        let file = format!("{} ({name})", self.file);
        let entry = self.archive.by_name(&format!("{name}.npy"));
        let mut entry = entry.map_err(|e| Error::damaged(&file, e))?;
        let expanded = |times: u64| entry.compressed_size().saturating_mul(times);
        let available = entry.size().min(expanded(MOST_EXPANSION));
        if available > HARMLESS.max(expanded(SUSPICIOUS_EXPANSION)) {
            let reason = format!(
                "{} bytes expand to {available}, which real features never do; save the array uncompressed if it is real",
                entry.compressed_size()
            );
            return Err(Error::damaged(file, reason));
        }
        read(&mut entry, available, file)
    }
}
