//! Runs a method over episodes: threads, progress, journal and time.

use std::time::Instant;

use rayon::ThreadPool;
use trustpath_bench::processor::process_time;
use trustpath_bench::{BenchMethod, Episodes, FeatureTable, Finished, Journal, evaluate};

use crate::args::pool;
use crate::error::Result;
use crate::progress::{ProgressMode, ProgressObserver};

/// Threads and the display of progress.
pub struct Runner {
    pub pool: ThreadPool,
    pub progress: ProgressMode,
}

/// The result of a run.
#[derive(Debug)]
pub struct EpisodesRun {
    /// All finished episodes, by number.
    pub finished: Vec<Finished>,
    pub speed: Speed,
}

/// How long a run took.
#[derive(Debug, Clone, Copy, serde::Serialize)]
pub struct Speed {
    /// Episodes finished in this run, without those of a journal.
    pub episodes: usize,
    pub seconds: f64,
    pub threads: usize,
    /// Seconds that processors spent on it; none where the system does not say.
    pub processor_seconds: Option<f64>,
}

impl Speed {
    /// Episodes per elapsed second.
    pub fn per_second(&self) -> f64 {
        if self.episodes == 0 { 0.0 } else { self.episodes as f64 / self.seconds.max(1e-9) }
    }

    /// Milliseconds that a processor spends on an episode, or one thread where the system does not say.
    pub fn milliseconds(&self) -> f64 {
        let all = self.processor_seconds.unwrap_or(self.seconds * self.threads as f64);
        1e3 * all / self.episodes.max(1) as f64
    }
}

impl Runner {
    /// A number of threads, or one per core.
    pub fn new(threads: Option<usize>, progress: ProgressMode) -> Result<Self> {
        Ok(Self { pool: pool(threads)?, progress })
    }

    /// Runs a method over all episodes except those that the journal already has.
    pub fn run(
        &self,
        name: &str,
        table: &FeatureTable,
        episodes: &dyn Episodes,
        method: &BenchMethod,
        journal: Option<(Journal, Vec<Finished>)>,
    ) -> Result<EpisodesRun> {
        let asked = episodes.count();
        let (journal, mut done) = journal.map_or((None, Vec::new()), |(j, done)| (Some(j), done));
        done.retain(|finished| finished.episode < asked as u64);
        let before = done.len();
        let mut observer = ProgressObserver::episodes(self.progress, name, asked - before, journal);
        let (start, processor) = (Instant::now(), process_time());
        let outcome = self.pool.install(|| evaluate(table, episodes, method.clone(), done, &mut observer));
        let seconds = start.elapsed().as_secs_f64();
        let processor_seconds =
            processor.and_then(|before| Some((process_time()?.saturating_sub(before)).as_secs_f64()));
        drop(observer);
        let finished = outcome?;
        let (episodes, threads) = (finished.len() - before, self.threads());
        let speed = Speed { episodes, seconds, threads, processor_seconds };
        Ok(EpisodesRun { finished, speed })
    }

    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }
}
