//! Files inside a tar, compressed or not.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex};

use flate2::read::MultiGzDecoder;
use tar::Archive;

use super::{Entry, FileLocation, Section, cannot, name, stamp};
use crate::{Error, Result};

/// The most that a compressed tar may expand: images and arrays hardly shrink at all.
const MOST_EXPANDED: u64 = 100;
/// What any compressed tar may expand to.
const ALWAYS_EXPANDED: u64 = 64 << 20;

/// Every file of a tar.
pub(super) fn list(archive: &str, file: File, stamp: u64) -> Result<Vec<Entry>> {
    let end = file.metadata().map_err(|e| cannot(archive, &e))?.len();
    let damaged = |e: io::Error| Error::read(archive, format!("the tar is damaged or cut off ({e}); get it again"));
    let mut handle = file.try_clone().map_err(|e| cannot(archive, &e))?;
    let shared = Arc::new(Mutex::new(file));
    handle.seek(SeekFrom::Start(0)).map_err(|e| cannot(archive, &e))?;
    let mut tar = Archive::new(BufReader::new(handle));
    let (mut files, mut seen) = (Vec::new(), HashSet::new());
    for entry in tar.entries_with_seek().map_err(damaged)? {
        let entry = entry.map_err(damaged)?;
        let kind = entry.header().entry_type();
        let raw = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let Some(name) = name::clean(archive, &raw)? else { continue };
        if kind.is_symlink() || kind.is_hard_link() {
            return name::link(archive, &name);
        }
        if !kind.is_file() {
            continue;
        }
        let (offset, len) = (entry.raw_file_position(), entry.size());
        if offset.checked_add(len).is_none_or(|last| last > end) {
            return Err(Error::read(archive, format!("it ends within {name}; get it again")));
        }
        if !seen.insert(name.clone()) {
            return name::twice(archive, &name);
        }
        let section = Section::new(name.clone(), shared.clone(), offset, len);
        let stamp = stamp::within(stamp, &name);
        files.push(Entry { name, place: FileLocation::Stretch(section), stamp });
    }
    Ok(files)
}

/// Every file of a tar that is compressed by gzip, by way of a temporary file.
pub(super) fn expand(archive: &str, mut file: File, stamp: u64) -> Result<Vec<Entry>> {
    let packed = file.metadata().map_err(|e| cannot(archive, &e))?.len();
    file.seek(SeekFrom::Start(0)).map_err(|e| cannot(archive, &e))?;
    let mut from = MultiGzDecoder::new(BufReader::with_capacity(1 << 16, file));
    let mut to = tempfile::tempfile().map_err(|e| no_room(archive, &e))?;
    let most = ALWAYS_EXPANDED + packed.saturating_mul(MOST_EXPANDED);
    let (mut block, mut total) = (Vec::new(), 0);
    loop {
        block.clear();
        let read = (&mut from).take(1 << 18).read_to_end(&mut block).map_err(|e| {
            let reason = format!("its compression is damaged or cut off ({e}); get it again");
            Error::read(archive, reason)
        })?;
        if read == 0 {
            return list(archive, to, stamp);
        }
        total += read as u64;
        if total > most {
            let reason = format!(
                "it expands to more than {MOST_EXPANDED} times its size, which images never do; unpack it yourself if you trust it"
            );
            return Err(Error::read(archive, reason));
        }
        to.write_all(&block).map_err(|e| no_room(archive, &e))?;
    }
}

/// The temporary file cannot be written.
pub(super) fn no_room(name: &str, error: &io::Error) -> Error {
    let folder = std::env::temp_dir();
    let reason = format!(
        "it has to be expanded into {}, which fails ({error}); free some disk space there, name another folder in TMPDIR, or unpack it yourself",
        folder.display()
    );
    Error::read(name, reason)
}
