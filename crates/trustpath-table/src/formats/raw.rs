//! What every reader is asked for ([`ReadOptions`]) and what it returns ([`RawTable`]).

use std::sync::Arc;

use crate::block_file::BlockFile;
use crate::labels::Labels;
use crate::{Error, Result};

/// Names under which features are searched for, best first.
pub(super) const FEATURE_NAMES: [&str; 8] =
    ["features", "feats", "embeddings", "embedding", "x", "X", "data", "arr_0"];
/// Names under which arrays of labels are searched for, best first.
const LABEL_NAMES: [&str; 6] = ["labels", "label", "targets", "y", "Y", "arr_1"];
/// Names under which arrays of ids are searched for, best first.
const ID_NAMES: [&str; 2] = ["ids", "id"];

/// What to read, and the names of columns where the caller gives them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ReadOptions<'a> {
    pub label: Option<&'a str>,
    pub id: Option<&'a str>,
    /// Reads only labels and ids, and ignores everything else.
    pub labels_only: bool,
    /// Bytes that features may take in memory. Larger ones stay in their file if its format allows
    /// it.
    pub in_memory: Option<u64>,
}

impl<'a> ReadOptions<'a> {
    /// The name of the label column.
    pub fn label_column(self) -> &'a str {
        self.label.unwrap_or("label")
    }

    /// The name of the id column.
    pub fn id_column(self) -> &'a str {
        self.id.unwrap_or("id")
    }

    /// Whether features of this size are to stay in their file.
    pub fn stays_in_file(self, rows: usize, dims: usize) -> bool {
        let bytes = (rows as u64).saturating_mul(dims as u64).saturating_mul(4);
        self.in_memory.is_some_and(|most| bytes > most)
    }

    pub(super) fn label_names(self) -> Vec<&'a str> {
        self.label.map_or(LABEL_NAMES.to_vec(), |name| vec![name])
    }

    pub(super) fn id_names(self) -> Vec<&'a str> {
        self.id.map_or(ID_NAMES.to_vec(), |name| vec![name])
    }
}

/// The contents of a file.
#[derive(Debug, Default)]
pub(crate) struct RawTable {
    /// Features in row-major order; empty where they stay in their file.
    pub features: Vec<f32>,
    /// The file that the features stay in, if they do.
    pub in_file: Option<Arc<dyn BlockFile>>,
    pub rows: usize,
    pub dims: usize,
    /// Names of the features, where each has a column of its own.
    pub columns: Option<Vec<String>>,
    pub ids: Option<Vec<String>>,
    pub labels: Option<Labels>,
    pub class_names: Option<Vec<String>>,
}

impl RawTable {
    /// A file of labels alone.
    pub fn of_labels(labels: Option<Labels>, ids: Option<Vec<String>>) -> Self {
        Self { rows: labels.as_ref().map_or(0, Labels::len), labels, ids, ..Self::default() }
    }
}

/// Numbers of rows and columns, if the array is two-dimensional.
pub(super) fn matrix_shape(file: &str, shape: &[usize]) -> Result<(usize, usize)> {
    match *shape {
        [rows, dims] if rows > 0 && dims > 0 => Ok((rows, dims)),
        _ => Err(Error::Shape {
            file: file.to_owned(),
            found: shape.to_vec(),
            expected: "features must be two-dimensional, rows × features, and not empty; reshape them",
        }),
    }
}

/// Refuses an array of labels that has more than one long axis.
pub(super) fn check_label_shape(file: &str, shape: &[usize]) -> Result<()> {
    if shape.iter().filter(|&&n| n != 1).count() <= 1 {
        return Ok(());
    }
    let expected = "labels must be one-dimensional, one for each row of the features";
    Err(Error::Shape { file: file.to_owned(), found: shape.to_vec(), expected })
}

/// None of the arrays in a file has the name of features.
pub(super) fn no_feature_array(file: &str, names: &[String]) -> Error {
    let found = if names.is_empty() { "nothing".into() } else { names.join(", ") };
    let remedy = "save the features under the name \"features\", one row per instance";
    Error::NoFeatures { file: file.to_owned(), found, remedy }
}

/// A column that the caller named does not exist.
pub(super) fn no_column(file: &str, column: &str, found: &[String]) -> Error {
    const SHOWN: usize = 8;
    let mut listed: Vec<String> = found.iter().take(SHOWN).map(|n| format!("{n:?}")).collect();
    if found.len() > SHOWN {
        listed.push(format!("{} more", found.len() - SHOWN));
    }
    let found = if listed.is_empty() { "unnamed columns".into() } else { listed.join(", ") };
    Error::NoColumn { file: file.to_owned(), column: column.to_owned(), found }
}
