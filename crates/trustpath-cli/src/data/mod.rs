//! `trustpath data`: checks and packs datasets of images.

mod check;
mod pack;
mod sheet;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use trustpath_vision::dataset::DatasetKind;

use crate::args::ProgressArgs;
use crate::error::Result;
use crate::interrupt;
use crate::progress::Stage;
use crate::values::choice;

/// What to do with a dataset.
#[derive(Debug, Args)]
pub struct DataArgs {
    #[command(subcommand)]
    command: DataCommand,
}

/// The commands about datasets.
#[derive(Debug, Subcommand)]
enum DataCommand {
    /// Reports what is there, what is missing and where to get it, and draws a contact sheet
    Check(check::DataCheckArgs),
    /// Writes a dataset as a few compact files that are quick to copy
    Pack(pack::PackArgs),
}

/// Which images.
#[derive(Debug, Args)]
struct DatasetSourceArgs {
    /// A folder, a zip or tar, a folder of these, or a csv
    data: PathBuf,
    /// Dataset layout [default: auto-detect]
    #[arg(long, value_parser = choice::<DatasetKind>(&DatasetKind::NAMES))]
    dataset: Option<DatasetKind>,
    #[command(flatten)]
    progress: ProgressArgs,
}

pub fn run(args: &DataArgs) -> Result<()> {
    match &args.command {
        DataCommand::Check(args) => check::run(args),
        DataCommand::Pack(args) => pack::run(args),
    }
}

/// One more image is done. Nothing here can be resumed, so Ctrl-C ends it at once; no file is half written.
fn step(stage: &Stage) {
    stage.step();
    if interrupt::requested() {
        eprintln!("\nerror: interrupted after {} images: run it again", stage.done());
        std::process::exit(130);
    }
}
