//! Errors: each message names the input and says what to do.

/// The result of every fallible function of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// The errors of this crate.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No value of the data can be placed in the figure.
    #[error(
        "the figure \"{title}\" has nothing to draw: give at least one finite value (and a positive one on a logarithmic axis)"
    )]
    NothingToDraw {
        /// Title of the figure.
        title: String,
    },
    /// Two parts that belong together differ in number.
    #[error("{what}: {given} were given, but {expected} are needed: give one for each")]
    Length {
        /// Which part.
        what: String,
        /// The number given.
        given: usize,
        /// The number needed.
        expected: usize,
    },
    /// An index is out of range.
    #[error(
        "{what} has index {index} (counted from 0), but there are only {count}: correct the index"
    )]
    Missing {
        /// What refers to the index.
        what: String,
        /// The index.
        index: usize,
        /// The number of elements.
        count: usize,
    },
    /// The range requested for an axis is empty or cannot be shown.
    #[error(
        "the range {low} to {high} of the axis \"{axis}\" cannot be shown: give two finite numbers in ascending order, both positive on a logarithmic axis"
    )]
    Range {
        /// Label of the axis.
        axis: String,
        /// Lower end of the range.
        low: f64,
        /// Upper end of the range.
        high: f64,
    },
    /// An image does not have three bytes for each pixel.
    #[error(
        "an image of {width} × {height} pixels needs {expected} bytes of RGB, but {given} were given: check its size and that it has three channels"
    )]
    Pixels {
        /// Stated width.
        width: usize,
        /// Stated height.
        height: usize,
        /// `3 · width · height`.
        expected: usize,
        /// The number of bytes given.
        given: usize,
    },
    /// The PNG would have no pixels, or too many.
    #[error(
        "a figure of {width} × {height} cannot be drawn at scale {scale}: choose a scale between 0.1 and 8 and fewer rows"
    )]
    Scale {
        /// Width of the figure.
        width: f64,
        /// Height of the figure.
        height: f64,
        /// The requested scale.
        scale: f64,
    },
    /// The PNG could not be encoded.
    #[error("the figure could not be encoded as PNG ({reason}): write it as SVG instead")]
    Encode {
        /// Message of the encoder.
        reason: String,
    },
    /// A file could not be written.
    #[error("{path} could not be written ({reason}): choose a folder with write permission")]
    Write {
        /// The file.
        path: String,
        /// Message of the system.
        reason: String,
    },
}

/// Requires as many parts as there are of what they belong to.
pub(crate) fn same_length(
    given: usize,
    expected: usize,
    what: impl FnOnce() -> String,
) -> Result<()> {
    if given == expected { Ok(()) } else { Err(Error::Length { what: what(), given, expected }) }
}
