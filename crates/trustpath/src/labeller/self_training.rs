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
//! Where the [`PoolView`] has a similarity graph, labels are those of the product of the classifier and the graph (`harmonic.rs`), also
//! the pseudo-labels of a round.

use std::sync::Arc;

use super::harmonic::GraphLabels;
use super::{Labelled, Labeller};
use crate::classify::{Classify, Trainer};
use crate::judge::{Judge, PoolView, Round};
use crate::limits::Limits;
use crate::pool::Labels;
use crate::{Error, Result};

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
                let left = |&done: &usize| cap.map_or(*step, |cap| cap.saturating_sub(done).min(*step));
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

impl SelfTraining {
    /// Self-training without limits on the number of instances.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a step or cap of zero.
    pub fn new(classifier: Box<dyn Classify>, judge: Box<dyn Judge>, quota: Quota) -> Result<Self> {
        quota.check()?;
        Ok(Self { classifier, judge, quota, limits: Limits::NONE, reads_graph: true })
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

    /// Algorithm 1. Calls `trained` after every training, with the labels of the open rows.
    ///
    /// # Errors
    /// When a solver does not converge.
    #[doc(hidden)]
    pub fn rounds<'a>(
        &self,
        view: &PoolView<'a>,
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
        let mut labelled = Labelled {
            labels,
            probability,
            accepted_in: vec![None; split.open.len()],
            by_classifier: graph.is_some().then(|| trainer.label(split.open)),
            by_graph: graph.clone(),
            ..Labelled::default()
        };
        if split.open.is_empty() {
            return Ok((trainer, labelled));
        }
        let mut ranking = self.judge.ranking(view, split)?;
        let mut accepted = vec![0; classes];
        let mut candidates: Vec<usize> = (given..given + split.open.len()).collect();
        while !candidates.is_empty() {
            let number = labelled.rounds.len();
            let Some(quota) = self.quota.of_round(number, &accepted, &labelled.labels) else { break };
            let labels = split.all_labels(&labelled.labels);
            let mut selected = ranking.select(&Round {
                number,
                labels: &labels,
                probability: &labelled.probability,
                training: &training,
                candidates: &candidates,
                quota: &quota,
            })?;
            if selected.is_empty() {
                break;
            }
            if self.quota.is_cumulative() {
                selected.iter().for_each(|&at| accepted[labels[at]] += 1);
                selected.iter().for_each(|&at| labelled.accepted_in[at - given] = Some(number));
                candidates.retain(|at| labelled.accepted_in[at - given].is_none());
            } else {
                selected.sort_unstable();
                training.truncate(given);
                let before = std::mem::replace(&mut labelled.accepted_in, vec![None; split.open.len()]);
                for &at in &selected {
                    labelled.accepted_in[at - given] = before[at - given].or(Some(number));
                }
            }
            training.extend_from_slice(&selected);
            self.train(&mut *trainer, split, &training, &labels)?;
            let (next, probability) = label(&*trainer);
            trained(&*trainer, &next);
            let pseudo_labels = std::mem::replace(&mut labelled.labels, next);
            let before = std::mem::replace(&mut labelled.probability, probability);
            if number == 0 {
                labelled.first_probability = before;
            }
            let changed = pseudo_labels.iter().zip(&labelled.labels).filter(|(a, b)| a != b).count();
            let selected = selected.iter().map(|&at| split.row(at)).collect();
            labelled.rounds.push(RoundRecord { pseudo_labels, selected, changed });
        }
        Ok((trainer, labelled))
    }

    /// Trains on the rows at these positions, as many of the given and of the accepted ones as the limits allow.
    fn train(&self, trainer: &mut dyn Trainer, split: Labels<'_>, training: &[usize], labels: &[usize]) -> Result<()> {
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

impl Labeller for SelfTraining {
    fn name(&self) -> &'static str {
        match &self.quota {
            Quota::Shares(shares) if shares.is_empty() && !self.reads_graph => "classifier",
            Quota::Shares(shares) if shares.is_empty() => "no-rounds",
            _ => "rounds",
        }
    }

    fn label(&self, view: &PoolView<'_>, split: Labels<'_>) -> Result<Labelled> {
        let (trainer, labelled) = self.rounds(view, split, &mut |_, _| {})?;
        Ok(Labelled { model: trainer.model().as_logistic().cloned(), ..labelled })
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
