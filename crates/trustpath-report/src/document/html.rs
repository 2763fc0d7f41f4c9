//! A report as one HTML page: styles and figures are inside, nothing is fetched, nothing runs.

use super::{Block, Document, Names};
use crate::draw::escape::escape;

const STYLE: &str = include_str!("style.css");

impl Document {
    /// The report as one self-contained HTML page, readable in light and dark and on a phone.
    pub fn html(&self) -> String {
        let title = escape(&self.title);
        let mut out = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n"
        );
        self.lead.iter().for_each(|b| out.push_str(&block(b)));
        let mut names = Names::default();
        let anchors: Vec<String> =
            self.sections.iter().map(|s| names.unique(&s.heading, "section")).collect();
        if self.sections.len() > 1 {
            out.push_str("<nav aria-label=\"Contents\"><ul>\n");
            for (section, anchor) in self.sections.iter().zip(&anchors) {
                out.push_str(&format!(
                    "<li><a href=\"#{anchor}\">{}</a></li>\n",
                    escape(&section.heading)
                ));
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

fn block(block: &Block) -> String {
    match block {
        Block::Paragraph(text) => format!("<p>{}</p>\n", escape(text)),
        Block::List(items) => {
            let items: String = items.iter().map(|i| format!("<li>{}</li>\n", escape(i))).collect();
            format!("<ul>\n{items}</ul>\n")
        }
        Block::Code(text) => format!("<pre><code>{}</code></pre>\n", escape(text.trim_end())),
        Block::Table { caption, table } => {
            let html = table.html();
            let html = if caption.is_empty() {
                html
            } else {
                html.replacen(
                    "<table>",
                    &format!("<table>\n<caption>{}</caption>", escape(caption)),
                    1,
                )
            };
            format!("<div class=\"table\">\n{html}</div>\n")
        }
        Block::Figure { caption, figure, .. } => {
            let caption = if caption.is_empty() {
                String::new()
            } else {
                format!("<figcaption>{}</figcaption>\n", escape(caption))
            };
            format!("<figure>\n{}{caption}</figure>\n", figure.svg())
        }
    }
}
