//! Running a method over episodes: threads, progress, journal and the clock.

use std::time::Instant;

use rayon::ThreadPool;
use trustpath_episodes::{
    Approach, Episodes, FeatureTable, Finished, Journal, Result as EpisodesResult, Watch, evaluate,
};

use crate::args::pool;
use crate::error::Result;
use crate::interrupt;
use crate::progress::{Progress, Stage};

/// Where and how loudly episodes run.
pub struct Runner {
    pool: ThreadPool,
    progress: Progress,
}

/// What a run has done.
#[derive(Debug)]
pub struct Run {
    /// All finished episodes, in order of their number.
    pub finished: Vec<Finished>,
    /// How long this run took.
    pub speed: Speed,
}

/// How long a run took.
#[derive(Debug, Clone, Copy, serde::Serialize)]
pub struct Speed {
    /// Episodes finished in this run; those of a journal come on top.
    pub episodes: usize,
    /// Seconds on the clock.
    pub seconds: f64,
    /// Threads.
    pub threads: usize,
}

impl Speed {
    /// Episodes per second, by the clock.
    pub fn per_second(&self) -> f64 {
        if self.episodes == 0 { 0.0 } else { self.episodes as f64 / self.seconds.max(1e-9) }
    }

    /// Milliseconds that one thread spends on an episode.
    pub fn milliseconds(&self) -> f64 {
        1e3 * self.seconds * self.threads as f64 / self.episodes.max(1) as f64
    }
}

impl Runner {
    /// As many threads as asked for, or as there are cores.
    pub fn new(threads: Option<usize>, progress: Progress) -> Result<Self> {
        Ok(Self { pool: pool(threads)?, progress })
    }

    /// Runs an approach over all episodes but those that the journal holds already.
    pub fn run(
        &self,
        name: &str,
        table: &FeatureTable,
        episodes: &dyn Episodes,
        approach: &Approach,
        journal: Option<(Journal, Vec<Finished>)>,
    ) -> Result<Run> {
        let asked = episodes.count();
        let (journal, mut done) = journal.map_or((None, Vec::new()), |(j, done)| (Some(j), done));
        done.retain(|finished| finished.episode < asked as u64);
        let before = done.len();
        let stage = self.progress.stage(name, (asked - before) as u64, "episodes");
        let mut watcher = Watcher { stage, journal };
        let start = Instant::now();
        let outcome =
            self.pool.install(|| evaluate(table, episodes, approach.clone(), done, &mut watcher));
        let seconds = start.elapsed().as_secs_f64();
        drop(watcher);
        let finished = outcome?;
        let threads = self.threads();
        let speed = Speed { episodes: finished.len() - before, seconds, threads };
        Ok(Run { finished, speed })
    }

    /// The threads.
    pub fn pool(&self) -> &ThreadPool {
        &self.pool
    }

    /// How progress is shown.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// Number of threads.
    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }
}

/// Shows progress, writes the journal and listens to Ctrl-C.
struct Watcher {
    stage: Stage,
    journal: Option<Journal>,
}

impl Watch for Watcher {
    fn finished(&mut self, episode: &Finished) -> EpisodesResult<()> {
        self.stage.step();
        self.journal.as_mut().map_or(Ok(()), |journal| journal.record(episode))
    }

    fn stop(&self) -> bool {
        interrupt::requested()
    }
}
