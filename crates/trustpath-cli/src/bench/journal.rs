//! A run that can be stopped and resumed.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use trustpath_bench::{BenchMethod, FeatureTable, Finished, Journal, fnv1a};

use crate::error::Result;
use crate::files::CommandFiles;

/// Where finished episodes are recorded.
#[derive(Debug, Args)]
#[command(next_help_heading = "Run")]
pub struct JournalArgs {
    /// Record every finished episode in this file (those of a second method in FILE.against; with --method all,
    /// in one FILE.… per run)
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Continue from the journal; --episodes may be larger than before
    #[arg(long, requires = "journal")]
    resume: bool,
}

/// Everything that changes the scores of an episode.
#[derive(Serialize)]
struct Configuration<'a> {
    version: &'a str,
    features: u64,
    episodes: &'a str,
    method: &'a BenchMethod,
}

impl JournalArgs {
    pub fn files(&self, files: CommandFiles) -> CommandFiles {
        files.writes("--journal", self.path("")).writes("--journal", self.path(".against"))
    }

    /// The journal with something after its name.
    fn path(&self, ending: &str) -> Option<PathBuf> {
        let mut path = self.journal.clone()?.into_os_string();
        path.push(ending);
        Some(path.into())
    }

    /// Opens the journal of a method, if there is to be one, with what it holds.
    pub fn open(
        &self,
        table: &FeatureTable,
        episodes: &str,
        method: &BenchMethod,
        ending: &str,
    ) -> Result<Option<(Journal, Vec<Finished>)>> {
        let Some(path) = self.path(ending) else { return Ok(None) };
        let version = env!("CARGO_PKG_VERSION");
        let configuration = Configuration { version, features: fingerprint(table), episodes, method };
        Ok(Some(Journal::open(path, &configuration, self.resume)?))
    }

    /// How a run that was interrupted can go on.
    pub fn remedy(&self) -> String {
        match self.journal {
            Some(_) => "repeat the command with --resume to continue".into(),
            None => "repeat the command; with --journal FILE a run can be resumed".into(),
        }
    }
}

fn fingerprint(table: &FeatureTable) -> u64 {
    let features = table.features().iter().map(|x| u64::from(x.to_bits()));
    let labels = table.labels().iter().map(|&label| label as u64);
    fnv1a(features.chain(labels).flat_map(u64::to_le_bytes))
}
