//! The model behind the page: the results of the pipelines for the labels as they were at some moment.

use std::time::Instant;

use trustpath::label::Labelling;
use trustpath::{Audit, Observer, Origin};
use trustpath_explain::{AuditedRows, DataInfo, FrontEnd, LabelResult};

use crate::answer::{Answer, Answers};
use crate::progress::ProgressPoint;
use crate::source::SessionPool;

/// The labels at some moment, for a pipeline: only classes that occur.
#[derive(Debug)]
pub struct Snapshot {
    /// The label of each row.
    pub labels: Vec<Option<usize>>,
    /// The origin of each.
    pub origins: Vec<Origin>,
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
        Self { labels, origins: answers.origins().to_vec(), classes, names, none, as_of }
    }

    /// The instances with these labels.
    pub fn data<'a>(&'a self, source: &'a dyn SessionPool) -> DataInfo<'a> {
        DataInfo { labels: &self.labels, classes: &self.names, ..DataInfo::of(source.pool()) }
    }

    /// The number of answers: labels, and instances that are none of the classes.
    pub fn answers(&self) -> usize {
        self.labels.iter().flatten().count() + self.none.len()
    }
}

/// A labelled pool.
#[derive(Debug)]
pub struct SessionModel {
    /// What it was labelled from.
    pub from: Snapshot,
    pub labelling: Labelling,
    pub seconds: f64,
}

impl SessionModel {
    /// Labels the pool.
    pub fn run(source: &dyn SessionPool, from: Snapshot, observer: &mut (dyn Observer + Send)) -> Result<Self, String> {
        let start = Instant::now();
        let labelling = source.label(&from.labels, &from.origins, &from.none, from.classes.len(), observer)?;
        Ok(Self { from, labelling, seconds: start.elapsed().as_secs_f64() })
    }

    /// With what is needed to explain it.
    pub fn result<'a>(&'a self, source: &'a dyn SessionPool) -> LabelResult<'a> {
        let data = self.from.data(source);
        let (trust, closed, front_end) = (source.trust(), source.closed(), FrontEnd::CommandLine);
        LabelResult { data, labelling: &self.labelling, trust, closed, front_end }
    }

    /// The class predicted for a row, as the session numbers it.
    pub fn label(&self, row: usize) -> Option<usize> {
        self.labelling.labels[row].map(|class| self.from.classes[class])
    }

    /// The class of a row: answered, or else predicted.
    pub fn class(&self, row: usize, answer: Answer) -> Option<usize> {
        if answer.is_open() { self.label(row) } else { answer.class() }
    }

    /// The class that competes with it.
    pub fn rival(&self, row: usize) -> usize {
        self.from.classes[self.labelling.rival[row]]
    }

    /// The point of the curve.
    pub fn point(&self) -> ProgressPoint {
        ProgressPoint::new(self.from.answers(), &self.labelling)
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
