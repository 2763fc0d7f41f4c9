//! What tells whether a file is still the one that was read before, without reading it.

use std::fs::Metadata;
use std::path::Path;
use std::time::UNIX_EPOCH;

use crate::fingerprint::Fingerprint;

/// A number that stays as long as the file does, and changes when it is written: its place on the disk, its
/// length, and when it was last written. It may move to another folder.
#[cfg(unix)]
pub(super) fn of_file(_: &Path, about: &Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt;
    let mut stamp = written(about);
    stamp.number(about.dev());
    stamp.number(about.ino());
    stamp.get()
}

/// A number that stays as long as the file does under its name, and changes when it is written.
#[cfg(not(unix))]
pub(super) fn of_file(path: &Path, about: &Metadata) -> u64 {
    let mut stamp = written(about);
    stamp.add(path.to_string_lossy().as_bytes());
    stamp.get()
}

fn written(about: &Metadata) -> Fingerprint {
    let mut stamp = Fingerprint::new();
    stamp.number(about.len());
    let since = about.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let since = since.unwrap_or_default();
    stamp.number(since.as_secs());
    stamp.number(u64::from(since.subsec_nanos()));
    stamp
}

/// The number of a file inside an archive, from that of the archive.
pub(super) fn within(archive: u64, name: &str) -> u64 {
    let mut stamp = Fingerprint::new();
    stamp.number(archive);
    stamp.add(name.as_bytes());
    stamp.get()
}
