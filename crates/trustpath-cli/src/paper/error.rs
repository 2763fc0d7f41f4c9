//! What can go wrong, in one sentence each.

/// The result of every fallible function of the targets.
pub type Result<T> = std::result::Result<T, Error>;

impl From<crate::error::Error> for Error {
    fn from(error: crate::error::Error) -> Self {
        Self::Pictures(Box::new(error))
    }
}

impl From<trustpath_vision::Error> for Error {
    fn from(error: trustpath_vision::Error) -> Self {
        Self::Pictures(Box::new(error.into()))
    }
}

/// Everything the targets refuse.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Files of features and results.
    #[error(transparent)]
    Table(#[from] trustpath_table::Error),
    /// From the features or the episodes.
    #[error(transparent)]
    Episodes(#[from] trustpath_episodes::Error),
    /// From the method itself.
    #[error(transparent)]
    Engine(#[from] trustpath::Error),
    /// From a figure or a table, or from writing it.
    #[error(transparent)]
    Report(#[from] trustpath_report::Error),
    /// Two features files, or a file and a dataset, go by one name.
    #[error(
        "two sets of features are called \"{name}\": name them apart, --features NAME=FILE or --images NAME=PATH"
    )]
    SameName {
        /// The name.
        name: String,
    },
    /// Labels without features to belong to.
    #[error(
        "{labels} files of labels were given for {features} files of features: give --labels once \
         for each --features, in the same order, or not at all"
    )]
    Labels {
        /// Files of labels.
        labels: usize,
        /// Files of features.
        features: usize,
    },
    /// From pictures and the network.
    #[error(transparent)]
    Pictures(Box<crate::error::Error>),
    /// A network without pictures.
    #[error(
        "a network makes features of pictures: give them by --images, or leave out --backbone, --weights and what goes with them"
    )]
    NoImages,
    /// One file for the features of several datasets.
    #[error("--cache keeps the features of one --images: leave it out, or give one at a time")]
    OneCache,
    /// The threads could not be started.
    #[error("{threads} threads could not be started ({reason}): ask for fewer by --threads")]
    Threads {
        /// How many were asked for.
        threads: usize,
        /// What the system says.
        reason: String,
    },
    /// A file beside the report cannot be read or written.
    #[error("cannot use {file}: {reason}; choose another folder by --out")]
    File {
        /// The file.
        file: String,
        /// What the system says.
        reason: String,
    },
    /// Ctrl-C, in a run that keeps what it has.
    #[error(
        "interrupted: {done} of {all} settings are kept in {file}; repeat the command to go on"
    )]
    Paused {
        /// Settings finished.
        done: usize,
        /// Settings there are.
        all: usize,
        /// Where they are kept.
        file: String,
    },
    /// Ctrl-C.
    #[error(
        "interrupted: nothing was written; run it again, with fewer --episodes for a quicker look"
    )]
    Interrupted,
}
