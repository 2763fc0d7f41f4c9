//! An extraction with progress, which Ctrl-C stops.

use std::path::Path;
use std::time::{Duration, Instant};

use rayon::ThreadPool;
use trustpath_vision::Error as VisionError;
use trustpath_vision::backbone::Backbone;
use trustpath_vision::dataset::Dataset;
use trustpath_vision::extract::{ExtractObserver, ExtractOutcome, Extraction};

use crate::error::{Error, Result};
use crate::interrupt;
use crate::print;
use crate::progress::{Progress, Stage};

/// How many bad images are named; the rest are counted.
const NAMED: usize = 20;

/// What an extraction has done.
pub struct Extracted {
    /// Images that had their features before.
    pub before: usize,
    /// Rows that were left out.
    pub skipped: Vec<(usize, VisionError)>,
    /// How long it took.
    pub took: Duration,
}

/// A line for each image that was skipped, below a line with their number.
pub fn skipped<'a>(bad: impl ExactSizeIterator<Item = &'a VisionError>) -> String {
    match bad.len() {
        0 => String::new(),
        count => format!("skipped {}:\n{}", print::count(count, "image", "images"), list(bad)),
    }
}

/// A line for each image that cannot be read.
pub fn list<'a>(bad: impl ExactSizeIterator<Item = &'a VisionError>) -> String {
    let more = bad.len().saturating_sub(NAMED);
    let mut text: String = bad.take(NAMED).map(|error| format!("  {error}\n")).collect();
    if more > 0 {
        text += &format!("  and {more} more\n");
    }
    text
}

/// Brings the features of a dataset in a file up to date.
pub fn extract(
    extraction: Extraction,
    backbone: &dyn Backbone,
    dataset: &Dataset,
    out: &Path,
    threads: &ThreadPool,
    progress: Progress,
) -> Result<Extracted> {
    let mut observer = ExtractProgress { progress, stage: None, before: 0 };
    let start = Instant::now();
    match threads.install(|| extraction.run(backbone, dataset, out, &mut observer))? {
        ExtractOutcome::Stopped { done, all } => Err(Error::Paused { done, all }),
        ExtractOutcome::Finished { skipped, .. } => {
            Ok(Extracted { before: observer.before, skipped, took: start.elapsed() })
        }
    }
}

/// Shows progress and listens to Ctrl-C.
struct ExtractProgress {
    progress: Progress,
    stage: Option<Stage>,
    before: usize,
}

impl ExtractObserver for ExtractProgress {
    fn begin(&mut self, done: usize, all: usize) {
        self.before = done;
        if done < all {
            self.stage = Some(self.progress.stage("extract", (all - done) as u64, "images"));
        }
    }

    fn advance(&mut self, images: usize) {
        if let Some(stage) = &self.stage {
            (0..images).for_each(|_| stage.step());
        }
    }

    fn stop(&self) -> bool {
        interrupt::requested()
    }
}
