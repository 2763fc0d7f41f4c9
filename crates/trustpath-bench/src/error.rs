//! Errors: each names the file or setting and says what to do about it.

use std::fmt::Display;
use std::path::Path;

/// The result of every fallible function of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Everything this crate refuses, each with the input it names and the remedy.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the message of each variant says what its fields are")]
pub enum Error {
    /// A file of features or results.
    #[error(transparent)]
    Table(#[from] trustpath_table::Error),
    /// No dataset of that name in the binary.
    #[error("no dataset is called \"{name}\": choose one of {available}, or give a features file")]
    UnknownDataset { name: String, available: String },
    /// More classes were asked for than there are.
    #[error(
        "{asked} classes were asked for ({what}) but {file} has {classes}: ask for fewer ways or give features of more classes"
    )]
    TooManyWays { file: String, asked: usize, what: String, classes: usize },
    /// A class has too few rows for the episode.
    #[error(
        "class \"{class}\" of {file} has {has} rows but an episode needs {needs} of it ({what}): ask for fewer, or drop that class"
    )]
    TooFewInClass { file: String, class: String, has: usize, needs: usize, what: String },
    /// A setting is outside its domain.
    #[error("{name} = {value} is not usable: {expected}")]
    Parameter { name: &'static str, value: String, expected: String },
    /// An episode does not fit the features it is to be run on.
    #[error("episode {episode} does not fit {file}: {reason}; run the list on the features it was drawn from")]
    EpisodeMismatch { file: String, episode: usize, reason: String },
    /// Two methods were scored on different episodes.
    #[error("{left} and {right} episodes cannot be paired: score both methods on the same episodes")]
    Unpaired { left: usize, right: usize },
    /// A journal that belongs to another run.
    #[error(
        "the journal {file} was written with other settings: repeat the settings of that run, or choose another journal"
    )]
    OtherRun { file: String },
    /// A journal that is in the way.
    #[error("the journal {file} already holds a run: resume it, delete it, or choose another journal")]
    JournalExists { file: String },
    /// The engine refuses.
    #[error(transparent)]
    Engine(#[from] trustpath::Error),
}

impl Error {
    pub(crate) fn read(file: &Path, reason: impl Display) -> Self {
        trustpath_table::Error::read(file, reason).into()
    }

    pub(crate) fn write(file: &Path, reason: impl Display) -> Self {
        trustpath_table::Error::write(file, reason).into()
    }

    pub(crate) fn damaged(file: impl Display, reason: impl Display) -> Self {
        trustpath_table::Error::damaged(file, reason).into()
    }

    pub(crate) fn parameter(name: &'static str, value: impl Display, expected: impl Into<String>) -> Self {
        Self::Parameter { name, value: value.to_string(), expected: expected.into() }
    }
}
