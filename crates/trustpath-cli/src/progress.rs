//! The progress of a run: a bar on a terminal, lines of JSON for programs, or nothing.
//!
//! ```text
//! {"stage":"path","done":400,"total":12000,"elapsed_s":0.31}
//! ```

use std::io::Write;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use trustpath_episodes::{Finished, Journal};

use crate::interrupt;

/// The shortest time between two lines of JSON, except for the first and the last of a stage.
const INTERVAL: Duration = Duration::from_millis(200);

/// How progress is shown, always on standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// Not at all.
    Quiet,
    /// A bar with the time left, if standard error is a terminal.
    Bar,
    /// A line of JSON at intervals.
    Json,
}

impl Progress {
    /// From the options; `quiet` overrides `json`.
    pub fn new(quiet: bool, json: bool) -> Self {
        match (quiet, json) {
            (true, _) => Self::Quiet,
            (false, true) => Self::Json,
            (false, false) => Self::Bar,
        }
    }

    /// Begins a stage of `total` steps; `unit` is their plural, as in "episodes".
    pub fn stage(self, name: &str, total: u64, unit: &str) -> Stage {
        // A bar is also hidden if standard error is not a terminal.
        let target = match self {
            Self::Bar => ProgressDrawTarget::stderr(),
            Self::Quiet | Self::Json => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(Some(total), target).with_message(name.to_owned());
        let template =
            format!("{{msg}} {{wide_bar}} {{pos}}/{{len}} {unit}, {{per_sec}}, {{eta}} left");
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style);
        }
        let last_line = (self == Self::Json).then(|| Mutex::new(None));
        let stage = Stage { name: name.to_owned(), bar, last_line };
        stage.write_line(false);
        stage
    }

    /// Prints a message for the user; nothing with `--quiet` or `--json`.
    pub fn say(self, text: &str) {
        if self == Self::Bar {
            // A closed standard error must not end the run.
            let _ = std::io::stderr().write_all(text.as_bytes());
        }
    }
}

/// Shows the progress of the engine, of episodes or of an extraction, records finished episodes, and stops the run on
/// Ctrl-C.
#[derive(Debug)]
pub struct ProgressObserver {
    progress: Progress,
    stage: Option<Stage>,
    /// Where finished episodes are recorded.
    journal: Option<Journal>,
    /// Images that had their features before an extraction.
    pub before: usize,
}

impl ProgressObserver {
    /// Shows nothing until the first stage begins.
    pub fn new(progress: Progress) -> Self {
        Self { progress, stage: None, journal: None, before: 0 }
    }

    /// Shows episodes, and records them if there is a journal.
    pub fn episodes(
        progress: Progress,
        name: &str,
        total: usize,
        journal: Option<Journal>,
    ) -> Self {
        let stage = Some(progress.stage(name, total as u64, "episodes"));
        Self { progress, stage, journal, before: 0 }
    }
}

impl trustpath::Observer for ProgressObserver {
    fn stage(&mut self, name: &'static str, done: usize, total: usize) {
        // The previous stage must end before the next begins.
        self.stage = None;
        let stage = self.progress.stage(name, total as u64, "stages");
        stage.advance(done as u64);
        self.stage = Some(stage);
    }

    fn stop(&self) -> bool {
        interrupt::requested()
    }
}

impl trustpath_episodes::EpisodeObserver for ProgressObserver {
    fn finished(&mut self, episode: &Finished) -> trustpath_episodes::Result<()> {
        self.stage.iter().for_each(Stage::step);
        self.journal.as_mut().map_or(Ok(()), |journal| journal.record(episode))
    }

    fn stop(&self) -> bool {
        interrupt::requested()
    }
}

impl trustpath_vision::extract::ExtractObserver for ProgressObserver {
    fn begin(&mut self, done: usize, all: usize) {
        self.before = done;
        if done < all {
            self.stage = Some(self.progress.stage("extract", (all - done) as u64, "images"));
        }
    }

    fn advance(&mut self, images: usize) {
        self.stage.iter().for_each(|stage| stage.advance(images as u64));
    }

    fn stop(&self) -> bool {
        interrupt::requested()
    }
}

/// A running stage, which threads may share. It ends when it is dropped.
#[derive(Debug)]
pub struct Stage {
    name: String,
    /// The bar, hidden unless it is wanted; it counts the steps in any case.
    bar: ProgressBar,
    /// For JSON: when the last line was written.
    last_line: Option<Mutex<Option<Instant>>>,
}

#[derive(Serialize)]
struct Line<'a> {
    stage: &'a str,
    done: u64,
    total: u64,
    elapsed_s: f64,
}

impl Stage {
    /// One more step is done.
    pub fn step(&self) {
        self.advance(1);
    }

    /// More steps are done.
    pub fn advance(&self, steps: u64) {
        self.bar.inc(steps);
        self.write_line(false);
    }

    /// The steps done so far.
    pub fn done(&self) -> u64 {
        self.bar.position()
    }

    /// Sets the number of steps done.
    #[cfg(feature = "libtorch")]
    pub fn advance_to(&self, done: u64) {
        self.bar.set_position(done);
        self.write_line(false);
    }

    /// Sets the number of steps done by an earlier run, which do not count for the time left.
    #[cfg(feature = "libtorch")]
    pub fn skip_to(&self, done: u64) {
        self.advance_to(done);
        self.bar.reset_eta();
    }

    /// Changes the text in front of the bar.
    #[cfg(feature = "libtorch")]
    pub fn rename(&self, text: &str) {
        self.bar.set_message(text.to_owned());
    }

    /// Prints while the bar is hidden.
    #[cfg(feature = "libtorch")]
    pub fn beside<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }

    fn write_line(&self, last: bool) {
        let Some(last_line) = &self.last_line else { return };
        // If another thread is writing, this line would be no newer.
        let Ok(mut last_line) = last_line.try_lock() else { return };
        let now = Instant::now();
        if !last && last_line.is_some_and(|then| now - then < INTERVAL) {
            return;
        }
        *last_line = Some(now);
        let elapsed_s = (1e3 * self.bar.elapsed().as_secs_f64()).round() / 1e3;
        let (done, total) = (self.done(), self.bar.length().unwrap_or(0));
        if let Ok(mut text) =
            serde_json::to_vec(&Line { stage: &self.name, done, total, elapsed_s })
        {
            text.push(b'\n');
            // A closed standard error must not end the run.
            let _ = std::io::stderr().write_all(&text);
        }
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.write_line(true);
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_share_a_stage() {
        let stage = Progress::Quiet.stage("path", 400, "steps");
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..100).for_each(|_| stage.step()));
            }
        });
        assert_eq!(stage.done(), 400);
    }
}
