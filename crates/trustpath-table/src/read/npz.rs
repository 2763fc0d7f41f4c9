//! NumPy's `.npz`: a zip archive of `.npy` arrays, stored or deflated.

use std::io::{Read, Seek};

use zip::ZipArchive;

use super::{FEATURE_NAMES, NAME_FEATURES, Raw, Wanted, no_column};
use crate::input::Input;
use crate::npy::Array;
use crate::{Error, Result};

/// Deflate cannot expand a byte to more than this, so an entry that says so lies.
const MOST_EXPANSION: u64 = 1032;
/// Features that matter do not compress like this; what does may fill [`HARMLESS`] bytes at most.
const SUSPICIOUS_EXPANSION: u64 = 100;
const HARMLESS: u64 = 1 << 30;

type Archive = ZipArchive<Input>;

/// Reads the arrays of features, labels, ids and class names.
pub(super) fn read(input: Input, wanted: Wanted) -> Result<Raw> {
    let file = input.name.clone();
    let mut archive = ZipArchive::new(input).map_err(|e| Error::damaged(&file, e))?;
    let mut raw = Raw::default();
    if !wanted.labels_only {
        let Some(name) = first(&archive, &FEATURE_NAMES) else {
            let names = listed(&archive);
            let found = if names.is_empty() { "nothing".into() } else { names.join(", ") };
            return Err(Error::NoFeatures { file, found, remedy: NAME_FEATURES });
        };
        (raw.features, raw.rows, raw.dims) =
            open(&mut archive, name, &file, |entry, available, file| {
                Array::read_matrix(entry, available, file)
            })?;
    }
    if let Some(name) = first(&archive, &wanted.label_names()) {
        let labels = array(&mut archive, name, &file)?.to_labels()?;
        raw.rows = if wanted.labels_only { labels.len() } else { raw.rows };
        raw.labels = Some(labels);
    }
    match (first(&archive, &wanted.id_names()), wanted.id) {
        (Some(name), _) => raw.ids = Some(array(&mut archive, name, &file)?.to_texts()?),
        (None, Some(name)) if !wanted.labels_only => {
            return Err(no_column(&file, name, &listed(&archive)));
        }
        (None, _) => {}
    }
    if let Some(name) = first(&archive, &["class_names"]) {
        raw.class_names = Some(array(&mut archive, name, &file)?.to_strings()?);
    }
    Ok(raw)
}

fn first<'a>(archive: &Archive, names: &[&'a str]) -> Option<&'a str> {
    names.iter().copied().find(|name| archive.index_for_name(&entry(name)).is_some())
}

fn listed(archive: &Archive) -> Vec<String> {
    let mut names: Vec<String> =
        archive.file_names().flatten().map(|name| name.trim_end_matches(".npy").into()).collect();
    names.sort_unstable();
    names
}

fn array(archive: &mut Archive, name: &str, file: &str) -> Result<Array> {
    open(archive, name, file, |entry, available, file| Array::read(entry, available, file))
}

fn open<R: Read + Seek, T>(
    archive: &mut ZipArchive<R>,
    name: &str,
    file: &str,
    read: impl FnOnce(&mut dyn Read, u64, String) -> Result<T>,
) -> Result<T> {
    let file = format!("{file} ({name})");
    let mut entry = archive.by_name(&entry(name)).map_err(|e| Error::damaged(&file, e))?;
    let expanded = |times: u64| entry.compressed_size().saturating_mul(times);
    let available = entry.size().min(expanded(MOST_EXPANSION));
    let allowed = HARMLESS.max(expanded(SUSPICIOUS_EXPANSION));
    if available > allowed {
        let reason = format!(
            "{} bytes expand to {available}, which real features do not; save it uncompressed if they are",
            entry.compressed_size()
        );
        return Err(Error::damaged(file, reason));
    }
    read(&mut entry, available, file)
}

fn entry(name: &str) -> String {
    format!("{name}.npy")
}
