//! The token that the address of a session begins with.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::Path;

use crate::{Error, Result};

/// Random bytes of a token.
const BYTES: usize = 16;

/// A new token; the error says why the system has no random numbers.
pub fn random() -> std::result::Result<String, String> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).map_err(|e| format!("the system has no random numbers: {e}"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The token that a file holds; a new one is written, readable by its owner alone, if there is no such file.
pub fn of_file(file: &Path) -> Result<String> {
    let failed = |reason: String| Error::Token { file: file.display().to_string(), reason };
    match fs::read_to_string(file) {
        Ok(text) => {
            let token = text.trim();
            let is_token = token.len() == 2 * BYTES && token.bytes().all(|b| b.is_ascii_hexdigit());
            if is_token { Ok(token.to_owned()) } else { Err(failed("it holds something else".into())) }
        }
        Err(e) if e.kind() == ErrorKind::NotFound => {
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
    fn a_token_is_read_back_or_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("labels.csv.token");
        let token = of_file(&file).unwrap();
        assert_eq!((token.len(), of_file(&file).unwrap()), (32, token));
        #[cfg(unix)]
        assert_eq!(std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&file).unwrap().permissions()) & 0o777, 0o600);
        fs::write(&file, "secret").unwrap();
        let error = of_file(&file).unwrap_err().to_string();
        assert!(error.contains("labels.csv.token") && error.contains("something else"), "{error}");
    }
}
