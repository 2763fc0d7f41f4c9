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

impl Extracted {
    /// A line for each image that was left out.
    pub fn list(&self) -> String {
        if self.skipped.is_empty() {
            return String::new();
        }
        let count = print::count(self.skipped.len(), "image", "images");
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
    let mut observer = ExtractProgress { progress, stage: None, begun: 0 };
    let start = Instant::now();
    let outcome = threads.install(|| extraction.run(backbone, dataset, out, &mut observer))?;
    match outcome {
        ExtractOutcome::Stopped { done, all } => Err(Error::Paused { done, all }),
        ExtractOutcome::Finished { skipped, .. } => {
            Ok(Extracted { before: observer.begun, skipped, took: start.elapsed() })
        }
    }
}

/// Shows progress and listens to Ctrl-C.
struct ExtractProgress {
    progress: Progress,
    stage: Option<Stage>,
    begun: usize,
}

impl ExtractObserver for ExtractProgress {
    fn begin(&mut self, done: usize, all: usize) {
        self.begun = done;
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
