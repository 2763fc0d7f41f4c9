//! Running an approach over many episodes, in parallel and with the same result for any number of threads.

use std::borrow::Cow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use rayon::prelude::*;
use trustpath::{Features, Instances};

use crate::{
    Approach, Episode, EpisodeList, FeatureTable, Finished, Learner, Result, Sampler, Setting,
};

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

/// Looks on while episodes finish, in the order in which they do, and may ask to stop.
pub trait Watch: Send {
    /// An episode has finished.
    ///
    /// # Errors
    /// When what is to be done about it fails; the run ends.
    fn finished(&mut self, episode: &Finished) -> Result<()>;

    /// Whether to leave the episodes that have not begun.
    fn stop(&self) -> bool;
}

/// Watches nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn finished(&mut self, _: &Finished) -> Result<()> {
        Ok(())
    }

    fn stop(&self) -> bool {
        false
    }
}

/// Runs an approach over all episodes but those `done` before. Returns all that have finished, in order of their number.
///
/// # Errors
/// The first failure of an episode, by number, or of the watch.
pub fn evaluate(
    table: &FeatureTable,
    episodes: &dyn Episodes,
    approach: impl Into<Approach>,
    done: Vec<Finished>,
    watch: &mut dyn Watch,
) -> Result<Vec<Finished>> {
    let features = Features::new(table.features(), table.rows(), table.dims())?;
    evaluate_features(&features, episodes, approach, done, watch)
}

/// The same on features that are not in a table. Episodes must name rows that are there.
///
/// # Errors
/// As [`evaluate`].
pub fn evaluate_features(
    features: &Features<'_>,
    episodes: &dyn Episodes,
    approach: impl Into<Approach>,
    done: Vec<Finished>,
    watch: &mut dyn Watch,
) -> Result<Vec<Finished>> {
    let learner = approach.into().build()?;
    let mut left: Vec<bool> = vec![true; episodes.count()];
    for before in &done {
        if let Some(left) = left.get_mut(before.episode as usize) {
            *left = false;
        }
    }
    let watch = Mutex::new(watch);
    let stopped = AtomicBool::new(false);
    let results: Vec<Result<Option<Finished>>> = (0..episodes.count())
        .into_par_iter()
        .filter(|&index| left[index])
        .map(|index| {
            if stopped.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let episode = episodes.get(index)?;
            let finished = score(&learner, features, &episode, &episodes.setting(), index)?;
            let mut watch = watch.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            watch.finished(&finished)?;
            stopped.fetch_or(watch.stop(), Ordering::Relaxed);
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

fn score(
    learner: &Learner,
    features: &Features<'_>,
    episode: &Episode,
    setting: &Setting,
    index: usize,
) -> Result<Finished> {
    let start = Instant::now();
    let accuracies = run_episode(learner, features, episode, setting)?;
    Ok(Finished { episode: index as u64, accuracies, seconds: start.elapsed().as_secs_f64() })
}

/// Runs a learner on one episode; the accuracies on its queries come back, see [`Learner::accuracies`].
///
/// # Errors
/// When the learner fails.
pub fn run_episode(
    learner: &Learner,
    features: &Features<'_>,
    episode: &Episode,
    setting: &Setting,
) -> Result<Vec<f64>> {
    let instances = gather(features, episode, setting)?;
    learner.accuracies(&trustpath::Task {
        instances: &instances,
        labels: &episode.support.labels,
        unlabeled: episode.pool(setting).len(),
        classes: episode.classes.len(),
        truth: Some(&episode.query.labels),
    })
}

/// The instances of an episode in the order of the engine: labelled, unlabeled, and queries where they are apart.
///
/// # Errors
/// When a feature vector has no direction.
pub fn gather(features: &Features<'_>, episode: &Episode, setting: &Setting) -> Result<Instances> {
    let query: &[usize] = match setting {
        Setting::Transductive => &[],
        _ => &episode.query.rows,
    };
    let rows = episode.support.rows.iter().chain(episode.pool(setting)).chain(query);
    Ok(features.gather(rows.copied())?)
}
