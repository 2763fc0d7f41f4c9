//! An audit explained: reasons, columns, summary and page.

use trustpath::{Audit, Error, LEAST_LABELS};
use trustpath_report::label_page::{LabelReport, ReportInstance, ReportKind, ReportVerdict};
use trustpath_report::{Table, TableColumn};

use crate::{DataInfo, FrontEnd, count, map_2d, path};

/// Suspects listed in a summary.
const LISTED: usize = 10;

/// The instances that have a label; there is nothing to audit in the others.
#[derive(Debug, Clone)]
pub struct AuditedRows {
    /// Their rows, ascending.
    pub rows: Vec<usize>,
    /// Their labels.
    pub labels: Vec<usize>,
}

impl AuditedRows {
    /// Those among the labels of all rows.
    pub fn new(labels: &[Option<usize>]) -> Self {
        let labels = labels.iter().enumerate();
        let (rows, labels) = labels.filter_map(|(row, label)| label.map(|l| (row, l))).unzip();
        Self { rows, labels }
    }

    /// An error of the audit in terms of all rows: the engine counts the labelled ones only.
    pub fn error_in_all_rows(&self, error: Error) -> Error {
        match error {
            Error::ZeroVector { row } => Error::ZeroVector { row: self.rows[row] },
            error => error,
        }
    }

    /// Answers about rows of all instances, in terms of the labelled ones; those about others are left out.
    pub fn answers(&self, answers: &[(usize, usize)]) -> Vec<(usize, usize)> {
        let place = |&(row, label): &(usize, usize)| Some((self.rows.binary_search(&row).ok()?, label));
        answers.iter().filter_map(place).collect()
    }
}

/// An audit, and what is needed to explain it.
#[derive(Debug, Clone, Copy)]
pub struct AuditResult<'a> {
    /// All instances.
    pub data: DataInfo<'a>,
    /// Those that were audited.
    pub labelled: &'a AuditedRows,
    /// The audit, in the order of the labelled rows.
    pub audit: &'a Audit,
    /// Where the explanation is read.
    pub front_end: FrontEnd,
}

impl AuditResult<'_> {
    /// Values of the labelled instances, the most suspicious first.
    pub(crate) fn ranked<T>(&self, value: impl Fn(usize) -> T) -> Vec<T> {
        self.audit.ranking.iter().map(|&at| value(at)).collect()
    }

    /// Why the labelled instance `at` has its verdict.
    pub fn reason(&self, at: usize) -> String {
        let (data, AuditedRows { rows, labels }) = (&self.data, self.labelled);
        let name = |class: usize| &data.classes[class];
        let (given, other) = (name(labels[at]), name(self.audit.suggested[at]));
        let (fit, against) = (self.audit.credibility[at], self.audit.suggested_credibility[at]);
        let near = |near: usize| format!("{} ({})", data.ids[rows[near]], name(labels[near]));
        let nearest: Vec<String> = self.audit.nearest_to(at).map(near).collect();
        let fits = match (self.audit.verified[at], self.audit.judged[at]) {
            (Some(right), _) if right == labels[at] => format!("{given} was confirmed"),
            (Some(right), _) => format!("{given} was corrected to {}", name(right)),
            (None, false) => {
                format!("no other label is {given}, so this one cannot be judged; {other} would be next ({against:.2})")
            }
            (None, true) if against > fit => {
                format!("{other} would fit better ({against:.2}) than {given} ({fit:.2})")
            }
            (None, true) => format!("fits {given} ({fit:.2}); next would be {other} ({against:.2})"),
        };
        format!("{fits}; nearest: {}", nearest.join(", "))
    }

    /// The verdict on the labelled instance `at`.
    pub fn verdict(&self, at: usize) -> &'static str {
        let Audit { suspect, judged, verified, .. } = self.audit;
        match verified[at] {
            Some(right) if right == self.labelled.labels[at] => "confirmed",
            Some(_) => "corrected",
            None if suspect[at] => "suspect",
            None if judged[at] => "fits",
            None => "not judged",
        }
    }

    /// What is estimated of all labels, and what cannot be said, in sentences.
    pub fn notes(&self) -> Vec<String> {
        let audit = self.audit;
        let n = self.labelled.rows.len();
        let mut notes = Vec::new();
        match audit.wrong {
            None => notes.push(format!(
                "There are too few labels to say how many are wrong ({n}; it takes {LEAST_LABELS}): nothing is called a suspect, the most suspicious come first."
            )),
            Some(wrong) => {
                let share = |count: f64| 100.0 * count / n as f64;
                notes.push(format!(
                    "About {:.0} of {n} labels are wrong ({:.1} %); 90 % interval {:.0} to {:.0}. The estimate assumes that wrong labels are equally likely to be any other class; the upper end allows for mistakes between similar classes, which cannot be distinguished from ambiguous instances.",
                    wrong.count, share(wrong.count), wrong.low, wrong.high
                ));
                if wrong.among_suspects.is_finite() {
                    notes.push(format!(
                        "Of the suspects, {:.0} % are expected to be wrong ({:.0} % was asked for).",
                        100.0 * wrong.among_suspects, 100.0 * audit.precision
                    ));
                } else {
                    notes.push(format!(
                        "No suspects: in no set of labels are {:.0} % expected to be wrong. Use a lower {} to list more.",
                        100.0 * audit.precision,
                        self.front_end.option("precision")
                    ));
                }
            }
        }
        let answers = audit.verified.iter().flatten().count();
        if answers > 0 {
            let given = self.labelled.labels.iter();
            let wrong = audit.verified.iter().zip(given).filter(|(v, l)| v.is_some_and(|v| v != **l));
            notes.push(format!(
                "{} checked by a person, {} wrong; these correct the estimates.",
                count(answers, "label was", "labels were"),
                wrong.count()
            ));
        }
        let lone = audit.judged.iter().filter(|judged| !**judged).count();
        if lone > 0 {
            notes.push(format!(
                "{} the only one of its class and cannot be judged.",
                count(lone, "label is", "labels are each")
            ));
        }
        notes
    }

    fn suspects(&self) -> usize {
        self.audit.suspect.iter().filter(|suspect| **suspect).count()
    }

    /// The instances in a line.
    fn line(&self) -> String {
        format!(
            "{}, {} each; {}",
            count(self.labelled.rows.len(), "labelled instance", "labelled instances"),
            count(self.data.dims, "feature", "features"),
            count(self.data.classes.len(), "class", "classes"),
        )
    }

    /// The summary for a terminal, with the time and memory spent.
    ///
    /// # Errors
    /// When the table of suspects cannot be drawn.
    pub fn text(&self, spent: &str) -> trustpath_report::Result<String> {
        let (data, suspects) = (&self.data, self.suspects());
        let share = 100.0 * suspects as f64 / self.labelled.rows.len() as f64;
        let number = count(suspects, "suspect", "suspects");
        let head = format!("{}: {}\n{number} ({share:.1} %), {spent}\n", data.source, self.line());
        let head = self.notes().into_iter().fold(head, |text, note| text + &note + "\n");
        if self.audit.ranking.iter().all(|&at| self.audit.verified[at].is_some()) {
            return Ok(head);
        }
        let mut table = Table::new(vec![
            TableColumn::left("most suspicious"),
            TableColumn::left("label"),
            TableColumn::left("suggested"),
            TableColumn::right("credibility"),
            TableColumn::right("of the suggested"),
            TableColumn::right("probability wrong"),
        ]);
        // The suspects; without any, the labels that are most suspicious.
        let listed = |at: usize| match suspects {
            0 => self.audit.judged[at] && self.audit.verified[at].is_none(),
            _ => self.audit.suspect[at],
        };
        let ranked = self.audit.ranking.iter().filter(|&&at| listed(at));
        for &at in ranked.take(if suspects == 0 { LISTED / 2 } else { LISTED }) {
            let wrong = self.audit.probability[at];
            table.push([
                data.ids[self.labelled.rows[at]].clone(),
                data.classes[self.labelled.labels[at]].clone(),
                data.classes[self.audit.suggested[at]].clone(),
                format!("{:.2}", self.audit.credibility[at]),
                format!("{:.2}", self.audit.suggested_credibility[at]),
                if wrong.is_nan() { "–".into() } else { format!("{wrong:.2}") },
            ])?;
        }
        Ok(format!("{head}\n{}", table.text()))
    }

    /// The page, and the rows that it shows: of very many labels the part that the paths were fitted to.
    pub fn page(&self) -> (LabelReport, Vec<usize>) {
        let (data, audit, AuditedRows { rows, labels }) = (&self.data, self.audit, self.labelled);
        let part: Vec<usize> = (0..audit.coordinates.len()).map(|place| audit.row(place)).collect();
        let map = map_2d(&audit.coordinates);
        let instances = part.iter().zip(map).enumerate().map(|(place, (&at, position))| ReportInstance {
            id: data.ids[rows[at]].clone(),
            label: if audit.suspect[at] { audit.suggested[at] } else { labels[at] },
            given: Some(labels[at]),
            rival: Some(audit.suggested[at]),
            probability: f64::NAN,
            credibility: audit.credibility[at],
            verdict: if audit.suspect[at] { ReportVerdict::Suspect } else { ReportVerdict::Fits },
            reason: self.reason(at),
            position,
            neighbours: audit.nearest.indices(place).collect(),
            ..ReportInstance::default()
        });
        let suspects = self.suspects();
        let mut counts = [0; 6];
        counts[ReportVerdict::Suspect as usize] = suspects;
        counts[ReportVerdict::Fits as usize] = rows.len() - suspects;
        let mut facts = vec![("labelled".into(), rows.len().to_string()), ("suspects".into(), suspects.to_string())];
        if let Some(wrong) = audit.wrong {
            let (low, high) = (wrong.low, wrong.high);
            facts.push(("estimated wrong".into(), format!("{:.0} ({low:.0} to {high:.0})", wrong.count)));
        }
        let report = LabelReport {
            kind: ReportKind::Audit,
            title: format!("Audit of {}", data.source),
            subtitle: self.line(),
            facts,
            notes: self.notes(),
            classes: data.classes.to_vec(),
            instances: instances.collect(),
            counts: Some(counts),
            path: Some(path(&audit.lambda, &audit.gamma_norm, audit.followed.iter().copied().enumerate())),
            rounds: Vec::new(),
        };
        (report, part.iter().map(|&at| rows[at]).collect())
    }
}
