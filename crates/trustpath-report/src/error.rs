//! Errors: each message names the input and says what to do.

/// The result of every fallible function of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// The errors of this crate. The documentation of each variant explains its fields.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum Error {
    /// No value of the data can be placed in the figure with this `title`.
    #[error(
        "the figure \"{title}\" has nothing to draw: give at least one finite value (and a positive one on a logarithmic axis)"
    )]
    NothingToDraw { title: String },
    /// Of the parts named in `what`, `given` were given although `expected` are needed.
    #[error("{what}: {given} were given, but {expected} are needed: give one for each")]
    Length { what: String, given: usize, expected: usize },
    /// `what` has an `index` that is not below `count`.
    #[error("{what} has index {index} (counted from 0), but there are only {count}: correct the index")]
    Missing { what: String, index: usize, count: usize },
    /// The range `low` to `high` requested for an axis is empty or cannot be shown.
    #[error(
        "the range {low} to {high} of the axis \"{axis}\" cannot be shown: give two finite numbers in ascending order, both positive on a logarithmic axis"
    )]
    Range { axis: String, low: f64, high: f64 },
    /// An image does not have `expected` = 3 · `width` · `height` bytes but the number `given`.
    #[error(
        "an image of {width} × {height} pixels needs {expected} bytes of RGB, but {given} were given: check its size and that it has three channels"
    )]
    Pixels { width: usize, height: usize, expected: usize, given: usize },
    /// At this `scale` the PNG of a figure of this size would have no pixels, or too many.
    #[error(
        "a figure of {width} × {height} cannot be drawn at scale {scale}: choose a scale between 0.1 and 8 and fewer rows"
    )]
    Scale { width: f64, height: f64, scale: f64 },
    /// The PNG could not be encoded, for the encoder's `reason`.
    #[error("the figure could not be encoded as PNG ({reason}): write it as SVG instead")]
    Encode { reason: String },
    /// The file at `path` could not be written, for the system's `reason`.
    #[error("{path} could not be written ({reason}): choose a folder with write permission")]
    Write { path: String, reason: String },
}

/// Requires as many parts as there are of what they belong to.
pub(crate) fn same_length(given: usize, expected: usize, what: impl Fn() -> String) -> Result<()> {
    if given == expected { Ok(()) } else { Err(Error::Length { what: what(), given, expected }) }
}
