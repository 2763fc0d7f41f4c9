//! A folder of `.txt` files: each is a text, its label the name of the folder it is in.
//!
//! As with images, texts in no folder below the given one have no label, nor have those in a folder named `unlabeled`,
//! `unlabelled` or `unknown`, with or without `_` before it.

use std::path::Path;

use trustpath_vision::dataset::is_unlabeled;

use crate::{Error, Result};

/// The deepest nesting that is followed; a link that leads back would never end.
const DEEPEST: usize = 32;

/// A text of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextFile {
    /// Its path below the folder, with `/` between names.
    pub id: String,
    /// The name of its class folder.
    pub label: Option<String>,
    /// What it holds.
    pub text: String,
}

/// Whether a folder holds `.txt` files and no images.
pub fn is_at(path: &Path) -> bool {
    const IMAGES: [&str; 6] = ["png", "jpg", "jpeg", "webp", "bmp", "gif"];
    let mut names = Vec::new();
    let ends = |name: &String, ending: &str| has_ending(name, ending);
    path.is_dir()
        && list(path, "", 0, &mut names).is_ok()
        && names.iter().any(|name| ends(name, "txt"))
        && !names.iter().any(|name| IMAGES.iter().any(|ending| ends(name, ending)))
}

/// All texts of a folder, in the order of their names.
///
/// # Errors
/// If a file cannot be read or is no text in UTF-8, or there is none.
pub fn read(path: &Path) -> Result<Vec<TextFile>> {
    let mut names = Vec::new();
    list(path, "", 0, &mut names)?;
    names.retain(|name| has_ending(name, "txt"));
    names.sort();
    if names.is_empty() {
        let name = path.display();
        return Err(Error::Input(format!("{name} holds no .txt file: check the path")));
    }
    let read = |id: String| {
        let bytes = std::fs::read(path.join(&id)).map_err(|e| cannot(&path.join(&id), &e))?;
        let text = String::from_utf8(bytes).map_err(|_| {
            let name = path.join(&id).display().to_string();
            Error::Input(format!("{name} is not text in UTF-8: convert it"))
        })?;
        let label = id.split_once('/').map(|(folder, _)| folder).filter(|f| !is_unlabeled(f));
        Ok(TextFile { label: label.map(Into::into), text, id })
    };
    names.into_iter().map(read).collect()
}

fn has_ending(name: &str, ending: &str) -> bool {
    Path::new(name).extension().is_some_and(|e| e.eq_ignore_ascii_case(ending))
}

fn cannot(path: &Path, error: &std::io::Error) -> Error {
    Error::Input(format!("{} cannot be read: {error}; check the path", path.display()))
}

fn list(path: &Path, prefix: &str, depth: usize, names: &mut Vec<String>) -> Result<()> {
    if depth > DEEPEST {
        let name = path.display();
        return Err(Error::Input(format!("the folders of {name} are more than {DEEPEST} deep: a link may lead back")));
    }
    for entry in std::fs::read_dir(path).map_err(|e| cannot(path, &e))? {
        let entry = entry.map_err(|e| cannot(path, &e))?;
        let last = entry.file_name().to_string_lossy().into_owned();
        if last.starts_with('.') {
            continue;
        }
        let name = format!("{prefix}{last}");
        if entry.path().is_dir() {
            list(&entry.path(), &format!("{name}/"), depth + 1, names)?;
        } else {
            names.push(name);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_labels() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [("a/1.txt", "x"), ("_unlabeled/2.TXT", "y"), ("3.txt", "z"), ("n.md", "")] {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        assert!(is_at(folder.path()));
        let texts = read(folder.path()).unwrap();
        let short: Vec<_> = texts.iter().map(|t| (&t.id[..], t.label.as_deref(), &t.text[..])).collect();
        assert_eq!(short, [("3.txt", None, "z"), ("_unlabeled/2.TXT", None, "y"), ("a/1.txt", Some("a"), "x")]);
        std::fs::write(folder.path().join("a/b.png"), "").unwrap();
        assert!(!is_at(folder.path()));
        std::fs::write(folder.path().join("bad.txt"), [0xff]).unwrap();
        let error = read(folder.path()).unwrap_err().to_string();
        assert!(error.contains("bad.txt is not text in UTF-8"), "{error}");
        let none = tempfile::tempdir().unwrap();
        assert!(!is_at(none.path()) && read(none.path()).is_err());
    }
}
