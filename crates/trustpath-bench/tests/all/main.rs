//! The crate on real features: episode lists of other programs, and agreement with the official code.

mod hard_episodes;
mod lists;
mod parity;
mod trust;

use std::path::{Path, PathBuf};

/// A file or folder of the test data.
fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}
