//! Feature tables: one feature vector and one label per row, from any of five formats.
//!
//! | ending | features | labels inside |
//! |---|---|---|
//! | `.npy` | 2-D array, C or Fortran order | – |
//! | `.npz` | array `features`, `embeddings`, `x`, … | array `labels`, `y`, …; `class_names` |
//! | `.safetensors` | tensor `features`, … | tensor `labels`, …; metadata `class_names` (JSON) |
//! | `.csv`, `.tsv` | all numeric columns | the label column |
//! | `.parquet` | all numeric columns, or one column of lists | the label column |
//!
//! Labels may also stand beside: in a file that is given, or in `NAME-labels` / `NAME_labels` with
//! the ending `.npy`, `.csv`, `.tsv` or `.txt`. Files are not trusted: sizes in headers are measured
//! against the bytes that are there before memory is taken, and pickles are never opened.

mod csv;
pub(crate) mod labels;
mod npz;
#[cfg(feature = "parquet")]
mod parquet;
mod safetensors;

use std::path::{Path, PathBuf};

use crate::{Error, Result, npy};
use labels::Labels;

/// Names under which formats with named arrays are searched for features, best first.
const FEATURE_NAMES: [&str; 7] = ["features", "feats", "embeddings", "x", "X", "data", "arr_0"];
/// Names under which formats with named arrays are searched for labels, best first.
const LABEL_NAMES: [&str; 6] = ["labels", "label", "targets", "y", "Y", "arr_1"];
const NAME_FEATURES: &str = "save the features under the name \"features\", one row per instance";

/// Feature vectors with their labels, as real data or a file gives them.
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureTable {
    features: Vec<f32>,
    dims: usize,
    labels: Vec<usize>,
    class_names: Vec<String>,
    source: String,
    /// Rows of each class, ascending.
    members: Vec<Vec<usize>>,
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
        let mut members = vec![Vec::new(); class_names.len()];
        for (row, &label) in labels.iter().enumerate() {
            let of_class = members.get_mut(label).ok_or_else(|| Error::Label {
                file: source.clone(),
                row,
                value: label.to_string(),
                expected: format!("it must lie in 0..{} to have a name", class_names.len()),
            })?;
            of_class.push(row);
        }
        Ok(Self { features, dims, labels, class_names, source, members })
    }

    /// The table in the bytes of a safetensors file with its labels inside, called `source`.
    ///
    /// # Errors
    /// Whatever is wrong with the bytes, in a sentence.
    pub fn from_safetensors(bytes: &[u8], source: impl Into<String>) -> Result<Self> {
        let source = source.into();
        let raw = safetensors::read(bytes, &source)?;
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
        self.labels.len()
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
        &self.labels
    }

    /// The names of the classes.
    pub fn class_names(&self) -> &[String] {
        &self.class_names
    }

    /// The rows of each class, ascending.
    pub fn members(&self) -> &[Vec<usize>] {
        &self.members
    }

    /// Where the table comes from.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Says where the first value stands that is not a finite number.
    ///
    /// # Errors
    /// [`Error::NotFinite`] with its row and column.
    pub fn check_finite(&self) -> Result<()> {
        match self.features.iter().position(|value| !value.is_finite()) {
            None => Ok(()),
            Some(place) => Err(Error::NotFinite {
                file: self.source.clone(),
                row: place / self.dims,
                column: place % self.dims,
                value: self.features[place],
            }),
        }
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
    label_column: String,
}

impl TableFile {
    /// The features file at `path`, with its labels inside or beside it.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { features: path.into(), labels: None, label_column: "label".into() }
    }

    /// Takes the labels from this file, whatever the features file holds itself.
    pub fn labels(mut self, path: impl Into<PathBuf>) -> Self {
        self.labels = Some(path.into());
        self
    }

    /// Calls the label column by this name instead of `label`; where columns have no names, by its
    /// number from 0, or from −1 backwards.
    pub fn label_column(mut self, name: impl Into<String>) -> Self {
        self.label_column = name.into();
        self
    }

    /// Reads the table.
    ///
    /// # Errors
    /// Whatever is wrong with the files, in a sentence.
    pub fn read(&self) -> Result<FeatureTable> {
        let file = self.features.display().to_string();
        let raw = self.read_raw()?;
        let (labels, labels_file, names) = match (&self.labels, raw.labels) {
            (Some(path), inside) => {
                let names = if inside.is_none() { raw.class_names } else { None };
                (Labels::open(path, &self.label_column)?, path.display().to_string(), names)
            }
            (None, Some(labels)) => (labels, file.clone(), raw.class_names),
            (None, None) => {
                let path = self.find_labels()?;
                let labels = Labels::open(&path, &self.label_column)?;
                (labels, path.display().to_string(), raw.class_names)
            }
        };
        if labels.len() != raw.rows {
            let labels = labels.len();
            return Err(Error::LabelCount { file, labels_file, labels, rows: raw.rows });
        }
        let (labels, class_names) = labels.encode(names, &labels_file)?;
        FeatureTable::new(raw.features, raw.dims, labels, class_names, file)
    }

    fn read_raw(&self) -> Result<Raw> {
        let path = self.features.as_path();
        match extension(path).as_str() {
            "npy" => {
                let array = npy::Array::open(path)?;
                let (rows, dims) = matrix_shape(&path.display(), &array.shape)?;
                let features = array.to_f32s()?;
                Ok(Raw { features, rows, dims, labels: None, class_names: None })
            }
            "npz" => npz::read(path),
            "safetensors" => safetensors::open(path),
            "csv" | "tsv" => csv::read(path, &self.label_column),
            #[cfg(feature = "parquet")]
            "parquet" => parquet::read(path, &self.label_column),
            #[cfg(not(feature = "parquet"))]
            "parquet" => Err(Error::NotBuilt {
                file: path.display().to_string(),
                remedy: "build with the cargo feature `parquet`, or convert it to .npy or .csv",
            }),
            _ => Err(Error::UnknownFormat {
                file: path.display().to_string(),
                expected: "features as .npy, .npz, .safetensors, .csv, .tsv or .parquet",
            }),
        }
    }

    /// The file beside the features whose name says that it holds their labels.
    fn find_labels(&self) -> Result<PathBuf> {
        let stem = self.features.file_stem().unwrap_or_default().to_string_lossy();
        for joint in ["-", "_"] {
            for ending in ["npy", "csv", "tsv", "txt"] {
                let beside = self.features.with_file_name(format!("{stem}{joint}labels.{ending}"));
                if beside.is_file() {
                    return Ok(beside);
                }
            }
        }
        let inside = match extension(&self.features).as_str() {
            "npy" => String::new(),
            "npz" | "safetensors" => ", store them under the name \"labels\"".into(),
            _ => format!(
                ", or name the column that holds them (\"{}\" is not there)",
                self.label_column
            ),
        };
        Err(Error::NoLabels {
            file: self.features.display().to_string(),
            remedy: format!(
                "give a labels file, put one beside it as {stem}-labels.npy (or .csv, .tsv, .txt){inside}"
            ),
        })
    }
}

/// What a file of features holds.
#[derive(Debug)]
pub(crate) struct Raw {
    pub features: Vec<f32>,
    pub rows: usize,
    pub dims: usize,
    pub labels: Option<Labels>,
    pub class_names: Option<Vec<String>>,
}

/// The ending of a file's name in lower case.
fn extension(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_lowercase()
}

fn matrix_shape(file: &dyn std::fmt::Display, shape: &[usize]) -> Result<(usize, usize)> {
    match *shape {
        [rows, dims] if rows > 0 && dims > 0 => Ok((rows, dims)),
        _ => Err(Error::Shape {
            file: file.to_string(),
            found: shape.to_vec(),
            expected: "features must be two-dimensional, rows × features, and not empty; reshape them",
        }),
    }
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
        assert!(matches!(error, Error::NotFinite { row: 1, column: 0, .. }), "{error}");
    }
}
