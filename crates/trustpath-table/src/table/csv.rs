//! Comma- or tab-separated text: a row of numbers per instance, one column being the label.
//!
//! The first line is a header if one of its fields is the label column's name, if none of its
//! fields is a number, or if they count 0, 1, 2, …, as data frames name columns that have no name. A
//! first column with an empty name is a data frame's index and is left out.

use std::fs::File;
use std::path::Path;

use super::{Labels, NAME_FEATURES, Raw, extension};
use crate::{Error, Result};

struct Sheet {
    file: String,
    records: csv::StringRecordsIntoIter<File>,
    /// The first record if it is data.
    first: Option<csv::StringRecord>,
    header: Option<csv::StringRecord>,
    columns: usize,
}

impl Sheet {
    fn open(path: &Path, is_header: impl Fn(&csv::StringRecord) -> bool) -> Result<Self> {
        let file = path.display().to_string();
        let delimiter = if extension(path) == "tsv" { b'\t' } else { b',' };
        let reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .trim(csv::Trim::All)
            .delimiter(delimiter)
            .from_path(path)
            .map_err(|e| Error::read(path, e))?;
        let mut records = reader.into_records();
        let first = match records.next() {
            Some(record) => record.map_err(|e| damaged(&file, &e))?,
            None => return Err(Error::damaged(file, "it is empty")),
        };
        let columns = first.len();
        let (header, first) =
            if is_header(&first) { (Some(first), None) } else { (None, Some(first)) };
        Ok(Self { file, records, first, header, columns })
    }

    /// The column of that name, or of that number from either end.
    fn column(&self, name: &str) -> Option<usize> {
        let named = self.header.as_ref().and_then(|h| h.iter().position(|field| field == name));
        let numbered = || {
            let number: isize = name.parse().ok()?;
            let from_end = if number < 0 { self.columns } else { 0 };
            from_end.checked_add_signed(number).filter(|&column| column < self.columns)
        };
        named.or_else(numbered)
    }

    fn next(&mut self) -> Option<Result<csv::StringRecord>> {
        if let Some(first) = self.first.take() {
            return Some(Ok(first));
        }
        let record = self.records.next()?;
        Some(record.map_err(|e| damaged(&self.file, &e)))
    }

    fn column_name(&self, column: usize) -> String {
        let name = self.header.as_ref().and_then(|h| h.get(column));
        name.map_or_else(|| column.to_string(), |name| format!("\"{name}\""))
    }
}

/// Reads features and, if the label column is there, labels.
pub(super) fn read(path: &Path, label_column: &str) -> Result<Raw> {
    let mut sheet = Sheet::open(path, |first| is_header(first, label_column))?;
    let label = sheet.column(label_column);
    let index = sheet.header.as_ref().is_some_and(|h| h.get(0) == Some("")).then_some(0);
    let is_feature = |column: usize| Some(column) != label && Some(column) != index;
    let dims = (0..sheet.columns).filter(|&column| is_feature(column)).count();
    if dims == 0 {
        return Err(Error::NoFeatures {
            file: sheet.file,
            found: format!("{} column(s), none of them numeric", sheet.columns),
            remedy: "give one column per feature",
        });
    }

    let mut features = Vec::new();
    let mut labels = Vec::new();
    while let Some(record) = sheet.next() {
        let record = record?;
        for (column, field) in record.iter().enumerate() {
            if is_feature(column) {
                features.push(field.parse().map_err(|_| Error::Cell {
                    file: sheet.file.clone(),
                    place: format!("line {}", record.position().map_or(0, csv::Position::line)),
                    column: sheet.column_name(column),
                    value: field.to_owned(),
                })?);
            } else if Some(column) == label {
                labels.push(field.to_owned());
            }
        }
    }
    let rows = features.len() / dims;
    if rows == 0 {
        let found = "a header without rows".into();
        return Err(Error::NoFeatures { file: sheet.file, found, remedy: NAME_FEATURES });
    }
    let labels = label.map(|_| Labels::from_texts(labels));
    Ok(Raw { features, rows, dims, labels, class_names: None })
}

/// Reads labels alone: the label column, or the only one.
pub(super) fn read_labels(path: &Path, label_column: &str) -> Result<Labels> {
    // Names are no numbers either, so only the label column's name tells a header from them.
    let mut sheet = Sheet::open(path, |first| names_column(first, label_column))?;
    let only = (sheet.columns == 1).then_some(0);
    let column = sheet.column(label_column).or(only).ok_or_else(|| Error::NoLabels {
        file: sheet.file.clone(),
        remedy: format!(
            "it has {} columns, none called \"{label_column}\"; name the label column",
            sheet.columns
        ),
    })?;
    let mut labels = Vec::new();
    while let Some(record) = sheet.next() {
        labels.push(record?.get(column).unwrap_or_default().to_owned());
    }
    Ok(Labels::from_texts(labels))
}

/// Whether a field is the label column's name; a number may be just a value.
fn names_column(first: &csv::StringRecord, label_column: &str) -> bool {
    label_column.parse::<isize>().is_err() && first.iter().any(|field| field == label_column)
}

fn is_header(first: &csv::StringRecord, label_column: &str) -> bool {
    let counts = || first.iter().enumerate().all(|(i, field)| field == i.to_string());
    names_column(first, label_column)
        || first.iter().all(|field| field.parse::<f64>().is_err())
        || (first.len() > 1 && counts())
}

fn damaged(file: &str, error: &csv::Error) -> Error {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { pos, expected_len, len } => {
            let line = pos.as_ref().map_or(0, csv::Position::line);
            let reason =
                format!("line {line} has {len} fields where those before it have {expected_len}");
            Error::damaged(file, reason)
        }
        csv::ErrorKind::Io(error) => {
            Error::Read { file: file.to_owned(), reason: error.to_string() }
        }
        _ => Error::damaged(file, error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(ending: &str, text: &str) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(format!("t.{ending}"));
        std::fs::write(&path, text).unwrap();
        (folder, path)
    }

    fn read_text(text: &str, label_column: &str) -> Result<Raw> {
        let (_folder, path) = file("csv", text);
        read(&path, label_column)
    }

    #[test]
    fn the_label_column_may_stand_anywhere() {
        let raw = read_text("a,label,b\n1,cat,2.5\n-3e1,dog,0\n", "label").unwrap();
        assert_eq!((raw.rows, raw.dims), (2, 2));
        assert_eq!(raw.features, [1.0, 2.5, -30.0, 0.0]);
        assert_eq!(raw.labels, Some(Labels::Names(vec!["cat".into(), "dog".into()])));
        let raw = read_text("kind,a\n7,1\n", "kind").unwrap();
        assert_eq!((raw.features, raw.labels), (vec![1.0], Some(Labels::Whole(vec![7]))));
    }

    #[test]
    fn without_a_header_columns_have_numbers() {
        let raw = read_text("1,2,cat\n3,4,dog\n", "-1").unwrap();
        assert_eq!(raw.features, [1.0, 2.0, 3.0, 4.0]);
        assert!(matches!(raw.labels, Some(Labels::Names(_))));
        let raw = read_text("0,1.5,2\n", "0").unwrap();
        assert_eq!((raw.dims, raw.labels), (2, Some(Labels::Whole(vec![0]))));
        let raw = read_text("1,2\n3,4\n", "label").unwrap();
        assert_eq!((raw.rows, raw.dims, raw.labels), (2, 2, None));
    }

    #[test]
    fn data_frames_with_index_and_numbered_columns() {
        let raw = read_text(",0,1,label\n0,5,6,a\n1,7,8,b\n", "label").unwrap();
        assert_eq!((raw.rows, raw.dims, raw.features), (2, 2, vec![5.0, 6.0, 7.0, 8.0]));
        let raw = read_text("0,1,2\n5,6,7\n", "label").unwrap();
        assert_eq!((raw.rows, raw.dims), (1, 3));
    }

    #[test]
    fn tabs_and_labels_alone() {
        let (_folder, path) = file("tsv", "x\tlabel\n1\t9\n");
        assert_eq!(read(&path, "label").unwrap().features, [1.0]);
        let (_folder, path) = file("csv", "cat\ndog\n");
        assert_eq!(read_labels(&path, "label").unwrap().len(), 2);
        let (_folder, path) = file("csv", "id,label\n1,4\n2,5\n");
        assert_eq!(read_labels(&path, "label").unwrap(), Labels::Whole(vec![4, 5]));
        assert!(matches!(read_labels(&path, "kind"), Err(Error::NoLabels { .. })));
    }

    #[test]
    fn bad_cells_and_ragged_lines_are_named() {
        let error = read_text("a,b,label\n1,2,x\n3,oops,y\n", "label").unwrap_err().to_string();
        assert!(error.contains("line 3") && error.contains("\"b\"") && error.contains("oops"));
        let error = read_text("a,b,label\n1,,x\n", "label").unwrap_err();
        assert!(error.to_string().contains("line 2, column \"b\""), "{error}");
        let error = read_text("a,b\n1,2\n3\n", "label").unwrap_err().to_string();
        assert!(error.contains("line 3 has 1 fields"), "{error}");
        for text in ["", "a,b,label\n", "label\n1\n"] {
            assert!(read_text(text, "label").is_err(), "{text:?}");
        }
        let (_folder, path) = file("csv", "");
        std::fs::write(&path, b"a,label\n1,\xff\n").unwrap();
        assert!(matches!(read(&path, "label"), Err(Error::Damaged { .. })));
        assert!(matches!(read(Path::new("none.csv"), "label"), Err(Error::Read { .. })));
    }
}
