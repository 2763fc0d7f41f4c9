//! Self-training on episodes: Algorithm 1 with a reduction, as the paper runs it.

use trustpath::classify::Trainer;
use trustpath::judge::PoolView;
use trustpath::labeller::SelfTraining;
use trustpath::task::{CheckedTask, Task};
use trustpath::{Error, Labels, Matrix, Result, RoundRecord};
use trustpath_path::linalg::vector::arg_max;

use crate::reduce::Reduce;

/// The result of self-training on a [`Task`].
#[derive(Debug)]
#[non_exhaustive]
pub struct SelfTrainingOutcome {
    /// Labels of the unlabeled instances by the last classifier.
    pub labels: Vec<usize>,
    /// Class probabilities of the unlabeled instances by the last classifier.
    pub probabilities: Matrix,
    /// Labels of the query. In the transductive setting, those of the unlabeled instances.
    pub query_labels: Vec<usize>,
    /// The rounds.
    pub rounds: Vec<RoundRecord>,
    /// The round in which each unlabeled instance was accepted, if it was.
    pub accepted_in: Vec<Option<usize>>,
    /// Accuracy on the query of the first classifier and after every round, where the truth was given.
    pub accuracy: Vec<f64>,
}

/// Self-training together with the reduction whose coordinates its judge reads, for episodes.
#[derive(Debug)]
pub struct SelfTrainer {
    labeller: SelfTraining,
    reduction: Box<dyn Reduce>,
}

impl SelfTrainer {
    /// Self-training whose judge reads the coordinates of this reduction.
    pub fn new(labeller: SelfTraining, reduction: Box<dyn Reduce>) -> Self {
        Self { labeller, reduction }
    }

    /// Labels the unlabeled instances and the query of a task.
    ///
    /// # Errors
    /// When the task is inconsistent: no instances, labels out of range, fewer than two classes, a class without a
    /// labelled instance, a truth of another length; or when a solver does not converge.
    pub fn run(&self, task: &Task<'_>) -> Result<SelfTrainingOutcome> {
        let task = CheckedTask::new(task)?;
        let coordinates = || Ok(self.reduction.reduce(task.instances, task.pool)?.x);
        self.run_in(&task, &PoolView::computed(task.instances, coordinates))
    }

    /// The same, but the judge reads these coordinates of the labelled and then the unlabeled instances instead of those of
    /// the reduction.
    ///
    /// # Errors
    /// As [`run`](Self::run), and when the coordinates are of another number of instances.
    pub fn run_on(&self, task: &Task<'_>, coordinates: &Matrix) -> Result<SelfTrainingOutcome> {
        let task = CheckedTask::new(task)?;
        if coordinates.rows() != task.pool {
            let expected = format!("there are {} labelled and unlabeled instances", task.pool);
            return Err(Error::parameter("rows of the coordinates", coordinates.rows(), expected));
        }
        let view = PoolView::leading(task.instances, coordinates, coordinates.cols());
        self.run_in(&task, &view)
    }

    fn run_in(&self, task: &CheckedTask<'_>, view: &PoolView<'_>) -> Result<SelfTrainingOutcome> {
        let given: Vec<usize> = (0..task.labelled).collect();
        let split = Labels { given: &given, labels: task.labels, open: &task.unlabeled, classes: task.classes };
        let mut accuracy = Vec::new();
        let mut score = |trainer: &dyn Trainer, open: &[usize]| {
            if let Some(truth) = task.truth {
                let labels = if task.transductive() { open.to_vec() } else { trainer.label(&task.query).0 };
                let right = labels.iter().zip(truth).filter(|(label, truth)| label == truth);
                accuracy.push(right.count() as f64 / truth.len() as f64);
            }
        };
        let (trainer, labelled) = self.labeller.rounds(view, split, &mut score)?;
        let probabilities = trainer.probabilities(&task.unlabeled);
        let of_query = (!task.transductive()).then(|| trainer.probabilities(&task.query));
        Ok(SelfTrainingOutcome {
            labels: labelled.labels,
            query_labels: of_query.as_ref().unwrap_or(&probabilities).iter_rows().map(arg_max).collect(),
            probabilities,
            rounds: labelled.rounds,
            accepted_in: labelled.accepted_in,
            accuracy,
        })
    }
}
