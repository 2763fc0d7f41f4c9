//! Details of the episodes of 5-way 1-shot transductive ICI-R: which assumptions hold, how large the noise is, and which
//! instances a round selects.

use std::time::Instant;

use rayon::prelude::*;
use trustpath::{Features, Identifiability, Instances, Matrix, Task, identifiability};
use trustpath_bench::reduce::Reduce;
use trustpath_bench::{Drawn, Episode, Episodes, SelfTrainer, SelfTrainingOutcome, SelfTrainingSpec, Split, gather};

use super::dataset::PaperDataset;
use super::experiment::{Experiment, PoolKind};
use super::lab::Lab;
use crate::error::Result;
use crate::run::Speed;

/// Details of one episode.
#[derive(Debug, Clone, Default)]
pub struct EpisodeInspection {
    /// Accuracy of the plain classifier.
    pub initial: f64,
    /// Accuracy after the last round.
    pub last: f64,
    /// The theorem, for the regression of ICI-R and for one with an intercept: see [`REGRESSIONS`].
    pub theorem: [Theorem; 2],
    /// Right pseudo-labels among those that each round selected, and all of those.
    pub rounds: Vec<(usize, usize)>,
}

/// The regressions whose conditions are checked. The paper's ICI-R has no intercept, but noise with the mean zero that its
/// theorem supposes only a regression with an intercept has.
pub const REGRESSIONS: [&str; 2] = ["as in ICI-R", "with an intercept"];

/// What the theorem asks of the first round's pseudo-labels.
#[derive(Debug, Clone, Default)]
pub struct Theorem {
    /// How many of its assumptions hold: C1 (restricted eigenvalue), also C2 (irrepresentability), also C3 (large error).
    pub satisfied: usize,
    /// Whether at the `λ` it asks for no error is found at all, so that it says nothing.
    pub empty: bool,
    /// Residuals of the least-squares fit of the true labels.
    pub noise: Vec<f64>,
}

impl Theorem {
    fn of(conditions: &Identifiability) -> Self {
        let satisfied = match conditions {
            Identifiability { large_error: true, .. } => 3,
            Identifiability { irrepresentability: true, .. } => 2,
            other => usize::from(other.restricted_eigenvalue),
        };
        let noise = conditions.noise.as_slice().to_vec();
        Self { satisfied, empty: conditions.lambda >= conditions.lambda_max, noise }
    }
}

/// The share of right pseudo-labels.
pub fn share_right((right, all): (usize, usize)) -> f64 {
    right as f64 / all as f64
}

/// Runs and inspects every episode.
pub fn inspect(lab: &Lab, dataset: &PaperDataset) -> Result<Vec<EpisodeInspection>> {
    let runner = EpisodeRunner::new(lab, dataset)?;
    let name = format!("{} {}", dataset.name, runner.experiment.name());
    let start = Instant::now();
    let stage = lab.runner.progress.stage(&name, lab.episodes() as u64, "episodes");
    let inspect = |number| runner.inspect(number).inspect(|_| stage.step());
    let inspections: Vec<Result<EpisodeInspection>> = (0..lab.episodes()).into_par_iter().map(inspect).collect();
    drop(stage);
    let (seconds, threads) = (start.elapsed().as_secs_f64(), lab.runner.threads());
    lab.say_speed(&name, &Speed { episodes: inspections.len(), seconds, threads, processor_seconds: None });
    inspections.into_iter().collect()
}

/// An episode that is shown in detail.
pub struct ExampleEpisode {
    pub number: usize,
    pub episode: Episode,
    /// Labelled instances, then the queries.
    pub instances: Instances,
    pub outcome: SelfTrainingOutcome,
    pub method: SelfTrainingSpec,
}

impl ExampleEpisode {
    /// The first episode in which the plain classifier is wrong on 20% to 40% of the queries, so that right and wrong
    /// pseudo-labels can be compared; the first of all if there is none.
    pub fn choose(lab: &Lab, dataset: &PaperDataset) -> Result<Self> {
        let all = lab.inspect(dataset)?;
        let number = all.iter().position(|e| (0.6..=0.8).contains(&e.initial)).unwrap_or(0);
        EpisodeRunner::new(lab, dataset)?.run(number)
    }

    /// Labels of all instances as the first round uses them.
    pub fn first_labels(&self) -> Vec<usize> {
        let Self { episode, outcome, .. } = self;
        let pseudo = outcome.rounds.first().map_or(&outcome.labels, |round| &round.pseudo_labels);
        episode.support.labels.iter().chain(pseudo).copied().collect()
    }
}

/// Everything needed to run an episode.
struct EpisodeRunner<'a> {
    experiment: Experiment,
    episodes: Drawn<'a>,
    features: Features<'a>,
    learner: SelfTrainer,
    reduction: Box<dyn Reduce>,
}

impl<'a> EpisodeRunner<'a> {
    fn new(lab: &Lab, dataset: &'a PaperDataset) -> Result<Self> {
        let experiment = Experiment::new(1, PoolKind::Transductive);
        let table = dataset.table(Split::Novel);
        let sampler = experiment.task().check(table)?;
        Ok(Self {
            episodes: Drawn { sampler, seed: lab.args.seed, count: lab.episodes() },
            features: Features::new(table.features(), table.rows(), table.dims())?,
            learner: experiment.method.build()?,
            reduction: experiment.method.reduction()?,
            experiment,
        })
    }

    fn run(&self, number: usize) -> Result<ExampleEpisode> {
        let episode = self.episodes.get(number)?.into_owned();
        let setting = self.episodes.setting();
        let instances = gather(&self.features, &episode, &setting)?;
        let outcome = self.learner.run(&Task {
            instances: &instances,
            labels: &episode.support.labels,
            unlabeled: episode.pool(&setting).len(),
            classes: episode.classes.len(),
            truth: Some(&episode.query.labels),
        })?;
        let method = self.experiment.method.clone();
        Ok(ExampleEpisode { number, episode, instances, outcome, method })
    }

    fn inspect(&self, number: usize) -> Result<EpisodeInspection> {
        let example = self.run(number)?;
        let ExampleEpisode { episode, instances, outcome, .. } = &example;
        let (support, query) = (&episode.support.labels, &episode.query.labels);
        let truth: Vec<usize> = support.iter().chain(query).copied().collect();
        let x = self.reduction.reduce(instances, instances.len())?.x;
        let ones = |i: usize, j: usize| j.checked_sub(1).map_or(1.0, |j| x[(i, j)]);
        let with_intercept = Matrix::from_fn(x.rows(), x.cols() + 1, ones);
        let labels = example.first_labels();
        let theorem = |x: &Matrix| identifiability(x, &truth, &labels, episode.classes.len()).map(|f| Theorem::of(&f));
        let rounds = outcome.rounds.iter().map(|round| {
            let queries = round.selected.iter().map(|row| row - support.len());
            let right = queries.filter(|&q| round.pseudo_labels[q] == query[q]).count();
            (right, round.selected.len())
        });
        Ok(EpisodeInspection {
            initial: outcome.accuracy.first().copied().unwrap_or(f64::NAN),
            last: outcome.accuracy.last().copied().unwrap_or(f64::NAN),
            theorem: [theorem(&x)?, theorem(&with_intercept)?],
            rounds: rounds.collect(),
        })
    }
}
