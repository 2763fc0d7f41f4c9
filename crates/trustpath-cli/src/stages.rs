//! Finished stages of a run on a large pool, kept in a folder, so that an interrupted run goes on from them.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::PathBuf;

use clap::Args;
use trustpath::Features;
use trustpath::random::mix;
use trustpath_table::write_atomically;

use crate::error::{Error, Result};

/// Rows that are read together.
const BLOCK: usize = 4096;
/// Sums that do not wait for each other.
const LANES: usize = 8;

/// Where finished stages are kept.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Run")]
pub struct StagesArgs {
    /// Save the representation of a pool of more than 20,000 instances in this folder. Later runs on the same features that search
    /// for neighbours in the same way load it, also with other labels or options
    #[arg(long, value_name = "FOLDER")]
    stages: Option<PathBuf>,
}

/// The file of a pool.
#[derive(Debug)]
pub struct KeptStages(PathBuf);

impl StagesArgs {
    /// The file for these features.
    pub fn of(&self, features: &Features<'_>) -> Result<Option<KeptStages>> {
        let Some(folder) = &self.stages else { return Ok(None) };
        let failed = |error: io::Error| {
            let (folder, named) = (folder.display(), "give --stages a folder that can be written");
            Error::Usage(format!("the folder {folder} cannot be made ({error}): {named}"))
        };
        std::fs::create_dir_all(folder).map_err(failed)?;
        let name = format!("pool-{:016x}.stage", fingerprint(features)?);
        Ok(Some(KeptStages(folder.join(name))))
    }
}

/// A number that other features or another version of this program would not have, but for one in 2⁶⁴.
fn fingerprint(features: &Features<'_>) -> Result<u64> {
    let (n, d) = (features.rows(), features.dims());
    let mut lanes = [n as u64; LANES];
    let mut block = vec![0.0; BLOCK.min(n) * d];
    for first in (0..n).step_by(BLOCK) {
        let block = &mut block[..BLOCK.min(n - first) * d];
        features.block(first, block)?;
        for values in block.chunks(LANES) {
            for (lane, value) in lanes.iter_mut().zip(values) {
                *lane = mix(*lane ^ value.to_bits());
            }
        }
    }
    let version = env!("CARGO_PKG_VERSION").bytes().map(u64::from);
    Ok(version.chain(lanes).fold(d as u64, |sum, part| mix(sum ^ part)))
}

impl KeptStages {
    /// What is kept, if there is something.
    pub fn open(&self) -> Option<Box<dyn Read>> {
        Some(Box::new(BufReader::new(File::open(&self.0).ok()?)))
    }

    /// Keeps what is written.
    pub fn write(&self, fill: &dyn Fn(&mut dyn Write) -> io::Result<()>) -> Result<()> {
        Ok(write_atomically(&self.0, |to| fill(to))?)
    }
}
