//! A table as HTML.

use super::{Align, Table};
use crate::draw::escape::escape;

impl Table {
    /// The table as an HTML `<table>`; alignment is by the classes `right` and `center`.
    pub fn html(&self) -> String {
        let mut out = String::from("<table>\n<thead><tr>");
        for column in &self.columns {
            out.push_str(&format!(
                "<th scope=\"col\"{}>{}</th>",
                class(column.align),
                escape(&column.name)
            ));
        }
        out.push_str("</tr></thead>\n<tbody>\n");
        for row in &self.rows {
            out.push_str("<tr>");
            for (cell, column) in row.iter().zip(&self.columns) {
                let text = escape(&cell.text);
                let text = if cell.bold { format!("<strong>{text}</strong>") } else { text };
                out.push_str(&format!("<td{}>{text}</td>", class(column.align)));
            }
            out.push_str("</tr>\n");
        }
        out.push_str("</tbody>\n</table>\n");
        out
    }
}

fn class(align: Align) -> &'static str {
    match align {
        Align::Left => "",
        Align::Right => " class=\"right\"",
        Align::Center => " class=\"center\"",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Best, Column};

    #[test]
    fn cells_are_escaped_aligned_and_bold() {
        let mut table = Table::new(vec![Column::left("<b>"), Column::right("n")]);
        table.push(["</td>&", "3"]).unwrap();
        table.bold_best(1, Best::Lowest);
        let html = table.html();
        let tree = roxmltree::Document::parse(&html).unwrap();
        let cells: Vec<_> = tree.descendants().filter(|n| n.has_tag_name("td")).collect();
        assert_eq!(cells[0].text(), Some("</td>&"));
        assert_eq!(cells[1].attribute("class"), Some("right"));
        assert!(cells[1].first_element_child().unwrap().has_tag_name("strong"));
    }
}
