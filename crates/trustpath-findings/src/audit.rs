//! What is told about an audit.

use trustpath::{Audit, Error, Result};
use trustpath_report::labelling::{LabelReport, ReportInstance, ReportKind, Verdict};

use crate::drawing::Shown;
use crate::{About, count};

/// The instances with a label; the others have nothing to audit.
#[derive(Debug, Clone)]
pub struct Labelled<'a> {
    /// All instances.
    pub about: About<'a>,
    /// Rows of those with a label.
    pub rows: Vec<usize>,
    /// Their labels.
    pub labels: Vec<usize>,
}

impl<'a> Labelled<'a> {
    /// Picks them out.
    pub fn of(about: About<'a>) -> Self {
        let labels = about.labels.iter().enumerate();
        let (rows, labels) = labels.filter_map(|(row, label)| label.map(|l| (row, l))).unzip();
        Self { about, rows, labels }
    }

    /// What went wrong with the audit, in terms of all rows: the engine counts the labelled ones alone.
    pub fn in_terms_of_all(&self, error: Error) -> Error {
        match error {
            Error::ZeroVector { row } => Error::ZeroVector { row: self.rows[row] },
            error => error,
        }
    }

    /// Why the `at`-th of them has its verdict.
    pub fn reason(&self, found: &Audit, at: usize) -> String {
        let name = |class: usize| &self.about.classes[class];
        let (given, other) = (name(self.labels[at]), name(found.suggested[at]));
        let (fit, against) = (found.credibility[at], found.suggested_credibility[at]);
        let near = |near: usize| {
            format!("{} ({})", self.about.ids[self.rows[near]], name(self.labels[near]))
        };
        let nearest: Vec<String> = found.nearest.indices(at).map(near).collect();
        let fits = match found.suspect[at] {
            true => format!("{other} would fit better ({against:.2}) than {given} ({fit:.2})"),
            false => format!("fits {given} ({fit:.2}); next would be {other} ({against:.2})"),
        };
        format!("{fits}; nearest: {}", nearest.join(", "))
    }

    /// How many are suspects.
    pub fn suspects(found: &Audit) -> usize {
        found.suspect.iter().filter(|suspect| **suspect).count()
    }

    /// The instances in a line.
    pub fn line(&self) -> String {
        format!(
            "{}, {} each; {}",
            count(self.rows.len(), "labelled instance", "labelled instances"),
            count(self.about.dims, "feature", "features"),
            count(self.about.classes.len(), "class", "classes"),
        )
    }

    /// The page, and which of them it shows.
    ///
    /// # Errors
    /// When the map cannot be drawn.
    pub fn page(&self, found: &Audit, reasons: &[String]) -> Result<(LabelReport, Vec<usize>)> {
        let shown = Shown::of(self.rows.len(), &[], |at| if found.suspect[at] { 0 } else { 2 });
        let map = shown.map(&found.coordinates)?;
        let instances = shown.rows.iter().zip(map).map(|(&at, position)| ReportInstance {
            id: self.about.ids[self.rows[at]].clone(),
            label: if found.suspect[at] { found.suggested[at] } else { self.labels[at] },
            given: Some(self.labels[at]),
            probability: f64::NAN,
            credibility: found.credibility[at],
            round: None,
            verdict: if found.suspect[at] { Verdict::Suspect } else { Verdict::Fits },
            reason: reasons[at].clone(),
            position,
            suggested: None,
            neighbours: shown.places(found.nearest.indices(at)),
            thumbnail: None,
        });
        let suspects = Self::suspects(found);
        let mut counts = [0; 6];
        counts[Verdict::Suspect as usize] = suspects;
        counts[Verdict::Fits as usize] = self.rows.len() - suspects;
        let report = LabelReport {
            kind: ReportKind::Audit,
            title: format!("Audit of {}", self.about.source),
            subtitle: self.line(),
            facts: vec![
                ("labelled".into(), self.rows.len().to_string()),
                ("suspects".into(), suspects.to_string()),
            ],
            notes: Vec::new(),
            classes: self.about.classes.to_vec(),
            instances: instances.collect(),
            counts: Some(counts),
            path: Some(shown.path(&found.lambda, &found.gamma_norm, &found.followed, |_| true)),
            rounds: Vec::new(),
        };
        Ok((report, shown.rows))
    }
}
