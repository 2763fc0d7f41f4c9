//! Tables of results: typed columns, written in any of the formats.
//!
//! | format | text | number | count | flag | nothing |
//! |---|---|---|---|---|---|
//! | csv, tsv | quoted where needed | shortest that reads back the same | digits | `true`, `false` | empty |
//! | jsonl | string | number, `null` if not finite | number | `true`, `false` | `null` |
//! | parquet | UTF-8 | double | int64 | boolean | null |
//! | npz (an array a column), npy (one structured array) | `<U` | `<f8` | `<i8` | `\|b1` | `""`, NaN, −1 |
//! | safetensors | `NAME.bytes`, `NAME.offsets` | F64 | I64 | BOOL | `""`, NaN, −1 |
//!
//! In csv and tsv a text that a spreadsheet would run as a formula (`=…`, `+…`, `-…`, `@…`) has an
//! apostrophe before it; this crate's readers take it off again. In safetensors `NAME.bytes` holds
//! all texts of a column in UTF-8 one after another, and `NAME.offsets` where each begins, and at
//! last where the last one ends.

mod arrays;
#[cfg(feature = "parquet")]
mod parquet;
mod safetensors;
mod text;

use crate::{Error, Format, Output, Result};

/// The values of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Column {
    /// A text each.
    Text(Vec<String>),
    /// A text or nothing.
    OptionalText(Vec<Option<String>>),
    /// A number each.
    Number(Vec<f64>),
    /// A number or nothing.
    OptionalNumber(Vec<Option<f64>>),
    /// A count each.
    Count(Vec<u64>),
    /// A count or nothing.
    OptionalCount(Vec<Option<u64>>),
    /// Yes or no.
    Flag(Vec<bool>),
}

/// One value of a column.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Cell<'a> {
    Text(&'a str),
    Number(f64),
    Count(u64),
    Flag(bool),
    Nothing,
}

impl Column {
    /// Number of values.
    pub fn len(&self) -> usize {
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

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn cell(&self, row: usize) -> Cell<'_> {
        match self {
            Self::Text(values) => Cell::Text(&values[row]),
            Self::OptionalText(values) => values[row].as_deref().map_or(Cell::Nothing, Cell::Text),
            Self::Number(values) => Cell::Number(values[row]),
            Self::OptionalNumber(values) => values[row].map_or(Cell::Nothing, Cell::Number),
            Self::Count(values) => Cell::Count(values[row]),
            Self::OptionalCount(values) => values[row].map_or(Cell::Nothing, Cell::Count),
            Self::Flag(values) => Cell::Flag(values[row]),
        }
    }

    fn cells(&self) -> impl Iterator<Item = Cell<'_>> {
        (0..self.len()).map(|row| self.cell(row))
    }

    /// The texts, nothing being the empty one; none for other columns.
    fn texts(&self) -> impl Iterator<Item = &str> {
        self.cells().map(|cell| match cell {
            Cell::Text(text) => text,
            _ => "",
        })
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
    columns: Vec<(String, Column)>,
}

impl ResultTable {
    /// Adds a column. Names are made of ASCII letters, digits and `_`, which every format can hold.
    ///
    /// # Errors
    /// [`Error::Column`] if the name is no such or taken, or if the length is not that of the others.
    pub fn push(&mut self, name: impl Into<String>, column: Column) -> Result<()> {
        let name = name.into();
        let refuse =
            |column: String, reason: &str| Err(Error::Column { column, reason: reason.to_owned() });
        let fine = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if name.is_empty() || !name.chars().all(fine) {
            return refuse(name, "names are made of ASCII letters, digits and _");
        }
        if self.columns.iter().any(|(other, _)| *other == name) {
            return refuse(name, "there is one of that name already");
        }
        if !self.columns.is_empty() && column.len() != self.rows() {
            let reason =
                format!("it has {} rows where the others have {}", column.len(), self.rows());
            return Err(Error::Column { column: name, reason });
        }
        self.columns.push((name, column));
        Ok(())
    }

    /// The columns with their names.
    pub fn columns(&self) -> &[(String, Column)] {
        &self.columns
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |(_, column)| column.len())
    }

    /// Writes the table, whole or not at all.
    ///
    /// # Errors
    /// [`Error::Write`] if it cannot be written, [`Error::Column`] if a column does not fit the
    /// format.
    pub fn write(&self, output: &Output) -> Result<()> {
        let format = output.format()?;
        match format {
            Format::Csv | Format::Tsv => {
                output.write(|w| text::write_csv(self, format.delimiter(), w))
            }
            Format::Jsonl => output.write(|w| text::write_jsonl(self, w)),
            Format::Npy => {
                let arrays = arrays::arrays(self)?;
                output.write(|w| arrays::write_npy(&arrays, self.rows(), w))
            }
            Format::Npz => {
                let arrays = arrays::arrays(self)?;
                output.write(|w| arrays::write_npz(&arrays, self.rows(), w))
            }
            Format::Safetensors => {
                let entries = safetensors::entries(self);
                output.write(|w| crate::tensors::write(w, &Default::default(), entries))
            }
            #[cfg(feature = "parquet")]
            Format::Parquet => output.write(|w| parquet::write(self, w)),
            #[cfg(not(feature = "parquet"))]
            Format::Parquet => Err(Error::NotBuilt {
                file: "a table in parquet".into(),
                remedy: "build with the cargo feature `parquet`, or write .csv or .jsonl",
            }),
        }
    }
}

/// A count as the signed number that arrays hold; none has so many.
fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_that_do_not_fit_are_refused() {
        let mut table = ResultTable::default();
        table.push("id", Column::Count(vec![1, 2])).unwrap();
        for (name, column) in [
            ("id", Column::Count(vec![1, 2])),
            ("n", Column::Count(vec![1])),
            ("", Column::Count(vec![1, 2])),
            ("a b", Column::Count(vec![1, 2])),
            ("é", Column::Count(vec![1, 2])),
            ("a'", Column::Count(vec![1, 2])),
        ] {
            let error = table.push(name, column).unwrap_err();
            assert!(matches!(error, Error::Column { .. }), "{name}: {error}");
        }
        assert_eq!((table.rows(), table.columns().len()), (2, 1));
    }
}
