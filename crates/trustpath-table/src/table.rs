//! Feature tables: one feature vector and one label per row, from any of the formats.

use std::path::PathBuf;

use crate::formats::raw::ReadOptions;
use crate::input::Input;
use crate::labels::NEEDED;
use crate::partly_labelled::{PartlyLabelledFile, check_finite};
use crate::{Classes, Error, Format, MissingLabels, Result};

/// Feature vectors with a label each.
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureTable {
    features: Vec<f32>,
    dims: usize,
    classes: Classes,
}

impl FeatureTable {
    /// A table of `features` in row-major order, with one label per row that is an index into
    /// `class_names`; errors call the table `source`.
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
            return Err(Error::shape(&source, &[rows, dims], "give at least one row with at least one feature"));
        }
        if rows.checked_mul(dims) != Some(features.len()) {
            return Err(Error::label_count(&source, &source, rows, features.len() / dims));
        }
        Ok(Self { features, dims, classes: Classes::new(labels, class_names, source)? })
    }

    /// Reads the bytes of a safetensors file that contains labels; errors call the table `source`.
    ///
    /// # Errors
    /// If the bytes cannot be parsed or contain no features or labels.
    pub fn from_safetensors(bytes: Vec<u8>, source: impl Into<String>) -> Result<Self> {
        let source = source.into();
        let input = Input::memory(bytes, &source);
        let raw = Format::Safetensors.read(input, ReadOptions::default())?;
        let no_labels = || Error::no_labels(&source, "store them under the name \"labels\"");
        let labels = raw.labels.ok_or_else(no_labels)?;
        let (labels, class_names) = labels.encode(raw.class_names, &source)?;
        Self::new(raw.features, raw.dims, labels, class_names, source)
    }

    /// All features in row-major order.
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
    /// If the row does not exist.
    pub fn row(&self, row: usize) -> &[f32] {
        &self.features[row * self.dims..][..self.dims]
    }

    /// The features of several rows, in that order.
    ///
    /// # Panics
    /// If one of them does not exist.
    pub fn gather(&self, rows: &[usize]) -> Vec<f32> {
        let mut gathered = Vec::with_capacity(rows.len() * self.dims);
        rows.iter().for_each(|&row| gathered.extend_from_slice(self.row(row)));
        gathered
    }

    /// The class of each row, as an index into [`class_names`](Self::class_names).
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

    /// The labels and classes, without the features.
    pub fn classes(&self) -> &Classes {
        &self.classes
    }

    /// Where the table comes from.
    pub fn source(&self) -> &str {
        &self.classes.source
    }

    /// Checks that all features are finite.
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
pub struct TableFile(PartlyLabelledFile);

impl TableFile {
    /// The features file at `path`, with its labels inside or beside it: in `NAME-labels` or
    /// `NAME_labels` with the ending `.npy`, `.csv`, `.tsv` or `.txt`.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(PartlyLabelledFile::new(path).in_memory_up_to(u64::MAX))
    }

    /// Takes these features, row after row, which the caller has read from the file because no [`Format`] does.
    pub fn array(self, features: Vec<f32>, dims: usize) -> Self {
        Self(self.0.array(features, dims))
    }

    /// Takes the labels from this file, even if the features file has labels too.
    pub fn labels(self, path: impl Into<PathBuf>) -> Self {
        Self(self.0.labels(path))
    }

    /// Sets the name of the label column, `label` by default; where columns have no names, its number
    /// from 0, or from −1 backwards.
    pub fn label_column(self, name: impl Into<String>) -> Self {
        Self(self.0.label_column(name))
    }

    /// Reads the table.
    ///
    /// # Errors
    /// If a file cannot be read or parsed, or if not every row has a label.
    pub fn read(&self) -> Result<FeatureTable> {
        let (raw, given, file) = self.0.contents()?;
        let mut given = given.ok_or_else(|| self.0.no_labels())?;
        let usual = MissingLabels::usual();
        if given.ids.is_some() {
            let matched = given.match_to(raw.ids, raw.rows, &file, &usual)?;
            let missing = |row: usize| Error::label(&matched.source, row, "\"\"", NEEDED);
            let rows = matched.labels.iter().enumerate();
            let labels: Result<_> = rows.map(|(row, l)| l.ok_or_else(|| missing(row))).collect();
            return FeatureTable::new(raw.features, raw.dims, labels?, matched.class_names, file);
        }
        given.resolve_lines(None, raw.rows)?;
        let (labels, labels_file) = (given.labels.resolve(&usual).0, given.source);
        if labels.len() != raw.rows {
            return Err(Error::label_count(&file, &labels_file, labels.len(), raw.rows));
        }
        let (labels, class_names) = labels.encode(given.names, &labels_file)?;
        FeatureTable::new(raw.features, raw.dims, labels, class_names, file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{refused, strings};

    fn table(features: &[f32], dims: usize, labels: &[usize]) -> Result<FeatureTable> {
        FeatureTable::new(features.to_vec(), dims, labels.to_vec(), strings(&["a", "b", "c"]), "t")
    }

    #[test]
    fn rows_and_members() {
        let table = table(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 2, &[1, 0, 1]).unwrap();
        assert_eq!((table.rows(), table.dims()), (3, 2));
        assert_eq!(table.row(1), [3.0, 4.0]);
        assert_eq!(table.gather(&[2, 0]), [5.0, 6.0, 1.0, 2.0]);
        assert_eq!(table.members(), [vec![1], vec![0, 2], vec![]]);
    }

    #[test]
    fn impossible_tables_are_refused() {
        refused(table(&[], 2, &[]), &["at least one row"]);
        refused(table(&[], 0, &[0]), &["at least one feature"]);
        refused(table(&[1.0; 3], 2, &[0, 0]), &["2 labels", "1 rows"]);
        refused(table(&[1.0; 4], 2, &[0, 3]), &["label 3 of row 1"]);
    }
}
