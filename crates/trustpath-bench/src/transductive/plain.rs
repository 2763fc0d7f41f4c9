//! The plain classifier: multinomial logistic regression on the labelled instances.
//!
//! It learns nothing from the pool; it is the baseline that every other method is compared with.

use super::{Posterior, Transductive};
use trustpath::classify::{Classify, Logistic};
use trustpath::task::CheckedTask;
use trustpath::{Result, Task};

/// Logistic regression on the labelled instances alone.
#[derive(Debug)]
pub(super) struct Plain;

impl Transductive for Plain {
    fn label(&self, task: &Task<'_>) -> Result<Posterior> {
        let task = CheckedTask::new(task)?;
        let classifier = Logistic::default();
        let mut trainer = classifier.trainer(task.instances, task.classes);
        let labelled: Vec<usize> = (0..task.labelled).collect();
        trainer.train(&labelled, task.labels)?;
        Ok(Posterior::of(&task, |rows| trainer.probabilities(&rows.collect::<Vec<_>>())))
    }
}
