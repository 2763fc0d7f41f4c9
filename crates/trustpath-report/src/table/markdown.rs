//! A table as Markdown (GitHub's kind), aligned in its source too.

use super::text::pad;
use super::width::width;
use super::{Align, Table};

impl Table {
    /// The table as Markdown.
    pub fn markdown(&self) -> String {
        if self.columns.is_empty() {
            return String::new();
        }
        let head: Vec<String> = self.columns.iter().map(|c| escape(&c.name)).collect();
        let rows: Vec<Vec<String>> = self
            .rows
            .iter()
            .map(|row| {
                let cell = |cell: &super::Cell| {
                    let text = escape(&cell.text);
                    if cell.bold && !text.is_empty() { format!("**{text}**") } else { text }
                };
                row.iter().map(cell).collect()
            })
            .collect();
        let widths: Vec<usize> = (0..head.len())
            .map(|i| rows.iter().chain([&head]).map(|row| width(&row[i])).max().unwrap_or(0).max(3))
            .collect();
        let rule = widths.iter().zip(&self.columns).map(|(width, column)| match column.align {
            Align::Left => "-".repeat(*width),
            Align::Right => format!("{}:", "-".repeat(width - 1)),
            Align::Center => format!(":{}:", "-".repeat(width - 2)),
        });
        let rule: Vec<String> = rule.collect();
        let mut out = String::new();
        for row in [&head, &rule].into_iter().chain(&rows) {
            for ((cell, width), column) in row.iter().zip(&widths).zip(&self.columns) {
                out.push_str("| ");
                out.push_str(&pad(cell, *width, column.align));
                out.push(' ');
            }
            out.push_str("|\n");
        }
        out
    }
}

/// Text that Markdown takes literally, on one line.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.trim().chars() {
        match c {
            '\\' | '|' | '*' | '_' | '`' | '[' | ']' | '#' | '~' => {
                out.push('\\');
                out.push(c);
            }
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Best, Column};

    #[test]
    fn bold_alignment_and_escapes() {
        let mut table =
            Table::new(vec![Column::left("a|b"), Column::right("x"), Column::center("y")]);
        table.push(["<script>", "1.5", "*"]).unwrap();
        table.push(["snake_case\nline", "2.5", ""]).unwrap();
        table.bold_best(1, Best::Highest);
        assert_eq!(
            table.markdown(),
            "| a\\|b             |       x |  y  |\n\
             | ---------------- | ------: | :-: |\n\
             | &lt;script&gt;   |     1.5 | \\*  |\n\
             | snake\\_case line | **2.5** |     |\n"
        );
    }
}
