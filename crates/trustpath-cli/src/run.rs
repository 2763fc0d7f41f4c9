//! Running a method over episodes: threads, progress, journal and the clock.

use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rayon::{ThreadPool, ThreadPoolBuilder};
use trustpath_episodes::{
    Approach, Episodes, FeatureTable, Finished, Journal, Result as EpisodesResult, Watch, evaluate,
};

use crate::error::{Error, Result};
use crate::interrupt;

/// Where and how loudly episodes run.
pub struct Runner {
    pool: ThreadPool,
    quiet: bool,
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
    /// As many threads as asked for, or as there are cores; `quiet` hides the progress.
    pub fn new(threads: Option<usize>, quiet: bool) -> Result<Self> {
        let threads = threads.unwrap_or(0);
        let built = ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = built.map_err(|e| Error::Threads { threads, reason: e.to_string() })?;
        Ok(Self { pool, quiet })
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
        let mut progress = Progress { bar: self.bar(name, asked - before), journal };
        let start = Instant::now();
        let outcome =
            self.pool.install(|| evaluate(table, episodes, approach.clone(), done, &mut progress));
        let seconds = start.elapsed().as_secs_f64();
        progress.bar.finish_and_clear();
        let finished = outcome?;
        let threads = self.threads();
        let speed = Speed { episodes: finished.len() - before, seconds, threads };
        Ok(Run { finished, speed })
    }

    /// Number of threads.
    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// A bar on standard error; hidden by itself where that is no terminal.
    fn bar(&self, name: &str, episodes: usize) -> ProgressBar {
        let target =
            if self.quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(Some(episodes as u64), target);
        let template = "{msg} {wide_bar} {pos}/{len} episodes, {per_sec}, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.with_message(name.to_owned())
    }
}

/// Shows progress, writes the journal and listens to Ctrl-C.
struct Progress {
    bar: ProgressBar,
    journal: Option<Journal>,
}

impl Watch for Progress {
    fn finished(&mut self, episode: &Finished) -> EpisodesResult<()> {
        self.bar.inc(1);
        self.journal.as_mut().map_or(Ok(()), |journal| journal.record(episode))
    }

    fn stop(&self) -> bool {
        interrupt::requested()
    }
}
