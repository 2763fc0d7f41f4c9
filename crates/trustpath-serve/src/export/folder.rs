//! A cleaned folder of images: one folder per class with copies of the images whose label was given or is trusted, or links to them.
//!
//! `trustpath label`, torchvision's `ImageFolder` and a Hugging Face `imagefolder` read it. Names of classes and files come
//! from the data and are not trusted: what could leave the folder or means something to a file system is replaced by `_`.

use std::collections::HashSet;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use super::Exported;
use crate::session::Session;
use crate::{Error, Result};

/// Longest name in bytes, below the limit of every file system with room for a number.
const LONGEST: usize = 120;

/// Writes the folder beside the labels file, and returns its path and the number of its images. With `links` they are links to the files, where
/// these are files of their own.
pub fn write(session: &Session, links: bool) -> Result<(String, usize)> {
    if !session.source.has_images() {
        return Err(Error::Refused("the data are not images: choose a file instead".into()));
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
    let mut taken: HashSet<PathBuf> = HashSet::new();
    let mut classes: Vec<(String, String)> = Vec::new();
    let mut count = 0;
    for (row, label) in exported.reliable() {
        let file = session.source.file(row.row).filter(|_| links);
        // An image that is not there any more is left out.
        let image = match file.map(fs::canonicalize) {
            Some(target) => target.ok().map(Image::Link),
            None => session.source.original(row.row).map(Image::Copy),
        };
        let Some(image) = image else { continue };
        let class = match classes.iter().find(|(name, _)| name == label) {
            Some((_, folder)) => folder.clone(),
            None => {
                let name = free(&plain(label), |name| classes.iter().any(|(_, f)| same(f, name)));
                classes.push((label.to_owned(), name.clone()));
                name
            }
        };
        let place = partial.join(&class);
        fs::create_dir_all(&place).map_err(|e| failed(&place, e))?;
        let base = plain(row.id.rsplit(['/', '\\']).next().unwrap_or(row.id));
        let name = match &image {
            Image::Link(_) => base,
            Image::Copy(bytes) => with_ending(&base, bytes),
        };
        let name = free(&name, |name| taken.contains(&place.join(name.to_lowercase())));
        taken.insert(place.join(name.to_lowercase()));
        let path = place.join(&name);
        match image {
            Image::Link(target) => link(&target, &path).map_err(|e| {
                let target = target.display();
                Error::Refused(format!("{target} cannot be linked ({e}): export copies instead"))
            })?,
            Image::Copy(bytes) => create(&path, &bytes).map_err(|e| failed(&path, e))?,
        }
        count += 1;
    }
    if count == 0 {
        let sentence = "there is no image with a given or trusted label: label some first";
        return Err(Error::Refused(sentence.into()));
    }
    fs::rename(&partial, &folder).map_err(|e| failed(&folder, e))?;
    Ok((folder.display().to_string(), count))
}

/// What an exported image is.
enum Image {
    /// A link to this file.
    Link(PathBuf),
    /// A file with these contents.
    Copy(Vec<u8>),
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

fn same(a: &str, b: &str) -> bool {
    a.to_lowercase() == b.to_lowercase()
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

/// The name, with a number before its ending where it is taken.
fn free(name: &str, taken: impl Fn(&str) -> bool) -> String {
    let (stem, ending) = match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() => (stem, format!(".{ending}")),
        _ => (name, String::new()),
    };
    let numbered = (2..).map(|n| format!("{stem}-{n}{ending}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    names.find(|name| !taken(name)).unwrap_or_else(|| name.to_owned())
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
        let taken = ["a.jpg", "a-2.jpg"];
        assert_eq!(free("a.jpg", |name| taken.contains(&name)), "a-3.jpg");
        assert_eq!(free("b", |_| false), "b");
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
