//! What can go wrong, in one sentence each: which input, and what to do about it.

/// The result of every fallible function of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Everything this crate refuses, each with the input it names and the remedy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A choice or an input cannot be used; the sentence says why and what to do.
    #[error("{0}")]
    Input(String),
    /// A model of texts cannot be used.
    #[error("{name} is not a model of texts that can be run: {reason}; {remedy}")]
    Model {
        /// The file or folder.
        name: String,
        /// What is wrong with it.
        reason: String,
        /// What to do.
        remedy: &'static str,
    },
    /// It was stopped.
    #[error("stopped while texts were embedded")]
    Stopped,
    /// Weights and the files they are in.
    #[error(transparent)]
    Vision(#[from] trustpath_vision::Error),
    /// The reduction of TF-IDF.
    #[error(transparent)]
    Engine(#[from] trustpath::Error),
}

impl Error {
    pub(crate) fn model(name: &str, reason: impl Into<String>, remedy: &'static str) -> Self {
        Self::Model { name: name.into(), reason: reason.into(), remedy }
    }
}
