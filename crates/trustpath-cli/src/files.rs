//! The files that a command reads and writes: none of its outputs may be an input or another output.
//!
//! A result that replaces the labels it was made from would be read as given labels by the next run.

use std::fs::Metadata;
use std::path::PathBuf;

use trustpath_table::is_same_file;

use crate::error::{Error, Result};

/// The files of a command.
#[derive(Debug, Clone, Default)]
pub struct CommandFiles {
    /// What each file is, in words, and where.
    inputs: Vec<(&'static str, PathBuf)>,
    /// The option that names each file, and where.
    outputs: Vec<(&'static str, PathBuf)>,
}

impl CommandFiles {
    /// Adds files that the command reads, `what` in words, as in "the labels file".
    pub fn reads(mut self, what: &'static str, paths: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        self.inputs.extend(files(paths).map(|path| (what, path)));
        self
    }

    /// Adds files that the command writes because of `option`.
    pub fn writes(mut self, option: &'static str, paths: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        self.outputs.extend(files(paths).map(|path| (option, path)));
        self
    }

    /// Refuses an output that is an input or another output.
    pub fn check(&self) -> Result<()> {
        for (place, (option, output)) in self.outputs.iter().enumerate() {
            let name = output.display();
            if let Some((what, _)) = self.inputs.iter().find(|(_, input)| is_same_file(input, output)) {
                return Err(Error::Usage(format!(
                    "{option} would replace {name}, which is {what} that this command reads: choose another file for {option}"
                )));
            }
            let mut others = self.outputs[..place].iter();
            if let Some((other, _)) = others.find(|(_, path)| is_same_file(path, output)) {
                return Err(Error::Usage(format!(
                    "{other} and {option} would both write {name}: choose another file for one of them"
                )));
            }
        }
        Ok(())
    }
}

/// Without standard streams, devices and pipes, which may be read and written.
fn files(paths: impl IntoIterator<Item = impl Into<PathBuf>>) -> impl Iterator<Item = PathBuf> {
    let is_special = |about: Metadata| !about.is_file() && !about.is_dir();
    let is_file = move |path: &PathBuf| path.as_os_str() != "-" && !path.metadata().is_ok_and(is_special);
    paths.into_iter().map(Into::into).filter(is_file)
}
