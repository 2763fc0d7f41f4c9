//! Where the image of a task is: Label Studio's addresses, and the files that they mean.
//!
//! | address | file |
//! |---|---|
//! | `/data/local-files/?d=photos/1.jpg` | `photos/1.jpg` below the root of its local storage |
//! | `/data/upload/3/0a1b2c3d-1.jpg` | `upload/3/0a1b2c3d-1.jpg` of its media folder, uploaded as `1.jpg` |
//! | `photos/1.jpg` | itself |
//! | `http://…`, `s3://…`, `data:…` | none on this machine |

const IMAGE_ENDINGS: [&str; 9] = ["png", "jpg", "jpeg", "webp", "bmp", "gif", "tif", "tiff", "pnm"];

/// The address of an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImageAddress {
    /// Names that the file may have below a folder, the most exact first.
    Files(Vec<String>),
    /// It is on another machine, or in no file.
    Elsewhere,
}

impl ImageAddress {
    /// What an address of `data` means, if it is that of an image.
    pub fn of(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.starts_with("data:image/") {
            return Some(Self::Elsewhere);
        }
        if text.contains(['\n', '\r']) {
            return None;
        }
        let local = text.split_once("/data/local-files/?").or_else(|| text.split_once("/data/local-files?"));
        if let Some((_, query)) = local {
            let path = query.split('&').filter_map(|pair| pair.strip_prefix("d=")).next_back()?;
            let path = percent_decoded(path);
            return is_image(&path).then(|| Self::Files(vec![below(&path)]));
        }
        if let Some((_, rest)) = text.split_once("/data/upload/") {
            let path = percent_decoded(rest.split(['?', '#']).next().unwrap_or_default());
            if !is_image(&path) {
                return None;
            }
            let name = path.rsplit('/').next().unwrap_or_default().to_owned();
            let mut names = vec![format!("upload/{path}"), path.clone(), name.clone()];
            names.extend(without_prefix(&name).map(Into::into));
            names.dedup();
            return Some(Self::Files(names));
        }
        if let Some((scheme, rest)) = text.split_once("://") {
            let path = rest.split(['?', '#']).next().unwrap_or_default();
            let plain = !scheme.is_empty() && scheme.chars().all(|c| c.is_ascii_alphanumeric());
            return (plain && is_image(path)).then_some(Self::Elsewhere);
        }
        is_image(text).then(|| Self::Files(vec![below(text)]))
    }
}

fn is_image(name: &str) -> bool {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    ending.is_some_and(|ending| IMAGE_ENDINGS.contains(&ending.as_str()))
}

/// A path below a folder: Label Studio takes every path to be relative to its root.
fn below(path: &str) -> String {
    path.replace('\\', "/").trim_start_matches(['/', '.']).to_owned()
}

/// The name that a file had before it was uploaded: Label Studio puts eight digits and a dash before it.
fn without_prefix(name: &str) -> Option<&str> {
    let (prefix, rest) = name.split_once('-')?;
    let is_prefix = prefix.len() == 8 && prefix.bytes().all(|b| b.is_ascii_hexdigit());
    (is_prefix && !rest.is_empty()).then_some(rest)
}

/// A text of an address, in which `%41` means `A`.
fn percent_decoded(text: &str) -> String {
    let mut pieces = text.split('%');
    let mut bytes = pieces.next().unwrap_or_default().as_bytes().to_vec();
    for piece in pieces {
        let code = piece.get(..2).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.push(code.unwrap_or(b'%'));
        bytes.extend(piece.bytes().skip(if code.is_some() { 2 } else { 0 }));
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_mean_files() {
        let files = |text: &str| match ImageAddress::of(text) {
            Some(ImageAddress::Files(names)) => names,
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(files("/data/local-files/?d=a%20b/1.JPG"), ["a b/1.JPG"]);
        assert_eq!(files("http://localhost:8080/data/local-files/?d=/a/1.png"), ["a/1.png"]);
        assert_eq!(
            files("/data/upload/3/0a1b2c3d-bird-1.jpg"),
            ["upload/3/0a1b2c3d-bird-1.jpg", "3/0a1b2c3d-bird-1.jpg", "0a1b2c3d-bird-1.jpg", "bird-1.jpg"]
        );
        assert_eq!(files("photos/1.webp"), ["photos/1.webp"]);
        for elsewhere in ["https://a.org/x.png?w=3", "s3://bucket/x.jpeg", "data:image/png;base64,AA"] {
            assert_eq!(ImageAddress::of(elsewhere), Some(ImageAddress::Elsewhere), "{elsewhere}");
        }
        for none in ["A text about photo.jpg or so", "https://a.org/page", "/data/upload/1/a.wav", "two\nlines.png"] {
            assert_eq!(ImageAddress::of(none), None, "{none}");
        }
    }
}
