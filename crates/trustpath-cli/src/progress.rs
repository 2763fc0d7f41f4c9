//! The progress of a run: a bar on a terminal, lines of JSON for programs, or nothing.
//!
//! ```text
//! {"stage":"path","done":400,"total":12000,"elapsed_s":0.31}
//! ```
//!
//! `elapsed_s` counts from the beginning of the stage. A bar shows the time left only where all steps are alike.

use std::io::Write;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use trustpath_bench::{Finished, Journal};
use trustpath_table::printable;

use crate::interrupt;

/// The shortest time between two lines of JSON, except for the first and the last of a stage.
const INTERVAL: Duration = Duration::from_millis(200);

/// How progress is shown, always on standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ProgressMode {
    // The bar is shown if standard error is a terminal. Doc comments would be printed by --help.
    Bar,
    Json,
    #[value(name = "none")]
    Quiet,
}

impl ProgressMode {
    /// Begins a stage of `total` steps that take about the same time; `unit` is their plural, as in
    /// "episodes".
    pub fn stage(self, name: &str, total: u64, unit: &str) -> Stage {
        let template = format!("{{msg}} {{wide_bar}} {{pos}}/{{len}} {unit}, {{per_sec}}, {{eta}} left");
        self.begin(name, total, &template)
    }

    /// Begins a stage of which only its end is known. How long it will take is not, so that the bar shows
    /// the time since `started`.
    pub fn task(self, name: &str, started: Instant) -> Stage {
        self.numbered(name, 0, 1, started)
    }

    /// Begins stage `done` of `total`, which take different times.
    fn numbered(self, name: &str, done: usize, total: usize, started: Instant) -> Stage {
        let template = match total {
            1 => "{msg}, {elapsed}".to_owned(),
            _ => format!("{{msg}} {{wide_bar}} stage {} of {total}, {{elapsed}}", (done + 1).min(total)),
        };
        let mut stage = self.begin(name, total as u64, &template);
        stage.bar = stage.bar.clone().with_elapsed(started.elapsed());
        stage.bar.set_position(done as u64);
        if self == Self::Bar {
            stage.bar.enable_steady_tick(INTERVAL);
        }
        stage
    }

    fn begin(self, name: &str, total: u64, template: &str) -> Stage {
        // A bar is also hidden if standard error is not a terminal.
        let target = match self {
            Self::Bar => ProgressDrawTarget::stderr(),
            Self::Quiet | Self::Json => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(Some(total), target).with_message(name.to_owned());
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        let last_line = (self == Self::Json).then(|| Mutex::new(None));
        let stage = Stage { name: name.to_owned(), bar, last_line, began: Instant::now() };
        stage.write_line(false);
        stage
    }

    /// Prints a message for the user, unless progress is hidden or for programs.
    pub fn say(self, text: &str) {
        if self == Self::Bar {
            // A closed standard error must not end the run.
            let _ = std::io::stderr().write_all(printable(text).as_bytes());
        }
    }
}

/// Shows the progress of the engine, of episodes or of an extraction, records finished episodes, and stops the run on
/// Ctrl-C.
#[derive(Debug)]
pub struct ProgressObserver {
    progress: ProgressMode,
    stage: Option<Stage>,
    started: Instant,
    /// Where finished episodes are recorded.
    journal: Option<Journal>,
    /// Images that had their features before an extraction.
    pub before: usize,
}

impl ProgressObserver {
    /// Shows nothing until the first stage begins.
    pub fn new(progress: ProgressMode) -> Self {
        Self { progress, stage: None, started: Instant::now(), journal: None, before: 0 }
    }

    /// Shows episodes, and records them if there is a journal.
    pub fn episodes(progress: ProgressMode, name: &str, total: usize, journal: Option<Journal>) -> Self {
        let stage = Some(progress.stage(name, total as u64, "episodes"));
        Self { stage, journal, ..Self::new(progress) }
    }
}

impl trustpath::Observer for ProgressObserver {
    fn stage(&mut self, name: &'static str, done: usize, total: usize) {
        // The previous stage must end before the next begins.
        self.stage = None;
        self.stage = Some(self.progress.numbered(name, done, total, self.started));
    }

    fn stop(&self) -> bool {
        interrupt::requested()
    }
}

impl trustpath_bench::EpisodeObserver for ProgressObserver {
    fn finished(&mut self, episode: &Finished) -> trustpath_bench::Result<()> {
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
    began: Instant,
}

#[derive(Serialize)]
struct ProgressLine<'a> {
    stage: &'a str,
    done: u64,
    total: u64,
    elapsed_s: f64,
}

impl Stage {
    pub fn step(&self) {
        self.advance(1);
    }

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
        let elapsed_s = (1e3 * self.began.elapsed().as_secs_f64()).round() / 1e3;
        let (done, total) = (self.done(), self.bar.length().unwrap_or(0));
        if let Ok(mut text) = serde_json::to_vec(&ProgressLine { stage: &self.name, done, total, elapsed_s }) {
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
        let stage = ProgressMode::Quiet.stage("path", 400, "steps");
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..100).for_each(|_| stage.step()));
            }
        });
        assert_eq!(stage.done(), 400);
    }

    /// The bar once said "0s left, 29,294/s" while one of seven stages was running.
    #[test]
    fn stages_show_the_time_since_the_beginning_and_no_speed() {
        let started = Instant::now() - Duration::from_secs(22);
        let stage = ProgressMode::Quiet.numbered("neighbours", 3, 7, started);
        assert_eq!(stage.done(), 3);
        assert!(stage.bar.elapsed() >= Duration::from_secs(22), "{:?}", stage.bar.elapsed());
        assert!(stage.began.elapsed() < Duration::from_secs(22));
    }
}
