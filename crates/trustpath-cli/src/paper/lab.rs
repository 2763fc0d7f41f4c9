//! Where experiments are run, each once: targets that share one share its scores.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;

use trustpath_episodes::stats::{Estimate, paired_difference};
use trustpath_episodes::{Approach, Drawn, EpisodeShape, FeatureTable, Finished, Watch, evaluate};

use super::dataset::Dataset;
use super::error::{Error, Result};
use super::experiment::Experiment;
use super::inspect::{Inspection, inspect};
use crate::interrupt;
use crate::progress::{Progress, Stage};

/// Datasets, the number of episodes, and what has been run so far.
#[derive(Debug)]
pub struct Lab {
    /// What is run on.
    pub datasets: Vec<Dataset>,
    /// Episodes of an experiment.
    pub episodes: usize,
    /// Seed of the episodes.
    pub seed: u64,
    /// Shows no progress.
    pub quiet: bool,
    /// Methods asked for by name; none for the default.
    pub methods: Vec<String>,
    /// Where a long run may keep what it has; nowhere if none.
    pub notes: Option<PathBuf>,
    scores: Cache<Scores>,
    inspections: Cache<Vec<Inspection>>,
}

type Cache<T> = RefCell<HashMap<String, Rc<T>>>;

impl Lab {
    /// A lab in which nothing has been run.
    pub fn new(datasets: Vec<Dataset>, episodes: usize, seed: u64, quiet: bool) -> Self {
        let (methods, notes, scores, inspections) = Default::default();
        Self { datasets, episodes, seed, quiet, methods, notes, scores, inspections }
    }

    /// The accuracies of an experiment.
    pub fn run(&self, dataset: &Dataset, experiment: &Experiment) -> Result<Rc<Scores>> {
        let key = format!("{} {}", dataset.name, experiment.key());
        once(&self.scores, key, || {
            let table = dataset.table(experiment.split);
            let count = experiment.episodes(self.episodes);
            let watcher = self.watch(dataset, experiment);
            let approach = (&experiment.method).into();
            let done = self.evaluate(table, experiment.task(), approach, count, watcher)?;
            Ok(Scores(done.into_iter().map(|episode| episode.accuracies).collect()))
        })
    }

    /// Runs an approach over the first so many episodes of a task.
    pub fn evaluate(
        &self,
        table: &FeatureTable,
        task: EpisodeShape,
        approach: Approach,
        count: usize,
        mut watcher: Watcher,
    ) -> Result<Vec<Finished>> {
        let episodes = Drawn { sampler: task.check(table)?, seed: self.seed, count };
        let done = evaluate(table, &episodes, approach, Vec::new(), &mut watcher)?;
        watcher.finish();
        if interrupt::requested() {
            return Err(Error::Interrupted);
        }
        Ok(done)
    }

    /// What happens inside the episodes of 5-way 1-shot transductive ICI-R.
    pub fn inspect(&self, dataset: &Dataset) -> Result<Rc<Vec<Inspection>>> {
        once(&self.inspections, dataset.name.clone(), || inspect(self, dataset))
    }

    /// The episodes of an experiment, to be watched.
    pub fn watch(&self, dataset: &Dataset, experiment: &Experiment) -> Watcher {
        let name = format!("{} {}", dataset.name, experiment.name());
        self.watcher(&name, experiment.episodes(self.episodes))
    }

    /// So many episodes, to be watched.
    pub fn watcher(&self, name: &str, episodes: usize) -> Watcher {
        let stage = Progress::new(self.quiet, false).stage(name, episodes as u64, "episodes");
        Watcher { stage, quiet: self.quiet }
    }
}

fn once<T>(cache: &Cache<T>, key: String, make: impl FnOnce() -> Result<T>) -> Result<Rc<T>> {
    if let Some(found) = cache.borrow().get(&key) {
        return Ok(Rc::clone(found));
    }
    let made = Rc::new(make()?);
    cache.borrow_mut().insert(key, Rc::clone(&made));
    Ok(made)
}

/// Shows how many episodes are done.
#[derive(Debug)]
pub struct Watcher {
    pub stage: Stage,
    quiet: bool,
}

impl Watcher {
    /// Shows nothing.
    pub fn quiet() -> Self {
        Self { stage: Progress::Quiet.stage("", 0, ""), quiet: true }
    }

    /// Takes the bar away, and leaves a line that says how fast it was.
    pub fn finish(self) {
        let (name, done) = (self.stage.name().to_owned(), self.stage.done());
        let seconds = self.stage.elapsed().as_secs_f64();
        drop(self.stage);
        if !self.quiet {
            let rate = done as f64 / seconds;
            eprintln!("{name}: {done} episodes in {seconds:.1} s, {rate:.0} a second");
        }
    }
}

impl Watch for Watcher {
    fn finished(&mut self, _: &Finished) -> trustpath_episodes::Result<()> {
        self.stage.step();
        Ok(())
    }

    fn stop(&self) -> bool {
        interrupt::requested()
    }
}

/// Accuracies of every episode: of the plain classifier, then after each round.
#[derive(Debug, Clone)]
pub struct Scores(pub Vec<Vec<f64>>);

impl Scores {
    /// Of the plain classifier, which knows the labelled instances alone.
    pub fn plain(&self) -> Vec<f64> {
        self.after(0)
    }

    /// After so many rounds; an episode that has ended before keeps its last.
    pub fn after(&self, round: usize) -> Vec<f64> {
        let score = |rounds: &Vec<f64>| rounds.get(round).or(rounds.last()).copied();
        self.0.iter().map(|rounds| score(rounds).unwrap_or(f64::NAN)).collect()
    }

    /// In the end.
    pub fn last(&self) -> Vec<f64> {
        self.after(usize::MAX)
    }

    /// What the method adds to the plain classifier.
    pub fn gain(&self) -> Result<Estimate> {
        Ok(paired_difference(&self.last(), &self.plain())?)
    }
}

/// The mean of `left` − `right` over the episodes on which both were run. Episodes depend on seed and number alone, so
/// that a shorter run is the beginning of a longer one.
pub fn difference(left: &[f64], right: &[f64]) -> Result<Estimate> {
    let both = left.len().min(right.len());
    Ok(paired_difference(&left[..both], &right[..both])?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_read_by_round() {
        let scores = Scores(vec![vec![0.5, 0.6, 0.7], vec![0.5, 0.4]]);
        assert_eq!(scores.plain(), [0.5, 0.5]);
        assert_eq!(scores.after(1), [0.6, 0.4]);
        assert_eq!(scores.last(), [0.7, 0.4]);
        assert!((scores.gain().unwrap().mean - 0.05).abs() < 1e-15);
        assert!((difference(&[0.5, 0.7, 0.1], &[0.4]).unwrap().mean - 0.1).abs() < 1e-15);
    }

    #[test]
    fn what_was_made_is_not_made_again() {
        let cache = Cache::default();
        let made = |value: u32| once(&cache, "key".into(), || Ok(value)).unwrap();
        assert_eq!((*made(1), *made(2)), (1, 1));
    }
}
