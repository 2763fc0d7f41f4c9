//! The token that the address of a session begins with.

use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;

use crate::{Error, Result};

/// Random bytes of a token.
const BYTES: usize = 16;

/// A new token.
///
/// # Errors
/// If the system has no random numbers.
pub fn random() -> std::result::Result<String, String> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).map_err(|e| format!("the system has no random numbers: {e}"))?;
    let mut token = String::new();
    bytes.iter().for_each(|byte| {
        let _ = write!(token, "{byte:02x}");
    });
    Ok(token)
}

/// The token that a file holds; a new one is written if there is no such file.
///
/// # Errors
/// [`Error::Token`].
pub fn kept(file: &Path) -> Result<String> {
    let failed = |reason: String| Error::Token { file: file.display().to_string(), reason };
    match fs::read_to_string(file) {
        Ok(text) => {
            let token = text.trim();
            let is_token = token.len() == 2 * BYTES && token.bytes().all(|b| b.is_ascii_hexdigit());
            let wrong = || failed("it holds something else".into());
            is_token.then(|| token.to_owned()).ok_or_else(wrong)
        }
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            let token = random().map_err(failed)?;
            let mut options = OpenOptions::new();
            options.write(true).create_new(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            let written = options.open(file).and_then(|mut f| f.write_all(token.as_bytes()));
            written.map_err(|e| failed(e.to_string()))?;
            Ok(token)
        }
        Err(e) => Err(failed(e.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_kept_or_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("labels.csv.token");
        let token = kept(&file).unwrap();
        assert_eq!((token.len(), kept(&file).unwrap()), (32, token));
        #[cfg(unix)]
        assert_eq!(std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&file).unwrap().permissions()) & 0o777, 0o600);
        fs::write(&file, "secret").unwrap();
        let error = kept(&file).unwrap_err().to_string();
        assert!(error.contains("labels.csv.token") && error.contains("something else"), "{error}");
    }
}
