//! Details of the episodes of 5-way 1-shot transductive ICI-R: which assumptions hold, how large the noise is, and which
//! instances a round selects.

use std::time::Instant;

use rayon::prelude::*;
use trustpath::reduce::Reduce;
use trustpath::{Features, Instances, Outcome, SelfTaught, Task, identifiability};
use trustpath_episodes::{Drawn, Episode, Episodes, Method, Split, gather};

use super::dataset::Dataset;
use super::experiment::{Experiment, PoolKind};
use super::lab::Lab;
use crate::error::Result;
use crate::run::Speed;

/// Details of one episode.
#[derive(Debug, Clone, Default)]
pub struct Inspection {
    /// Accuracy of the plain classifier.
    pub initial: f64,
    /// Accuracy after the last round.
    pub last: f64,
    /// How many assumptions of the theorem the first round's pseudo-labels satisfy: C1 (restricted eigenvalue), also C2
    /// (irrepresentability), also C3 (large error).
    pub satisfied: usize,
    /// Residuals of the least-squares fit of the true labels.
    pub noise: Vec<f64>,
    /// Instances that each round selected.
    pub rounds: Vec<Selection>,
}

impl Inspection {
    /// Whether transductive inference improved the accuracy.
    pub fn improved(&self) -> bool {
        self.last > self.initial
    }
}

/// Instances selected by a round, with a right and with a wrong pseudo-label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Selection {
    pub right: usize,
    pub wrong: usize,
}

impl Selection {
    /// The share with a right pseudo-label.
    pub fn share(self) -> f64 {
        self.right as f64 / (self.right + self.wrong) as f64
    }
}

/// Runs and inspects every episode.
pub fn inspect(lab: &Lab, dataset: &Dataset) -> Result<Vec<Inspection>> {
    let runner = EpisodeRunner::new(lab, dataset)?;
    let name = format!("{} {}", dataset.name, runner.experiment.name());
    let start = Instant::now();
    let stage = lab.runner.progress().stage(&name, lab.episodes() as u64, "episodes");
    let found: Vec<Result<Inspection>> = (0..lab.episodes())
        .into_par_iter()
        .map(|number| runner.inspect(number).inspect(|_| stage.step()))
        .collect();
    drop(stage);
    let (seconds, threads) = (start.elapsed().as_secs_f64(), lab.runner.threads());
    lab.say_speed(&name, &Speed { episodes: found.len(), seconds, threads });
    found.into_iter().collect()
}

/// An episode that is shown in detail.
pub struct ExampleEpisode {
    pub number: usize,
    pub episode: Episode,
    /// Labelled instances, then the queries.
    pub instances: Instances,
    pub outcome: Outcome,
    pub method: Method,
}

impl ExampleEpisode {
    /// The first episode in which the plain classifier is wrong on 20% to 40% of the queries, so that right and wrong
    /// pseudo-labels can be compared; the first of all if there is none.
    pub fn choose(lab: &Lab, dataset: &Dataset) -> Result<Self> {
        let all = lab.inspect(dataset)?;
        let number = all.iter().position(|e| (0.6..=0.8).contains(&e.initial)).unwrap_or(0);
        let runner = EpisodeRunner::new(lab, dataset)?;
        let (episode, instances, outcome) = runner.run(number)?;
        Ok(Self { number, episode, instances, outcome, method: runner.experiment.method })
    }

    /// Labels of all instances as the first round sees them.
    pub fn first_labels(&self) -> Vec<usize> {
        first_labels(&self.episode, &self.outcome)
    }
}

fn first_labels(episode: &Episode, outcome: &Outcome) -> Vec<usize> {
    let pseudo = outcome.rounds.first().map_or(&outcome.labels, |round| &round.pseudo_labels);
    episode.support.labels.iter().chain(pseudo).copied().collect()
}

/// Everything needed to run an episode.
struct EpisodeRunner<'a> {
    experiment: Experiment,
    episodes: Drawn<'a>,
    features: Features<'a>,
    learner: SelfTaught,
    reduction: Box<dyn Reduce>,
}

impl<'a> EpisodeRunner<'a> {
    fn new(lab: &Lab, dataset: &'a Dataset) -> Result<Self> {
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

    fn run(&self, number: usize) -> Result<(Episode, Instances, Outcome)> {
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
        Ok((episode, instances, outcome))
    }

    fn inspect(&self, number: usize) -> Result<Inspection> {
        let (episode, instances, outcome) = self.run(number)?;
        let truth: Vec<usize> =
            episode.support.labels.iter().chain(&episode.query.labels).copied().collect();
        let pseudo = first_labels(&episode, &outcome);
        let x = self.reduction.reduce(&instances, instances.len())?.x;
        let found = identifiability(&x, &truth, &pseudo, episode.classes.len())?;
        Ok(Inspection {
            initial: outcome.accuracy.first().copied().unwrap_or(f64::NAN),
            last: outcome.accuracy.last().copied().unwrap_or(f64::NAN),
            satisfied: match (
                found.restricted_eigenvalue,
                found.irrepresentability,
                found.large_error,
            ) {
                (_, _, true) => 3,
                (_, true, _) => 2,
                (one, ..) => usize::from(one),
            },
            noise: found.noise.as_slice().to_vec(),
            rounds: selected(&episode, &outcome),
        })
    }
}

/// Right and wrong pseudo-labels among those that each round selected.
fn selected(episode: &Episode, outcome: &Outcome) -> Vec<Selection> {
    let labelled = episode.support.len();
    let rounds = outcome.rounds.iter().map(|round| {
        let right = |row: &&usize| {
            round.pseudo_labels[**row - labelled] == episode.query.labels[**row - labelled]
        };
        let right = round.selected.iter().filter(right).count();
        Selection { right, wrong: round.selected.len() - right }
    });
    rounds.collect()
}
