//! A cleaned folder of images: one folder per class with copies of the images whose label was given or is trusted, or links to them.
//!
//! `trustpath label`, torchvision's `ImageFolder` and a Hugging Face `imagefolder` read it. Names of classes and files come
//! from the data and are not trusted: what could leave the folder or means something to a file system is replaced by `_`.

use std::collections::{HashMap, HashSet};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use super::Exported;
use crate::session::Session;
use crate::source::SessionPool;
use crate::{Error, Result};

/// Longest name in bytes, below the limit of every file system with room for a number.
const LONGEST: usize = 120;

/// Writes the folder beside the labels file, and returns its path and the number of its images. With `links` they are links to the files, where
/// these are files of their own.
pub fn write(session: &Session, links: bool) -> Result<(String, usize)> {
    if !session.source.has_images() {
        return Err(Error::refused("the data are not images: choose a file instead"));
    }
    // One export at a time: all of them use the same names.
    let _one = session.exporting.lock().unwrap_or_else(PoisonError::into_inner);
    let exported = Exported::new(session)?;
    let stem = session.settings.labels.file_stem().unwrap_or_default().to_string_lossy();
    let folder = session.settings.labels.with_file_name(format!("{stem}-images"));
    let failed = |path: &Path, e: io::Error| {
        let path = path.display();
        Error::Refused(format!("{path} cannot be written ({e}): free some disk space"))
    };
    if folder.exists() {
        let name = folder.display();
        return Err(Error::Refused(format!("{name} exists already: move it away first")));
    }
    // Under another name until it is complete.
    let partial = folder.with_file_name(format!(".{stem}-images.partial"));
    if partial.exists() {
        fs::remove_dir_all(&partial).map_err(|e| failed(&partial, e))?;
    }
    let mut taken: HashSet<String> = HashSet::new();
    let mut classes: HashMap<&str, PathBuf> = HashMap::new();
    let mut count = 0;
    for (row, label) in exported.reliable() {
        // An image that is not there any more is left out.
        let Some(image) = ExportedImage::of(session.source.as_ref(), row.row, links) else { continue };
        let class = classes.entry(label).or_insert_with(|| free(&mut taken, &partial, &plain(label)));
        fs::create_dir_all(&class).map_err(|e| failed(class, e))?;
        let name = plain(row.id.rsplit(['/', '\\']).next().unwrap_or(row.id));
        match image {
            ExportedImage::Link(target) => link(&target, &free(&mut taken, class, &name)).map_err(|e| {
                let target = target.display();
                Error::Refused(format!("{target} cannot be linked ({e}): export copies instead"))
            })?,
            ExportedImage::Copy(bytes) => {
                let path = free(&mut taken, class, &with_ending(&name, &bytes));
                create(&path, &bytes).map_err(|e| failed(&path, e))?;
            }
        }
        count += 1;
    }
    if count == 0 {
        return Err(Error::refused("there is no image with a given or trusted label: label some first"));
    }
    fs::rename(&partial, &folder).map_err(|e| failed(&folder, e))?;
    Ok((folder.display().to_string(), count))
}

/// What an exported image is.
enum ExportedImage {
    /// A link to this file.
    Link(PathBuf),
    /// A file with these contents.
    Copy(Vec<u8>),
}

impl ExportedImage {
    /// The image of a row.
    fn of(source: &dyn SessionPool, row: usize, links: bool) -> Option<Self> {
        match source.file(row).filter(|_| links) {
            Some(file) => fs::canonicalize(file).ok().map(Self::Link),
            None => source.original(row).map(Self::Copy),
        }
    }
}

/// A new file: never one that is there already, and never one that a link leads to.
fn create(path: &Path, bytes: &[u8]) -> io::Result<()> {
    OpenOptions::new().write(true).create_new(true).open(path)?.write_all(bytes)
}

/// A link to a file: symbolic, or where only administrators may make these, another name of it.
fn link(file: &Path, at: &Path) -> io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::symlink(file, at);
    #[cfg(not(unix))]
    return fs::hard_link(file, at);
}

/// A name with the ending of the kind of image that the bytes are, if it has none.
fn with_ending(name: &str, bytes: &[u8]) -> String {
    let known = ["png", "jpg", "jpeg", "webp", "bmp", "gif", "tif", "tiff", "ppm", "pgm"];
    let ending = Path::new(name).extension().map(|e| e.to_string_lossy().to_lowercase());
    match ending.filter(|ending| known.contains(&ending.as_str())) {
        Some(_) => name.to_owned(),
        None if bytes.starts_with(b"\x89PNG") => format!("{name}.png"),
        None => format!("{name}.jpg"),
    }
}

/// A name that every file system takes as it is.
fn plain(name: &str) -> String {
    let safe = |c: char| match c {
        '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|' => '_',
        c if c.is_control() => '_',
        c => c,
    };
    let mut name: String = name.chars().map(safe).collect();
    while name.len() > LONGEST {
        name.pop();
    }
    let name = name.trim().trim_end_matches('.');
    if name.starts_with('.') || name.is_empty() {
        format!("_{}", name.trim_start_matches('.'))
    } else {
        name.to_owned()
    }
}

/// A place of this name in a folder, with a number before its ending if one is `taken` that differs at most in case.
fn free(taken: &mut HashSet<String>, folder: &Path, name: &str) -> PathBuf {
    let (stem, ending) = match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() => (stem, format!(".{ending}")),
        _ => (name, String::new()),
    };
    let mut place = folder.join(name);
    for n in 2.. {
        if taken.insert(place.to_string_lossy().to_lowercase()) {
            break;
        }
        place = folder.join(format!("{stem}-{n}{ending}"));
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_leave_the_folder() {
        for (name, expected) in [
            ("cat", "cat"),
            ("../../etc/passwd", "__.._etc_passwd"),
            ("..", "_"),
            ("", "_"),
            (".hidden", "_hidden"),
            ("a:b*c\u{0}.", "a_b_c_"),
            ("CON", "CON"),
        ] {
            assert_eq!(plain(name), expected, "{name:?}");
        }
        assert!(plain(&"ä".repeat(500)).len() <= LONGEST);
        let mut taken = HashSet::new();
        let places = ["a.jpg", "A.jpg", "a.jpg", "b"].map(|name| free(&mut taken, Path::new("x"), name));
        assert_eq!(places, ["x/a.jpg", "x/A-2.jpg", "x/a-3.jpg", "x/b"].map(PathBuf::from));
        assert_eq!(with_ending("x", b"\x89PNG"), "x.png");
        assert_eq!(with_ending("x.JPG", b""), "x.JPG");
    }

    #[cfg(unix)]
    #[test]
    fn nothing_is_written_through_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let (original, at) = (folder.path().join("original.jpg"), folder.path().join("link.jpg"));
        fs::write(&original, "mine").unwrap();
        link(&original, &at).unwrap();
        assert_eq!(create(&at, b"other").unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&original).unwrap(), b"mine");
    }
}
