//! Files of a folder, and of the archives in it.

use std::path::{Path, PathBuf};

use super::{Entry, FileLocation, archive, cannot, is_archive, is_image, stamp};
use crate::{Error, Result};

/// The deepest nesting that is followed.
const DEEPEST: usize = 32;

/// All files below a folder; the contents of its archives instead, where it holds nothing but these.
pub(super) fn list(path: &Path) -> Result<Vec<Entry>> {
    let mut files = Vec::new();
    walk(path, "", &mut Vec::new(), &mut files)?;
    if files.iter().any(|file| is_data(&file.name)) {
        return Ok(files);
    }
    let archives = |file: &&Entry| !file.name.contains('/') && is_archive(&file.name);
    let mut inside = Vec::new();
    for file in files.iter().filter(archives) {
        inside.extend(archive(&path.join(&file.name))?);
    }
    Ok(if inside.is_empty() { files } else { inside })
}

/// Lists a folder; `above` are the folders that it is in. A link that leads back to one of these is left out.
fn walk(path: &Path, prefix: &str, above: &mut Vec<PathBuf>, files: &mut Vec<Entry>) -> Result<()> {
    let name = path.display().to_string();
    let here = path.canonicalize().map_err(|e| cannot(&name, &e))?;
    if above.contains(&here) {
        return Ok(());
    }
    if above.len() > DEEPEST {
        let reason = format!("its folders are more than {DEEPEST} deep; pack it, or move it up");
        return Err(Error::read(name, reason));
    }
    above.push(here);
    for entry in std::fs::read_dir(path).map_err(|e| cannot(&name, &e))? {
        let path = entry.map_err(|e| cannot(&name, &e))?.path();
        let Some(last) = path.file_name() else { continue };
        let last = last.to_string_lossy();
        if last.starts_with('.') {
            continue;
        }
        let inner = format!("{prefix}{last}");
        let kind = match std::fs::metadata(&path) {
            Ok(kind) => kind,
            // A link to an image that is gone is one image that cannot be read, not a folder.
            Err(_) if is_image(&inner) => {
                files.push(Entry { name: inner, place: FileLocation::File(path), stamp: 0 });
                continue;
            }
            // A link that leads nowhere, or in a circle, is no file of the dataset.
            Err(_) if path.is_symlink() => continue,
            Err(e) => return Err(cannot(&path.display().to_string(), &e)),
        };
        if kind.is_dir() {
            walk(&path, &format!("{inner}/"), above, files)?;
        } else if kind.is_file() {
            let stamp = stamp::of_file(&path, &kind);
            files.push(Entry { name: inner, place: FileLocation::File(path), stamp });
        }
    }
    above.pop();
    Ok(())
}

/// Whether a file is data by itself, so that archives beside it are where it came from.
fn is_data(name: &str) -> bool {
    let endings = [".pkl", ".pickle", super::SHARD_ENDING];
    is_image(name) || endings.iter().any(|ending| name.ends_with(ending))
}
