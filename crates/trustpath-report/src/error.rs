//! What can go wrong, in one sentence each: what was given, and what to do about it.

/// The result of every fallible function of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Everything this crate refuses, each with the input it names and the remedy.
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
    /// Two parts of a figure that belong together differ in number.
    #[error("{what}: {given} were given where {expected} are needed, one for each")]
    Length {
        /// Which part.
        what: String,
        /// How many were given.
        given: usize,
        /// How many are needed.
        expected: usize,
    },
    /// Something is named by a position at which nothing is.
    #[error(
        "{what} is number {index}, counted from 0, but there are only {count}: name one that is there"
    )]
    Missing {
        /// What names it.
        what: String,
        /// The position.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// The range asked for an axis is empty or cannot be shown.
    #[error(
        "the range {low} to {high} of the axis \"{axis}\" cannot be shown: give two finite numbers in ascending order, both positive on a logarithmic axis"
    )]
    Range {
        /// Label of the axis.
        axis: String,
        /// Lower end asked for.
        low: f64,
        /// Upper end asked for.
        high: f64,
    },
    /// An image does not hold three bytes for each pixel.
    #[error(
        "an image of {width} × {height} pixels needs {expected} bytes of RGB but {given} were given: check its size and that it has three channels"
    )]
    Pixels {
        /// Width announced.
        width: usize,
        /// Height announced.
        height: usize,
        /// `3 · width · height`.
        expected: usize,
        /// Bytes given.
        given: usize,
    },
    /// The PNG would have no pixel, or too many.
    #[error(
        "a figure of {width} × {height} cannot be drawn at scale {scale}: choose a scale between 0.1 and 8 and fewer rows"
    )]
    Scale {
        /// Width of the figure.
        width: f64,
        /// Height of the figure.
        height: f64,
        /// Scale asked for.
        scale: f64,
    },
    /// The PNG could not be encoded.
    #[error("the picture could not be encoded as PNG ({reason}): write the SVG instead")]
    Encode {
        /// What the encoder said.
        reason: String,
    },
    /// A row of a table does not fit its columns.
    #[error(
        "row {row} of the table has {given} cells for {columns} columns: give one cell per column"
    )]
    Row {
        /// Position of the row.
        row: usize,
        /// Cells given.
        given: usize,
        /// Columns of the table.
        columns: usize,
    },
    /// A file could not be written.
    #[error("{path} could not be written ({reason}): choose a folder that you may write to")]
    Write {
        /// The file.
        path: String,
        /// What the system said.
        reason: String,
    },
}
