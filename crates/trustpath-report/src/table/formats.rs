//! The formats of a table: aligned plain text for terminals, Markdown (GitHub's dialect), HTML and CSV (RFC 4180).

use super::{Table, TableCell, TableColumn};
use crate::draw::escape::escape;
use unicode_width::UnicodeWidthStr;

impl Table {
    /// The table as aligned plain text: a heading, a rule, and the rows, with two spaces between columns.
    pub fn text(&self) -> String {
        // Control characters could move the cursor of a terminal; they become spaces.
        let one_line = |c: char| if c.is_control() { ' ' } else { c };
        let rule = |width: usize, _| "─".repeat(width);
        let rows = self.aligned(0, |cell| cell.text.chars().map(one_line).collect(), rule);
        rows.iter().map(|cells| format!("{}\n", cells.join("  ").trim_end())).collect()
    }

    /// The table as Markdown, aligned in its source too.
    pub fn markdown(&self) -> String {
        if self.columns.is_empty() {
            return String::new();
        }
        let literal = |cell: &TableCell| match escape_markdown(&cell.text) {
            text if cell.bold && !text.is_empty() => format!("**{text}**"),
            text => text,
        };
        let rule = |width: usize, is_right: bool| {
            if is_right { format!("{}:", "-".repeat(width - 1)) } else { "-".repeat(width) }
        };
        let rows = self.aligned(3, literal, rule);
        rows.iter().map(|cells| format!("| {} |\n", cells.join(" | "))).collect()
    }

    /// The table as an HTML `<table>`; alignment is by the class `right`.
    pub fn html(&self) -> String {
        let class = |column: &TableColumn| if column.is_right { " class=\"right\"" } else { "" };
        let mut out = String::from("<table>\n<thead><tr>");
        for column in &self.columns {
            let (class, name) = (class(column), escape(&column.name));
            out.push_str(&format!("<th scope=\"col\"{class}>{name}</th>"));
        }
        out.push_str("</tr></thead>\n<tbody>\n");
        for row in &self.rows {
            out.push_str("<tr>");
            for (cell, column) in row.iter().zip(&self.columns) {
                let text = escape(&cell.text);
                let text = if cell.bold { format!("<strong>{text}</strong>") } else { text };
                out.push_str(&format!("<td{}>{text}</td>", class(column)));
            }
            out.push_str("</tr>\n");
        }
        out.push_str("</tbody>\n</table>\n");
        out
    }

    /// The table as CSV: the names of the columns, then the rows; fields are quoted where necessary.
    pub fn csv(&self) -> String {
        let field = |text: &str| {
            if text.contains(['"', ',', '\n', '\r']) {
                format!("\"{}\"", text.replace('"', "\"\""))
            } else {
                text.to_owned()
            }
        };
        let head: Vec<String> = self.columns.iter().map(|c| field(&c.name)).collect();
        let rows = self.rows.iter().map(|row| row.iter().map(|cell| field(&cell.text)).collect());
        std::iter::once(head).chain(rows).map(|fields: Vec<_>| fields.join(",") + "\n").collect()
    }

    /// Heading, rule and rows as text, every column padded to its widest cell and at least to `least`.
    fn aligned(
        &self,
        least: usize,
        text: impl Fn(&TableCell) -> String,
        rule: impl Fn(usize, bool) -> String,
    ) -> Vec<Vec<String>> {
        let head = self.columns.iter().map(|c| text(&c.name.as_str().into())).collect();
        let rows = self.rows.iter().map(|row| row.iter().map(&text).collect());
        let mut rows: Vec<Vec<String>> = std::iter::once(head).chain(rows).collect();
        let mut rules = Vec::new();
        for (i, column) in self.columns.iter().enumerate() {
            let width = rows.iter().map(|row| row[i].width()).fold(least, usize::max);
            for row in &mut rows {
                let free = width - row[i].width();
                let left = if column.is_right { free } else { 0 };
                row[i] = format!("{}{}{}", " ".repeat(left), row[i], " ".repeat(free - left));
            }
            rules.push(rule(width, column.is_right));
        }
        rows.insert(1, rules);
        rows
    }
}

/// Text on one line that Markdown takes literally.
pub(crate) fn escape_markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.trim().chars() {
        match c {
            '\\' | '|' | '*' | '_' | '`' | '[' | ']' | '#' | '~' => out.extend(['\\', c]),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            c => out.push(if c.is_control() { ' ' } else { c }),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TableColumn as Column;

    fn table<const N: usize>(columns: [Column; N], rows: &[[&str; N]]) -> Table {
        let mut table = Table::new(columns.to_vec());
        rows.iter().for_each(|row| table.push(*row).unwrap());
        table
    }

    #[test]
    fn text_lines_up_in_every_script() {
        let columns = [Column::left("class"), Column::left("ok"), Column::right("%")];
        let rows = [["猫", "✓", "9.5"], ["Largo", "no", "100.0"], ["a\u{1b}[2Jb", "", "-"]];
        assert_eq!(
            table(columns, &rows).text(),
            "class   ok      %\n\
             ──────  ──  ─────\n\
             猫      ✓     9.5\n\
             Largo   no  100.0\n\
             a [2Jb          -\n"
        );
        let widths = ["84.07 ± 0.60", "‖γᵢ‖", "e\u{301}tude", "猫とイヌ", "🐦"].map(|text| text.width());
        assert_eq!(widths, [12, 4, 5, 8, 2]);
        assert_eq!(Table::default().text(), "\n\n");
        assert_eq!(table([Column::left("a")], &[]).text(), "a\n─\n");
    }

    #[test]
    fn markdown_is_aligned_bold_and_escaped() {
        let columns = [Column::left("a|b"), Column::right("x"), Column::left("y")];
        let mut table = table(columns, &[["<script>", "1.5", "*"], ["snake_case\nline", "2.5", ""]]);
        table.bold_highest(1);
        assert_eq!(
            table.markdown(),
            "| a\\|b             |       x | y   |\n\
             | ---------------- | ------: | --- |\n\
             | &lt;script&gt;   |     1.5 | \\*  |\n\
             | snake\\_case line | **2.5** |     |\n"
        );
    }

    #[test]
    fn html_cells_are_escaped_aligned_and_bold() {
        let mut table = table([Column::left("<b>"), Column::right("n")], &[["</td>&", "3"]]);
        table.bold_highest(1);
        let html = table.html();
        let tree = roxmltree::Document::parse(&html).unwrap();
        let cells: Vec<_> = tree.descendants().filter(|n| n.has_tag_name("td")).collect();
        assert_eq!(cells[0].text(), Some("</td>&"));
        assert_eq!(cells[1].attribute("class"), Some("right"));
        assert!(cells[1].first_element_child().unwrap().has_tag_name("strong"));
    }

    #[test]
    fn csv_fields_are_quoted_where_necessary() {
        let columns = [Column::left("a"), Column::left("b, c")];
        let table = table(columns, &[["say \"hi\"", "x\ny"], ["plain", ""]]);
        assert_eq!(table.csv(), "a,\"b, c\"\n\"say \"\"hi\"\"\",\"x\ny\"\nplain,\n");
    }
}
