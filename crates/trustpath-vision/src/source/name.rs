//! Names inside archives, which are not trusted.

use crate::{Error, Result};

/// The name with `/` between folders; none for the files that operating systems leave in archives.
///
/// Absolute names and names that climb out of the archive are refused, although nothing is ever written under them: an
/// archive that has one was made to harm.
pub(super) fn clean(archive: &str, name: &str) -> Result<Option<String>> {
    let name = name.replace('\\', "/");
    let refuse = |what: &str| {
        let end = "get the archive from its authors";
        Err(Error::read(archive, format!("it holds the name {name:?}, which {what}; {end}")))
    };
    let drive = name.as_bytes().get(1) == Some(&b':');
    if name.starts_with('/') || drive {
        return refuse("is absolute");
    }
    if name.contains('\0') {
        return refuse("holds a zero byte");
    }
    let parts: Vec<&str> = name.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    if parts.contains(&"..") {
        return refuse("leads out of the archive");
    }
    let junk = |part: &&str| part.starts_with("._") || matches!(*part, "__MACOSX" | ".DS_Store" | "Thumbs.db");
    if parts.is_empty() || parts.iter().any(junk) {
        return Ok(None);
    }
    Ok(Some(parts.join("/")))
}

/// Refuses a link.
pub(super) fn link<T>(archive: &str, name: &str) -> Result<T> {
    let reason = format!("{name} in it is a link, which is not followed; pack the file itself");
    Err(Error::read(archive, reason))
}

/// Refuses a name that occurs twice.
pub(super) fn twice<T>(archive: &str, name: &str) -> Result<T> {
    Err(Error::read(archive, format!("it holds {name} twice; pack it again with one of them")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn harmless_names_are_made_plain() {
        let clean = |name| clean("a.zip", name).unwrap();
        assert_eq!(clean("./a//b\\c.png").as_deref(), Some("a/b/c.png"));
        assert_eq!(clean("a/..b/c.png").as_deref(), Some("a/..b/c.png"));
        assert_eq!(clean("__MACOSX/a/._b.png"), None);
        assert_eq!(clean("a/.DS_Store"), None);
        assert_eq!(clean("./"), None);
    }

    #[test]
    fn names_that_lead_out_are_refused() {
        for name in ["../a", "a/../../b", "/etc/passwd", "C:\\a", "..\\a", "a\0b"] {
            let error = clean("a.zip", name).unwrap_err().to_string();
            assert!(error.starts_with("a.zip cannot be read: it holds the name"), "{error}");
        }
    }
}
