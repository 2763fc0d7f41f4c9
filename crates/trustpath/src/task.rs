//! What is to be learned: instances, labels of the first of them, and what may be learned from the rest.

use crate::{Error, Instances, Result};
use trustpath_path::labels::check_labels;

/// What is given: instances in the order labelled, unlabeled, and those only to be classified in the end.
#[derive(Debug, Clone, Copy)]
pub struct Task<'a> {
    /// All instances.
    pub instances: &'a Instances,
    /// Labels of the first instances.
    pub labels: &'a [usize],
    /// How many instances after the labelled ones are unlabeled and may be learned from. The rest is the query. In
    /// the transductive setting there is no rest, and the query is the unlabeled instances themselves; in the
    /// inductive setting there are no unlabeled ones.
    pub unlabeled: usize,
    /// Number of classes.
    pub classes: usize,
    /// The true labels of the query, where they are known: only to measure accuracy.
    pub truth: Option<&'a [usize]>,
}

/// A task whose parts fit together.
pub(crate) struct CheckedTask<'a> {
    pub instances: &'a Instances,
    pub labels: &'a [usize],
    pub labelled: usize,
    pub pool: usize,
    pub classes: usize,
    pub truth: Option<&'a [usize]>,
    /// Rows that may be learned from without a label.
    pub unlabeled: Vec<usize>,
    /// Rows to be classified in the end, where they are others; empty in the transductive setting.
    pub query: Vec<usize>,
}

impl<'a> CheckedTask<'a> {
    pub fn new(task: &Task<'a>) -> Result<Self> {
        let (labelled, rows) = (task.labels.len(), task.instances.len());
        check_labels(task.labels, labelled, task.classes)?;
        if let Some(class) = (0..task.classes).find(|class| !task.labels.contains(class)) {
            return Err(Error::ClassWithoutSupport { class });
        }
        let pool = labelled.saturating_add(task.unlabeled);
        if pool > rows {
            return Err(Error::LabelCount { labels: pool, rows });
        }
        let checked = Self {
            instances: task.instances,
            labels: task.labels,
            labelled,
            pool,
            classes: task.classes,
            truth: task.truth,
            unlabeled: (labelled..pool).collect(),
            query: (pool..rows).collect(),
        };
        if let Some(truth) = task.truth {
            let query = if checked.transductive() { task.unlabeled } else { rows - pool };
            check_labels(truth, query, task.classes)?;
        }
        Ok(checked)
    }

    /// Whether the query is the unlabeled instances themselves.
    pub fn transductive(&self) -> bool {
        self.query.is_empty()
    }
}

/// The first of the largest entries.
pub(crate) fn arg_max(p: &[f64]) -> usize {
    let mut best = 0;
    for (k, value) in p.iter().enumerate() {
        if *value > p[best] {
            best = k;
        }
    }
    best
}
