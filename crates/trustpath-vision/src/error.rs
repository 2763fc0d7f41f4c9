//! What can go wrong, in one sentence each: which input, and what to do about it.

/// The result of every fallible function of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Everything this crate refuses, each with the input it names and the remedy.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The name is of no known backbone.
    #[error("there is no backbone named {name}: give one of {known}")]
    UnknownBackbone {
        /// The name given.
        name: String,
        /// The names there are.
        known: String,
    },
    /// A picture cannot be read.
    #[error(
        "{name} cannot be read as a picture: {reason}; replace it, or go on without it by --skip-bad"
    )]
    Picture {
        /// The picture.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A picture cannot be encoded.
    #[error("a picture of {width} × {height} pixels cannot be encoded: {reason}")]
    Encode {
        /// Its width.
        width: usize,
        /// Its height.
        height: usize,
        /// What the encoder says.
        reason: String,
    },
    /// A file, folder or archive cannot be read.
    #[error("{name} cannot be read: {reason}")]
    Read {
        /// The file, folder or archive.
        name: String,
        /// What is wrong, and the remedy where there is one.
        reason: String,
    },
}
