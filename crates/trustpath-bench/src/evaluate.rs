//! Running a method over many episodes, in parallel and with the same result for any number of threads.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use rayon::prelude::*;
use trustpath::{Features, Matrix, NoObserver};

use crate::{BenchMethod, Episode, EpisodeList, FeatureTable, Finished, Learner, Result, Sampler, Setting};

/// A numbered sequence of episodes over one table.
pub trait Episodes: Sync {
    /// How many there are.
    fn count(&self) -> usize;

    /// The setting they are meant for.
    fn setting(&self) -> Setting;

    /// Number `index` of them.
    ///
    /// # Errors
    /// When it cannot be drawn.
    fn get(&self, index: usize) -> Result<Cow<'_, Episode>>;

    /// Coordinates of the instances that number `index` ranks, where they are given: `instances` of them, the support
    /// and then the unlabeled ones.
    ///
    /// # Errors
    /// When they do not fit the episode.
    fn coordinates(&self, _index: usize, _instances: usize) -> Result<Option<Matrix>> {
        Ok(None)
    }
}

/// Episodes drawn from a seed.
#[derive(Debug, Clone)]
pub struct Drawn<'a> {
    /// What they look like, and the table they are drawn from.
    pub sampler: Sampler<'a>,
    /// The seed.
    pub seed: u64,
    /// How many.
    pub count: usize,
}

impl Episodes for Drawn<'_> {
    fn count(&self) -> usize {
        self.count
    }

    fn setting(&self) -> Setting {
        self.sampler.shape().setting
    }

    fn get(&self, index: usize) -> Result<Cow<'_, Episode>> {
        Ok(Cow::Owned(self.sampler.draw(self.seed, index as u64)?))
    }
}

/// Episodes of a list, in the setting of the list.
#[derive(Debug, Clone)]
pub struct Listed<'a> {
    /// The list.
    pub list: &'a EpisodeList,
    /// The setting.
    pub setting: Setting,
}

impl Episodes for Listed<'_> {
    fn count(&self) -> usize {
        self.list.episodes.len()
    }

    fn setting(&self) -> Setting {
        self.setting
    }

    fn get(&self, index: usize) -> Result<Cow<'_, Episode>> {
        Ok(Cow::Borrowed(&self.list.episodes[index]))
    }
}

/// Observes episodes as they finish, in the order in which they do, and may ask to stop.
pub trait EpisodeObserver: Send {
    /// An episode has finished.
    ///
    /// # Errors
    /// When handling it fails; the run then ends.
    fn finished(&mut self, episode: &Finished) -> Result<()>;

    /// Whether to skip the episodes that have not begun.
    fn stop(&self) -> bool;
}

impl EpisodeObserver for NoObserver {
    fn finished(&mut self, _: &Finished) -> Result<()> {
        Ok(())
    }

    fn stop(&self) -> bool {
        false
    }
}

/// Runs a method on all episodes except those `done` before. Returns all that have finished, in order of their number.
///
/// # Errors
/// The first failure of an episode, by number, or of the observer.
pub fn evaluate(
    table: &FeatureTable,
    episodes: &dyn Episodes,
    method: impl Into<BenchMethod>,
    done: Vec<Finished>,
    observer: &mut dyn EpisodeObserver,
) -> Result<Vec<Finished>> {
    let features = Features::new(table.features(), table.rows(), table.dims())?;
    evaluate_features(&features, episodes, method, done, observer)
}

/// The same on features that are not in a table. Episodes must name rows that are there.
///
/// # Errors
/// As [`evaluate`].
pub fn evaluate_features(
    features: &Features<'_>,
    episodes: &dyn Episodes,
    method: impl Into<BenchMethod>,
    done: Vec<Finished>,
    observer: &mut dyn EpisodeObserver,
) -> Result<Vec<Finished>> {
    let learner = method.into().build()?;
    let done_before: HashSet<u64> = done.iter().map(|finished| finished.episode).collect();
    let observer = Mutex::new(observer);
    let stopped = AtomicBool::new(false);
    let results: Vec<Result<Option<Finished>>> = (0..episodes.count())
        .into_par_iter()
        .filter(|&index| !done_before.contains(&(index as u64)))
        .map(|index| {
            if stopped.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let finished = score(&learner, features, episodes, index)?;
            let mut observer = observer.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            observer.finished(&finished)?;
            stopped.fetch_or(observer.stop(), Ordering::Relaxed);
            Ok(Some(finished))
        })
        .collect();
    let mut finished = done;
    for result in results {
        finished.extend(result?);
    }
    finished.sort_by_key(|f| f.episode);
    Ok(finished)
}

fn score(learner: &Learner, features: &Features<'_>, episodes: &dyn Episodes, index: usize) -> Result<Finished> {
    let (episode, setting) = (episodes.get(index)?, episodes.setting());
    let ranked = episode.support.len() + episode.pool(&setting).len();
    let coordinates = episodes.coordinates(index, ranked)?;
    let start = Instant::now();
    let accuracies = learner.accuracies(features, &episode, &setting, coordinates.as_ref())?;
    Ok(Finished { episode: index as u64, accuracies, seconds: start.elapsed().as_secs_f64() })
}
