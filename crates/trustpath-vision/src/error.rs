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
}
