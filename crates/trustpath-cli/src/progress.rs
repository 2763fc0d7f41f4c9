//! How far a run has come: a bar on a terminal, lines of JSON for machines, or nothing.
//!
//! ```text
//! {"stage":"path","done":400,"total":12000,"elapsed_s":0.31}
//! ```

use std::io::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use trustpath::Observer;

use crate::interrupt;

/// Lines of JSON come no faster than this, but for a stage's first and last.
const INTERVAL: Duration = Duration::from_millis(200);

/// How progress is shown, always on standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// Not at all.
    Quiet,
    /// A bar with the time left, where there is a terminal.
    Bar,
    /// A line of JSON now and then.
    Json,
}

impl Progress {
    /// What the options ask for; who wants quiet gets it.
    pub fn new(quiet: bool, json: bool) -> Self {
        match (quiet, json) {
            (true, _) => Self::Quiet,
            (false, true) => Self::Json,
            (false, false) => Self::Bar,
        }
    }

    /// Begins a stage of `total` steps, each one `unit`, as in "episodes".
    pub fn stage(self, name: &str, total: u64, unit: &str) -> Stage {
        let bar = match self {
            Self::Bar => Some(bar(name, total, unit)),
            Self::Quiet | Self::Json => None,
        };
        let told = (self == Self::Json).then(|| Mutex::new(None));
        let (done, start) = (AtomicU64::new(0), Instant::now());
        let stage = Stage { name: name.to_owned(), total, done, start, bar, told };
        stage.tell(false);
        stage
    }
}

impl Progress {
    /// Tells people something; machines and those who want quiet hear nothing.
    pub fn say(self, text: &str) {
        if self == Self::Bar {
            // Where nobody listens there is nobody to tell.
            let _ = std::io::stderr().write_all(text.as_bytes());
        }
    }
}

/// Shows the stages of the engine as they go by, and tells it to stop when the user does.
#[derive(Debug)]
pub struct Stages {
    progress: Progress,
    under_way: Option<Stage>,
}

impl Stages {
    /// Nothing is under way yet.
    pub fn new(progress: Progress) -> Self {
        Self { progress, under_way: None }
    }
}

impl Observer for Stages {
    fn stage(&mut self, name: &'static str, done: usize, total: usize) {
        // The last stage is over before the next begins.
        self.under_way = None;
        let stage = self.progress.stage(name, total as u64, "stages");
        (0..done).for_each(|_| stage.step());
        self.under_way = Some(stage);
    }

    fn stop(&self) -> bool {
        interrupt::requested()
    }
}

/// A stage that is under way. Threads may share it; dropped, it is over.
#[derive(Debug)]
pub struct Stage {
    name: String,
    total: u64,
    done: AtomicU64,
    start: Instant,
    bar: Option<ProgressBar>,
    /// For JSON: when the last line was written.
    told: Option<Mutex<Option<Instant>>>,
}

#[derive(Serialize)]
struct Line<'a> {
    stage: &'a str,
    done: u64,
    total: u64,
    elapsed_s: f64,
}

impl Stage {
    /// One step more is done.
    pub fn step(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
        if let Some(bar) = &self.bar {
            bar.inc(1);
        }
        self.tell(false);
    }

    /// So many steps are done in all.
    #[cfg(feature = "libtorch")]
    pub fn advance_to(&self, done: u64) {
        self.done.store(done, Ordering::Relaxed);
        if let Some(bar) = &self.bar {
            bar.set_position(done);
        }
        self.tell(false);
    }

    /// So many steps were done before; they do not count for the time that is left.
    #[cfg(feature = "libtorch")]
    pub fn skip_to(&self, done: u64) {
        self.advance_to(done);
        if let Some(bar) = &self.bar {
            bar.reset_eta();
        }
    }

    /// What is being done now, in front of the bar.
    #[cfg(feature = "libtorch")]
    pub fn rename(&self, what: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(what.to_owned());
        }
    }

    /// Prints something without the bar in its way.
    #[cfg(feature = "libtorch")]
    pub fn beside<T>(&self, print: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    /// Steps done.
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// Time since it began.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn tell(&self, at_once: bool) {
        let Some(told) = &self.told else { return };
        // Who finds another thread writing has nothing newer to say.
        let Ok(mut told) = told.try_lock() else { return };
        let now = Instant::now();
        if !at_once && told.is_some_and(|last| now - last < INTERVAL) {
            return;
        }
        *told = Some(now);
        let elapsed_s = (1e3 * self.elapsed().as_secs_f64()).round() / 1e3;
        let line = Line { stage: &self.name, done: self.done(), total: self.total, elapsed_s };
        if let Ok(mut text) = serde_json::to_vec(&line) {
            text.push(b'\n');
            // Where nobody listens there is nobody to tell.
            let _ = std::io::stderr().write_all(&text);
        }
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        self.tell(true);
    }
}

/// A bar; hidden by itself where standard error is no terminal.
fn bar(name: &str, total: u64, unit: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
    let template =
        format!("{{msg}} {{wide_bar}} {{pos}}/{{len}} {unit}, {{per_sec}}, {{eta}} left");
    if let Ok(style) = ProgressStyle::with_template(&template) {
        bar.set_style(style);
    }
    bar.with_message(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quiet_wins() {
        assert_eq!(Progress::new(false, false), Progress::Bar);
        assert_eq!(Progress::new(false, true), Progress::Json);
        assert_eq!(Progress::new(true, true), Progress::Quiet);
    }

    #[test]
    fn threads_share_a_stage() {
        let stage = Progress::Quiet.stage("path", 400, "steps");
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..100).for_each(|_| stage.step()));
            }
        });
        assert_eq!((stage.done(), stage.name()), (400, "path"));
    }
}
