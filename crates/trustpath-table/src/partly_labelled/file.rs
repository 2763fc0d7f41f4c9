//! A file of instances, and where their labels are.

use std::path::{Path, PathBuf};

use super::given::GivenLabels;
use super::rows::FeatureStorage;
use super::{PartlyLabelledTable, check_finite, check_unique};
use crate::formats::raw::{RawTable, ReadOptions, matrix_shape, no_column};
use crate::formats::{LabelPlace, is_stream};
use crate::input::Input;
use crate::labels::{FileLabels, read_labels};
use crate::{Error, Format, MissingLabels, ReadingNote, Result, journal_of};

/// Bytes that features take in memory at most by default ([`PartlyLabelledFile::in_memory_up_to`]).
pub const IN_MEMORY: u64 = 256 << 20;

/// A file of instances, and where their labels are.
///
/// Labels are in a column of the file, in a labels file that is given, or in one beside the features
/// (`NAME-labels.csv`). A labels file has one label per row in the order of the features, or an id and
/// a label for some of them. [`MissingLabels`] says which labels are missing.
///
/// Ids are in a column (`id`) or an array (`ids`), or else are the numbers of the rows from 0. Labels
/// with ids beside features without are refused unless the ids are row numbers, or the caller says that
/// the labels are [in the order](Self::labels_in_order) of the features.
///
/// ```
/// use trustpath_table::PartlyLabelledFile;
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("pool.csv");
/// std::fs::write(&path, "id,a,b,label\nx.jpg,1,2,auk\ny.jpg,3,4,\nz.jpg,5,6,gull\n").unwrap();
/// let table = PartlyLabelledFile::new(path).read()?;
/// assert_eq!(table.ids(), ["x.jpg", "y.jpg", "z.jpg"]);
/// assert_eq!(table.labels(), [Some(0), None, Some(1)]);
/// assert_eq!(table.class_names(), ["auk", "gull"]);
/// # Ok::<(), trustpath_table::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PartlyLabelledFile {
    features: PathBuf,
    format: Option<Format>,
    labels: Option<PathBuf>,
    label_column: Option<String>,
    id_column: Option<String>,
    not_beside: bool,
    in_memory: Option<u64>,
    missing: MissingLabels,
    in_order: bool,
    feature_columns: Option<Vec<String>>,
    carry: Option<Vec<String>>,
    text: Option<String>,
    array: Option<(Vec<f32>, usize)>,
}

impl PartlyLabelledFile {
    /// The file at `path`; `-` is standard input.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { features: path.into(), ..Self::default() }
    }

    /// Reads it as this format, regardless of the ending of its name.
    pub fn format(mut self, format: Format) -> Self {
        self.format = Some(format);
        self
    }

    /// Takes these features, row after row, which the caller has read from the file because no [`Format`] does.
    pub fn array(mut self, features: Vec<f32>, dims: usize) -> Self {
        self.array = Some((features, dims));
        self
    }

    /// Takes the labels from this file, even if the features file has labels too.
    pub fn labels(mut self, path: impl Into<PathBuf>) -> Self {
        self.labels = Some(path.into());
        self
    }

    /// Sets the name of the label column, `label` by default; where columns have no names, its number
    /// from 0, or from −1 backwards.
    pub fn label_column(mut self, name: impl Into<String>) -> Self {
        self.label_column = Some(name.into());
        self
    }

    /// Sets the name of the id column, `id` by default, or its number.
    pub fn id_column(mut self, name: impl Into<String>) -> Self {
        self.id_column = Some(name.into());
        self
    }

    /// Sets which labels are missing; the usual markers by default.
    pub fn missing(mut self, missing: MissingLabels) -> Self {
        self.missing = missing;
        self
    }

    /// Takes labels in the order of the features even if their file has ids, which then name the instances.
    pub fn labels_in_order(mut self) -> Self {
        self.in_order = true;
        self
    }

    /// Sets the columns of features: names, `NAME*` for all that begin like this, or a column of lists;
    /// where there are no columns, the name of the array. By default all numeric columns.
    pub fn feature_columns(mut self, names: Vec<String>) -> Self {
        self.feature_columns = Some(names);
        self
    }

    /// Sets the columns that are passed on to the result ([`PartlyLabelledTable::carried`]); by default
    /// all columns of texts.
    pub fn carry(mut self, names: Vec<String>) -> Self {
        self.carry = Some(names);
        self
    }

    /// Takes the texts of this column instead of features, which are computed from them later: the table has none until
    /// [`PartlyLabelledTable::with_features`]. The column is passed on to the result.
    pub fn text(mut self, column: impl Into<String>) -> Self {
        self.text = Some(column.into());
        self
    }

    /// Does not look for labels beside the features, since prediction needs none.
    pub fn not_beside(mut self) -> Self {
        self.not_beside = true;
        self
    }

    /// Keeps features in memory up to this number of bytes, at four bytes per value; larger ones stay in their file and
    /// are read when they are needed. This requires `.npy` in C order, `.safetensors` or `.parquet`; other files are
    /// read entirely, regardless of their size.
    ///
    /// Of a Parquet file one piece of a row group is in memory at a time, so that reading rows in
    /// ascending order takes one pass over the file, and random access is slower.
    pub fn in_memory_up_to(mut self, bytes: u64) -> Self {
        self.in_memory = Some(bytes);
        self
    }

    /// The files that it is read from, also those beside the features in which labels are searched for.
    pub fn files(&self) -> Vec<PathBuf> {
        let beside = || if self.not_beside { Vec::new() } else { names_beside(&self.features).collect() };
        let labels = self.labels.as_ref().map_or_else(beside, |labels| vec![labels.clone()]);
        [vec![self.features.clone()], labels].concat()
    }

    /// Reads the table. It may have no labels: see [`PartlyLabelledTable::check_labels`].
    ///
    /// # Errors
    /// If a file cannot be read or parsed, or if features, ids and labels do not fit each other.
    pub fn read(&self) -> Result<PartlyLabelledTable> {
        let (raw, given, source) = self.contents()?;
        check_finite(&raw.features, raw.dims, 0, raw.columns.as_deref(), &source)?;
        if let Some(ids) = &raw.ids {
            if ids.len() != raw.rows {
                let reason = format!("it has {} ids for {} rows", ids.len(), raw.rows);
                return Err(Error::damaged(source, reason));
            }
            check_unique(ids, &source)?;
        }
        let none = || GivenLabels::of_rows(FileLabels::Names(vec![None; raw.rows]), source.clone());
        let given = given.unwrap_or_else(none);
        let matched = given.match_to(raw.ids, raw.rows, &source, &self.missing)?;
        Ok(PartlyLabelledTable {
            features: match raw.in_file {
                Some(file) => FeatureStorage::InFile(file),
                None => FeatureStorage::InMemory(raw.features),
            },
            dims: raw.dims,
            columns: raw.columns,
            ids: matched.ids,
            labels: matched.labels,
            class_names: matched.class_names,
            origins: matched.origins,
            source,
            labels_source: matched.source,
            tasks: raw.tasks,
            carried: raw.carried,
            notes: [raw.notes, matched.notes].concat(),
        })
    }

    /// The contents of the features file, the labels in it or in another file, and the name that errors use for it.
    pub(crate) fn contents(&self) -> Result<(RawTable, Option<GivenLabels>, String)> {
        if self.labels.as_deref().is_some_and(is_stream) && is_stream(&self.features) {
            return Err(Error::read("standard input", "it cannot be both the features and the labels"));
        }
        let options = ReadOptions {
            label: self.label_column.as_deref(),
            id: self.id_column.as_deref(),
            features: self.feature_columns.as_deref(),
            carry: self.carry.as_deref(),
            text: self.text.as_deref(),
            labels_only: false,
            in_memory: Some(self.in_memory.unwrap_or(IN_MEMORY)),
        };
        let (mut raw, source, label_place) = self.features_and_source(options)?;
        let inside = raw.labels.take();
        let look_beside = inside.is_none() && !self.not_beside;
        let beside = || look_beside.then(|| labels_beside(&self.features)).flatten();
        let outside = self.labels.clone().or_else(beside);
        let Some(path) = outside else {
            let in_column = label_place == LabelPlace::Column;
            if let (Some(name), None, true, true) = (&self.label_column, &inside, in_column, !self.not_beside) {
                if raw.all_columns.is_empty() {
                    let texts = raw.carried.iter().map(|column| &column.name);
                    let names = texts.chain(raw.columns.iter().flatten());
                    raw.all_columns = names.cloned().collect();
                }
                return Err(no_column(&source, name, &raw.all_columns));
            }
            let names = raw.class_names.take();
            let given = inside.map(|labels| GivenLabels { names, ..GivenLabels::of_rows(labels, source.clone()) });
            return Ok((raw, given, source));
        };
        let given = self.labels_of(&path, options, &mut raw, inside.is_some())?;
        Ok((raw, Some(given), source))
    }

    /// The features with what stands beside them, the name that errors use for them, and where their format has labels.
    fn features_and_source(&self, options: ReadOptions) -> Result<(RawTable, String, LabelPlace)> {
        if let Some((features, dims)) = &self.array {
            let source = self.features.display().to_string();
            let rows = features.len().checked_div(*dims).unwrap_or(0);
            let (rows, dims) = matrix_shape(&source, &[rows, *dims])?;
            let raw = RawTable { features: features.clone(), rows, dims, ..RawTable::default() };
            return Ok((raw, source, LabelPlace::Outside));
        }
        // A path that does not exist has no format either.
        let input = Input::open(&self.features)?;
        let format = self.format.map_or_else(|| Format::of(&self.features), Ok)?;
        let source = input.name.clone();
        if let (Some(text), false) = (&self.text, format.label_place() == LabelPlace::Column) {
            return Err(no_column::<&str>(&source, text, &[]));
        }
        Ok((format.read(input, options)?, source, format.label_place()))
    }

    /// The labels in a separate file, whose notes and tasks go to the features; `labelled` if these have labels too.
    fn labels_of(&self, path: &Path, options: ReadOptions, raw: &mut RawTable, labelled: bool) -> Result<GivenLabels> {
        let mut read = read_labels(path, options)?;
        let journal = journal_of(path);
        if journal.is_file() {
            raw.notes.push(ReadingNote::Journal(path.display().to_string(), journal.display().to_string()));
        }
        // Ids of tasks are no row numbers.
        let tasks_in_order = read.tasks.is_some() && raw.ids.is_none();
        let (tasks, notes) = (read.tasks.take(), std::mem::take(&mut read.notes));
        let remedy = format!("it has no {:?}; name the label column", options.label.unwrap_or("label"));
        let mut given = GivenLabels::of_file(read, path, &remedy)?;
        if let Some(tasks) = tasks {
            raw.tasks.get_or_insert(tasks);
            raw.notes.extend(notes);
        }
        // Names in the features file belong to the labels there, if it has any.
        given.names = given.names.or(raw.class_names.take().filter(|_| !labelled));
        // A file named after the features is taken to be written together with them.
        let beside = labels_beside(&self.features).is_some_and(|beside| beside == path);
        let together = beside && given.ids.as_ref().is_some_and(|ids| ids.len() == raw.rows);
        given.in_order = self.in_order || together || tasks_in_order;
        Ok(given)
    }

    /// The error for a file without labels in it or beside it.
    pub(crate) fn no_labels(&self) -> Error {
        let stem = self.features.file_stem().unwrap_or_default().to_string_lossy();
        let column = self.label_column.as_deref().unwrap_or("label");
        let inside = match Format::of(&self.features).map(Format::label_place) {
            Ok(LabelPlace::Outside) => String::new(),
            Ok(LabelPlace::NamedArray) => ", store them under the name \"labels\"".into(),
            _ => format!(", or name the column that holds them ({column:?} does not exist)"),
        };
        let remedy =
            format!("give a labels file, put one beside it as {stem}-labels.npy (or .csv, .tsv, .txt){inside}");
        Error::no_labels(self.features.display().to_string(), remedy)
    }
}

/// The file beside the features whose name says that it holds their labels.
fn labels_beside(features: &Path) -> Option<PathBuf> {
    names_beside(features).find(|path| path.is_file())
}

/// The names under which labels are searched for.
fn names_beside(features: &Path) -> impl Iterator<Item = PathBuf> {
    let stem = features.file_stem().unwrap_or_default().to_string_lossy();
    let endings = if is_stream(features) { &[][..] } else { &["npy", "csv", "tsv", "txt"] };
    let names = ["-", "_"].into_iter().flat_map(move |joint| endings.iter().map(move |ending| (joint, ending)));
    names.map(move |(joint, ending)| features.with_file_name(format!("{stem}{joint}labels.{ending}")))
}
