//! What can go wrong, as sentences.

use std::fmt::Display;
use std::path::Path;

/// The result of every fallible function of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// What ends a session, or refuses an answer: each names the `file` that it is about, and the `reason`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum Error {
    /// A file of labels or results.
    #[error(transparent)]
    Table(#[from] trustpath_table::Error),
    /// The journal cannot be read or written.
    #[error("{file} cannot be used: {reason}; free some disk space, or move it away if it is not needed")]
    Journal { file: String, reason: String },
    /// The journal is about another instance than those of `data`, the one called `id`.
    #[error(
        "{file} has an answer for {id:?}, which is not in {data}: start the session with the data that it was made with, or move the journal away"
    )]
    OtherData { file: String, id: String, data: String },
    /// The file of the token cannot be used.
    #[error("{file} cannot keep the token of the address: {reason}; remove it, and a new one is made")]
    Token { file: String, reason: String },
    /// The curve cannot be read or written.
    #[error(
        "{file} cannot keep the curve of the session: {reason}; free disk space, or delete or rename this file (it holds no answers)"
    )]
    Progress { file: String, reason: String },
    /// The server cannot listen on the `port` asked for.
    #[error("no server can be started on 127.0.0.1:{port} ({reason}): choose another --port, or leave it out")]
    Listen { port: u16, reason: String },
    /// A request that makes no sense; the sentence is shown on the page.
    #[error("{0}")]
    Refused(String),
}

impl Error {
    pub(crate) fn progress(path: &Path, reason: impl Display) -> Self {
        Self::Progress { file: path.display().to_string(), reason: reason.to_string() }
    }

    pub(crate) fn journal(path: &Path, reason: impl Display) -> Self {
        Self::Journal { file: path.display().to_string(), reason: reason.to_string() }
    }

    pub(crate) fn refused(sentence: impl Into<String>) -> Self {
        Self::Refused(sentence.into())
    }
}
