//! A report as one HTML page with embedded styles and figures; it loads nothing and contains no script.

use super::{Document, DocumentBlock, DocumentSection, unique};
use crate::draw::escape::escape;
use std::collections::HashSet;

const STYLE: &str = include_str!("style.css");

impl Document {
    /// The report as one self-contained HTML page with a light and a dark theme, also for phones.
    pub fn html(&self) -> String {
        let title = escape(&self.title);
        let mut out = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n"
        );
        self.lead.iter().for_each(|b| out.push_str(&block(b)));
        let mut used = HashSet::new();
        let anchor = |s: &DocumentSection| unique(&mut used, &s.heading, "section");
        let anchors: Vec<String> = self.sections.iter().map(anchor).collect();
        if self.sections.len() > 1 {
            out.push_str("<nav aria-label=\"Contents\"><ul>\n");
            for (section, anchor) in self.sections.iter().zip(&anchors) {
                let heading = escape(&section.heading);
                out.push_str(&format!("<li><a href=\"#{anchor}\">{heading}</a></li>\n"));
            }
            out.push_str("</ul></nav>\n");
        }
        for (section, anchor) in self.sections.iter().zip(&anchors) {
            out.push_str(&format!("<h2 id=\"{anchor}\">{}</h2>\n", escape(&section.heading)));
            section.blocks.iter().for_each(|b| out.push_str(&block(b)));
        }
        out.push_str("</main>\n</body>\n</html>\n");
        out
    }
}

fn block(block: &DocumentBlock) -> String {
    match block {
        DocumentBlock::Paragraph(text) => format!("<p>{}</p>\n", escape(text)),
        DocumentBlock::List(items) => {
            let items: String = items.iter().map(|i| format!("<li>{}</li>\n", escape(i))).collect();
            format!("<ul>\n{items}</ul>\n")
        }
        DocumentBlock::Table { caption, table } => {
            let head = format!("<table>\n<caption>{}</caption>", escape(caption));
            format!("<div class=\"table\">\n{}</div>\n", table.html().replacen("<table>", &head, 1))
        }
        DocumentBlock::Figure { figure, .. } => format!("<figure>\n{}</figure>\n", figure.svg()),
    }
}
