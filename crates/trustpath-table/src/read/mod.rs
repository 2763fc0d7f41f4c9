//! Readers, one a format: each gives what a file holds, and nothing is believed before it is measured.
//!
//! | format | features | labels, ids |
//! |---|---|---|
//! | npy | 2-D array, C or Fortran order | – |
//! | npz | array `features`, `embeddings`, `x`, … | arrays `labels`, `y`, …; `ids`; `class_names` |
//! | safetensors | tensor `features`, … | tensors `labels`, …, `ids`, or texts; metadata `class_names` |
//! | csv, tsv | all numeric columns | the label column, the id column |
//! | parquet | all numeric columns, or one column of lists | the label column, the id column |
//! | jsonl | all numeric keys, or one key of lists | the label key, the id key |

pub(crate) mod csv;
mod jsonl;
pub(crate) mod labels;
mod npz;
#[cfg(feature = "parquet")]
mod parquet;
mod safetensors;

use std::sync::Arc;

use crate::input::Input;
use crate::npy::Array;
use crate::stored::Stored;
use crate::{Error, Format, Result};
use labels::Labels;

/// Names under which features are searched for, best first.
const FEATURE_NAMES: [&str; 8] =
    ["features", "feats", "embeddings", "embedding", "x", "X", "data", "arr_0"];
/// Names under which arrays of labels are searched for, best first.
const LABEL_NAMES: [&str; 6] = ["labels", "label", "targets", "y", "Y", "arr_1"];
/// Names under which arrays of ids are searched for, best first.
const ID_NAMES: [&str; 2] = ["ids", "id"];
const NAME_FEATURES: &str = "save the features under the name \"features\", one row per instance";

/// What to read, and what the columns are called where the user says so.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Wanted<'a> {
    pub label: Option<&'a str>,
    pub id: Option<&'a str>,
    /// Labels and ids alone: whatever else is there is passed over.
    pub labels_only: bool,
    /// Bytes that features may take in memory; beyond that they stay in their file if it allows it.
    pub in_memory: Option<u64>,
}

impl<'a> Wanted<'a> {
    /// The name of the label column.
    pub fn label_column(self) -> &'a str {
        self.label.unwrap_or("label")
    }

    /// The name of the id column.
    pub fn id_column(self) -> &'a str {
        self.id.unwrap_or("id")
    }

    /// Whether so many features are to stay where they are.
    pub fn stays(self, rows: usize, dims: usize) -> bool {
        let bytes = (rows as u64).saturating_mul(dims as u64).saturating_mul(4);
        self.in_memory.is_some_and(|most| bytes > most)
    }

    fn label_names(self) -> Vec<&'a str> {
        self.label.map_or(LABEL_NAMES.to_vec(), |name| vec![name])
    }

    fn id_names(self) -> Vec<&'a str> {
        self.id.map_or(ID_NAMES.to_vec(), |name| vec![name])
    }
}

/// What a file holds.
#[derive(Debug, Default)]
pub(crate) struct Raw {
    /// Row after row; empty where they are stored.
    pub features: Vec<f32>,
    /// Where the features stay, if they do.
    pub stored: Option<Arc<dyn Stored>>,
    pub rows: usize,
    pub dims: usize,
    /// Names of the features, where each is a column of its own.
    pub columns: Option<Vec<String>>,
    pub ids: Option<Vec<String>>,
    pub labels: Option<Labels>,
    pub class_names: Option<Vec<String>>,
}

/// Reads a file of features, or of labels alone.
pub(crate) fn read(input: Input, format: Format, wanted: Wanted) -> Result<Raw> {
    match format {
        Format::Npy if wanted.labels_only => {
            let (length, file) = (input.length, input.name.clone());
            let labels = Array::read(input, length, file)?.to_labels()?;
            Ok(Raw { rows: labels.len(), labels: Some(labels), ..Raw::default() })
        }
        Format::Npy => Array::read_features(input, wanted),
        Format::Npz => npz::read(input, wanted),
        Format::Safetensors => safetensors::read(input, wanted),
        Format::Csv | Format::Tsv if wanted.labels_only => {
            csv::read_labels(input, format.delimiter(), wanted)
        }
        Format::Csv | Format::Tsv => csv::read(input, format.delimiter(), wanted),
        Format::Jsonl => jsonl::read(input, wanted),
        #[cfg(feature = "parquet")]
        Format::Parquet => parquet::read(input, wanted),
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => Err(Error::NotBuilt {
            file: input.name,
            remedy: "build with the cargo feature `parquet`, or convert it to .npy or .csv",
        }),
    }
}

/// Rows and columns, if that is what the shape is.
pub(crate) fn matrix_shape(file: &str, shape: &[usize]) -> Result<(usize, usize)> {
    match *shape {
        [rows, dims] if rows > 0 && dims > 0 => Ok((rows, dims)),
        _ => Err(Error::Shape {
            file: file.to_owned(),
            found: shape.to_vec(),
            expected: "features must be two-dimensional, rows × features, and not empty; reshape them",
        }),
    }
}

/// A column that the user named is not there.
fn no_column(file: &str, column: &str, found: &[String]) -> Error {
    const SHOWN: usize = 8;
    let mut listed = found.iter().take(SHOWN).map(|n| format!("\"{n}\"")).collect::<Vec<_>>();
    if found.len() > SHOWN {
        listed.push(format!("{} more", found.len() - SHOWN));
    }
    let found = if listed.is_empty() { "unnamed columns".into() } else { listed.join(", ") };
    Error::NoColumn { file: file.to_owned(), column: column.to_owned(), found }
}
