//! A run that can be stopped and resumed.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use trustpath_episodes::{FeatureTable, Finished, Journal, Method, fnv1a};

use crate::error::Result;

/// Where finished episodes are kept.
#[derive(Debug, Args)]
#[command(next_help_heading = "Run")]
pub struct JournalArgs {
    /// Note every finished episode in this file (a second method's in FILE.against; of --method all,
    /// in one FILE.… for each run)
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Go on from the journal; drawn episodes may be more than before, by --episodes
    #[arg(long, requires = "journal")]
    resume: bool,
}

/// Whatever changes the scores of an episode.
#[derive(Serialize)]
struct Configuration<'a> {
    version: &'a str,
    features: u64,
    episodes: &'a str,
    method: &'a Method,
}

impl JournalArgs {
    /// Opens the journal of a method, if there is to be one, with what it holds.
    pub fn open(
        &self,
        table: &FeatureTable,
        episodes: &str,
        method: &Method,
        ending: &str,
    ) -> Result<Option<(Journal, Vec<Finished>)>> {
        let Some(path) = &self.journal else { return Ok(None) };
        let mut path = path.clone().into_os_string();
        path.push(ending);
        let version = env!("CARGO_PKG_VERSION");
        let configuration =
            Configuration { version, features: fingerprint(table), episodes, method };
        Ok(Some(Journal::open(PathBuf::from(path), &configuration, self.resume)?))
    }

    /// How a run that was interrupted can go on.
    pub fn remedy(&self) -> String {
        match self.journal {
            Some(_) => "repeat the command with --resume to go on".into(),
            None => {
                "repeat the command for all of them; with --journal FILE it could be resumed".into()
            }
        }
    }
}

fn fingerprint(table: &FeatureTable) -> u64 {
    let features = table.features().iter().map(|x| u64::from(x.to_bits()));
    let labels = table.labels().iter().map(|&label| label as u64);
    fnv1a(features.chain(labels).flat_map(u64::to_le_bytes))
}
