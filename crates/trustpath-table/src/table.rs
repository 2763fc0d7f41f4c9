//! Feature tables: one feature vector and one label per row, from any of the formats.
//!
//! Labels may also stand beside: in a file that is given, or in `NAME-labels` / `NAME_labels` with
//! the ending `.npy`, `.csv`, `.tsv` or `.txt`.

use std::path::{Path, PathBuf};

use crate::format::{extension, is_stream};
use crate::input::Input;
use crate::read::labels::{Labels, read_lines};
use crate::read::{Raw, Wanted, read};
use crate::{Classes, Error, Format, Result};

/// Feature vectors with their labels, as real data or a file gives them.
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureTable {
    features: Vec<f32>,
    dims: usize,
    classes: Classes,
}

impl FeatureTable {
    /// A table of `features`, row after row, with one label per row that counts into
    /// `class_names`; `source` is what errors call it.
    ///
    /// # Errors
    /// If there are no values, if they do not fill the rows, or if a label has no name.
    pub fn new(
        features: Vec<f32>,
        dims: usize,
        labels: Vec<usize>,
        class_names: Vec<String>,
        source: impl Into<String>,
    ) -> Result<Self> {
        let source = source.into();
        let rows = labels.len();
        if rows == 0 || dims == 0 {
            return Err(Error::Shape {
                file: source,
                found: vec![rows, dims],
                expected: "give at least one row with at least one feature",
            });
        }
        if rows.checked_mul(dims) != Some(features.len()) {
            return Err(Error::LabelCount {
                labels_file: source.clone(),
                file: source,
                labels: rows,
                rows: features.len() / dims,
            });
        }
        Ok(Self { features, dims, classes: Classes::new(labels, class_names, source)? })
    }

    /// The table in the bytes of a safetensors file with its labels inside, called `source`.
    ///
    /// # Errors
    /// Whatever is wrong with the bytes, in a sentence.
    pub fn from_safetensors(bytes: Vec<u8>, source: impl Into<String>) -> Result<Self> {
        let source = source.into();
        let input = Input::memory(bytes, &source);
        let raw = read(input, Format::Safetensors, Wanted::default())?;
        let labels = raw.labels.ok_or_else(|| Error::NoLabels {
            file: source.clone(),
            remedy: "store them under the name \"labels\"".into(),
        })?;
        let (labels, class_names) = labels.encode(raw.class_names, &source)?;
        Self::new(raw.features, raw.dims, labels, class_names, source)
    }

    /// All features, row after row.
    pub fn features(&self) -> &[f32] {
        &self.features
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.classes.labels.len()
    }

    /// Number of features of each row.
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// The features of one row.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, row: usize) -> &[f32] {
        &self.features[row * self.dims..][..self.dims]
    }

    /// The features of several rows, one after another.
    ///
    /// # Panics
    /// If one of them does not exist.
    pub fn gather(&self, rows: &[usize]) -> Vec<f32> {
        let mut gathered = Vec::with_capacity(rows.len() * self.dims);
        rows.iter().for_each(|&row| gathered.extend_from_slice(self.row(row)));
        gathered
    }

    /// The class of each row, counting into [`class_names`](Self::class_names).
    pub fn labels(&self) -> &[usize] {
        &self.classes.labels
    }

    /// The names of the classes.
    pub fn class_names(&self) -> &[String] {
        &self.classes.names
    }

    /// The rows of each class, ascending.
    pub fn members(&self) -> &[Vec<usize>] {
        &self.classes.members
    }

    /// The table without its features.
    pub fn classes(&self) -> &Classes {
        &self.classes
    }

    /// Where the table comes from.
    pub fn source(&self) -> &str {
        &self.classes.source
    }

    /// Says where the first value stands that is not a finite number.
    ///
    /// # Errors
    /// [`Error::NotFinite`] with its row and column.
    pub fn check_finite(&self) -> Result<()> {
        check_finite(&self.features, self.dims, 0, None, &self.classes.source)
    }
}

/// A features file, and where its labels are.
///
/// ```no_run
/// use trustpath_table::TableFile;
/// let table = TableFile::new("novel.npy").labels("novel-classes.txt").read()?;
/// println!("{} rows of {} classes", table.rows(), table.class_names().len());
/// # Ok::<(), trustpath_table::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct TableFile {
    features: PathBuf,
    labels: Option<PathBuf>,
    label_column: Option<String>,
}

impl TableFile {
    /// The features file at `path`, with its labels inside or beside it.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { features: path.into(), labels: None, label_column: None }
    }

    /// Takes the labels from this file, whatever the features file holds itself.
    pub fn labels(mut self, path: impl Into<PathBuf>) -> Self {
        self.labels = Some(path.into());
        self
    }

    /// Calls the label column by this name instead of `label`; where columns have no names, by its
    /// number from 0, or from −1 backwards.
    pub fn label_column(mut self, name: impl Into<String>) -> Self {
        self.label_column = Some(name.into());
        self
    }

    /// Reads the table.
    ///
    /// # Errors
    /// Whatever is wrong with the files, in a sentence.
    pub fn read(&self) -> Result<FeatureTable> {
        let file = self.features.display().to_string();
        let wanted = Wanted { label: self.label_column.as_deref(), ..Wanted::default() };
        let input = Input::open(&self.features)?;
        let raw = read(input, Format::of(&self.features)?, wanted)?;
        let (labels, labels_file, names) = match (&self.labels, raw.labels) {
            (Some(path), inside) => {
                let names = if inside.is_none() { raw.class_names } else { None };
                (labels_of(path, wanted)?, path.display().to_string(), names)
            }
            (None, Some(labels)) => (labels, file.clone(), raw.class_names),
            (None, None) => {
                let path = beside(&self.features)
                    .ok_or_else(|| no_labels(&self.features, wanted.label_column()))?;
                (labels_of(&path, wanted)?, path.display().to_string(), raw.class_names)
            }
        };
        let labels = labels.without_trailing_blanks(raw.rows);
        if labels.len() != raw.rows {
            let labels = labels.len();
            return Err(Error::LabelCount { file, labels_file, labels, rows: raw.rows });
        }
        let (labels, class_names) = labels.encode(names, &labels_file)?;
        FeatureTable::new(raw.features, raw.dims, labels, class_names, file)
    }
}

fn labels_of(path: &Path, wanted: Wanted) -> Result<Labels> {
    read_labels(path, wanted)?.labels.ok_or_else(|| no_labels(path, wanted.label_column()))
}

/// Reads a file of labels alone, which may also be plain lines of text.
pub(crate) fn read_labels(path: &Path, wanted: Wanted) -> Result<Raw> {
    let wanted = Wanted { labels_only: true, ..wanted };
    if extension(path) == "txt" {
        return read_lines(Input::open(path)?, wanted);
    }
    let format = Format::of(path).map_err(|_| Error::UnknownFormat {
        file: path.display().to_string(),
        expected: "labels as .txt, .csv, .tsv, .npy, .npz, .safetensors, .jsonl or .parquet",
    })?;
    read(Input::open(path)?, format, wanted)
}

/// The file beside the features whose name says that it holds their labels.
pub(crate) fn beside(features: &Path) -> Option<PathBuf> {
    if is_stream(features) {
        return None;
    }
    let stem = features.file_stem().unwrap_or_default().to_string_lossy();
    ["-", "_"].into_iter().find_map(|joint| {
        ["npy", "csv", "tsv", "txt"].into_iter().find_map(|ending| {
            let beside = features.with_file_name(format!("{stem}{joint}labels.{ending}"));
            beside.is_file().then_some(beside)
        })
    })
}

/// Labels are neither inside a file nor beside it.
pub(crate) fn no_labels(features: &Path, label_column: &str) -> Error {
    let stem = features.file_stem().unwrap_or_default().to_string_lossy();
    let inside = match extension(features).as_str() {
        "npy" => String::new(),
        "npz" | "safetensors" => ", store them under the name \"labels\"".into(),
        _ => format!(", or name the column that holds them (\"{label_column}\" is not there)"),
    };
    Error::NoLabels {
        file: features.display().to_string(),
        remedy: format!(
            "give a labels file, put one beside it as {stem}-labels.npy (or .csv, .tsv, .txt){inside}"
        ),
    }
}

/// Says where the first value stands that is not a finite number; `features` begin with row `first`.
pub(crate) fn check_finite(
    features: &[f32],
    dims: usize,
    first: usize,
    columns: Option<&[String]>,
    file: &str,
) -> Result<()> {
    let Some(place) = features.iter().position(|value| !value.is_finite()) else { return Ok(()) };
    let (row, column) = (first + place / dims, place % dims);
    let name = columns.and_then(|names| names.get(column));
    Err(Error::NotFinite {
        file: file.to_owned(),
        row,
        column: name.map_or_else(|| column.to_string(), |name| format!("\"{name}\"")),
        value: features[place],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(n: usize) -> Vec<String> {
        (0..n).map(|i| i.to_string()).collect()
    }

    #[test]
    fn rows_and_members() {
        let features = vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let table = FeatureTable::new(features, 2, vec![1, 0, 1], names(3), "t").unwrap();
        assert_eq!((table.rows(), table.dims()), (3, 2));
        assert_eq!(table.row(1), [3.0, 4.0]);
        assert_eq!(table.gather(&[2, 0]), [5.0, 6.0, 1.0, 2.0]);
        assert_eq!(table.members(), [vec![1], vec![0, 2], vec![]]);
    }

    #[test]
    fn impossible_tables_are_refused() {
        assert!(FeatureTable::new(vec![], 2, vec![], names(1), "t").is_err());
        assert!(FeatureTable::new(vec![], 0, vec![0], names(1), "t").is_err());
        assert!(FeatureTable::new(vec![1.0; 3], 2, vec![0, 0], names(1), "t").is_err());
        assert!(FeatureTable::new(vec![1.0; 4], 2, vec![0, 1], names(1), "t").is_err());
    }

    #[test]
    fn the_first_value_that_is_not_finite_is_named() {
        let features = vec![1.0, 2.0, 3.0, f32::NEG_INFINITY, f32::NAN, 6.0];
        let table = FeatureTable::new(features, 3, vec![0, 0], names(1), "t").unwrap();
        let error = table.check_finite().unwrap_err();
        assert!(matches!(error, Error::NotFinite { row: 1, .. }), "{error}");
        assert!(error.to_string().starts_with("feature 0 of row 1 in t is -inf"), "{error}");
    }
}
