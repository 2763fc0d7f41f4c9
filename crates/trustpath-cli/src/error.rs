//! Every error of the command, as one sentence, with its exit status.

use trustpath_bench as episodes;
use trustpath_explain::ModelError;
use trustpath_table as table;
use trustpath_vision::Error as Vision;

/// The result of every fallible function of the command.
pub type Result<T> = std::result::Result<T, Error>;

/// Everything that ends a command early.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The command line is wrong.
    #[error("{0}")]
    Usage(String),
    #[error(transparent)]
    Table(#[from] table::Error),
    #[error(transparent)]
    Engine(#[from] trustpath::Error),
    #[error(transparent)]
    Episodes(#[from] episodes::Error),
    #[error(transparent)]
    Report(#[from] trustpath_report::Error),
    #[error(transparent)]
    Vision(#[from] Vision),
    #[error(transparent)]
    Text(trustpath_text::Error),
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error(transparent)]
    Serve(#[from] trustpath_serve::Error),
    #[error("{threads} threads cannot be started ({reason}): use fewer with --threads")]
    Threads { threads: usize, reason: String },
    /// Standard output cannot be written.
    #[error("the result cannot be written to standard output: {0}; redirect it to a file")]
    Print(String),
    /// Ctrl-C while episodes run.
    #[error("interrupted after {done} of {asked} episodes: {remedy}")]
    Interrupted { done: usize, asked: usize, remedy: String },
    /// Ctrl-C while features are extracted.
    #[error("interrupted after {done} of {all}: run the same command to continue")]
    Paused { done: usize, all: usize },
    /// Ctrl-C while a result of the paper is computed.
    #[error("interrupted: {0}")]
    PaperInterrupted(String),
    /// Ctrl-C while a network is trained.
    #[cfg(feature = "libtorch")]
    #[error("stopped after {done} of {asked} epochs: run the same command to continue")]
    Stopped { done: usize, asked: usize },
}

impl From<trustpath_text::Error> for Error {
    fn from(error: trustpath_text::Error) -> Self {
        match error {
            trustpath_text::Error::Vision(error) => Self::Vision(error),
            trustpath_text::Error::Engine(error) => Self::Engine(error),
            trustpath_text::Error::Stopped => Self::Engine(trustpath::Error::Stopped),
            error => Self::Text(error),
        }
    }
}

impl Error {
    /// The exit status: 2 for invalid input or usage, 130 after Ctrl-C, otherwise 1.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::Engine(error) | Self::Episodes(episodes::Error::Engine(error)) => match error {
                trustpath::Error::NotConverged { .. } => 1,
                trustpath::Error::Stopped => 130,
                _ => 2,
            },
            // Failed writes are no fault of the input.
            Self::Table(error)
            | Self::Serve(trustpath_serve::Error::Table(error))
            | Self::Model(ModelError::Table(error))
            | Self::Episodes(episodes::Error::Table(error))
            | Self::Vision(Vision::Table(error)) => {
                if matches!(error, table::Error::Write { .. } | table::Error::InUse { .. }) { 1 } else { 2 }
            }
            Self::Serve(
                trustpath_serve::Error::Journal { .. }
                | trustpath_serve::Error::Listen { .. }
                | trustpath_serve::Error::Token { .. },
            ) => 1,
            Self::Model(_) | Self::Episodes(_) | Self::Text(_) | Self::Serve(_) => 2,
            // Nor are faults of the machine.
            Self::Vision(Vision::Write { .. } | Vision::Training(_)) => 1,
            Self::Vision(_) => 2,
            Self::Report(_) | Self::Threads { .. } | Self::Print(_) => 1,
            Self::Interrupted { .. } | Self::Paused { .. } | Self::PaperInterrupted(_) => 130,
            #[cfg(feature = "libtorch")]
            Self::Stopped { .. } => 130,
        }
    }
}
