//! A report: sections of text, tables and figures, as one self-contained HTML page and as Markdown.

mod html;
mod markdown;

use crate::{Error, Figure, Result, Table};
use std::collections::HashSet;
use std::path::Path;

/// A report.
///
/// ```
/// use trustpath_report::{DocumentBlock, Document, DocumentSection};
/// let document = Document {
///     title: "A report".into(),
///     sections: vec![DocumentSection {
///         heading: "Accuracy".into(),
///         blocks: vec![DocumentBlock::Paragraph("It increased.".into())],
///     }],
///     ..Document::default()
/// };
/// assert!(document.html().contains("<h2 id=\"accuracy\">Accuracy</h2>"));
/// assert!(document.markdown("figures").contains("\n## Accuracy\n"));
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Document {
    /// Title of the report.
    pub title: String,
    /// Text, tables and figures between the title and the first section.
    pub lead: Vec<DocumentBlock>,
    /// The sections.
    pub sections: Vec<DocumentSection>,
}

/// A section of a report.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DocumentSection {
    /// Its heading.
    pub heading: String,
    /// Its contents, in order.
    pub blocks: Vec<DocumentBlock>,
}

/// A part of a section.
#[derive(Debug, Clone, PartialEq)]
pub enum DocumentBlock {
    /// Plain text.
    Paragraph(String),
    /// A list of plain texts.
    List(Vec<String>),
    /// A table, with a caption above it.
    Table {
        /// Its caption.
        caption: String,
        /// The table.
        table: Table,
    },
    /// A figure.
    Figure {
        /// Name of its files without extension; it is made safe and unique.
        name: String,
        /// The figure.
        figure: Figure,
    },
}

impl Document {
    /// Every figure with the name of its files, in order.
    pub fn figures(&self) -> Vec<(String, &Figure)> {
        let mut used = HashSet::new();
        let blocks = self.lead.iter().chain(self.sections.iter().flat_map(|s| &s.blocks));
        let named = blocks.filter_map(|block| match block {
            DocumentBlock::Figure { name, figure } => Some((name, figure)),
            _ => None,
        });
        named.map(|(name, figure)| (unique(&mut used, name, "figure"), figure)).collect()
    }

    /// Writes `NAME.html`, `NAME.md`, and every figure as SVG and PNG (at twice its size) in `folder/figures`.
    pub fn write(&self, folder: &Path, name: &str) -> Result<()> {
        let figures = folder.join("figures");
        let refused = |path: &Path, error: std::io::Error| Error::Write {
            path: path.display().to_string(),
            reason: error.to_string(),
        };
        std::fs::create_dir_all(&figures).map_err(|e| refused(&figures, e))?;
        let save = |path: &Path, bytes: &[u8]| std::fs::write(path, bytes).map_err(|e| refused(path, e));
        for (file, figure) in self.figures() {
            save(&figures.join(format!("{file}.svg")), figure.svg().as_bytes())?;
            save(&figures.join(format!("{file}.png")), &figure.png(2.0)?)?;
        }
        let name = slug(name).unwrap_or_else(|| "report".into());
        save(&folder.join(format!("{name}.html")), self.html().as_bytes())?;
        save(&folder.join(format!("{name}.md")), self.markdown("figures").as_bytes())
    }
}

/// The name as a slug (or `otherwise`), with a number if it is one of those already `used`.
fn unique(used: &mut HashSet<String>, name: &str, otherwise: &str) -> String {
    let base = slug(name).unwrap_or_else(|| otherwise.to_owned());
    let numbered = (2..).map(|number| format!("{base}-{number}"));
    let mut names = std::iter::once(base.clone()).chain(numbered);
    names.find(|name| used.insert(name.clone())).unwrap_or_default()
}

/// A name of letters, digits and hyphens, which is safe as a file and as an anchor; `None` if nothing is left.
fn slug(name: &str) -> Option<String> {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_alphanumeric() {
            out.extend(c.to_lowercase());
        } else if !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
    }
    out.truncate(out.trim_end_matches('-').len());
    (!out.is_empty()).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_are_safe_and_unique() {
        assert_eq!(slug("Table 1: ICI-R (5-shot)").as_deref(), Some("table-1-ici-r-5-shot"));
        assert_eq!(slug("../../etc/passwd").as_deref(), Some("etc-passwd"));
        assert_eq!(slug("?!"), None);
        let mut used = HashSet::new();
        let names = ["path", "Path", "path", "…"].map(|name| unique(&mut used, name, "figure"));
        assert_eq!(names, ["path", "path-2", "path-3", "figure"]);
    }
}
