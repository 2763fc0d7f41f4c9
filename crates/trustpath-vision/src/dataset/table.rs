//! Any csv of file names and labels: one for the entire dataset, or `train.csv`, `val.csv` and `test.csv`.
//!
//! A header names the columns `filename` (or `file`, `path`, `image`, `id`) and `label` (or `class`); without one they
//! are the first two. Files are looked for beside the csv, in `images` beside it, and last anywhere by their name.

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;
use std::str::FromStr;

use super::classes::ClassNumbers;
use super::store::{ImageLocation, StoredImage};
use super::{DatasetKind, DatasetSplit, RawDataset};
use crate::source::{FileTree, file_name, folder_prefix, is_image};
use crate::{Error, Result};

const FILE_COLUMNS: [&str; 5] = ["filename", "file", "path", "image", "id"];
const LABEL_COLUMNS: [&str; 2] = ["label", "class"];

pub(super) fn is_here(source: &FileTree) -> bool {
    source.names().any(is_table)
}

pub(super) fn is_table(name: &str) -> bool {
    name.ends_with(".csv") || name.ends_with(".tsv")
}

/// Reads a csv whose images are beside it.
pub(super) fn open(path: &Path) -> Result<RawDataset> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let source = FileTree::open(folder.unwrap_or(Path::new(".")))?;
    read_tables(source, DatasetKind::Csv, name.into_iter().collect())
}

/// Reads the tables of a source: those that are named as splits, if there are any.
pub(super) fn read(source: FileTree, kind: DatasetKind) -> Result<RawDataset> {
    let tables: Vec<String> = source.names().filter(|name| is_table(name)).map(String::from).collect();
    let splits: Vec<String> = tables.iter().filter(|name| split(name).is_some()).cloned().collect();
    match (splits.is_empty(), tables.len()) {
        (false, _) => read_tables(source, kind, splits),
        (true, 1) => read_tables(source, kind, tables),
        (true, count) => {
            let reason = format!("it has {count} csv files; give the path of the right one");
            Err(Error::read(source.name(), reason))
        }
    }
}

/// Whether a csv names images: its first row has the name of one and, except for the label, no number.
pub(super) fn names_images(path: &Path) -> bool {
    let Ok(file) = std::fs::File::open(path) else { return false };
    let reader = reader(&path.to_string_lossy(), file);
    let mut records = reader.into_records().map_while(std::result::Result::ok);
    let Some(first) = records.next() else { return false };
    let (row, label) = if first.iter().any(is_image) {
        (first, Some(1))
    } else {
        // It is a header.
        let Some(row) = records.next() else { return false };
        (row, column(&first, &LABEL_COLUMNS))
    };
    let is_number = |(at, cell): (usize, &str)| Some(at) != label && cell.parse::<f64>().is_ok();
    row.iter().any(is_image) && !row.iter().enumerate().any(is_number)
}

fn reader<R: Read>(name: &str, file: R) -> csv::Reader<R> {
    csv::ReaderBuilder::new()
        .has_headers(false)
        .delimiter(if name.ends_with(".tsv") { b'\t' } else { b',' })
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(file)
}

/// Where a header has one of some names.
fn column(header: &csv::StringRecord, names: &[&str]) -> Option<usize> {
    header.iter().position(|cell| names.contains(&cell.to_ascii_lowercase().as_str()))
}

fn split(name: &str) -> Option<DatasetSplit> {
    DatasetSplit::from_str(file_name(name).split('.').next()?).ok()
}

fn read_tables(source: FileTree, kind: DatasetKind, mut tables: Vec<String>) -> Result<RawDataset> {
    tables.sort_by_key(|name| split(name));
    let files = FileFinder::new(&source);
    let (mut numbers, mut items) = (ClassNumbers::default(), Vec::new());
    for table in &tables {
        for (file, label) in rows(&source, table)? {
            let id = files.find(table, &file).ok_or_else(|| {
                let remedy = "add the file or remove its line";
                Error::read(table, format!("it names {file}, which is not there; {remedy}"))
            })?;
            let class = (!label.is_empty()).then(|| numbers.number(&label, split(table)));
            items.push(StoredImage { id, class, location: ImageLocation::File(None) });
        }
    }
    Ok(match kind {
        DatasetKind::Csv => RawDataset::unknown(kind, numbers.classes, items, source),
        kind => RawDataset::known(kind, numbers.classes, items, source, Vec::new()),
    })
}

/// File names and labels of a table.
fn rows(source: &FileTree, table: &str) -> Result<Vec<(String, String)>> {
    let refuse = |reason: String| Error::read(table, reason);
    let bytes = source.read(table)?;
    let (mut rows, mut columns) = (Vec::new(), (0, 1));
    for (line, record) in reader(table, bytes.as_slice()).records().enumerate() {
        let record = record.map_err(|e| refuse(format!("line {} is not csv ({e})", line + 1)))?;
        if line == 0
            && let Some(named) = column(&record, &FILE_COLUMNS).zip(column(&record, &LABEL_COLUMNS))
        {
            columns = named;
            continue;
        }
        let (Some(file), Some(label)) = (record.get(columns.0), record.get(columns.1)) else {
            return Err(refuse(format!("line {} has no file name and label", line + 1)));
        };
        rows.push((file.to_string(), label.to_string()));
    }
    Ok(rows)
}

/// Finds the files that a table names.
pub(super) struct FileFinder<'a> {
    source: &'a FileTree,
    /// Files by their last name; none where several have it.
    by_name: HashMap<&'a str, Option<&'a str>>,
}

impl<'a> FileFinder<'a> {
    pub fn new(source: &'a FileTree) -> Self {
        let mut by_name = HashMap::new();
        for name in source.names().filter(|name| is_image(name)) {
            by_name.entry(file_name(name)).and_modify(|known| *known = None).or_insert(Some(name));
        }
        Self { source, by_name }
    }

    pub fn find(&self, table: &str, file: &str) -> Option<String> {
        let (file, beside) = (file.trim_start_matches("./"), folder_prefix(table));
        let near = [format!("{beside}{file}"), format!("{beside}images/{file}"), file.to_string()];
        let anywhere = || self.by_name.get(file_name(file)).copied().flatten().map(String::from);
        near.into_iter().find(|name| self.source.contains(name)).or_else(anywhere)
    }
}
