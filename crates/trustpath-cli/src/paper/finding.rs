//! What a target reports: text, tables, figures and verdicts, for the terminal and for a page.

use trustpath_report::{Document, DocumentBlock as Block, DocumentSection as Section, Figure, Table, TableColumn};

use super::PaperTarget;
use super::verdict::{Comparison, Conclusion, Holds, decide};
use crate::error::Result;

/// The result of a target.
#[derive(Debug)]
pub struct Finding {
    pub target: PaperTarget,
    /// Text, tables and figures, in the order of the page.
    pub blocks: Vec<Block>,
    pub verdicts: Vec<Conclusion>,
}

impl Finding {
    pub fn new(target: PaperTarget) -> Self {
        Self { target, blocks: Vec::new(), verdicts: Vec::new() }
    }

    pub fn text(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Paragraph(text.into()));
    }

    pub fn table(&mut self, caption: impl Into<String>, table: Table) {
        self.blocks.push(Block::Table { caption: caption.into(), table });
    }

    /// Adds a table before everything else.
    pub fn table_first(&mut self, caption: impl Into<String>, table: Table) {
        self.blocks.insert(0, Block::Table { caption: caption.into(), table });
    }

    pub fn figure(&mut self, name: impl Into<String>, figure: Figure) {
        self.blocks.push(Block::Figure { name: name.into(), figure });
    }

    pub fn verdict(&mut self, dataset: &str, claim: &str, holds: Holds, evidence: String) {
        let (dataset, claim) = (dataset.to_owned(), claim.to_owned());
        self.verdicts.push(Conclusion { dataset, claim, holds, evidence });
    }

    /// Adds the verdict on the claim that all of these differences are positive.
    pub fn larger(&mut self, dataset: &str, claim: &str, comparisons: &[Comparison]) {
        let (holds, evidence) = decide(comparisons);
        self.verdict(dataset, claim, holds, evidence);
    }

    /// As a section: what the paper reports, what was measured here, and whether they agree.
    pub fn section(self) -> Section {
        let mut blocks = vec![Block::Paragraph(format!("The paper: {}", self.target.paper))];
        blocks.extend(self.blocks);
        if !self.verdicts.is_empty() {
            blocks.push(Block::List(self.verdicts.iter().map(Conclusion::sentence).collect()));
        }
        Section { heading: self.target.heading.to_owned(), blocks }
    }
}

/// All verdicts in a table.
pub fn overview(findings: &[Finding]) -> Result<Table> {
    let heads = ["Result", "Dataset", "The paper's conclusion", "Holds here"];
    let mut table = Table::new(heads.map(TableColumn::left).to_vec());
    for Finding { target, verdicts, .. } in findings {
        for Conclusion { dataset, claim, holds, .. } in verdicts {
            table.push([target.heading, dataset, claim, holds.words().0])?;
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
