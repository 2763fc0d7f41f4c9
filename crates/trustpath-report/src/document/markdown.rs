//! A report as Markdown, with its figures as separate files.

use super::{Document, DocumentBlock};
use crate::table::escape_markdown as escape;

impl Document {
    /// The report as Markdown; its figures are the PNG files of [`Document::figures`] in `folder`.
    pub fn markdown(&self, folder: &str) -> String {
        let mut files = self.figures().into_iter().map(|(name, _)| name);
        let mut out = format!("# {}\n", escape(&self.title));
        let mut add = |out: &mut String, blocks: &[DocumentBlock]| {
            blocks.iter().for_each(|b| out.push_str(&block(b, folder, &mut files)));
        };
        add(&mut out, &self.lead);
        for section in &self.sections {
            out.push_str(&format!("\n## {}\n", escape(&section.heading)));
            add(&mut out, &section.blocks);
        }
        out
    }
}

/// A block with an empty line before it; a figure takes the next file name.
fn block(block: &DocumentBlock, folder: &str, files: &mut impl Iterator<Item = String>) -> String {
    match block {
        DocumentBlock::Paragraph(text) => format!("\n{}\n", escape(text)),
        DocumentBlock::List(items) => {
            let items: String = items.iter().map(|i| format!("- {}\n", escape(i))).collect();
            format!("\n{items}")
        }
        DocumentBlock::Table { caption, table } => format!("\n{}\n\n{}", escape(caption), table.markdown()),
        DocumentBlock::Figure { figure, .. } => {
            let file = files.next().unwrap_or_default();
            format!("\n![{}]({folder}/{file}.png)\n", escape(&figure.title))
        }
    }
}
