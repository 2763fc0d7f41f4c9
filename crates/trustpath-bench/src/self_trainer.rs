//! Self-training on episodes: Algorithm 1 with a reduction, as the paper runs it.

use std::sync::OnceLock;

use trustpath::classify::{TrainedModel, Trainer};
use trustpath::incidental::Incidental;
use trustpath::judge::View;
use trustpath::labeller::SelfTraining;
use trustpath::task::{CheckedTask, Task};
use trustpath::{Error, Labels, Matrix, Result, RoundRecord};
use trustpath_path::linalg::vector::arg_max;

use crate::reduce::Reduce;

/// The result of self-training on a [`Task`].
#[derive(Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// Labels of the unlabeled instances by the last classifier.
    pub labels: Vec<usize>,
    /// Class probabilities of the unlabeled instances by the last classifier.
    pub probabilities: Matrix,
    /// Labels of the query. In the transductive setting, those of the unlabeled instances.
    pub query_labels: Vec<usize>,
    /// Class probabilities of the query.
    pub query_probabilities: Matrix,
    /// The rounds.
    pub rounds: Vec<RoundRecord>,
    /// The round in which each unlabeled instance was accepted, if it was.
    pub accepted_in: Vec<Option<usize>>,
    /// Vanishing `λ` of each unlabeled instance under its final label, the smaller the more credible; if a final judge
    /// was set. Comparable within a class only.
    pub vanish: Option<Vec<f64>>,
    /// Accuracy on the query of the first classifier and after every round, where the truth was given.
    pub accuracy: Vec<f64>,
    /// Nullity of the reduction, where it has one and was needed.
    pub nullity: Option<usize>,
    /// The last classifier, for other instances.
    pub model: Box<dyn TrainedModel>,
}

/// Self-training together with the reduction whose coordinates its judge reads, for episodes.
#[derive(Debug)]
pub struct SelfTrainer {
    labeller: SelfTraining,
    reduction: Box<dyn Reduce>,
    final_judge: Option<Box<dyn Incidental>>,
}

impl SelfTrainer {
    /// Self-training whose judge reads the coordinates of this reduction.
    pub fn new(labeller: SelfTraining, reduction: Box<dyn Reduce>) -> Self {
        Self { labeller, reduction, final_judge: None }
    }

    /// Also judges every final label by this model: see [`Outcome::vanish`].
    #[must_use]
    pub fn with_final_judge(mut self, judge: Box<dyn Incidental>) -> Self {
        self.final_judge = Some(judge);
        self
    }

    /// Labels the unlabeled instances and the query of a task.
    ///
    /// # Errors
    /// When the task is inconsistent: no instances, labels out of range, fewer than two classes, a class without a
    /// labelled instance, a truth of another length; or when a solver does not converge.
    pub fn run(&self, task: &Task<'_>) -> Result<Outcome> {
        let task = CheckedTask::new(task)?;
        let nullity = OnceLock::new();
        let view = View::computed(task.instances, || {
            let embedding = self.reduction.reduce(task.instances, task.pool)?;
            nullity.get_or_init(|| embedding.nullity);
            Ok(embedding.x)
        });
        let outcome = self.run_in(&task, &view)?;
        Ok(Outcome { nullity: nullity.get().copied().flatten(), ..outcome })
    }

    /// The same, but the judge reads these coordinates of the labelled and then the unlabeled instances instead of those of
    /// the reduction.
    ///
    /// # Errors
    /// As [`run`](Self::run), and when the coordinates are of another number of instances.
    pub fn run_on(&self, task: &Task<'_>, coordinates: &Matrix) -> Result<Outcome> {
        let task = CheckedTask::new(task)?;
        if coordinates.rows() != task.pool {
            let expected = format!("there are {} labelled and unlabeled instances", task.pool);
            return Err(Error::parameter("rows of the coordinates", coordinates.rows(), expected));
        }
        let view = View::leading(task.instances, coordinates, coordinates.cols());
        self.run_in(&task, &view)
    }

    fn run_in(&self, task: &CheckedTask<'_>, view: &View<'_>) -> Result<Outcome> {
        let given: Vec<usize> = (0..task.labelled).collect();
        let split = Labels { given: &given, labels: task.labels, open: &task.unlabeled, classes: task.classes };
        let mut accuracy = Vec::new();
        let mut score = |trainer: &dyn Trainer, open: &[usize]| {
            if let Some(truth) = task.truth {
                let labels = match task.transductive() {
                    true => open.to_vec(),
                    false => trainer.label(&task.query).0,
                };
                let right = labels.iter().zip(truth).filter(|(label, truth)| label == truth);
                accuracy.push(right.count() as f64 / truth.len() as f64);
            }
        };
        let (trainer, found) = self.labeller.rounds(view, split, &mut score)?;
        let probabilities = trainer.probabilities(&task.unlabeled);
        let query_probabilities = match task.transductive() {
            true => probabilities.clone(),
            false => trainer.probabilities(&task.query),
        };
        let vanish = match &self.final_judge {
            Some(judge) if !split.open.is_empty() => {
                let x = view.coordinates()?.0;
                let all = split.all_labels(&found.labels);
                Some(judge.ranker(x, task.classes).vanish(&all)?.split_off(task.labelled))
            }
            _ => None,
        };
        Ok(Outcome {
            labels: found.labels,
            probabilities,
            query_labels: query_probabilities.iter_rows().map(arg_max).collect(),
            query_probabilities,
            rounds: found.rounds,
            accepted_in: found.accepted_in,
            vanish,
            accuracy,
            nullity: None,
            model: trainer.model(),
        })
    }
}
