//! Any csv of file names and labels: one for the whole, or `train.csv`, `val.csv` and `test.csv`.
//!
//! A header names the columns `filename` (or `file`, `path`, `image`, `id`) and `label` (or `class`);
//! without one they are the first two. Files are looked for beside the csv, in `images` beside it, and
//! last anywhere by their name.

use std::collections::HashMap;
use std::path::Path;
use std::str::FromStr;

use super::stored::{Item, Store, Stored};
use super::{Class, Draft, Kind, Split};
use crate::source::{Source, is_picture};
use crate::{Error, Result};

pub(super) fn is_here(source: &Source) -> bool {
    source.names().any(is_table)
}

fn is_table(name: &str) -> bool {
    name.ends_with(".csv") || name.ends_with(".tsv")
}

/// Reads a csv of which the files lie beside.
pub(super) fn open(path: &Path) -> Result<Draft> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let source = Source::open(folder.unwrap_or(Path::new(".")))?;
    draft(source, Kind::Csv, name.into_iter().collect())
}

/// Reads the tables of a source: those that are named as splits, if there are any.
pub(super) fn read(source: Source, kind: Kind) -> Result<Draft> {
    let tables: Vec<String> =
        source.names().filter(|name| is_table(name)).map(String::from).collect();
    let splits: Vec<String> = tables.iter().filter(|name| split(name).is_some()).cloned().collect();
    match (splits.is_empty(), tables.as_slice()) {
        (false, _) => draft(source, kind, splits),
        (true, [_]) => draft(source, kind, tables),
        (true, []) => {
            Err(Error::Read { name: source.name().into(), reason: "it has no csv".into() })
        }
        (true, several) => Err(Error::Read {
            name: source.name().into(),
            reason: format!("it has {} csv files; name the one that is meant", several.len()),
        }),
    }
}

/// Whether a csv names pictures: its first row has the name of one, and but for the label no number.
pub(super) fn names_pictures(path: &Path) -> bool {
    let delimiter = if path.extension().is_some_and(|e| e == "tsv") { b'\t' } else { b',' };
    let reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .delimiter(delimiter)
        .flexible(true)
        .trim(csv::Trim::All)
        .from_path(path);
    let Ok(reader) = reader else { return false };
    let mut records = reader.into_records().map_while(std::result::Result::ok);
    let Some(first) = records.next() else { return false };
    let (row, label) = match first.iter().any(is_picture) {
        true => (first, Some(1)),
        // It is a header.
        false => {
            let is_label = |cell: &str| ["label", "class"].contains(&&*cell.to_ascii_lowercase());
            let Some(row) = records.next() else { return false };
            (row, first.iter().position(is_label))
        }
    };
    let is_number = |(at, cell): (usize, &str)| Some(at) != label && cell.parse::<f64>().is_ok();
    row.iter().any(is_picture) && !row.iter().enumerate().any(is_number)
}

fn split(name: &str) -> Option<Split> {
    let file = name.rsplit('/').next()?;
    Split::from_str(file.split('.').next()?).ok()
}

fn draft(source: Source, kind: Kind, mut tables: Vec<String>) -> Result<Draft> {
    tables.sort_by_key(|name| split(name));
    let files = Files::new(&source);
    let (mut classes, mut numbers, mut items) = (Vec::new(), HashMap::new(), Vec::new());
    for table in &tables {
        let split = split(table);
        for (file, label) in rows(&source, table)? {
            let id = files.find(table, &file).ok_or_else(|| Error::Read {
                name: table.clone(),
                reason: format!(
                    "it names {file}, which is not there; add the file or drop its line"
                ),
            })?;
            let class = (!label.is_empty()).then(|| {
                *numbers.entry((split, label.clone())).or_insert_with(|| {
                    classes.push(Class { name: label, split });
                    classes.len() - 1
                })
            });
            items.push(Item { id, class, stored: Stored::File(None) });
        }
    }
    let name = match kind {
        Kind::Csv => {
            source.name().trim_end_matches('/').rsplit('/').next().unwrap_or_default().into()
        }
        kind => kind.to_string(),
    };
    let store = Store { source, sections: Vec::new() };
    Ok(Draft { name, kind, classes, items, store })
}

/// File names and labels of a table.
fn rows(source: &Source, table: &str) -> Result<Vec<(String, String)>> {
    let refuse = |reason: String| Error::Read { name: table.into(), reason };
    let bytes = source.read(table)?;
    let delimiter = if table.ends_with(".tsv") { b'\t' } else { b',' };
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .delimiter(delimiter)
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(bytes.as_slice());
    let mut rows = Vec::new();
    let mut columns = (0, 1);
    for (line, record) in reader.records().enumerate() {
        let record = record.map_err(|e| refuse(format!("line {} is no csv ({e})", line + 1)))?;
        if line == 0 {
            let at = |names: &[&str]| {
                record.iter().position(|cell| names.contains(&cell.to_ascii_lowercase().as_str()))
            };
            let file = at(&["filename", "file", "path", "image", "id"]);
            if let (Some(file), Some(label)) = (file, at(&["label", "class"])) {
                columns = (file, label);
                continue;
            }
        }
        let (Some(file), Some(label)) = (record.get(columns.0), record.get(columns.1)) else {
            return Err(refuse(format!("line {} has no file name and label", line + 1)));
        };
        rows.push((file.to_string(), label.to_string()));
    }
    Ok(rows)
}

/// Finds the files that a table names.
struct Files<'a> {
    source: &'a Source,
    /// Files by their last name; none where several have it.
    by_name: HashMap<&'a str, Option<&'a str>>,
}

impl<'a> Files<'a> {
    fn new(source: &'a Source) -> Self {
        let mut by_name = HashMap::new();
        for name in source.names().filter(|name| is_picture(name)) {
            let last = name.rsplit('/').next().unwrap_or(name);
            by_name.entry(last).and_modify(|known| *known = None).or_insert(Some(name));
        }
        Self { source, by_name }
    }

    fn find(&self, table: &str, file: &str) -> Option<String> {
        let file = file.trim_start_matches("./");
        let beside =
            table.rsplit_once('/').map(|(folder, _)| format!("{folder}/")).unwrap_or_default();
        let near = [format!("{beside}{file}"), format!("{beside}images/{file}"), file.to_string()];
        near.into_iter().find(|name| self.source.contains(name)).or_else(|| {
            let last = file.rsplit('/').next()?;
            self.by_name.get(last).copied().flatten().map(String::from)
        })
    }
}
