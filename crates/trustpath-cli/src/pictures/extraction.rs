//! An extraction with progress, which Ctrl-C stops.

use std::path::Path;
use std::time::{Duration, Instant};

use rayon::ThreadPool;
use trustpath_vision::Error as VisionError;
use trustpath_vision::backbone::Backbone;
use trustpath_vision::dataset::Dataset;
use trustpath_vision::extract::{Extraction, Outcome};

use crate::error::{Error, Result};
use crate::print;
use crate::progress::{Progress, ProgressObserver};

/// How many bad pictures are named; the rest are counted.
const NAMED: usize = 20;

/// What an extraction has done.
pub struct Extracted {
    /// Pictures that had their features before.
    pub before: usize,
    /// Rows that were left out.
    pub skipped: Vec<(usize, VisionError)>,
    /// How long it took.
    pub took: Duration,
}

impl Extracted {
    /// A line for each picture that was left out.
    pub fn list(&self) -> String {
        if self.skipped.is_empty() {
            return String::new();
        }
        let count = print::count(self.skipped.len(), "picture", "pictures");
        let mut text = format!("skipped {count}:\n");
        self.skipped.iter().take(NAMED).for_each(|(_, error)| text += &format!("  {error}\n"));
        if self.skipped.len() > NAMED {
            text += &format!("  and {} more\n", self.skipped.len() - NAMED);
        }
        text
    }
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
    let outcome = threads.install(|| extraction.run(backbone, dataset, out, &mut observer))?;
    match outcome {
        Outcome::Stopped { done, all } => Err(Error::Paused { done, all }),
        Outcome::Finished { skipped, .. } => {
            Ok(Extracted { before: observer.before, skipped, took: start.elapsed() })
        }
    }
}
