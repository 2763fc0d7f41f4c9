//! What happens inside the episodes of 5-way 1-shot transductive ICI-R: which assumptions hold, how large the noise is,
//! and which instances a round takes in.

use rayon::prelude::*;
use trustpath::reduce::Reduce;
use trustpath::{Features, Identifiability, Instances, Outcome, SelfTaught, Task, identifiability};
use trustpath_episodes::{Drawn, Episode, Episodes, Method, Split, gather};

use super::dataset::Dataset;
use super::error::Result;
use super::experiment::{Experiment, Pool};
use super::lab::Lab;

/// What is kept of an episode.
#[derive(Debug, Clone)]
pub struct Inspection {
    /// Accuracy of the plain classifier.
    pub initial: f64,
    /// Accuracy in the end.
    pub last: f64,
    /// The assumptions that the first round's pseudo-labels satisfy.
    pub satisfied: Satisfied,
    /// What the least-squares fit of the true labels leaves over.
    pub noise: Vec<f64>,
    /// What each round took in.
    pub rounds: Vec<Taken>,
}

impl Inspection {
    /// Whether transductive inference improved the accuracy.
    pub fn improved(&self) -> bool {
        self.last > self.initial
    }
}

/// The assumptions of the theorem, each of which needs those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Satisfied {
    /// None.
    Nothing,
    /// C1, restricted eigenvalue.
    C1,
    /// C2, irrepresentability, as well.
    C1C2,
    /// C3, large error, as well.
    All,
}

impl From<&Identifiability> for Satisfied {
    fn from(found: &Identifiability) -> Self {
        match (found.restricted_eigenvalue, found.irrepresentability, found.large_error) {
            (_, _, true) => Self::All,
            (_, true, _) => Self::C1C2,
            (true, _, _) => Self::C1,
            _ => Self::Nothing,
        }
    }
}

/// Instances taken in by a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Taken {
    /// Those whose pseudo-label was right.
    pub right: usize,
    /// Those whose pseudo-label was wrong.
    pub wrong: usize,
}

impl Taken {
    /// The share that was right.
    pub fn share(self) -> f64 {
        self.right as f64 / (self.right + self.wrong) as f64
    }
}

/// Looks into every episode.
pub fn inspect(lab: &Lab, dataset: &Dataset) -> Result<Vec<Inspection>> {
    let table = Bench::new(lab, dataset)?;
    let watcher = lab.watch(dataset, &table.experiment);
    let found: Vec<Result<Inspection>> = (0..lab.episodes)
        .into_par_iter()
        .map(|number| {
            let inspection = table.inspect(number);
            watcher.stage.step();
            inspection
        })
        .collect();
    watcher.finish();
    found.into_iter().collect()
}

/// An episode to look at closely.
pub struct Specimen {
    /// Its number.
    pub number: usize,
    /// Its rows.
    pub episode: Episode,
    /// Labelled instances, then the queries.
    pub instances: Instances,
    /// What ICI-R did.
    pub outcome: Outcome,
    /// How.
    pub method: Method,
}

impl Specimen {
    /// The first episode in which the plain classifier is wrong on a fifth to two fifths of the queries, so that there
    /// is something to see; the first of all if there is none.
    pub fn choose(lab: &Lab, dataset: &Dataset) -> Result<Self> {
        let all = lab.inspect(dataset)?;
        let number = all.iter().position(|e| (0.6..=0.8).contains(&e.initial)).unwrap_or(0);
        let table = Bench::new(lab, dataset)?;
        let (episode, instances, outcome) = table.run(number)?;
        Ok(Self { number, episode, instances, outcome, method: table.experiment.method })
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
struct Bench<'a> {
    experiment: Experiment,
    episodes: Drawn<'a>,
    features: Features<'a>,
    learner: SelfTaught,
    reduction: Box<dyn Reduce>,
}

impl<'a> Bench<'a> {
    fn new(lab: &Lab, dataset: &'a Dataset) -> Result<Self> {
        let experiment = Experiment::new(1, Pool::Transductive);
        let table = dataset.table(Split::Novel);
        let sampler = experiment.task().check(table)?;
        Ok(Self {
            episodes: Drawn { sampler, seed: lab.seed, count: lab.episodes },
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
            satisfied: Satisfied::from(&found),
            noise: found.noise.as_slice().to_vec(),
            rounds: taken(&episode, &outcome),
        })
    }
}

/// What each round took in, right and wrong.
fn taken(episode: &Episode, outcome: &Outcome) -> Vec<Taken> {
    let labelled = episode.support.len();
    let rounds = outcome.rounds.iter().map(|round| {
        let right = |row: &&usize| {
            round.pseudo_labels[**row - labelled] == episode.query.labels[**row - labelled]
        };
        let right = round.selected.iter().filter(right).count();
        Taken { right, wrong: round.selected.len() - right }
    });
    rounds.collect()
}
