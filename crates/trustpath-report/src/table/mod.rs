//! Tables of text cells, written as aligned plain text, Markdown, HTML or CSV.

mod formats;

pub(crate) use formats::escape_markdown;

use crate::Result;
use crate::error::same_length;

/// A table: columns with a name and an alignment, and rows with one cell per column.
///
/// ```
/// use trustpath_report::{Table, TableColumn};
/// let mut table = Table::new(vec![TableColumn::left("method"), TableColumn::right("1-shot (%)")]);
/// table.push(["LR", "78.31 ± 0.52"])?;
/// table.push(["ICI-R", "84.07 ± 0.60"])?;
/// table.bold_highest(1);
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
    columns: Vec<TableColumn>,
    rows: Vec<Vec<TableCell>>,
}

/// A column: its heading and alignment.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TableColumn {
    name: String,
    is_right: bool,
}

/// One cell.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TableCell {
    /// Its text.
    pub text: String,
    /// Whether it is bold, in formats that support it.
    pub bold: bool,
}

impl TableColumn {
    /// A column of words, aligned at the left.
    pub fn left(name: impl Into<String>) -> Self {
        Self { name: name.into(), is_right: false }
    }

    /// A column of numbers, aligned at the right.
    pub fn right(name: impl Into<String>) -> Self {
        Self { name: name.into(), is_right: true }
    }
}

impl<T: Into<String>> From<T> for TableCell {
    fn from(text: T) -> Self {
        Self { text: text.into(), bold: false }
    }
}

impl Table {
    /// A table without rows.
    pub fn new(columns: Vec<TableColumn>) -> Self {
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
    pub fn columns(&self) -> &[TableColumn] {
        &self.columns
    }

    /// The rows.
    pub fn rows(&self) -> &[Vec<TableCell>] {
        &self.rows
    }

    /// Sets a cell in bold.
    pub fn bold(&mut self, row: usize, column: usize) {
        self.rows[row][column].bold = true;
    }

    /// Sets the highest number of a column in bold. The number is the beginning of a cell's text; equal numbers are bold
    /// together.
    pub fn bold_highest(&mut self, column: usize) {
        let numbers: Vec<Option<f64>> = self.rows.iter().map(|row| leading_number(&row[column].text)).collect();
        let highest = numbers.iter().copied().flatten().reduce(f64::max);
        for (row, number) in self.rows.iter_mut().zip(numbers) {
            row[column].bold |= highest.is_some() && number == highest;
        }
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
    fn the_highest_numbers_and_chosen_cells_are_bold() {
        let mut table = Table::new(vec![TableColumn::right("a"), TableColumn::left("b")]);
        for cell in ["3.0", "–", "5", "5.0", "1"] {
            table.push([cell, "x"]).unwrap();
        }
        table.bold_highest(0);
        table.bold_highest(1);
        table.bold(4, 1);
        let bold = |column: usize| table.rows().iter().map(|row| row[column].bold).collect::<Vec<_>>();
        assert_eq!(bold(0), [false, false, true, true, false]);
        assert_eq!(bold(1), [false, false, false, false, true], "words are not compared");
    }

    #[test]
    fn a_row_must_fit() {
        let mut table = Table::new(vec![TableColumn::left("a"), TableColumn::left("b")]);
        let refused = table.push(["x"]);
        assert!(matches!(refused, Err(crate::Error::Length { given: 1, expected: 2, .. })));
    }
}
