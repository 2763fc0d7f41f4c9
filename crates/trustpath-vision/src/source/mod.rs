//! Files of a folder, a zip or a tar, read in place.
//!
//! A [`FileTree`] lists names, in order, and reads any of them from any thread. Nothing is unpacked to disk, with one
//! exception: a compressed tar can be read only from its beginning, so it is expanded once into a temporary file
//! without a name, which the system removes; so is a single huge file that is compressed inside a zip.
//!
//! A folder that holds archives and no other data is read as all of them together: a dataset may come in several
//! parts.
//!
//! Archives are not trusted. Names that climb out of the archive, links, names that occur twice, sizes that are not
//! what was announced and data that expand out of all proportion are refused.

mod folder;
mod name;
mod section;
mod stamp;
mod tar;
mod zip;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

pub(crate) use section::{Section, SectionReader};

use crate::fingerprint::Fingerprint;
use crate::{Error, Result};

/// The most bytes of a file that are read into memory at once.
const MOST_AT_ONCE: u64 = 512 << 20;

/// Ending of the files of a [pack](crate::pack) that hold the images.
pub const SHARD_ENDING: &str = ".shard";

/// Endings of images, in lower case.
const ENDINGS: [&str; 11] = [".png", ".jpg", ".jpeg", ".jpe", ".webp", ".bmp", ".gif", ".tif", ".tiff", ".ppm", ".pgm"];

/// Whether a file's name is that of an image. What the file really is, its contents decide.
pub(crate) fn is_image(name: &str) -> bool {
    has_ending(name, &ENDINGS)
}

/// Whether a file's name is that of an archive.
pub(crate) fn is_archive(name: &str) -> bool {
    has_ending(name, &[".zip", ".tar", ".tar.gz", ".tgz"])
}

fn has_ending(name: &str, endings: &[&str]) -> bool {
    let name = name.to_ascii_lowercase();
    endings.iter().any(|ending| name.ends_with(ending))
}

/// The last part of a path: the name of the file in its folder.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The folder a file is in, up to and including its last `/`; empty where it is in none.
pub(crate) fn folder_prefix(path: &str) -> &str {
    &path[..path.len() - file_name(path).len()]
}

/// Files by name.
#[derive(Debug)]
pub(crate) struct FileTree {
    name: String,
    files: Vec<Entry>,
}

/// A file and where it is.
#[derive(Debug)]
struct Entry {
    name: String,
    place: FileLocation,
    /// Changes when the file does.
    stamp: u64,
}

#[derive(Debug)]
enum FileLocation {
    File(PathBuf),
    Stretch(Section),
    ZipMember(zip::ZipMember),
}

impl FileTree {
    /// Opens a folder, a zip or a tar (`.tar`, `.tar.gz`, `.tgz`), which of these the contents decide, or a
    /// single image.
    pub fn open(path: &Path) -> Result<Self> {
        let name = path.display().to_string();
        let kind = std::fs::metadata(path).map_err(|e| cannot(&name, &e))?;
        let mut files = match (kind.is_dir(), path.file_name()) {
            (true, _) => folder::list(path)?,
            (false, Some(last)) if is_image(&last.to_string_lossy()) => {
                let name = last.to_string_lossy().into_owned();
                let stamp = stamp::of_file(path, &kind);
                vec![Entry { name, place: FileLocation::File(path.into()), stamp }]
            }
            (false, _) => archive(path)?,
        };
        files.sort_by(|a, b| a.name.cmp(&b.name));
        unite(&name, &mut files)?;
        Ok(Self { name, files })
    }

    /// The path it was opened from.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// All names, in the order of their bytes; folders are separated by `/`.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|file| file.name.as_str())
    }

    /// Whether there is a file of this name.
    pub fn contains(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    fn find(&self, name: &str) -> Option<&Entry> {
        let place = self.files.binary_search_by(|file| file.name.as_str().cmp(name));
        place.ok().map(|at| &self.files[at])
    }

    fn entry(&self, name: &str) -> Result<&Entry> {
        self.find(name).ok_or_else(|| Error::read(name, format!("{} has no file of this name", self.name)))
    }

    /// A number that changes when the file of this name does, if there is one; of an archive, when the archive
    /// does.
    pub(crate) fn stamp(&self, name: &str) -> Option<u64> {
        self.find(name).map(|entry| entry.stamp)
    }

    /// A number that changes when any of the files does.
    pub(crate) fn stamp_of_all(&self) -> u64 {
        Fingerprint::new().numbers(self.files.iter().map(|file| file.stamp)).get()
    }

    /// Where a file is, if it is not a member of an archive.
    pub fn path(&self, name: &str) -> Option<&Path> {
        match &self.find(name)?.place {
            FileLocation::File(path) => Some(path),
            _ => None,
        }
    }

    /// Reads a whole file.
    pub fn read(&self, name: &str) -> Result<Vec<u8>> {
        self.entry(name)?.read()
    }

    /// Reads a whole file of text.
    pub fn text(&self, name: &str) -> Result<String> {
        String::from_utf8(self.read(name)?).map_err(|_| Error::read(name, "it is not text in UTF-8; convert it"))
    }

    /// A file that is too large to be read at once.
    pub fn section(&self, name: &str) -> Result<Section> {
        let entry = self.entry(name)?;
        match &entry.place {
            FileLocation::File(path) => {
                let file = File::open(path).map_err(|e| cannot(name, &e))?;
                Section::whole(name.into(), file)
            }
            FileLocation::Stretch(section) => Ok(section.clone()),
            FileLocation::ZipMember(zipped) => zipped.section(name),
        }
    }
}

impl Entry {
    fn read(&self) -> Result<Vec<u8>> {
        let at_once = |len: u64| {
            if len <= MOST_AT_ONCE {
                Ok(len as usize)
            } else {
                let reason = format!("it has {len} bytes, more than a single file may have");
                Err(Error::read(&self.name, reason))
            }
        };
        match &self.place {
            FileLocation::File(path) => {
                let len = std::fs::metadata(path).map_err(|e| cannot(&self.name, &e))?.len();
                at_once(len)?;
                std::fs::read(path).map_err(|e| cannot(&self.name, &e))
            }
            FileLocation::Stretch(section) => section.read_at(0, at_once(section.len)?),
            FileLocation::ZipMember(zipped) => zipped.read(&self.name, at_once(zipped.len)?),
        }
    }
}

/// Opens an archive, whatever its name.
fn archive(path: &Path) -> Result<Vec<Entry>> {
    let name = path.display().to_string();
    let mut file = File::open(path).map_err(|e| cannot(&name, &e))?;
    let mut head = Vec::new();
    (&mut file).take(512).read_to_end(&mut head).map_err(|e| cannot(&name, &e))?;
    let about = file.metadata().map_err(|e| cannot(&name, &e))?;
    let stamp = stamp::of_file(path, &about);
    match &head[..] {
        [b'P', b'K', 3 | 5, ..] => zip::list(&name, file, stamp),
        [0x1f, 0x8b, ..] => tar::expand(&name, file, stamp),
        head if head.len() == 512 && head[257..262] == *b"ustar" => tar::list(&name, file, stamp),
        _ => Err(Error::read(name, "its contents are not those of a folder, zip, tar or tar.gz")),
    }
}

/// Where a name occurs in several archives with the same contents, only one of the files is listed.
fn unite(source: &str, files: &mut Vec<Entry>) -> Result<()> {
    for pair in files.windows(2) {
        if pair[0].name == pair[1].name && pair[0].read()? != pair[1].read()? {
            let file = &pair[0].name;
            let reason = format!("two of its archives have different files {file}; keep one");
            return Err(Error::read(source, reason));
        }
    }
    files.dedup_by(|a, b| a.name == b.name);
    Ok(())
}

/// What the system reports about a file, and the remedy.
pub(crate) fn cannot(name: &str, error: &io::Error) -> Error {
    Error::read(
        name,
        match error.kind() {
            io::ErrorKind::NotFound => "there is no such file or folder; check the path".into(),
            io::ErrorKind::PermissionDenied => "permission is denied; change it".into(),
            io::ErrorKind::UnexpectedEof => "it ends too early; get it again".into(),
            _ => error.to_string(),
        },
    )
}
