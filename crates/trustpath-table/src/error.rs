//! What can go wrong, in one sentence each: which file, and what to do about it.

use std::fmt::Display;
use std::path::Path;

/// The result of every fallible function of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Everything this crate refuses, each with the input it names and the remedy.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file cannot be opened or read.
    #[error("cannot read {file}: {reason}; check that the path is right and may be read")]
    Read {
        /// The file.
        file: String,
        /// What the system says.
        reason: String,
    },
    /// A file cannot be written.
    #[error(
        "cannot write {file}: {reason}; choose a folder that exists, may be written to and has room"
    )]
    Write {
        /// The file.
        file: String,
        /// What the system says.
        reason: String,
    },
    /// The ending of the name is none of the known formats.
    #[error("{file} is of no known format: give {expected}")]
    UnknownFormat {
        /// The file.
        file: String,
        /// The formats that are read.
        expected: &'static str,
    },
    /// A format that this build cannot read.
    #[error("{file} cannot be read by this build: {remedy}")]
    NotBuilt {
        /// The file.
        file: String,
        /// The cargo feature to switch on, or another way.
        remedy: &'static str,
    },
    /// The bytes are not what the format prescribes.
    #[error("{file} is damaged or not of the format its name says: {reason}; write it anew")]
    Damaged {
        /// The file.
        file: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The file ends before the data its header announces.
    #[error(
        "{file} is truncated: its header announces {expected} bytes of data but at most {found} are there; copy or write it anew"
    )]
    Truncated {
        /// The file.
        file: String,
        /// Bytes announced.
        expected: u64,
        /// Bytes there.
        found: u64,
    },
    /// An array of pickled Python objects.
    #[error(
        "{file} holds pickled Python objects, which can run code and are never opened: save a plain array, e.g. np.save(path, np.asarray(x, dtype='float32')), or np.asarray(y, dtype=str) for names"
    )]
    Pickled {
        /// The file.
        file: String,
    },
    /// An array of the wrong type.
    #[error("{file} has the type {found}: {expected}")]
    Dtype {
        /// The file, and the array in it.
        file: String,
        /// Its type.
        found: String,
        /// What is needed instead.
        expected: &'static str,
    },
    /// An array of the wrong shape.
    #[error("{file} has the shape {found:?}: {expected}")]
    Shape {
        /// The file, and the array in it.
        file: String,
        /// Its shape.
        found: Vec<usize>,
        /// What is needed instead.
        expected: &'static str,
    },
    /// No features in the file.
    #[error("{file} has no features (it holds {found}): {remedy}")]
    NoFeatures {
        /// The file.
        file: String,
        /// What is there instead.
        found: String,
        /// How to name them.
        remedy: &'static str,
    },
    /// No labels in the file or beside it.
    #[error("{file} has no labels: {remedy}")]
    NoLabels {
        /// The file.
        file: String,
        /// Where labels are looked for.
        remedy: String,
    },
    /// The labels and the rows differ in number.
    #[error(
        "{labels_file} has {labels} labels but {file} has {rows} rows: give exactly one label for each row, in the same order"
    )]
    LabelCount {
        /// The file of the features.
        file: String,
        /// The file of the labels.
        labels_file: String,
        /// Labels there.
        labels: usize,
        /// Rows there.
        rows: usize,
    },
    /// A label that cannot be one.
    #[error("label {value} of row {row} in {file} is not usable: {expected}")]
    Label {
        /// The file of the labels.
        file: String,
        /// The row, from 0.
        row: usize,
        /// The label.
        value: String,
        /// What it must be.
        expected: String,
    },
    /// A value that is not there.
    #[error(
        "{file}, {place}, column {column} is missing (empty or null): fill it in or drop that row"
    )]
    Missing {
        /// The file.
        file: String,
        /// The line, from 1, or the row, from 0.
        place: String,
        /// The column's name or number.
        column: String,
    },
    /// A cell that is not a number.
    #[error(
        "{file}, {place}, column {column}: \"{value}\" is not a number; every column but the id and the label must be numeric, so drop that column or name it as the id or the label column"
    )]
    Cell {
        /// The file.
        file: String,
        /// The line, from 1, or the row, from 0.
        place: String,
        /// The column's name or number.
        column: String,
        /// What is there.
        value: String,
    },
    /// A column that was asked for is not there.
    #[error("{file} has no column \"{column}\" (it has {found}): name one that is there")]
    NoColumn {
        /// The file.
        file: String,
        /// The column asked for.
        column: String,
        /// Those that are there.
        found: String,
    },
    /// Two instances go by one id.
    #[error(
        "{file} has the id \"{id}\" twice, in rows {first} and {second}: give every instance its own id, or name another id column"
    )]
    DuplicateId {
        /// The file.
        file: String,
        /// The id.
        id: String,
        /// The row it is first in, from 0.
        first: usize,
        /// The row it comes again in.
        second: usize,
    },
    /// A label for an instance that is not there.
    #[error("{labels_file} has a label for \"{id}\", which {file} does not have: {remedy}")]
    UnknownId {
        /// The file of the features.
        file: String,
        /// The file of the labels.
        labels_file: String,
        /// The id.
        id: String,
        /// What ids may be.
        remedy: &'static str,
    },
    /// Two labels for one instance.
    #[error("{file} labels \"{id}\" both \"{first}\" and \"{second}\": keep the right one of them")]
    ConflictingLabels {
        /// The file of the labels.
        file: String,
        /// The id.
        id: String,
        /// One label.
        first: String,
        /// The other.
        second: String,
    },
    /// All labels are the same.
    #[error(
        "every label in {file} is \"{class}\": there is nothing to tell apart; label some instances of a second class"
    )]
    OneClass {
        /// The file.
        file: String,
        /// The only class.
        class: String,
    },
    /// Data to predict have other features than the model was trained on.
    #[error("{file} has other features than the model: {reason}; give the same columns")]
    OtherFeatures {
        /// The file.
        file: String,
        /// What differs.
        reason: String,
    },
    /// A column does not fit the table of results.
    #[error("the column \"{column}\" cannot be written: {reason}")]
    Column {
        /// Its name.
        column: String,
        /// What does not fit, and the remedy.
        reason: String,
    },
    /// A feature is NaN or infinite.
    #[error(
        "feature {column} of row {row} in {file} is {value}: every feature must be a finite number; drop or impute that row"
    )]
    NotFinite {
        /// The file.
        file: String,
        /// The row, from 0.
        row: usize,
        /// The column's name, or its number from 0.
        column: String,
        /// NaN or ±∞.
        value: f32,
    },
}

impl Error {
    /// `file` cannot be read, for what the system says.
    pub fn read(file: &Path, reason: impl Display) -> Self {
        Self::Read { file: file.display().to_string(), reason: reason.to_string() }
    }

    /// `file` cannot be written, for what the system says.
    pub fn write(file: &Path, reason: impl Display) -> Self {
        Self::Write { file: file.display().to_string(), reason: reason.to_string() }
    }

    /// `file` is not what its format prescribes.
    pub fn damaged(file: impl Display, reason: impl Display) -> Self {
        Self::Damaged { file: file.to_string(), reason: reason.to_string() }
    }
}
