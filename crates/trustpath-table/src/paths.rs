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

/// Whether two paths lead to the same file or folder, through links, `..` and hard links; also if nothing is there yet.
///
/// ```
/// use std::path::Path;
/// use trustpath_table::is_same_file;
/// assert!(is_same_file(Path::new("none.csv"), Path::new("./none.csv")));
/// assert!(!is_same_file(Path::new("none.csv"), Path::new("other.csv")));
/// ```
pub fn is_same_file(a: &Path, b: &Path) -> bool {
    let same_identity = || identity(fs::metadata(a)).is_some_and(|of_a| identity(fs::metadata(b)) == Some(of_a));
    a == b || resolved(a) == resolved(b) || same_identity()
}

/// The canonical path of a link's target, of which only the last parts may not exist.
fn resolved(path: &Path) -> PathBuf {
    let path = through_links(path).unwrap_or_else(|_| path.to_owned());
    canonical(&std::path::absolute(&path).unwrap_or(path))
}

fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| {
        let Some((folder, last)) = path.parent().zip(path.components().next_back()) else { return path.to_owned() };
        let mut folder = canonical(folder);
        match last {
            Component::ParentDir => drop(folder.pop()),
            last => folder.push(last),
        }
        folder
    })
}

/// The device of a file and its number there, where the system has them.
#[cfg(unix)]
pub(crate) fn identity(metadata: io::Result<fs::Metadata>) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    metadata.ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
pub(crate) fn identity(_: io::Result<fs::Metadata>) -> Option<(u64, u64)> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::testing::Folder;

    #[test]
    fn files_are_recognised_through_links_and_before_they_exist() {
        let folder = Folder::new();
        let at = |name: &str| folder.path(name);
        fs::create_dir(at("real")).unwrap();
        folder.file("real/a.csv", b"");
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
