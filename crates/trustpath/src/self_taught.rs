//! Self-taught learning with instance credibility inference: Algorithm 1.
//!
//! ```text
//! repeat   train the classifier on the training set (at first: the labelled instances)
//!          pseudo-label every unlabeled instance
//!          rank them by credibility, and take the best of each pseudo-class into the training set
//! until    all are in, or nothing may be taken in any more
//! train once more, and classify
//! ```
//!
//! Every round takes in at least one instance or is the last, so the loop ends after at most as many rounds as there are
//! unlabeled instances. Instances taken in stay in, but their pseudo-labels are those of the current classifier.

use crate::classify::{Classify, Model, Trainer};
use crate::incidental::Incidental;
use crate::reduce::Reduce;
use crate::select::{Pool, Round, Select};
use crate::task::{CheckedTask, Task, arg_max};
use crate::{Error, Matrix, Result};

/// Parameters of the loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SelfTaughtParams {
    /// How many instances of each pseudo-class to take in a round (5).
    pub step: usize,
    /// How many of each pseudo-class to take altogether: 15, 25 or 45 in the paper's semi-supervised settings
    /// (no limit).
    pub cap: Option<usize>,
}

impl Default for SelfTaughtParams {
    fn default() -> Self {
        Self { step: 5, cap: None }
    }
}

/// The rooms of the house put together: a reduction, a classifier, a selection, and the model that judges.
#[derive(Debug)]
pub struct SelfTaught {
    reduce: Box<dyn Reduce>,
    classify: Box<dyn Classify>,
    select: Box<dyn Select>,
    judge: Option<Box<dyn Incidental>>,
    params: SelfTaughtParams,
}

/// One round of the loop.
#[derive(Debug, Clone, PartialEq)]
pub struct RoundRecord {
    /// Pseudo-labels of the unlabeled instances at the beginning of the round.
    pub pseudo_labels: Vec<usize>,
    /// Rows taken in, in order of trust.
    pub selected: Vec<usize>,
}

/// What comes back.
#[derive(Debug, Clone)]
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
    /// The round in which each unlabeled instance was taken in, if it was.
    pub accepted_in: Vec<Option<usize>>,
    /// Vanishing `λ` of each unlabeled instance under its final label, the smaller the more credible; if a judge was
    /// asked for. Comparable within a class only.
    pub vanish: Option<Vec<f64>>,
    /// Accuracy on the query of the first classifier and after every round, where the truth was given.
    pub accuracy: Vec<f64>,
    /// Nullity of the reduction, where it has one and was needed.
    pub nullity: Option<usize>,
    /// The last classifier, to be used on other instances.
    pub model: Model,
}

impl SelfTaught {
    /// Puts the rooms together.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a step or cap of zero.
    pub fn new(
        reduce: Box<dyn Reduce>,
        classify: Box<dyn Classify>,
        select: Box<dyn Select>,
        params: SelfTaughtParams,
    ) -> Result<Self> {
        if params.step == 0 {
            return Err(Error::parameter("step", 0, "take in at least one instance a round"));
        }
        if params.cap == Some(0) {
            return Err(Error::parameter("cap", 0, "take in at least one instance of each class"));
        }
        Ok(Self { reduce, classify, select, judge: None, params })
    }

    /// Also judges every final label by this model: see [`Outcome::vanish`].
    #[must_use]
    pub fn with_judge(mut self, judge: Box<dyn Incidental>) -> Self {
        self.judge = Some(judge);
        self
    }

    /// Learns.
    ///
    /// # Errors
    /// When the task is not one: no instances, labels out of range, fewer than two classes, a class without a labelled
    /// instance, a truth of another length; or when a solver does not converge.
    pub fn run(&self, task: &Task<'_>) -> Result<Outcome> {
        let task = CheckedTask::new(task)?;
        let pool = Pool::new(task.instances, task.labelled, task.pool, task.classes, &*self.reduce);
        let mut trainer = self.classify.trainer(task.instances, task.classes);
        let mut state = State::new(&task);
        trainer.train(&state.taken, &state.labels[..task.labelled])?;
        state.predict(&task, &*trainer);
        self.teach(&task, &pool, &mut *trainer, &mut state)?;
        self.finish(&task, &pool, &*trainer, state)
    }

    /// The loop.
    fn teach(
        &self,
        task: &CheckedTask<'_>,
        pool: &Pool<'_>,
        trainer: &mut dyn Trainer,
        state: &mut State,
    ) -> Result<()> {
        if state.open.is_empty() {
            return Ok(());
        }
        let mut selector = self.select.selector(pool)?;
        let mut accepted = vec![0; task.classes];
        let mut training_labels = Vec::new();
        while !state.open.is_empty() {
            for (label, p) in
                state.labels[task.labelled..].iter_mut().zip(state.probabilities.iter_rows())
            {
                *label = arg_max(p);
            }
            let quota: Vec<usize> = accepted.iter().map(|&done| self.quota(done)).collect();
            let selected = selector.select(&Round {
                number: state.rounds.len(),
                labels: &state.labels,
                probabilities: &state.probabilities,
                taken: &state.taken,
                open: &state.open,
                quota: &quota,
            })?;
            if selected.is_empty() {
                break;
            }
            for &row in &selected {
                accepted[state.labels[row]] += 1;
                state.accepted_in[row - task.labelled] = Some(state.rounds.len());
            }
            state.open.retain(|row| state.accepted_in[row - task.labelled].is_none());
            state.taken.extend_from_slice(&selected);
            training_labels.clear();
            training_labels.extend(state.taken.iter().map(|&row| state.labels[row]));
            trainer.train(&state.taken, &training_labels)?;
            state.predict(task, trainer);
            let pseudo_labels = state.labels[task.labelled..].to_vec();
            state.rounds.push(RoundRecord { pseudo_labels, selected });
        }
        Ok(())
    }

    fn quota(&self, accepted: usize) -> usize {
        let left = self.params.cap.map_or(usize::MAX, |cap| cap.saturating_sub(accepted));
        self.params.step.min(left)
    }

    fn finish(
        &self,
        task: &CheckedTask<'_>,
        pool: &Pool<'_>,
        trainer: &dyn Trainer,
        state: State,
    ) -> Result<Outcome> {
        let State { probabilities, query_probabilities, .. } = state;
        let labels: Vec<usize> = probabilities.iter_rows().map(arg_max).collect();
        let query_probabilities = query_probabilities.unwrap_or_else(|| probabilities.clone());
        let query_labels = query_probabilities.iter_rows().map(arg_max).collect();
        let vanish = match &self.judge {
            Some(judge) if !labels.is_empty() => {
                let mut all = task.labels.to_vec();
                all.extend_from_slice(&labels);
                let mut vanish = judge.ranker(&pool.embedding()?.x, task.classes).vanish(&all)?;
                Some(vanish.split_off(task.labelled))
            }
            _ => None,
        };
        Ok(Outcome {
            labels,
            probabilities,
            query_labels,
            query_probabilities,
            rounds: state.rounds,
            accepted_in: state.accepted_in,
            vanish,
            accuracy: state.accuracy,
            nullity: pool.embedding_if_computed().and_then(|e| e.nullity),
            model: trainer.model(),
        })
    }
}

/// What changes from round to round.
struct State {
    /// Given labels, then the current pseudo-labels.
    labels: Vec<usize>,
    taken: Vec<usize>,
    open: Vec<usize>,
    accepted_in: Vec<Option<usize>>,
    rounds: Vec<RoundRecord>,
    accuracy: Vec<f64>,
    /// Of the unlabeled instances, under the last training.
    probabilities: Matrix,
    /// Of the query, where it is apart from the unlabeled instances.
    query_probabilities: Option<Matrix>,
}

impl State {
    fn new(task: &CheckedTask<'_>) -> Self {
        let mut labels = task.labels.to_vec();
        labels.resize(task.pool, 0);
        Self {
            labels,
            taken: (0..task.labelled).collect(),
            open: (task.labelled..task.pool).collect(),
            accepted_in: vec![None; task.pool - task.labelled],
            rounds: Vec::new(),
            accuracy: Vec::new(),
            probabilities: Matrix::default(),
            query_probabilities: None,
        }
    }

    /// Class probabilities under the trainer's last training, and the accuracy they bring.
    fn predict(&mut self, task: &CheckedTask<'_>, trainer: &dyn Trainer) {
        self.probabilities = trainer.probabilities(&task.unlabeled);
        if !task.transductive() {
            self.query_probabilities = Some(trainer.probabilities(&task.query));
        }
        if let Some(truth) = task.truth {
            let query = self.query_probabilities.as_ref().unwrap_or(&self.probabilities);
            let right = query.iter_rows().zip(truth).filter(|(p, t)| arg_max(p) == **t).count();
            self.accuracy.push(right as f64 / truth.len() as f64);
        }
    }
}
