//! How a session works.

use std::path::PathBuf;

use trustpath_table::MissingLabels;

/// How a session works.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The labels file, a `.csv` or `.tsv`; it need not exist.
    pub labels: PathBuf,
    /// Which labels mean that there is none.
    pub missing: MissingLabels,
    /// The share of the pool that should be labelled or trusted in the end.
    pub coverage: f64,
    /// Answers after which the model is updated.
    pub batch: usize,
    /// The seed of the order at the start and of random samples.
    pub seed: u64,
    /// Whether requests of Label Studio are answered.
    pub label_studio: bool,
}
