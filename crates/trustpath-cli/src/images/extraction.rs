//! An extraction with progress, which Ctrl-C stops.

use std::path::Path;
use std::time::{Duration, Instant};

use rayon::ThreadPool;
use trustpath_vision::Error as VisionError;
use trustpath_vision::backbone::Backbone;
use trustpath_vision::dataset::Dataset;
use trustpath_vision::extract::{ExtractOutcome, Extraction};

use crate::error::{Error, Result};
use crate::print;
use crate::progress::{Progress, ProgressObserver};

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
    let mut observer = ProgressObserver::new(progress);
    let start = Instant::now();
    match threads.install(|| extraction.run(backbone, dataset, out, &mut observer))? {
        ExtractOutcome::Stopped { done, all } => Err(Error::Paused { done, all }),
        ExtractOutcome::Finished { skipped, .. } => {
            Ok(Extracted { before: observer.before, skipped, took: start.elapsed() })
        }
    }
}
