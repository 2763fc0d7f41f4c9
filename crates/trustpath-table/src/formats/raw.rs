//! What every reader is asked for ([`ReadOptions`]) and what it returns ([`RawTable`]).

use std::collections::HashSet;
use std::sync::Arc;

use crate::block_file::BlockFile;
use crate::labels::FileLabels;
use crate::missing::ReadingNote;
use crate::printable::quoted_list;
use crate::{Error, Result, Tasks};

/// Names under which features are searched for, best first.
pub(super) const FEATURE_NAMES: [&str; 8] = ["features", "feats", "embeddings", "embedding", "x", "X", "data", "arr_0"];
/// Names under which arrays of labels are searched for, best first.
const LABEL_NAMES: [&str; 6] = ["labels", "label", "targets", "y", "Y", "arr_1"];
/// Names under which arrays of ids are searched for, best first.
const ID_NAMES: [&str; 2] = ["ids", "id"];

/// Names of columns of labels, best first; in any case.
pub(super) const LABEL_COLUMNS: [&str; 5] = ["label", "labels", "class", "category", "target"];
/// Names of columns of ids, best first; in any case.
pub(super) const ID_COLUMNS: [&str; 2] = ["id", "ids"];

/// The column of origins in a labels file; in any case.
pub(super) const ORIGIN_COLUMN: &str = "origin";

/// What to read, and the names of columns where the caller gives them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ReadOptions<'a> {
    pub label: Option<&'a str>,
    pub id: Option<&'a str>,
    /// The columns of features; `NAME*` means all names that begin like this.
    pub features: Option<&'a [String]>,
    /// The columns to pass on to the result.
    pub carry: Option<&'a [String]>,
    /// The column of texts, which features are computed from later: it is passed on, and nothing is a feature.
    pub text: Option<&'a str>,
    /// Reads only labels and ids, and ignores everything else.
    pub labels_only: bool,
    /// Bytes that features may take in memory. Larger ones stay in their file if its format allows it.
    pub in_memory: Option<u64>,
}

impl<'a> ReadOptions<'a> {
    /// The place of the label column among these names.
    pub fn find_label<S: AsRef<str>>(self, names: &[S]) -> Option<usize> {
        find(names, self.label, &LABEL_COLUMNS)
    }

    /// The place of the id column among these names.
    pub fn find_id<S: AsRef<str>>(self, names: &[S]) -> Option<usize> {
        find(names, self.id, &ID_COLUMNS)
    }

    /// The place of the column of origins among these names, in a labels file.
    pub fn find_origin<S: AsRef<str>>(self, names: &[S]) -> Option<usize> {
        self.labels_only.then(|| find(names, None, &[ORIGIN_COLUMN])).flatten()
    }

    /// The note on a label column that the caller did not name and that has another name than most.
    pub fn label_note(self, name: &str) -> Option<ReadingNote> {
        let expected = self.label.is_some() || name.to_lowercase().starts_with("label");
        (!expected).then(|| ReadingNote::LabelColumn(name.to_owned()))
    }

    /// The note on columns of texts, unless the caller says what columns are for.
    pub fn text_note(self, texts: Vec<String>) -> Option<ReadingNote> {
        let decided = self.features.is_some() || self.carry.is_some() || self.text.is_some();
        (!decided && !texts.is_empty()).then_some(ReadingNote::TextColumns(texts))
    }

    /// Whether the caller names this column as a feature; `None` if the caller names none.
    pub fn is_named_feature(self, name: &str) -> Option<bool> {
        if self.text.is_some() {
            return Some(false);
        }
        Some(self.features?.iter().any(|pattern| fits(name, pattern)))
    }

    /// Whether a column of numbers or texts is a feature: one that the caller names, or else all numbers that are
    /// not to be passed on.
    pub fn is_feature(self, name: &str, is_text: bool) -> bool {
        self.is_named_feature(name).unwrap_or(!is_text && !self.is_named_to_carry(name))
    }

    /// Whether a column that is no feature, label or id is passed on to the result: one that the caller names, or
    /// else all texts.
    pub fn is_carried(self, name: &str, is_text: bool) -> bool {
        let chosen = if self.carry.is_some() { self.is_named_to_carry(name) } else { is_text };
        chosen || self.text == Some(name)
    }

    /// Whether the caller names this column to be passed on.
    pub fn is_named_to_carry(self, name: &str) -> bool {
        self.carry.into_iter().flatten().any(|chosen| chosen == name)
    }

    /// Refuses names of feature columns and of columns to pass on that do not exist.
    pub fn check_columns<S: AsRef<str>>(self, names: &[S], file: &str) -> Result<()> {
        let known = |wanted: &str| names.iter().any(|name| fits(name.as_ref(), wanted));
        let mut wanted = self.features.into_iter().chain(self.carry).flatten().map(String::as_str).chain(self.text);
        match wanted.find(|wanted| !known(wanted)) {
            Some(missing) => Err(no_column(file, missing, names)),
            None => Ok(()),
        }
    }

    /// Whether features of this size are to stay in their file.
    pub fn stays_in_file(self, rows: usize, dims: usize) -> bool {
        let bytes = (rows as u64).saturating_mul(dims as u64).saturating_mul(4);
        self.in_memory.is_some_and(|most| bytes > most)
    }

    /// Names under which an array of features is searched for, best first.
    pub(super) fn feature_names(self) -> Vec<&'a str> {
        self.features.map_or(FEATURE_NAMES.to_vec(), |names| names.iter().map(String::as_str).collect())
    }

    pub(super) fn label_names(self) -> Vec<&'a str> {
        self.label.map_or(LABEL_NAMES.to_vec(), |name| vec![name])
    }

    pub(super) fn id_names(self) -> Vec<&'a str> {
        self.id.map_or(ID_NAMES.to_vec(), |name| vec![name])
    }
}

/// Whether a name is the one that is wanted, or begins like `NAME*`.
fn fits(name: &str, wanted: &str) -> bool {
    match wanted.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == wanted,
    }
}

/// The place of a column: of the name that the caller gives, or else of the best of the usual names. A
/// name that is spelled exactly comes before one in another case.
fn find<S: AsRef<str>>(names: &[S], wanted: Option<&str>, usual: &[&str]) -> Option<usize> {
    let place = |wanted: &&str| {
        let exact = names.iter().position(|name| name.as_ref() == *wanted);
        exact.or_else(|| names.iter().position(|n| n.as_ref().eq_ignore_ascii_case(wanted)))
    };
    match wanted {
        Some(wanted) => place(&wanted),
        None => usual.iter().find_map(place),
    }
}

/// How sure it is which rows of a file of labels are labels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum LabelLines {
    /// Every row is one.
    #[default]
    Exact,
    /// Empty lines at the end may be none.
    OpenEnd,
    /// Empty lines at the end may be none, and the first line may be a header.
    UnclearStart,
}

/// A column that is passed on to the result.
#[derive(Debug, Clone, PartialEq)]
pub struct CarriedColumn {
    /// Its name.
    pub name: String,
    /// The text of every row that has one.
    pub texts: Vec<Option<String>>,
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
    /// Names of the features, where each has a separate column.
    pub columns: Option<Vec<String>>,
    /// Names of all columns, whatever they are used for; empty where they are not listed.
    pub all_columns: Vec<String>,
    pub ids: Option<Vec<String>>,
    pub labels: Option<FileLabels>,
    /// For labels alone, the origin of each as it is written.
    pub origins: Option<Vec<String>>,
    pub class_names: Option<Vec<String>>,
    /// For labels alone, how sure their number is.
    pub label_lines: LabelLines,
    pub carried: Vec<CarriedColumn>,
    pub notes: Vec<ReadingNote>,
    /// The tasks of Label Studio that it was read from.
    pub tasks: Option<Arc<Tasks>>,
}

impl RawTable {
    /// A file of labels alone.
    pub fn of_labels(labels: Option<FileLabels>, ids: Option<Vec<String>>) -> Self {
        Self { rows: labels.as_ref().map_or(0, FileLabels::len), labels, ids, ..Self::default() }
    }
}

/// Numbers of rows and columns, if the array is two-dimensional.
pub(crate) fn matrix_shape(file: &str, shape: &[usize]) -> Result<(usize, usize)> {
    match *shape {
        [rows, dims] if rows > 0 && dims > 0 => Ok((rows, dims)),
        _ => {
            let expected = "features must be two-dimensional, rows × features, and not empty; reshape them";
            Err(Error::shape(file, shape, expected))
        }
    }
}

/// Refuses an array of labels that has more than one long axis.
pub(super) fn check_label_shape(file: &str, shape: &[usize]) -> Result<()> {
    if shape.iter().filter(|&&n| n != 1).count() <= 1 {
        return Ok(());
    }
    Err(Error::shape(file, shape, "labels must be one-dimensional, one for each row of the features"))
}

/// None of the arrays in a file has the name of features.
pub(super) fn no_feature_array(file: &str, names: &[String]) -> Error {
    let contents = if names.is_empty() { "nothing".into() } else { names.join(", ") };
    let remedy = "save the features under the name \"features\", one row per instance, or name their array";
    Error::no_features(file, contents, remedy)
}

/// Refuses a header in which a name comes twice; columns may be without a name.
pub(crate) fn check_header(names: &[String], file: &str) -> Result<()> {
    let mut seen = HashSet::new();
    match names.iter().find(|name| !name.is_empty() && !seen.insert(name.as_str())) {
        Some(column) => Err(Error::DuplicateColumn { file: file.to_owned(), column: column.clone() }),
        None => Ok(()),
    }
}

/// A column that the caller named does not exist.
pub(crate) fn no_column<S: AsRef<str>>(file: &str, column: &str, names: &[S]) -> Error {
    let columns = match names {
        [] => "unnamed columns".into(),
        _ => quoted_list(names.iter().map(AsRef::as_ref), 8),
    };
    Error::NoColumn { file: file.to_owned(), column: column.to_owned(), columns }
}
