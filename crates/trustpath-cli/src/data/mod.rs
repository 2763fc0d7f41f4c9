//! `trustpath data`: datasets of images, before anything is made of them.

mod check;
mod pack;
mod sheet;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use trustpath_vision::Error as VisionError;
use trustpath_vision::dataset::{Dataset, Kind};

use crate::cli::choice;
use crate::error::Result;
use crate::interrupt;
use crate::progress::{Progress, Stage};

/// What to do with a dataset.
#[derive(Debug, Args)]
pub struct DataArgs {
    #[command(subcommand)]
    command: DataCommand,
}

/// The commands about datasets.
#[derive(Debug, Subcommand)]
enum DataCommand {
    /// What is there, what is missing and where to get it, and a sheet of images
    Check(check::CheckArgs),
    /// Writes a dataset as a few compact files that travel quickly
    Pack(pack::PackArgs),
}

/// Which images.
#[derive(Debug, Args)]
struct SourceArgs {
    /// A folder, a zip or tar, a folder of these, or a csv
    data: PathBuf,
    /// What it is [default: found out]
    #[arg(long, value_parser = choice::<Kind>(&Kind::NAMES))]
    dataset: Option<Kind>,
    /// No progress
    #[arg(long)]
    quiet: bool,
    /// Progress as lines of JSON on standard error
    #[arg(long)]
    json: bool,
}

impl SourceArgs {
    fn open(&self) -> Result<Dataset> {
        Ok(Dataset::open(&self.data, self.dataset)?)
    }

    fn progress(&self) -> Progress {
        Progress::new(self.quiet, self.json)
    }
}

/// Runs the command.
pub fn run(args: &DataArgs) -> Result<()> {
    match &args.command {
        DataCommand::Check(args) => check::run(args),
        DataCommand::Pack(args) => pack::run(args),
    }
}

/// One image more is done. Nothing here could go on later, so Ctrl-C ends it at once: no file is half written.
fn step(stage: &Stage) {
    stage.step();
    if interrupt::requested() {
        eprintln!("\nerror: interrupted after {} images: run it again", stage.done());
        std::process::exit(130);
    }
}

/// Bad images that are named; the rest are counted.
const NAMED: usize = 20;

/// A line for each of the images that cannot be read.
fn list<'a>(bad: impl ExactSizeIterator<Item = &'a VisionError>) -> String {
    let count = bad.len();
    let mut text: String = bad.take(NAMED).map(|error| format!("  {error}\n")).collect();
    if count > NAMED {
        text += &format!("  and {} more\n", count - NAMED);
    }
    text
}
