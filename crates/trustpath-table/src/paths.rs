//! Which paths are the same file, also if it does not exist yet.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

/// The links that are followed until they are taken for a loop, as many as Linux follows.
const MOST_LINKS: usize = 40;

/// The file that a symbolic link finally points to, whether it exists or not; any other path unchanged.
pub(crate) fn through_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(target) = fs::read_link(&path) else { return Ok(path) };
        // A relative target begins at the folder of the link; an absolute one replaces the path.
        path.pop();
        path.push(target);
    }
    Err(io::Error::other("its symbolic links form a loop"))
}

/// Whether two paths lead to the same file or folder, through links, `..` and hard links; also if nothing is
/// there yet.
///
/// ```
/// use std::path::Path;
/// use trustpath_table::is_same_file;
/// assert!(is_same_file(Path::new("none.csv"), Path::new("./none.csv")));
/// assert!(!is_same_file(Path::new("none.csv"), Path::new("other.csv")));
/// ```
pub fn is_same_file(a: &Path, b: &Path) -> bool {
    a == b || resolved(a) == resolved(b) || is_same_inode(a, b)
}

/// The canonical path, of which only the last parts may not exist.
fn resolved(path: &Path) -> PathBuf {
    let path = through_links(path).unwrap_or_else(|_| path.to_owned());
    let path = std::path::absolute(&path).unwrap_or(path);
    if let Ok(whole) = path.canonicalize() {
        return whole;
    }
    let mut parts: Vec<Component> = path.components().collect();
    let mut missing = Vec::new();
    while let Some(part) = parts.pop() {
        missing.push(part);
        let existing: PathBuf = parts.iter().collect();
        if let Ok(mut whole) = existing.canonicalize() {
            for part in missing.into_iter().rev() {
                match part {
                    Component::ParentDir => drop(whole.pop()),
                    Component::CurDir => {}
                    part => whole.push(part),
                }
            }
            return whole;
        }
    }
    path
}

#[cfg(unix)]
fn is_same_inode(a: &Path, b: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let inode = |path: &Path| fs::metadata(path).ok().map(|about| (about.dev(), about.ino()));
    inode(a).is_some_and(|a| inode(b) == Some(a))
}

#[cfg(not(unix))]
fn is_same_inode(_: &Path, _: &Path) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn files_are_recognised_through_links_and_before_they_exist() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("real")).unwrap();
        fs::write(at("real/a.csv"), b"").unwrap();
        symlink("real", at("linked")).unwrap();
        symlink("real/later.csv", at("dangling.csv")).unwrap();
        fs::hard_link(at("real/a.csv"), at("hard.csv")).unwrap();
        for (a, b) in [
            ("real/a.csv", "linked/a.csv"),
            ("real/a.csv", "real/../linked/./a.csv"),
            ("real/a.csv", "hard.csv"),
            ("real/later.csv", "linked/later.csv"),
            ("real/later.csv", "dangling.csv"),
            ("none/x.csv", "none/y/../x.csv"),
        ] {
            assert!(is_same_file(&at(a), &at(b)), "{a} {b}");
            assert!(is_same_file(&at(b), &at(a)), "{b} {a}");
        }
        for (a, b) in [("real/a.csv", "real/b.csv"), ("real/x.csv", "x.csv"), ("dangling.csv", "hard.csv")] {
            assert!(!is_same_file(&at(a), &at(b)), "{a} {b}");
        }
    }
}
