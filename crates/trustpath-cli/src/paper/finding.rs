//! What a target brings home: text, tables, figures and verdicts, for the terminal and for a report.

use trustpath_report::{
    Column, Document, DocumentBlock as Block, DocumentSection as Section, Figure, Table,
};

use super::error::Result;
use super::verdict::Verdict;

/// The result of a target.
#[derive(Debug)]
pub struct Finding {
    /// Heading of its section.
    pub heading: &'static str,
    /// What the paper reports.
    pub paper: String,
    /// What was found here.
    pub blocks: Vec<Block>,
    /// Whether the paper's conclusions hold.
    pub verdicts: Vec<Verdict>,
}

impl Finding {
    /// A finding with nothing found yet.
    pub fn new(heading: &'static str, paper: impl Into<String>) -> Self {
        Self { heading, paper: paper.into(), blocks: Vec::new(), verdicts: Vec::new() }
    }

    /// Adds a paragraph.
    pub fn say(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Paragraph(text.into()));
    }

    /// Adds a table.
    pub fn table(&mut self, caption: impl Into<String>, table: Table) {
        self.blocks.push(Block::Table { caption: caption.into(), table });
    }

    /// Adds a figure.
    pub fn figure(&mut self, name: impl Into<String>, figure: Figure) {
        self.blocks.push(Block::Figure { name: name.into(), caption: String::new(), figure });
    }

    /// As a section: what the paper reports, what was found, and whether they agree.
    pub fn section(self) -> Section {
        let mut blocks = vec![Block::Paragraph(format!("The paper: {}", self.paper))];
        blocks.extend(self.blocks);
        if !self.verdicts.is_empty() {
            blocks.push(Block::List(self.verdicts.iter().map(Verdict::sentence).collect()));
        }
        Section { heading: self.heading.to_owned(), blocks }
    }
}

/// All verdicts in a table.
pub fn overview(findings: &[Finding]) -> Result<Table> {
    let mut table = Table::new(vec![
        Column::left("Result"),
        Column::left("Dataset"),
        Column::left("The paper's conclusion"),
        Column::left("Holds here"),
    ]);
    for finding in findings {
        for verdict in &finding.verdicts {
            table.push([
                finding.heading,
                &verdict.dataset,
                &verdict.claim,
                verdict.holds.name(),
            ])?;
        }
    }
    Ok(table)
}

/// A document as plain text.
pub fn text(document: &Document) -> String {
    let mut out = format!("{}\n", document.title);
    let mut figures = document.figures().into_iter().map(|(name, _)| name);
    let mut push = |out: &mut String, block: &Block| match block {
        Block::Paragraph(text) => *out += &format!("\n{text}\n"),
        Block::Code(text) => *out += &format!("\n{}\n", text.trim_end()),
        Block::List(items) => {
            out.push('\n');
            items.iter().for_each(|item| *out += &format!("- {item}\n"));
        }
        Block::Table { caption, table } => *out += &format!("\n{caption}\n\n{}", table.text()),
        Block::Figure { .. } => {
            let name = figures.next().unwrap_or_default();
            *out += &format!("\nFigure: figures/{name}.svg, figures/{name}.png\n");
        }
    };
    document.lead.iter().for_each(|block| push(&mut out, block));
    for section in &document.sections {
        out += &format!("\n{}\n", section.heading);
        section.blocks.iter().for_each(|block| push(&mut out, block));
    }
    out
}
