//! A table as aligned plain text, for terminals.

use super::width::width;
use super::{Align, Table};

impl Table {
    /// The table as aligned plain text: a head, a rule, and the rows, two spaces between columns.
    pub fn text(&self) -> String {
        let head: Vec<String> = self.columns.iter().map(|c| one_line(&c.name)).collect();
        let rows: Vec<Vec<String>> = self
            .rows
            .iter()
            .map(|row| row.iter().map(|cell| one_line(&cell.text)).collect())
            .collect();
        let widths: Vec<usize> = (0..head.len())
            .map(|i| rows.iter().chain([&head]).map(|row| width(&row[i])).max().unwrap_or(0))
            .collect();
        let rule: Vec<String> = widths.iter().map(|w| "─".repeat(*w)).collect();
        let mut out = String::new();
        for row in [&head, &rule].into_iter().chain(&rows) {
            let cells: Vec<String> = row
                .iter()
                .zip(&widths)
                .zip(&self.columns)
                .map(|((cell, width), column)| pad(cell, *width, column.align))
                .collect();
            out.push_str(cells.join("  ").trim_end());
            out.push('\n');
        }
        out
    }
}

/// Control characters could move the cursor of a terminal; they become spaces.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

pub(super) fn pad(text: &str, room: usize, align: Align) -> String {
    let free = room.saturating_sub(width(text));
    let left = match align {
        Align::Left => 0,
        Align::Right => free,
        Align::Center => free / 2,
    };
    format!("{}{text}{}", " ".repeat(left), " ".repeat(free - left))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Column;

    #[test]
    fn columns_line_up_whatever_the_script() {
        let mut table =
            Table::new(vec![Column::left("class"), Column::center("ok"), Column::right("%")]);
        table.push(["猫", "✓", "9.5"]).unwrap();
        table.push(["Largo", "no", "100.0"]).unwrap();
        table.push(["a\u{1b}[2Jb", "", "-"]).unwrap();
        assert_eq!(
            table.text(),
            "class   ok      %\n\
             ──────  ──  ─────\n\
             猫      ✓     9.5\n\
             Largo   no  100.0\n\
             a [2Jb          -\n"
        );
    }

    #[test]
    fn an_empty_table_is_no_trouble() {
        assert_eq!(Table::default().text(), "\n\n");
        assert_eq!(Table::new(vec![Column::left("a")]).text(), "a\n─\n");
    }
}
