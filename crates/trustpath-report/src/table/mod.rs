//! Tables of text cells, written as aligned plain text, Markdown, HTML or CSV.

mod formats;

pub(crate) use formats::escape_markdown;

use crate::Result;
use crate::error::same_length;
use std::ops::Range;

/// A table: columns with a name and an alignment, and rows with one cell per column.
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
    rows: Vec<Vec<TableCell>>,
}

/// A column: its heading and alignment.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Alignment of its cells.
    pub align: Align,
}

/// Alignment of the text in a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Align {
    /// Left-aligned, for words.
    #[default]
    Left,
    /// Right-aligned, for numbers.
    Right,
    /// Centred.
    Center,
}

/// One cell.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TableCell {
    /// Its text.
    pub text: String,
    /// Whether it is bold, in formats that support it.
    pub bold: bool,
}

/// Which number of a column is the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Best {
    /// The largest, for example of accuracies.
    Highest,
    /// The smallest, for example of times.
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

    /// A centred column, for check marks.
    pub fn center(name: impl Into<String>) -> Self {
        Self { name: name.into(), align: Align::Center }
    }
}

impl<T: Into<String>> From<T> for TableCell {
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
    pub fn push<C: Into<TableCell>>(&mut self, row: impl IntoIterator<Item = C>) -> Result<()> {
        let row: Vec<TableCell> = row.into_iter().map(Into::into).collect();
        let what = || format!("cells in row {} for the columns of the table", self.rows.len());
        same_length(row.len(), self.columns.len(), what)?;
        self.rows.push(row);
        Ok(())
    }

    /// The columns.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The rows.
    pub fn rows(&self) -> &[Vec<TableCell>] {
        &self.rows
    }

    /// Sets the best number of a column in bold.
    pub fn bold_best(&mut self, column: usize, best: Best) {
        self.bold_best_of(column, 0..self.rows.len(), best);
    }

    /// Sets the best number of a column among some rows in bold. The number is the beginning of a cell's text; equal
    /// numbers are bold together.
    pub fn bold_best_of(&mut self, column: usize, rows: Range<usize>, best: Best) {
        let end = rows.end.min(self.rows.len());
        let rows = &mut self.rows[rows.start.min(end)..end];
        let cells = rows.iter_mut().filter_map(|row| row.get_mut(column));
        let numbers = cells.filter_map(|cell| Some((leading_number(&cell.text)?, cell)));
        let mut cells: Vec<(f64, &mut TableCell)> = numbers.collect();
        let pick = if best == Best::Highest { f64::max } else { f64::min };
        let best = cells.iter().map(|(value, _)| *value).reduce(pick);
        cells.iter_mut().filter(|(v, _)| Some(*v) == best).for_each(|(_, cell)| cell.bold = true);
    }
}

/// The number at the beginning of a text, as in "84.07 ± 0.60" or "+1.2 %".
fn leading_number(text: &str) -> Option<f64> {
    let text = text.trim_start().replace('−', "-");
    let numeric = |c: char| c.is_ascii_digit() || ".-+eE".contains(c);
    let end = text.find(|c| !numeric(c)).unwrap_or(text.len());
    // Of "3.1e" or "5-way" the longest part that is a number counts.
    (1..=end).rev().find_map(|n| text[..n].parse().ok()).filter(|v: &f64| v.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_from_the_front() {
        let texts = ["84.07 ± 0.60", "−1.5 %", "+0.4", "5-way", "1.5e-3s"];
        let numbers = [84.07, -1.5, 0.4, 5.0, 1.5e-3];
        assert_eq!(texts.map(leading_number), numbers.map(Some));
        assert_eq!(["–", "nan", "é1"].map(leading_number), [None; 3]);
    }

    #[test]
    fn the_best_of_some_rows_is_bold_and_so_are_ties() {
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
        let refused = table.push(["x"]);
        assert!(matches!(refused, Err(crate::Error::Length { given: 1, expected: 2, .. })));
    }
}
