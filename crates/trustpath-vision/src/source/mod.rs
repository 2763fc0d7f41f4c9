//! Files of a folder, a zip or a tar alike, read where they lie.
//!
//! A [`Source`] knows names, in order, and reads any of them from any thread. Nothing is unpacked to
//! disk, with one exception: a compressed tar can be read only from its beginning, so it is expanded once
//! into a temporary file without a name, which the system removes; the same goes for a single huge file
//! that is compressed inside a zip.
//!
//! A folder that holds archives and no data of its own is read as all of them together: a dataset may
//! come in several parts.
//!
//! Archives are not trusted. Names that climb out of the archive, links, names that occur twice, sizes that
//! are not what was announced and data that expand out of all proportion are refused by a sentence.

mod folder;
mod name;
mod section;
mod stamp;
mod tar;
mod zip;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

pub use section::{Section, SectionReader};

use crate::fingerprint::Fingerprint;
use crate::{Error, Result};

/// The most bytes of a file that are read into memory at once.
const MOST_AT_ONCE: u64 = 512 << 20;

/// Endings of pictures, in small letters.
const PICTURES: [&str; 11] =
    [".png", ".jpg", ".jpeg", ".jpe", ".webp", ".bmp", ".gif", ".tif", ".tiff", ".ppm", ".pgm"];

/// Whether a name is that of a picture. What a file really is, its contents decide.
pub fn is_picture(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    PICTURES.iter().any(|ending| name.ends_with(ending))
}

/// Files by name.
#[derive(Debug)]
pub struct Source {
    name: String,
    files: Vec<Entry>,
}

/// A file and where it is.
#[derive(Debug)]
struct Entry {
    name: String,
    place: Place,
    /// Changes when the file does.
    stamp: u64,
}

#[derive(Debug)]
enum Place {
    File(PathBuf),
    Stretch(Section),
    Zipped(zip::Zipped),
}

impl Source {
    /// Opens a folder, a zip or a tar (`.tar`, `.tar.gz`, `.tgz`), which of these the contents decide, or a
    /// single picture.
    pub fn open(path: &Path) -> Result<Self> {
        let name = path.display().to_string();
        let kind = std::fs::metadata(path).map_err(|e| cannot(&name, &e))?;
        let mut files = match (kind.is_dir(), path.file_name()) {
            (true, _) => folder::list(path)?,
            (false, Some(last)) if is_picture(&last.to_string_lossy()) => {
                let name = last.to_string_lossy().into_owned();
                let stamp = stamp::of_file(path, &kind);
                vec![Entry { name, place: Place::File(path.into()), stamp }]
            }
            (false, _) => archive(path)?,
        };
        files.sort_by(|a, b| a.name.cmp(&b.name));
        unite(&name, &mut files)?;
        Ok(Self { name, files })
    }

    /// What it was opened as.
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
        let found = self.files.binary_search_by(|file| file.name.as_str().cmp(name));
        found.ok().map(|at| &self.files[at])
    }

    fn entry(&self, name: &str) -> Result<&Entry> {
        self.find(name).ok_or_else(|| Error::Read {
            name: name.into(),
            reason: format!("{} has no file of this name", self.name),
        })
    }

    /// A number that changes when the file of this name does, if there is one; of an archive, when the archive
    /// does.
    pub(crate) fn stamp(&self, name: &str) -> Option<u64> {
        self.find(name).map(|entry| entry.stamp)
    }

    /// A number that changes when any of the files does.
    pub(crate) fn stamp_of_all(&self) -> u64 {
        let mut all = Fingerprint::new();
        self.files.iter().for_each(|file| all.number(file.stamp));
        all.get()
    }

    /// Reads a whole file.
    pub fn read(&self, name: &str) -> Result<Vec<u8>> {
        self.entry(name)?.read()
    }

    /// Reads a whole file of text.
    pub fn text(&self, name: &str) -> Result<String> {
        String::from_utf8(self.read(name)?).map_err(|_| Error::Read {
            name: name.into(),
            reason: "it is no text in UTF-8; convert it".into(),
        })
    }

    /// A file that is too large to be read at once.
    pub fn section(&self, name: &str) -> Result<Section> {
        let entry = self.entry(name)?;
        match &entry.place {
            Place::File(path) => {
                let file = File::open(path).map_err(|e| cannot(name, &e))?;
                Section::whole(name.into(), file)
            }
            Place::Stretch(section) => Ok(section.clone()),
            Place::Zipped(zipped) => zipped.section(name),
        }
    }
}

impl Entry {
    fn read(&self) -> Result<Vec<u8>> {
        let at_once = |len: u64| match len <= MOST_AT_ONCE {
            true => Ok(len as usize),
            false => Err(Error::Read {
                name: self.name.clone(),
                reason: format!("it has {len} bytes, more than a single file may"),
            }),
        };
        match &self.place {
            Place::File(path) => {
                let len = std::fs::metadata(path).map_err(|e| cannot(&self.name, &e))?.len();
                at_once(len)?;
                std::fs::read(path).map_err(|e| cannot(&self.name, &e))
            }
            Place::Stretch(section) => section.read_at(0, at_once(section.len())?),
            Place::Zipped(zipped) => zipped.read(&self.name, at_once(zipped.len())?),
        }
    }
}

/// Opens an archive, whatever its name.
fn archive(path: &Path) -> Result<Vec<Entry>> {
    let name = path.display().to_string();
    let mut file = File::open(path).map_err(|e| cannot(&name, &e))?;
    let mut head = [0; 512];
    let read = tar::fill(&mut file, &mut head).map_err(|e| cannot(&name, &e))?;
    let about = file.metadata().map_err(|e| cannot(&name, &e))?;
    let stamp = stamp::of_file(path, &about);
    match &head[..read] {
        [b'P', b'K', 3 | 5, ..] => zip::list(&name, file, stamp),
        [0x1f, 0x8b, ..] => tar::expand(&name, file, stamp),
        head if head.len() == 512 && head[257..262] == *b"ustar" => tar::list(&name, file, stamp),
        _ => Err(Error::Read {
            name,
            reason: "it is no folder, zip, tar or tar.gz, which its contents decide".into(),
        }),
    }
}

/// Of a name that occurs in several archives one is kept, if they agree.
fn unite(source: &str, files: &mut Vec<Entry>) -> Result<()> {
    for pair in files.windows(2) {
        if pair[0].name == pair[1].name && pair[0].read()? != pair[1].read()? {
            return Err(Error::Read {
                name: source.into(),
                reason: format!(
                    "two of its archives have different files of the name {}; keep one of them",
                    pair[0].name
                ),
            });
        }
    }
    files.dedup_by(|a, b| a.name == b.name);
    Ok(())
}

/// What the system says of a file, and the remedy.
pub(crate) fn cannot(name: &str, error: &io::Error) -> Error {
    let reason = match error.kind() {
        io::ErrorKind::NotFound => "there is no such file or folder; check the path".into(),
        io::ErrorKind::PermissionDenied => "you may not read it; change its permissions".into(),
        io::ErrorKind::UnexpectedEof => "it ends too early; get it again".into(),
        _ => error.to_string(),
    };
    Error::Read { name: name.into(), reason }
}
