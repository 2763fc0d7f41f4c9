//! Whether a file is still the one that was read before, without reading it.

use std::fs::Metadata;
use std::path::Path;
use std::time::UNIX_EPOCH;

use crate::fingerprint::Fingerprint;

/// A number that stays as long as the file does, and changes when it is written: its length, when it was last written,
/// and its place on the disk, so that it may move to another folder; elsewhere than on Unix, its path.
pub(super) fn of_file(path: &Path, about: &Metadata) -> u64 {
    let mut stamp = Fingerprint::new();
    let since = about.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let since = since.unwrap_or_default();
    stamp.number(about.len()).number(since.as_secs()).number(since.subsec_nanos().into());
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let _ = path;
        stamp.number(about.dev()).number(about.ino());
    }
    #[cfg(not(unix))]
    stamp.add(path.to_string_lossy().as_bytes());
    stamp.get()
}

/// The number of a file inside an archive, from that of the archive.
pub(super) fn within(archive: u64, name: &str) -> u64 {
    Fingerprint::new().number(archive).add(name).get()
}
