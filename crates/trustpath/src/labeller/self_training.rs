//! Self-training with instance credibility inference: Algorithm 1.
//!
//! ```text
//! train the classifier on the given labels, and label the open rows
//! repeat   rank these labels by a judge, and accept the best of each pseudo-class up to a quota
//!          train the classifier on the given labels and the accepted ones, and label the open rows again
//! until    the quota ends, or nothing may be accepted any more
//! ```
//!
//! With a [`Quota::PerRound`], as in the paper, accepted instances stay in the training set (with the label of the
//! current classifier), and every round but the last accepts at least one. With [`Quota::Shares`] the same
//! share of every pseudo-class is accepted anew in each round, which assumes nothing about the balance of the classes.
//!
//! Where the [`View`] has a similarity graph, labels are those of the product of the classifier and the graph (`harmonic.rs`), also
//! the pseudo-labels of a round.

use std::sync::Arc;

use super::harmonic::GraphLabels;
use super::{Labelled, Labeller};
use crate::classify::{Classify, Model, Trainer};
use crate::incidental::Incidental;
use crate::judge::{Judge, Round, View};
use crate::limits::Limits;
use crate::pool::Labels;
use crate::reduce::Reduce;
use crate::task::{CheckedTask, Task, arg_max};
use crate::{Error, Matrix, Result};

/// How many pseudo-labels of each class a round accepts.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Quota {
    /// `step` of every pseudo-class per round, at most `cap` of each in total; accepted instances stay accepted. The
    /// paper has a step of 5, and caps of 15, 25 and 45 in its semi-supervised settings.
    PerRound {
        /// Instances of each pseudo-class per round.
        step: usize,
        /// Instances of each pseudo-class in total.
        cap: Option<usize>,
    },
    /// In round `k` the best `shares[k]` of every pseudo-class, chosen anew.
    Shares(Vec<f64>),
}

impl Default for Quota {
    fn default() -> Self {
        Self::PerRound { step: 5, cap: None }
    }
}

impl Quota {
    /// A quarter of every pseudo-class, then half of it.
    pub(crate) fn quarter_then_half() -> Self {
        Self::Shares(vec![0.25, 0.5])
    }

    fn check(&self) -> Result<()> {
        match self {
            Self::PerRound { step: 0, .. } => {
                Err(Error::parameter("step", 0, "accept at least one instance per round"))
            }
            Self::PerRound { cap: Some(0), .. } => {
                Err(Error::parameter("cap", 0, "accept at least one instance of each class"))
            }
            _ => Ok(()),
        }
    }

    /// How many of each class round `number` accepts; `None` when there is no such round. `accepted` counts what was
    /// accepted before, `labels` are the current pseudo-labels.
    fn of_round(&self, number: usize, accepted: &[usize], labels: &[usize]) -> Option<Vec<usize>> {
        match self {
            Self::PerRound { step, cap } => {
                let left =
                    |&done: &usize| cap.map_or(*step, |cap| cap.saturating_sub(done).min(*step));
                Some(accepted.iter().map(left).collect())
            }
            Self::Shares(shares) => {
                let share = *shares.get(number)?;
                let mut sizes = vec![0usize; accepted.len()];
                labels.iter().for_each(|&label| sizes[label] += 1);
                Some(sizes.iter().map(|&size| (share * size as f64).ceil() as usize).collect())
            }
        }
    }

    fn is_cumulative(&self) -> bool {
        matches!(self, Self::PerRound { .. })
    }
}

/// Self-training: a classifier, a judge that ranks its labels, and a quota.
#[derive(Debug)]
pub struct SelfTraining {
    classifier: Box<dyn Classify>,
    judge: Box<dyn Judge>,
    quota: Quota,
    limits: Limits,
    reads_graph: bool,
    final_judge: Option<Box<dyn Incidental>>,
}

/// One round of self-training.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RoundRecord {
    /// Pseudo-labels of the open rows at the beginning of the round.
    pub pseudo_labels: Vec<usize>,
    /// Rows accepted, most trusted first.
    pub selected: Vec<usize>,
    /// Pseudo-labels that changed when the classifier was trained again.
    pub changed: usize,
}

/// The result of self-training on a [`Task`].
#[derive(Debug, Clone)]
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
    pub model: Model,
}

/// Self-training together with the reduction whose coordinates its judge reads, for episodes.
#[derive(Debug)]
pub struct SelfTrainer {
    labeller: SelfTraining,
    reduction: Box<dyn Reduce>,
}

impl SelfTraining {
    /// Self-training without limits on the number of instances.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a step or cap of zero.
    pub fn new(classifier: Box<dyn Classify>, judge: Box<dyn Judge>, quota: Quota) -> Result<Self> {
        quota.check()?;
        Ok(Self {
            classifier,
            judge,
            quota,
            limits: Limits::NONE,
            reads_graph: true,
            final_judge: None,
        })
    }

    /// Also judges every final label by this model: see [`Outcome::vanish`].
    #[must_use]
    pub fn with_final_judge(mut self, judge: Box<dyn Incidental>) -> Self {
        self.final_judge = Some(judge);
        self
    }

    /// Trains on at most as many instances as these limits say.
    #[must_use]
    pub(crate) fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Labels by the classifier alone, also where the view has a similarity graph.
    #[must_use]
    pub(crate) fn without_graph(mut self) -> Self {
        self.reads_graph = false;
        self
    }

    /// Adds the reduction whose coordinates the judge reads.
    pub fn with_reduction(self, reduction: Box<dyn Reduce>) -> SelfTrainer {
        SelfTrainer { labeller: self, reduction }
    }

    /// Algorithm 1. Calls `trained` after every training, with the labels of the open rows.
    fn rounds<'a>(
        &self,
        view: &View<'a>,
        split: Labels<'_>,
        trained: &mut dyn FnMut(&dyn Trainer, &[usize]),
    ) -> Result<(Box<dyn Trainer + 'a>, Labelled)> {
        let (given, classes) = (split.given.len(), split.classes);
        let mut trainer = self.classifier.trainer(view.instances, classes);
        let mut training: Vec<usize> = (0..given).collect();
        self.train(&mut *trainer, split, &training, split.labels)?;
        let graph = view.graph().filter(|_| self.reads_graph);
        let graph = graph.map(|graph| Arc::new(GraphLabels::new(graph, split)));
        let label = |trainer: &dyn Trainer| match &graph {
            Some(graph) => graph.label(trainer, split.open),
            None => trainer.label(split.open),
        };
        let (labels, probability) = label(&*trainer);
        trained(&*trainer, &labels);
        let mut found = Labelled {
            labels,
            probability,
            accepted_in: vec![None; split.open.len()],
            by_classifier: graph.is_some().then(|| trainer.label(split.open)),
            by_graph: graph.clone(),
            ..Labelled::default()
        };
        if split.open.is_empty() {
            return Ok((trainer, found));
        }
        let mut ranking = self.judge.ranking(view, split)?;
        let mut accepted = vec![0; classes];
        let mut candidates: Vec<usize> = (given..given + split.open.len()).collect();
        while !candidates.is_empty() {
            let number = found.rounds.len();
            let Some(quota) = self.quota.of_round(number, &accepted, &found.labels) else { break };
            let labels = split.all_labels(&found.labels);
            let mut selected = ranking.select(&Round {
                number,
                labels: &labels,
                probability: &found.probability,
                training: &training,
                candidates: &candidates,
                quota: &quota,
            })?;
            if selected.is_empty() {
                break;
            }
            if self.quota.is_cumulative() {
                selected.iter().for_each(|&at| accepted[labels[at]] += 1);
                selected.iter().for_each(|&at| found.accepted_in[at - given] = Some(number));
                candidates.retain(|at| found.accepted_in[at - given].is_none());
            } else {
                selected.sort_unstable();
                training.truncate(given);
                let before =
                    std::mem::replace(&mut found.accepted_in, vec![None; split.open.len()]);
                for &at in &selected {
                    found.accepted_in[at - given] = before[at - given].or(Some(number));
                }
            }
            training.extend_from_slice(&selected);
            self.train(&mut *trainer, split, &training, &labels)?;
            let (next, probability) = label(&*trainer);
            trained(&*trainer, &next);
            let pseudo_labels = std::mem::replace(&mut found.labels, next);
            let before = std::mem::replace(&mut found.probability, probability);
            if number == 0 {
                found.first_probability = before;
            }
            let changed = pseudo_labels.iter().zip(&found.labels).filter(|(a, b)| a != b).count();
            let selected = selected.iter().map(|&at| split.row(at)).collect();
            found.rounds.push(RoundRecord { pseudo_labels, selected, changed });
        }
        Ok((trainer, found))
    }

    /// Trains on the rows at these positions, as many of the given and of the accepted ones as the limits allow.
    fn train(
        &self,
        trainer: &mut dyn Trainer,
        split: Labels<'_>,
        training: &[usize],
        labels: &[usize],
    ) -> Result<()> {
        let (mut rows, mut with) = (Vec::new(), Vec::new());
        let (given, accepted) = training.split_at(split.given.len());
        for positions in [given, accepted] {
            let own: Vec<usize> = positions.iter().map(|&at| labels[at]).collect();
            for at in self.limits.to_train(&own, split.classes) {
                rows.push(split.row(positions[at]));
                with.push(own[at]);
            }
        }
        trainer.train(&rows, &with)
    }
}

impl SelfTrainer {
    /// Labels the unlabeled instances and the query of a task.
    ///
    /// # Errors
    /// When the task is inconsistent: no instances, labels out of range, fewer than two classes, a class without a
    /// labelled instance, a truth of another length; or when a solver does not converge.
    pub fn run(&self, task: &Task<'_>) -> Result<Outcome> {
        let task = CheckedTask::new(task)?;
        let view = View::reduced(task.instances, task.pool, &*self.reduction);
        self.run_in(&task, &view)
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
        let split = Labels {
            given: &given,
            labels: task.labels,
            open: &task.unlabeled,
            classes: task.classes,
        };
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
        let vanish = match &self.labeller.final_judge {
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
            nullity: view.nullity(),
            model: trainer.model(),
        })
    }
}

impl Labeller for SelfTraining {
    fn name(&self) -> &'static str {
        match &self.quota {
            Quota::Shares(shares) if shares.is_empty() && !self.reads_graph => "classifier",
            Quota::Shares(shares) if shares.is_empty() => "no-rounds",
            _ => "rounds",
        }
    }

    fn label(&self, view: &View<'_>, split: Labels<'_>) -> Result<Labelled> {
        let (trainer, found) = self.rounds(view, split, &mut |_, _| {})?;
        Ok(Labelled { model: Some(trainer.model()), ..found })
    }

    fn contained_in(&self, rounds: &Labelled) -> Option<Labelled> {
        let first = rounds.rounds.first()?;
        if !matches!(&self.quota, Quota::Shares(shares) if shares.is_empty()) {
            return None;
        }
        let by_classifier = rounds.by_classifier.clone().filter(|_| !self.reads_graph);
        let before_rounds = || (first.pseudo_labels.clone(), rounds.first_probability.clone());
        let (labels, probability) = by_classifier.unwrap_or_else(before_rounds);
        let accepted_in = vec![None; labels.len()];
        let by_graph = rounds.by_graph.clone().filter(|_| self.reads_graph);
        Some(Labelled { labels, probability, accepted_in, by_graph, ..Labelled::default() })
    }
}
