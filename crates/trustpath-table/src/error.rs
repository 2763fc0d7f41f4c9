//! What can go wrong. Each error is one sentence that names the input and says what to do about it.
//!
//! Text from a file is shown as a Rust string literal, so that control characters in it cannot reach a terminal.

use std::fmt::Display;
use std::path::Path;

use crate::limits::{LONGEST_LINE, MOST_COLUMNS};

/// The result of every fallible function of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Every error of this crate. Rows count from 0 and lines from 1.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the sentence of each variant says what its fields are")]
pub enum Error {
    /// A file cannot be opened or read.
    #[error("cannot read {file}: {reason}; check that the path is right and the file may be read")]
    Read { file: String, reason: String },
    /// A file cannot be written.
    #[error("cannot write {file}: {reason}; choose a folder that exists, may be written to and has room")]
    Write { file: String, reason: String },
    /// Another process works on the file.
    #[error("{file} is in use by {holder}, which holds {lock}: wait until it ends, or choose another file")]
    InUse { file: String, holder: String, lock: String },
    /// A labels file that a labelling session would shorten.
    #[error(
        "{file} has columns other than id and label ({columns}), which would be lost when answers are written to it: give a new file for the answers, or copy the columns id and label to one"
    )]
    OtherColumns { file: String, columns: String },
    /// The ending of the name is none of the known formats.
    #[error("{file} has an unknown format: {remedy}")]
    UnknownFormat { file: String, remedy: String },
    /// A format or a compression that this build cannot read or write.
    #[error("this build does not support {file}: {remedy}")]
    NotBuilt { file: String, remedy: &'static str },
    /// The bytes are not what the format prescribes.
    #[error("cannot parse {file}: {reason}; check that the file is complete and in the format that its name says")]
    Damaged { file: String, reason: String },
    /// The file ends before the data that its header announces.
    #[error(
        "{file} is truncated: its header announces {expected} bytes of data, but at most {available} are there; copy or write the file again"
    )]
    Truncated { file: String, expected: u64, available: u64 },
    /// The file would take more memory than a reader allows.
    #[error("{file} is too large to be read: {reason}")]
    TooLarge { file: String, reason: String },
    /// An array of pickled Python objects.
    #[error(
        "{file} holds pickled Python objects, which can run code and are never opened: save a plain array, e.g. np.save(path, np.asarray(x, dtype='float32')), or np.asarray(y, dtype=str) for names"
    )]
    Pickled { file: String },
    /// An array of the wrong type.
    #[error("{file} has the type {dtype}: {expected}")]
    Dtype { file: String, dtype: String, expected: &'static str },
    /// An array of the wrong shape.
    #[error("{file} has the shape {shape:?}: {expected}")]
    Shape { file: String, shape: Vec<usize>, expected: &'static str },
    /// The file holds no features.
    #[error("{file} has no features (it holds {contents}): {remedy}")]
    NoFeatures { file: String, contents: String, remedy: &'static str },
    /// There are no labels in the file or beside it.
    #[error("{file} has no labels: {remedy}")]
    NoLabels { file: String, remedy: String },
    /// The numbers of labels and rows differ.
    #[error(
        "{labels_file} has {labels} labels but {file} has {rows} rows: give exactly one label for each row, in the same order"
    )]
    LabelCount { file: String, labels_file: String, labels: usize, rows: usize },
    /// A value that cannot be a label.
    #[error("label {value} of row {row} in {file} is not usable: {expected}")]
    Label { file: String, row: usize, value: String, expected: String },
    /// A value is missing.
    #[error("{file}, {place}, column {column} is missing (empty or null): fill it in or drop that row")]
    Missing { file: String, place: String, column: String },
    /// A cell that is not a number.
    #[error(
        "{file}, {place}, column {column}: {value:?} is not a number; correct it, or name the columns of features or those to carry without using them"
    )]
    Cell { file: String, place: String, column: String, value: String },
    /// A column that the caller named does not exist.
    #[error("{file} has no column {column:?} (it has {columns}): name one of these columns")]
    NoColumn { file: String, column: String, columns: String },
    /// Two columns have the same name.
    #[error("{file} has two columns called {column:?}: give every column its own name, or remove one of them")]
    DuplicateColumn { file: String, column: String },
    /// Two instances have the same id.
    #[error(
        "{file} has the id {id:?} twice, in rows {first} and {second}: give every instance its own id, or name another id column"
    )]
    DuplicateId { file: String, id: String, first: usize, second: usize },
    /// A label for an instance that does not exist.
    #[error("{labels_file} has a label for {id:?}, which {file} does not have: {remedy}")]
    UnknownId { file: String, labels_file: String, id: String, remedy: &'static str },
    /// A first line that may be a header or a label.
    #[error(
        "{file} has {lines} lines for {rows} rows, and its first line, {first:?}, may be a header or a label: name it as the label column if it is a header; if it is a label, remove the empty lines at the end or give 0 as the label column"
    )]
    UnclearHeader { file: String, lines: usize, rows: usize, first: String },
    /// Labels with ids beside features without.
    #[error(
        "{labels_file} has the ids of its labels (the first is {id:?}), but {file} has no ids to match them with: add an id column to the features, give row numbers from 0 as ids, or say that the labels are in the order of the features"
    )]
    NoIds { file: String, labels_file: String, id: String },
    /// Two different labels for one instance.
    #[error("{file} labels {id:?} both {first:?} and {second:?}: keep the right one of them")]
    ConflictingLabels { file: String, id: String, first: String, second: String },
    /// An answer about a label that does not fit the labels.
    #[error("the verified labels in {file} cannot be used: {reason}")]
    Verified { file: String, reason: String },
    /// All labels are the same.
    #[error(
        "every label in {file} is {class:?}, but at least two classes are needed: label some instances of a second class{hint}"
    )]
    OneClass { file: String, class: String, hint: String },
    /// The data to predict have other features than the model was trained on.
    #[error("the features of {file} differ from those of the model: {reason}; give the same columns in the same order")]
    OtherFeatures { file: String, reason: String },
    /// A column that does not fit the table of results.
    #[error("the column {column:?} cannot be written: {reason}")]
    Column { column: String, reason: String },
    /// A feature is NaN or infinite.
    #[error(
        "feature {column} of row {row} in {file} is {}: every feature must be a finite number; drop or impute that row",
        not_finite(*value)
    )]
    NotFinite { file: String, row: usize, column: String, value: f32 },
    /// All features of an instance are zero.
    #[error(
        "all features of instance {id:?} (row {row}) in {file} are zero, so that they have no direction: drop it, or check how the features were made"
    )]
    ZeroVector { file: String, row: usize, id: String },
}

/// Features are stored as `f32`, in which a large number of a file is infinite.
fn not_finite(value: f32) -> String {
    if value.is_infinite() {
        format!("infinite, or too large for a 32-bit number (beyond {:.1e})", f32::MAX)
    } else {
        value.to_string()
    }
}

impl Error {
    /// `file` cannot be read; the system gives the reason.
    pub fn read(file: impl AsRef<Path>, reason: impl Display) -> Self {
        Self::Read { file: file.as_ref().display().to_string(), reason: reason.to_string() }
    }

    /// `file` cannot be written; the system gives the reason.
    pub fn write(file: &Path, reason: impl Display) -> Self {
        Self::Write { file: file.display().to_string(), reason: reason.to_string() }
    }

    /// The label `value` of a row is none that `expected` allows.
    pub(crate) fn label(file: &str, row: usize, value: impl Display, expected: impl Into<String>) -> Self {
        let (file, value, expected) = (file.to_owned(), value.to_string(), expected.into());
        Self::Label { file, row, value, expected }
    }

    /// `file` is not what its format prescribes.
    pub fn damaged(file: impl Display, reason: impl Display) -> Self {
        Self::Damaged { file: file.to_string(), reason: reason.to_string() }
    }

    /// `file` would take too much memory; the reason ends in the remedy.
    pub(crate) fn too_large(file: impl Display, reason: impl Display) -> Self {
        Self::TooLarge { file: file.to_string(), reason: reason.to_string() }
    }

    /// `file` has a line that is no row of a table.
    pub(crate) fn long_line(file: impl Display) -> Self {
        let most = LONGEST_LINE >> 20;
        Self::too_large(file, format!("it has a line of more than {most} MiB; write one line for each instance"))
    }

    /// `file` has more columns than a table may have.
    pub(crate) fn many_columns(file: impl Display, columns: usize) -> Self {
        let reason =
            format!("it has {columns} columns, but at most {MOST_COLUMNS} are read; write one line for each instance");
        Self::too_large(file, reason)
    }

    pub(crate) fn shape(file: &str, shape: &[usize], expected: &'static str) -> Self {
        Self::Shape { file: file.to_owned(), shape: shape.to_vec(), expected }
    }

    pub(crate) fn no_features(file: impl Into<String>, contents: impl Into<String>, remedy: &'static str) -> Self {
        Self::NoFeatures { file: file.into(), contents: contents.into(), remedy }
    }

    pub(crate) fn no_labels(file: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::NoLabels { file: file.into(), remedy: remedy.into() }
    }

    pub(crate) fn label_count(file: &str, labels_file: &str, labels: usize, rows: usize) -> Self {
        Self::LabelCount { file: file.to_owned(), labels_file: labels_file.to_owned(), labels, rows }
    }

    /// The value in the column `column` at `place` (a line or a row) is missing.
    pub(crate) fn missing(file: &str, place: String, column: String) -> Self {
        Self::Missing { file: file.to_owned(), place, column }
    }

    /// The value in the column `column` at `place` is not a number; of a long one the beginning is shown.
    pub(crate) fn not_a_number(file: &str, place: String, column: String, value: &str) -> Self {
        Self::Cell { file: file.to_owned(), place, column, value: value.chars().take(60).collect() }
    }
}
