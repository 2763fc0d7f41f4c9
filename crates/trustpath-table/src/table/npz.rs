//! NumPy's `.npz`: a zip archive of `.npy` arrays, stored or deflated.

use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::Path;

use zip::ZipArchive;

use super::{FEATURE_NAMES, LABEL_NAMES, NAME_FEATURES, Raw, matrix_shape};
use crate::npy::Array;
use crate::{Error, Result};

/// Deflate cannot expand a byte to more than this, so an entry that says so lies.
const MOST_EXPANSION: u64 = 1032;

/// Reads the arrays of features, labels and class names.
pub(super) fn read(path: &Path) -> Result<Raw> {
    let file = File::open(path).map_err(|e| Error::read(path, e))?;
    let mut archive =
        ZipArchive::new(BufReader::new(file)).map_err(|e| Error::damaged(path.display(), e))?;
    let first = |names: &[&'static str], archive: &ZipArchive<_>| {
        names.iter().copied().find(|name| archive.index_for_name(&entry(name)).is_some())
    };

    let Some(features) = first(&FEATURE_NAMES, &archive) else {
        let mut names: Vec<_> = archive.file_names().flatten().collect();
        names.sort_unstable();
        let found = if names.is_empty() { "nothing".into() } else { names.join(", ") };
        let file = path.display().to_string();
        return Err(Error::NoFeatures { file, found, remedy: NAME_FEATURES });
    };
    let labels = first(&LABEL_NAMES, &archive);
    let class_names = first(&["class_names"], &archive);

    let array = open(&mut archive, features, path)?;
    let (rows, dims) = matrix_shape(&format!("{} ({features})", path.display()), &array.shape)?;
    let features = array.to_f32s()?;
    let labels = labels.map(|name| open(&mut archive, name, path)?.to_labels()).transpose()?;
    let class_names =
        class_names.map(|name| open(&mut archive, name, path)?.to_strings()).transpose()?;
    Ok(Raw { features, rows, dims, labels, class_names })
}

fn open(archive: &mut ZipArchive<impl Read + Seek>, name: &str, path: &Path) -> Result<Array> {
    let file = format!("{} ({name})", path.display());
    let entry = archive.by_name(&entry(name)).map_err(|e| Error::damaged(&file, e))?;
    let possible = entry.compressed_size().saturating_mul(MOST_EXPANSION);
    let available = entry.size().min(possible);
    Array::read(entry, available, file)
}

fn entry(name: &str) -> String {
    format!("{name}.npy")
}
