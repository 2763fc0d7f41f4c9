//! Files inside a zip.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, PoisonError};

use flate2::CrcReader;
use flate2::read::DeflateDecoder;
use zip::{CompressionMethod, ZipArchive};

use super::{Entry, FileLocation, Section, cannot, name, stamp};
use crate::{Error, Result};

/// The most that deflate can make of a byte.
const MOST_EXPANDED: u64 = 1032;

/// A file inside a zip, stored or deflated.
#[derive(Debug)]
pub(super) struct ZipMember {
    archive: String,
    file: Arc<Mutex<File>>,
    /// Where the header before its data begins.
    header: u64,
    packed: u64,
    pub(super) len: u64,
    crc: u32,
    deflated: bool,
}

/// Every file of a zip.
pub(super) fn list(archive: &str, file: File, stamp: u64) -> Result<Vec<Entry>> {
    let refused = |reason: String| Error::read(archive, reason);
    let damaged = |e: zip::result::ZipError| refused(format!("the zip is damaged ({e}); get it again"));
    let handle = file.try_clone().map_err(|e| cannot(archive, &e))?;
    let shared = Arc::new(Mutex::new(handle));
    let zip = ZipArchive::new(BufReader::new(file)).map_err(damaged)?;
    if zip.has_duplicate_names() {
        return name::twice(archive, "a name");
    }
    let mut files = Vec::with_capacity(zip.len());
    for index in 0..zip.len() {
        let entry = zip.by_index_data(index).map_err(damaged)?;
        let raw = entry.name().map_err(damaged)?;
        let Some(name) = name::clean(archive, &raw)? else { continue };
        if entry.is_dir() {
            continue;
        }
        if entry.is_symlink() {
            return name::link(archive, &name);
        }
        if entry.encrypted() {
            return Err(refused(format!("{name} in it is encrypted; unpack it first")));
        }
        let deflated = match entry.compression() {
            CompressionMethod::Stored => false,
            CompressionMethod::Deflated => true,
            other => {
                let reason = format!("{name} in it is packed by {other}; pack it by deflate");
                return Err(refused(reason));
            }
        };
        let (packed, len) = (entry.compressed_size(), entry.size());
        if len > packed.saturating_mul(if deflated { MOST_EXPANDED } else { 1 }) {
            let reason = format!("{name} in it claims {len} bytes, which {packed} cannot hold");
            return Err(refused(reason));
        }
        let zipped = ZipMember {
            archive: archive.into(),
            file: shared.clone(),
            header: entry.header_start(),
            packed,
            len,
            crc: entry.crc32(),
            deflated,
        };
        let stamp = stamp::within(stamp, &name);
        files.push(Entry { name, place: FileLocation::ZipMember(zipped), stamp });
    }
    Ok(files)
}

impl ZipMember {
    /// Its bytes as they lie in the zip.
    fn packed(&self, name: &str) -> Result<Section> {
        let mut header = [0; 30];
        let end = {
            let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            file.seek(SeekFrom::Start(self.header))
                .and_then(|_| file.read_exact(&mut header))
                .and_then(|()| file.seek(SeekFrom::End(0)))
                .map_err(|e| cannot(&self.archive, &e))?
        };
        let short = |at: usize| u64::from(u16::from_le_bytes([header[at], header[at + 1]]));
        let start = self.header + 30 + short(26) + short(28);
        if !header.starts_with(b"PK\x03\x04") || start.saturating_add(self.packed) > end {
            return Err(self.damaged(name));
        }
        Ok(Section::new(name.into(), self.file.clone(), start, self.packed))
    }

    /// Reads all of it; `len` is its size, once that is known to be bearable.
    pub(super) fn read(&self, name: &str, len: usize) -> Result<Vec<u8>> {
        let packed = self.packed(name)?;
        let bytes = packed.read_at(0, packed.len as usize)?;
        let mut out = Vec::with_capacity(len);
        self.expand(name, bytes.as_slice(), &mut out)?;
        Ok(out)
    }

    /// All of it as a section: where it lies if it is stored, else expanded into a temporary file.
    pub(super) fn section(&self, name: &str) -> Result<Section> {
        let packed = self.packed(name)?;
        if !self.deflated {
            return Ok(packed);
        }
        let mut file = tempfile::tempfile().map_err(|e| super::tar::no_room(name, &e))?;
        self.expand(name, packed.reader(), &mut file)?;
        Section::whole(name.into(), file)
    }

    fn expand(&self, name: &str, packed: impl Read, out: &mut impl Write) -> Result<()> {
        let expanded: &mut dyn Read = if self.deflated { &mut DeflateDecoder::new(packed) } else { &mut { packed } };
        let mut expanded = CrcReader::new(expanded.take(self.len + 1));
        match std::io::copy(&mut expanded, out) {
            Ok(count) if count == self.len && expanded.crc().sum() == self.crc => Ok(()),
            _ => Err(self.damaged(name)),
        }
    }

    fn damaged(&self, name: &str) -> Error {
        let reason = "it is not what the zip announces, in size or checksum; get the zip again";
        Error::read(format!("{name} in {}", self.archive), reason)
    }
}
