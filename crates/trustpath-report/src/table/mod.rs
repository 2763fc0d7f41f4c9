//! Tables of text cells, written as aligned plain text, Markdown, HTML or CSV.

mod csv;
mod html;
mod markdown;
mod text;
mod width;

pub(crate) use markdown::escape as escape_markdown;

use crate::{Error, Result};
use std::ops::Range;

/// A table: columns with a name and an alignment, and rows of as many cells.
///
/// ```
/// use trustpath_report::{Best, Column, Table};
/// let mut table = Table::new(vec![Column::left("method"), Column::right("1-shot (%)")]);
/// table.push(["LR", "78.31 ± 0.52"])?;
/// table.push(["ICI-R", "84.07 ± 0.60"])?;
/// table.bold_best(1, Best::Highest);
/// assert_eq!(
///     table.text(),
///     "method    1-shot (%)\n\
///      ──────  ────────────\n\
///      LR      78.31 ± 0.52\n\
///      ICI-R   84.07 ± 0.60\n"
/// );
/// assert!(table.markdown().contains("| **84.07 ± 0.60** |"));
/// # Ok::<(), trustpath_report::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
}

/// The head of a column.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Where its cells stand.
    pub align: Align,
}

/// Where the text of a cell stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Align {
    /// At the left: words.
    #[default]
    Left,
    /// At the right: numbers.
    Right,
    /// In the middle.
    Center,
}

/// One cell.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Cell {
    /// What it says.
    pub text: String,
    /// Whether it is set in bold, where the format can.
    pub bold: bool,
}

/// Which number of a column is the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Best {
    /// The largest, as of accuracies.
    Highest,
    /// The smallest, as of times.
    Lowest,
}

impl Column {
    /// A column of words.
    pub fn left(name: impl Into<String>) -> Self {
        Self { name: name.into(), align: Align::Left }
    }

    /// A column of numbers.
    pub fn right(name: impl Into<String>) -> Self {
        Self { name: name.into(), align: Align::Right }
    }

    /// A column of marks.
    pub fn center(name: impl Into<String>) -> Self {
        Self { name: name.into(), align: Align::Center }
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self { text: text.into(), bold: false }
    }
}

impl Table {
    /// A table without rows.
    pub fn new(columns: Vec<Column>) -> Self {
        Self { columns, rows: Vec::new() }
    }

    /// Adds a row, which must have one cell per column.
    pub fn push<C: Into<Cell>>(&mut self, row: impl IntoIterator<Item = C>) -> Result<()> {
        let row: Vec<Cell> = row.into_iter().map(Into::into).collect();
        if row.len() != self.columns.len() {
            return Err(Error::Row {
                row: self.rows.len(),
                given: row.len(),
                columns: self.columns.len(),
            });
        }
        self.rows.push(row);
        Ok(())
    }

    /// The columns.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The rows.
    pub fn rows(&self) -> &[Vec<Cell>] {
        &self.rows
    }

    /// Sets the best number of a column in bold.
    pub fn bold_best(&mut self, column: usize, best: Best) {
        self.bold_best_of(column, 0..self.rows.len(), best);
    }

    /// Sets the best number of a column among some rows in bold; the number is what a cell begins with, and equal ones are
    /// bold together.
    pub fn bold_best_of(&mut self, column: usize, rows: Range<usize>, best: Best) {
        let end = rows.end.min(self.rows.len());
        let start = rows.start.min(end);
        let cells = || {
            let numbers = self.rows[start..end].iter().enumerate().map(|(i, row)| {
                let value = row.get(column).and_then(|cell| leading_number(&cell.text));
                (start + i, value)
            });
            numbers.filter_map(|(i, value)| value.map(|v| (i, v)))
        };
        let values = cells().map(|(_, value)| value);
        let Some(found) = (match best {
            Best::Highest => values.reduce(f64::max),
            Best::Lowest => values.reduce(f64::min),
        }) else {
            return;
        };
        let winners: Vec<usize> = cells().filter(|(_, v)| *v == found).map(|(i, _)| i).collect();
        for i in winners {
            self.rows[i][column].bold = true;
        }
    }
}

/// The number that a text begins with, as in "84.07 ± 0.60" or "+1.2 %".
fn leading_number(text: &str) -> Option<f64> {
    let text = text.trim_start().replace('−', "-");
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | 'e' | 'E')))
        .unwrap_or(text.len());
    // "3.1e" or "5-way" are numbers up to where they make sense.
    (1..=end).rev().find_map(|n| text[..n].parse().ok()).filter(|v: &f64| v.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_from_the_front() {
        assert_eq!(leading_number("84.07 ± 0.60"), Some(84.07));
        assert_eq!(leading_number("−1.5 %"), Some(-1.5));
        assert_eq!(leading_number("+0.4"), Some(0.4));
        assert_eq!(leading_number("5-way"), Some(5.0));
        assert_eq!(leading_number("1.5e-3s"), Some(1.5e-3));
        assert_eq!(leading_number("–"), None);
        assert_eq!(leading_number("nan"), None);
        assert_eq!(leading_number("é1"), None);
    }

    #[test]
    fn the_best_of_some_rows_is_bold_and_ties_are_shared() {
        let mut table = Table::new(vec![Column::right("a")]);
        for cell in ["9", "3.0", "–", "5", "5.0", "1"] {
            table.push([cell]).unwrap();
        }
        table.bold_best_of(0, 1..5, Best::Highest);
        let bold: Vec<bool> = table.rows().iter().map(|r| r[0].bold).collect();
        assert_eq!(bold, [false, false, false, true, true, false]);
        table.bold_best(7, Best::Lowest);
        table.bold_best_of(0, 40..90, Best::Lowest);
        table.bold_best(0, Best::Lowest);
        assert!(table.rows()[5][0].bold);
    }

    #[test]
    fn a_row_must_fit() {
        let mut table = Table::new(vec![Column::left("a"), Column::left("b")]);
        assert_eq!(table.push(["x"]), Err(Error::Row { row: 0, given: 1, columns: 2 }));
    }
}
