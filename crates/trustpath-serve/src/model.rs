//! The model behind the page: what the pipelines found for the labels as they were at some moment.

use std::time::Instant;

use trustpath::label::Labelling;
use trustpath::{Audit, Observer};
use trustpath_explain::{AuditedRows, DataInfo, FrontEnd, LabelResult};

use crate::answer::{Answer, Answers};
use crate::progress::Point;
use crate::session::Session;
use crate::source::SessionPool;

/// The labels at some moment, for a pipeline: only classes that occur.
#[derive(Debug)]
pub struct Snapshot {
    /// The label of each row.
    pub labels: Vec<Option<usize>>,
    /// The number of each of its classes in the session.
    pub classes: Vec<usize>,
    /// Their names.
    pub names: Vec<String>,
    /// Rows that are none of the classes.
    pub none: Vec<usize>,
    /// How many actions there were before it.
    pub as_of: u64,
}

impl Snapshot {
    /// The labels now.
    pub fn of(answers: &Answers, as_of: u64) -> Self {
        let (labels, classes) = answers.occurring();
        let names = classes.iter().map(|&class| answers.classes()[class].clone()).collect();
        let is_none = |&row: &usize| answers.of(row) == Answer::NoneOfThese;
        let none = (0..labels.len()).filter(is_none).collect();
        Self { labels, classes, names, none, as_of }
    }
}

/// A labelled pool.
#[derive(Debug)]
pub struct SessionModel {
    /// What it was labelled from.
    pub from: Snapshot,
    /// The labels.
    pub labelling: Labelling,
    /// How long it took.
    pub seconds: f64,
}

impl SessionModel {
    /// Labels the pool.
    pub fn run(source: &dyn SessionPool, from: Snapshot, observer: &mut (dyn Observer + Send)) -> Result<Self, String> {
        let start = Instant::now();
        let labelling = source.label(&from.labels, &from.none, from.classes.len(), observer)?;
        Ok(Self { from, labelling, seconds: start.elapsed().as_secs_f64() })
    }

    /// With what is needed to explain it.
    pub fn result<'a>(&'a self, source: &'a dyn SessionPool) -> LabelResult<'a> {
        let pool = source.pool();
        let data = DataInfo {
            source: pool.source(),
            dims: pool.dims(),
            ids: pool.ids(),
            labels: &self.from.labels,
            classes: &self.from.names,
        };
        let (trust, closed, front_end) = (source.trust(), source.closed(), FrontEnd::CommandLine);
        LabelResult { data, labelling: &self.labelling, trust, closed, front_end }
    }

    /// The class predicted for a row, as the session numbers it.
    pub fn label(&self, row: usize) -> Option<usize> {
        self.labelling.labels[row].map(|class| self.from.classes[class])
    }

    /// The class that competes with it.
    pub fn rival(&self, row: usize) -> usize {
        self.from.classes[self.labelling.rival[row]]
    }

    /// The point of the curve.
    pub fn point(&self) -> Point {
        let labels = self.from.labels.iter().flatten().count() + self.from.none.len();
        let trusted = self.labelling.trusted.rows.len();
        let estimate = self.labelling.trusted.estimate.filter(|_| trusted > 0);
        Point {
            labels,
            coverage: (labels + trusted) as f64 / self.from.labels.len() as f64,
            trusted,
            precision: estimate.map(|e| [e.precision, e.interval.0, e.interval.1]),
        }
    }
}

/// Audited labels.
#[derive(Debug)]
pub struct Audited {
    /// What was audited.
    pub from: Snapshot,
    /// The rows with a label.
    pub labelled: AuditedRows,
    /// The audit, in their order.
    pub audit: Audit,
}

impl Audited {
    /// Audits the labels.
    pub fn run(source: &dyn SessionPool, from: Snapshot, observer: &mut (dyn Observer + Send)) -> Result<Self, String> {
        let labelled = AuditedRows::new(&from.labels);
        let audit = source.audit(&labelled, from.classes.len(), observer)?;
        Ok(Self { from, labelled, audit })
    }
}

/// Reports the stages of a pipeline to the page, and stops it when the session ends.
pub struct StageObserver<'a>(pub &'a Session);

impl Observer for StageObserver<'_> {
    fn stage(&mut self, name: &'static str, _: usize, _: usize) {
        self.0.lock().stage = Some(name);
    }

    fn stop(&self) -> bool {
        self.0.lock().closing
    }
}
