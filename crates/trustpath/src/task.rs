//! What is to be learned: instances, labels of the first of them, and what may be learned from the rest.

use std::ops::Range;

use crate::linalg::vector::arg_max;
use crate::{Error, Instances, Matrix, Result};
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
pub struct CheckedTask<'a> {
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

/// Class probabilities, one row per instance.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Posterior {
    /// Of the unlabeled instances.
    pub unlabeled: Matrix,
    /// Of the query, where it is separate from the unlabeled instances: semi-supervised and inductive.
    pub query: Option<Matrix>,
}

impl Posterior {
    /// The most probable class of every query instance; in the transductive setting, of every unlabeled instance.
    pub fn query_labels(&self) -> Vec<usize> {
        self.query.as_ref().unwrap_or(&self.unlabeled).iter_rows().map(arg_max).collect()
    }

    /// By a rule that gives the class probabilities of any rows.
    #[doc(hidden)]
    pub fn of(task: &CheckedTask<'_>, rule: impl Fn(Range<usize>) -> Matrix) -> Self {
        Self::with_query(task, rule(task.labelled..task.pool), |_, rows| rule(rows))
    }

    /// Adds the query, where it is separate, by a rule from the probabilities of the unlabeled instances and the rows of
    /// the query.
    #[doc(hidden)]
    pub fn with_query(
        task: &CheckedTask<'_>,
        unlabeled: Matrix,
        rule: impl FnOnce(&Matrix, Range<usize>) -> Matrix,
    ) -> Self {
        let rows = task.pool..task.instances.len();
        let query = (!task.transductive()).then(|| rule(&unlabeled, rows));
        Self { unlabeled, query }
    }
}

/// Refuses a parameter that is not valid.
///
/// # Errors
/// [`Error::Parameter`].
pub fn require(name: &'static str, value: f64, valid: bool, expected: &'static str) -> Result<()> {
    if valid { Ok(()) } else { Err(Error::parameter(name, value, expected)) }
}
