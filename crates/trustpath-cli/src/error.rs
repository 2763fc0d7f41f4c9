//! What can go wrong, in one sentence each, and the exit status it ends with.

use trustpath_episodes as episodes;
use trustpath_explain::ModelError;
use trustpath_table as table;

use crate::paper;

/// The result of every fallible function of the command.
pub type Result<T> = std::result::Result<T, Error>;

/// Everything that ends a command early.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The command line cannot be right.
    #[error("{0}")]
    Usage(String),
    /// A training was stopped.
    #[cfg(feature = "libtorch")]
    #[error("stopped after {done} of {asked} epochs: the same command goes on from there")]
    Stopped {
        /// Epochs that are done.
        done: usize,
        /// Epochs asked for.
        asked: usize,
    },
    /// Files of features and results.
    #[error(transparent)]
    Table(#[from] table::Error),
    /// The engine.
    #[error(transparent)]
    Engine(#[from] trustpath::Error),
    /// A model file.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Episodes, journals or the engine.
    #[error(transparent)]
    Episodes(#[from] episodes::Error),
    /// Figures and tables.
    #[error(transparent)]
    Report(#[from] trustpath_report::Error),
    /// Pictures and networks.
    #[error(transparent)]
    Vision(#[from] trustpath_vision::Error),
    /// Ctrl-C while features are extracted.
    #[error("interrupted after {done} of {all} pictures: the same command goes on from there")]
    Paused {
        /// Pictures that are done.
        done: usize,
        /// Pictures there are.
        all: usize,
    },
    /// A target of the paper.
    #[error(transparent)]
    Paper(#[from] crate::paper::Error),
    /// The threads could not be started.
    #[error("{threads} threads cannot be started ({reason}): ask for fewer by --threads")]
    Threads {
        /// Threads asked for.
        threads: usize,
        /// What the system says.
        reason: String,
    },
    /// Standard output cannot be written.
    #[error("the result cannot be written to standard output: {0}; redirect it elsewhere")]
    Print(String),
    /// Ctrl-C.
    #[error("interrupted after {done} of {asked} episodes: {remedy}")]
    Interrupted {
        /// Episodes finished.
        done: usize,
        /// Episodes asked for.
        asked: usize,
        /// How to go on.
        remedy: String,
    },
}

impl Error {
    /// The exit status: 2 for input or usage that cannot be right, 130 after Ctrl-C, else 1.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::Model(ModelError::Table(error)) => table_exit_code(error),
            Self::Model(_) => 2,
            Self::Engine(error) => engine_exit_code(error),
            Self::Table(error) => table_exit_code(error),
            Self::Episodes(error) => episodes_exit_code(error),
            Self::Paper(paper::Error::Table(error)) => table_exit_code(error),
            Self::Paper(paper::Error::Episodes(error)) => episodes_exit_code(error),
            Self::Paper(paper::Error::SameName { .. } | paper::Error::Labels { .. }) => 2,
            Self::Paper(paper::Error::NoImages | paper::Error::OneCache) => 2,
            Self::Paper(paper::Error::Pictures(error)) => error.exit_code(),
            Self::Paper(paper::Error::Interrupted | paper::Error::Paused { .. }) => 130,
            Self::Paper(_) => 1,
            Self::Report(_) | Self::Threads { .. } | Self::Print(_) => 1,
            Self::Vision(error) => vision_exit_code(error),
            Self::Interrupted { .. } | Self::Paused { .. } => 130,
            #[cfg(feature = "libtorch")]
            Self::Stopped { .. } => 130,
        }
    }
}

fn episodes_exit_code(error: &episodes::Error) -> u8 {
    match error {
        episodes::Error::Table(error) => table_exit_code(error),
        episodes::Error::Engine(error) => engine_exit_code(error),
        _ => 2,
    }
}

fn engine_exit_code(error: &trustpath::Error) -> u8 {
    match error {
        trustpath::Error::NotConverged { .. } => 1,
        trustpath::Error::Stopped => 130,
        _ => 2,
    }
}

/// What the machine lacks is no fault of the input.
fn vision_exit_code(error: &trustpath_vision::Error) -> u8 {
    use trustpath_vision::Error as Vision;
    match error {
        Vision::Table(error) => table_exit_code(error),
        Vision::Write { .. } | Vision::NoGpu | Vision::GpuMemory => 1,
        Vision::Torch { .. } | Vision::Diverged { .. } => 1,
        _ => 2,
    }
}

/// What cannot be written is no fault of the input.
fn table_exit_code(error: &table::Error) -> u8 {
    match error {
        table::Error::Write { .. } => 1,
        _ => 2,
    }
}
