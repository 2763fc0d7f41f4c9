//! Every error of the command, as one sentence, with its exit status.

use trustpath_episodes as episodes;
use trustpath_table as table;

/// The result of every fallible function of the command.
pub type Result<T> = std::result::Result<T, Error>;

/// Everything that ends a command early.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The command line is wrong.
    #[error("{0}")]
    Usage(String),
    /// A training was stopped.
    #[cfg(feature = "libtorch")]
    #[error("stopped after {done} of {asked} epochs: run the same command to continue")]
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
    /// A model file that cannot be used.
    #[error("{file} cannot be used as a model: {reason}; save one with trustpath label --model")]
    Model {
        /// The file.
        file: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Episodes, journals or the engine.
    #[error(transparent)]
    Episodes(#[from] episodes::Error),
    /// Figures and tables.
    #[error(transparent)]
    Report(#[from] trustpath_report::Error),
    /// Images and networks.
    #[error(transparent)]
    Vision(#[from] trustpath_vision::Error),
    /// Ctrl-C while features are extracted.
    #[error("interrupted after {done} of {all} images: run the same command to continue")]
    Paused {
        /// Images that are done.
        done: usize,
        /// All images.
        all: usize,
    },
    /// Ctrl-C while a result of the paper is computed.
    #[error("interrupted: {0}")]
    PaperInterrupted(String),
    /// The threads could not be started.
    #[error("{threads} threads cannot be started ({reason}): use fewer with --threads")]
    Threads {
        /// Threads asked for.
        threads: usize,
        /// What the system says.
        reason: String,
    },
    /// Standard output cannot be written.
    #[error("the result cannot be written to standard output: {0}; redirect it to a file")]
    Print(String),
    /// Ctrl-C.
    #[error("interrupted after {done} of {asked} episodes: {remedy}")]
    Interrupted {
        /// Episodes finished.
        done: usize,
        /// Episodes asked for.
        asked: usize,
        /// How to continue.
        remedy: String,
    },
}

impl Error {
    /// The exit status: 2 for invalid input or usage, 130 after Ctrl-C, otherwise 1.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) | Self::Model { .. } => 2,
            Self::Engine(error) => engine_exit_code(error),
            Self::Table(error) => table_exit_code(error),
            Self::Episodes(error) => episodes_exit_code(error),
            Self::Report(_) | Self::Threads { .. } | Self::Print(_) => 1,
            Self::Vision(error) => vision_exit_code(error),
            Self::Interrupted { .. } | Self::Paused { .. } | Self::PaperInterrupted(_) => 130,
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

/// 1 for faults of the machine, 2 for those of the input.
fn vision_exit_code(error: &trustpath_vision::Error) -> u8 {
    use trustpath_vision::Error as Vision;
    match error {
        Vision::Table(error) => table_exit_code(error),
        Vision::Write { .. } | Vision::NoGpu | Vision::GpuMemory => 1,
        Vision::Torch { .. } | Vision::Diverged { .. } => 1,
        _ => 2,
    }
}

/// 1 for failed writes, 2 for faults of the input.
fn table_exit_code(error: &table::Error) -> u8 {
    match error {
        table::Error::Write { .. } => 1,
        _ => 2,
    }
}
