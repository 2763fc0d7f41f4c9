//! Runs the experiments of the targets, each once: targets that share an experiment share its scores.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use trustpath_bench::stats::{MeanEstimate, paired_difference};
use trustpath_bench::{BenchMethod, Drawn, EpisodeShape, FeatureTable};

use super::PaperArgs;
use super::dataset::PaperDataset;
use super::experiment::Experiment;
use super::inspect::{EpisodeInspection, inspect};
use crate::error::{Error, Result};
use crate::interrupt;
use crate::run::{EpisodesRun, Runner, Speed};

/// Datasets, options, and the results so far.
pub struct Lab<'a> {
    pub datasets: Vec<PaperDataset>,
    pub args: &'a PaperArgs,
    pub runner: &'a Runner,
    scores: Cache<RoundScores>,
    inspections: Cache<Vec<EpisodeInspection>>,
}

type Cache<T> = RefCell<HashMap<String, Rc<T>>>;

impl<'a> Lab<'a> {
    pub fn new(datasets: Vec<PaperDataset>, args: &'a PaperArgs, runner: &'a Runner) -> Self {
        Self { datasets, args, runner, scores: Cache::default(), inspections: Cache::default() }
    }

    pub fn episodes(&self) -> usize {
        self.args.episodes
    }

    /// The accuracies of an experiment.
    pub fn run(&self, dataset: &PaperDataset, experiment: &Experiment) -> Result<Rc<RoundScores>> {
        let key = format!("{} {}", dataset.name, experiment.key());
        once(&self.scores, key, || {
            let name = format!("{} {}", dataset.name, experiment.name());
            let table = dataset.table(experiment.split);
            let method = (&experiment.method).into();
            let done = self.evaluate(&name, table, experiment.task(), &method, self.episodes())?;
            self.say_speed(&name, &done.speed);
            Ok(RoundScores(done.finished.into_iter().map(|episode| episode.accuracies).collect()))
        })
    }

    /// Runs a method over the first `count` episodes of a task.
    pub fn evaluate(
        &self,
        name: &str,
        table: &FeatureTable,
        task: EpisodeShape,
        method: &BenchMethod,
        count: usize,
    ) -> Result<EpisodesRun> {
        let episodes = Drawn { sampler: task.check(table)?, seed: self.args.seed, count };
        let run = self.runner.run(name, table, &episodes, method, None)?;
        if interrupt::requested() {
            let remedy = "no report was written; run the command again, with fewer --episodes for a quicker look";
            return Err(Error::PaperInterrupted(remedy.into()));
        }
        Ok(run)
    }

    /// Details of the episodes of 5-way 1-shot transductive ICI-R.
    pub fn inspect(&self, dataset: &PaperDataset) -> Result<Rc<Vec<EpisodeInspection>>> {
        once(&self.inspections, dataset.name.clone(), || inspect(self, dataset))
    }

    /// Prints how fast the episodes of an experiment ran.
    pub fn say_speed(&self, name: &str, speed: &Speed) {
        let (Speed { episodes, seconds, .. }, rate) = (speed, speed.per_second());
        let text = format!("{name}: {episodes} episodes in {seconds:.1} s, {rate:.0} per second\n");
        self.runner.progress.say(&text);
    }
}

fn once<T>(cache: &Cache<T>, key: String, make: impl FnOnce() -> Result<T>) -> Result<Rc<T>> {
    if let Some(made) = cache.borrow().get(&key) {
        return Ok(Rc::clone(made));
    }
    let made = Rc::new(make()?);
    cache.borrow_mut().insert(key, Rc::clone(&made));
    Ok(made)
}

/// Accuracies of every episode: of the plain classifier, then after each round.
#[derive(Debug, Clone)]
pub struct RoundScores(pub Vec<Vec<f64>>);

impl RoundScores {
    /// Of the plain classifier, which is trained on the labelled instances alone.
    pub fn plain(&self) -> Vec<f64> {
        self.after(0)
    }

    /// After a round; an episode that ended earlier keeps its last accuracy.
    pub fn after(&self, round: usize) -> Vec<f64> {
        let score = |rounds: &Vec<f64>| rounds.get(round).or(rounds.last()).copied();
        self.0.iter().map(|rounds| score(rounds).unwrap_or(f64::NAN)).collect()
    }

    pub fn last(&self) -> Vec<f64> {
        self.after(usize::MAX)
    }

    /// The gain of the method over the plain classifier.
    pub fn gain(&self) -> Result<MeanEstimate> {
        Ok(paired_difference(&self.last(), &self.plain())?)
    }
}

/// The mean of `left` − `right` over the episodes on which both were run. Episodes depend on the seed and their number
/// alone, so that a shorter run is the beginning of a longer one.
pub fn difference(left: &[f64], right: &[f64]) -> Result<MeanEstimate> {
    let both = left.len().min(right.len());
    Ok(paired_difference(&left[..both], &right[..both])?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_read_by_round() {
        let scores = RoundScores(vec![vec![0.5, 0.6, 0.7], vec![0.5, 0.4]]);
        assert_eq!(scores.plain(), [0.5, 0.5]);
        assert_eq!(scores.after(1), [0.6, 0.4]);
        assert_eq!(scores.last(), [0.7, 0.4]);
        assert!((scores.gain().unwrap().mean - 0.05).abs() < 1e-15);
        assert!((difference(&[0.5, 0.7, 0.1], &[0.4]).unwrap().mean - 0.1).abs() < 1e-15);
    }

    #[test]
    fn a_result_is_computed_once() {
        let cache = Cache::default();
        let made = |value: u32| once(&cache, "key".into(), || Ok(value)).unwrap();
        assert_eq!((*made(1), *made(2)), (1, 1));
    }
}
