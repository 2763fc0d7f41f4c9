//! What can go wrong, in one sentence each: which input, and what to do about it.

/// The result of every fallible function of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Everything this crate refuses, each with the input it names and the remedy.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A dataset, a network or a setting cannot be used; the sentence says why and what to do.
    #[error("{0}")]
    Input(String),
    /// A file, folder or archive cannot be read.
    #[error("{name} cannot be read: {reason}")]
    Read {
        /// The file, folder or archive.
        name: String,
        /// What is wrong, and the remedy where there is one.
        reason: String,
    },
    /// An image cannot be read; an extraction may leave it out.
    #[error("{name} cannot be read as an image: {reason}; replace it, or leave such images out with --skip-bad")]
    Image {
        /// The image.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A pickle cannot be read.
    #[error("{name} cannot be read as a pickle: {reason}; download it again")]
    Pickle {
        /// The file.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A file of weights cannot be read.
    #[error("{file} holds no weights that can be read: {reason}; {remedy}")]
    Weights {
        /// The file.
        file: String,
        /// What is wrong with it.
        reason: String,
        /// What to do.
        remedy: &'static str,
    },
    /// A file cannot be written.
    #[error("{name} cannot be written: {reason}; free some disk space, or choose another place")]
    Write {
        /// The file or folder.
        name: String,
        /// What the system says.
        reason: String,
    },
    /// Training failed although its input may be right: no GPU, no memory, a loss that diverged.
    #[error("{0}")]
    Training(String),
    /// Files of features.
    #[error(transparent)]
    Table(#[from] trustpath_table::Error),
}

impl Error {
    pub(crate) fn read(name: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Read { name: name.into(), reason: reason.into() }
    }

    pub(crate) fn write(path: &std::path::Path, error: &std::io::Error) -> Self {
        Self::Write { name: path.display().to_string(), reason: error.to_string() }
    }

    pub(crate) fn unknown(what: &str, name: &str, known: &[&str]) -> Self {
        Self::Input(format!("there is no {what} named {name}: give one of {}", known.join(", ")))
    }
}
