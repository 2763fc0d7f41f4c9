//! Tables of results: typed columns, written in any of the formats.
//!
//! | format | text | number | count | flag | missing value |
//! |---|---|---|---|---|---|
//! | csv, tsv | quoted where needed | shortest that reads back the same | digits | `true`, `false` | empty |
//! | jsonl | string | number, `null` if not finite | number | `true`, `false` | `null` |
//! | parquet | UTF-8 | double | int64 | boolean | null |
//! | npz (one array per column), npy (one structured array) | `<U` | `<f8` | `<i8` | `\|b1` | `""`, NaN, −1 |
//! | safetensors | `NAME.bytes`, `NAME.offsets` | F64 | I64 | BOOL | `""`, NaN, −1 |
//!
//! In csv and tsv a text that a spreadsheet would run as a formula (`=…`, `+…`, `-…`, `@…`) is
//! written with an apostrophe before it, which the readers of this crate remove. In safetensors
//! `NAME.bytes` holds all texts of a column in UTF-8 one after another, and `NAME.offsets` the offset
//! at which each begins, followed by the offset at which the last ends.

use std::io::{self, Write};
use std::sync::Arc;

use crate::{Error, Output, Result, Tasks};

/// The values of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Column {
    /// Texts.
    Text(Vec<String>),
    /// Texts, some of which may be missing.
    OptionalText(Vec<Option<String>>),
    /// Numbers.
    Number(Vec<f64>),
    /// Numbers, some of which may be missing.
    OptionalNumber(Vec<Option<f64>>),
    /// Counts.
    Count(Vec<u64>),
    /// Counts, some of which may be missing.
    OptionalCount(Vec<Option<u64>>),
    /// Truth values.
    Flag(Vec<bool>),
}

/// One value of a column.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
#[serde(untagged)]
pub(crate) enum CellValue<'a> {
    Text(&'a str),
    Number(f64),
    Count(u64),
    Flag(bool),
    Missing,
}

/// The type of the values of a column, whether or not some may be missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColumnKind {
    Text,
    Number,
    Count,
    Flag,
}

impl Column {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Text(values) => values.len(),
            Self::OptionalText(values) => values.len(),
            Self::Number(values) => values.len(),
            Self::OptionalNumber(values) => values.len(),
            Self::Count(values) => values.len(),
            Self::OptionalCount(values) => values.len(),
            Self::Flag(values) => values.len(),
        }
    }

    pub(crate) fn kind(&self) -> ColumnKind {
        match self {
            Self::Text(_) | Self::OptionalText(_) => ColumnKind::Text,
            Self::Number(_) | Self::OptionalNumber(_) => ColumnKind::Number,
            Self::Count(_) | Self::OptionalCount(_) => ColumnKind::Count,
            Self::Flag(_) => ColumnKind::Flag,
        }
    }

    pub(crate) fn cell(&self, row: usize) -> CellValue<'_> {
        use CellValue as Cell;
        match self {
            Self::Text(values) => Cell::Text(&values[row]),
            Self::OptionalText(values) => values[row].as_deref().map_or(Cell::Missing, Cell::Text),
            Self::Number(values) => Cell::Number(values[row]),
            Self::OptionalNumber(values) => values[row].map_or(Cell::Missing, Cell::Number),
            Self::Count(values) => Cell::Count(values[row]),
            Self::OptionalCount(values) => values[row].map_or(Cell::Missing, Cell::Count),
            Self::Flag(values) => Cell::Flag(values[row]),
        }
    }

    pub(crate) fn text(&self, row: usize) -> Option<&str> {
        match self.cell(row) {
            CellValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The texts of a text column, with the empty text for missing ones.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|row| self.text(row).unwrap_or_default())
    }

    /// Writes a number, a count or a flag as arrays and tensors hold it.
    pub(crate) fn write_bytes(&self, row: usize, w: &mut dyn Write) -> io::Result<()> {
        match (self.cell(row), self.kind()) {
            (CellValue::Number(number), _) => w.write_all(&number.to_le_bytes()),
            (CellValue::Count(count), _) => w.write_all(&signed(count).to_le_bytes()),
            (CellValue::Flag(flag), _) => w.write_all(&[flag.into()]),
            (_, ColumnKind::Count) => w.write_all(&(-1i64).to_le_bytes()),
            (..) => w.write_all(&f64::NAN.to_le_bytes()),
        }
    }
}

/// Columns of equal length.
///
/// ```
/// use trustpath_table::{Column, Output, ResultTable};
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("labels.csv");
/// let mut table = ResultTable::default();
/// table.push("id", Column::Text(vec!["a.jpg".into(), "b, c.jpg".into()]))?;
/// table.push("probability", Column::OptionalNumber(vec![Some(0.75), None]))?;
/// table.write(&Output::new(&path))?;
/// let text = std::fs::read_to_string(path).unwrap();
/// assert_eq!(text, "id,probability\na.jpg,0.75\n\"b, c.jpg\",\n");
/// # Ok::<(), trustpath_table::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ResultTable {
    pub(crate) columns: Vec<(String, Column)>,
    pub(crate) tasks: Option<Arc<Tasks>>,
}

impl ResultTable {
    /// Adds a column. Its name consists of ASCII letters, digits and `_`, which every format can hold.
    ///
    /// # Errors
    /// [`Error::Column`] if the name is not allowed or taken, or if the length differs from the others.
    pub fn push(&mut self, name: impl Into<String>, column: Column) -> Result<()> {
        let name = name.into();
        let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let reason = if name.is_empty() || !name.chars().all(allowed) {
            "a name consists of ASCII letters, digits and _".into()
        } else if self.columns.iter().any(|(other, _)| *other == name) {
            "there is already a column of that name".into()
        } else if !self.columns.is_empty() && column.len() != self.rows() {
            format!("it has {} rows, but the other columns have {}", column.len(), self.rows())
        } else {
            self.columns.push((name, column));
            return Ok(());
        };
        Err(Error::Column { column: name, reason })
    }

    /// Sets the tasks of Label Studio that its instances were read from; their data are written with them.
    pub fn set_tasks(&mut self, tasks: Option<Arc<Tasks>>) {
        self.tasks = tasks;
    }

    /// The columns with their names.
    pub fn columns(&self) -> &[(String, Column)] {
        &self.columns
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |(_, column)| column.len())
    }

    /// Writes the table; the file is complete or unchanged.
    ///
    /// # Errors
    /// [`Error::Write`] if it cannot be written, [`Error::Column`] if a column does not fit the format.
    pub fn write(&self, output: &Output) -> Result<()> {
        output.format()?.write(self, output)
    }
}

/// A count as the signed number that arrays hold.
pub(crate) fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_that_do_not_fit_are_refused() {
        let mut table = ResultTable::default();
        table.push("id", Column::Count(vec![1, 2])).unwrap();
        for (name, values) in [("id", 2), ("n", 1), ("", 2), ("a b", 2), ("é", 2), ("a'", 2)] {
            let error = table.push(name, Column::Count(vec![1; values])).unwrap_err();
            assert!(matches!(error, Error::Column { .. }), "{name}: {error}");
        }
        assert_eq!((table.rows(), table.columns().len()), (2, 1));
    }
}
