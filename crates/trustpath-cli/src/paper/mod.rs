//! The results of the paper, one target each.

/// Names of the targets.
pub const TARGETS: &[&str] = &[
    "table1",
    "assumptions",
    "errors",
    "path",
    "selectors",
    "iterations",
    "initial",
    "classifiers",
    "dimension",
    "reductions",
    "backbones",
    "alpha",
    "episode",
];

use crate::error::{Error, Result};

/// Which results.
#[derive(Debug, clap::Args)]
pub struct PaperArgs {
    /// The target
    target: String,
}

/// Runs a target.
pub fn run(args: &PaperArgs) -> Result<()> {
    Err(Error::Usage(format!("target {}: choose one of {}", args.target, TARGETS.join(", "))))
}
