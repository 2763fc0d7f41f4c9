//! `trustpath train`: trains a network on images as in the paper.

#[cfg(feature = "libtorch")]
mod libtorch;
#[cfg(feature = "libtorch")]
mod log;

use std::path::PathBuf;

use clap::Args;
use trustpath_vision::dataset::DatasetKind;

use crate::args::WorkArgs;
use crate::error::Result;
use crate::values::{PIXELS, up_to};

/// What to train, from what, and how.
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct TrainArgs {
    /// Folder, archive, or folder of archives or of shards that holds the dataset
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Dataset layout [default: auto-detect]
    #[arg(long, value_name = "NAME")]
    dataset: Option<DatasetKind>,
    /// Folder of the run: checkpoint, best weights, log and plots; a stopped run is resumed from it
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The network
    #[arg(long, value_name = "NAME", default_value = "resnet12")]
    backbone: String,
    /// Where to train: auto, cuda or cpu
    #[arg(long, default_value = "auto")]
    device: String,
    #[command(flatten)]
    recipe: RecipeArgs,
    #[command(flatten)]
    work: WorkArgs,
}

/// What is to differ from the paper.
#[derive(Debug, Clone, Default, PartialEq, Args)]
#[command(next_help_heading = "Recipe (defaults are those of the paper)")]
pub struct RecipeArgs {
    /// Epochs [default: 90]
    #[arg(long, value_name = "N", value_parser = up_to::<1_000_000>)]
    epochs: Option<usize>,
    /// Episodes per epoch [default: 1200; tieredImageNet 13980]
    #[arg(long, value_name = "N", value_parser = up_to::<10_000_000>)]
    episodes: Option<usize>,
    /// Episodes per step [default: 4]
    #[arg(long, value_name = "N", value_parser = up_to::<65_536>)]
    batch: Option<usize>,
    /// Classes per episode [default: 5]
    #[arg(long, value_name = "N", value_parser = up_to::<10_000>)]
    ways: Option<usize>,
    /// Labeled images of each class in an episode [default: 1]
    #[arg(long, value_name = "N", value_parser = up_to::<10_000>)]
    shots: Option<usize>,
    /// Images of each class to be recognised in an episode [default: 6]
    #[arg(long, value_name = "N", value_parser = up_to::<10_000>)]
    queries: Option<usize>,
    /// Learning rates, each with the epoch before which it holds
    /// [default: 60:0.1,70:0.006,80:0.0012,90:0.00024; tieredImageNet 30:0.1,60:0.01,90:0.001]
    #[arg(long, value_name = "EPOCH:RATE,...", value_delimiter = ',', value_parser = rate)]
    rate: Vec<(usize, f64)>,
    /// Momentum [default: 0.9]
    #[arg(long, value_name = "X")]
    momentum: Option<f64>,
    /// Weight decay [default: 0.0005]
    #[arg(long, value_name = "X")]
    weight_decay: Option<f64>,
    /// Weight of the nearest-neighbour loss beside the global one [default: 0.5]
    #[arg(long, value_name = "X")]
    nearest_weight: Option<f64>,
    /// Input size in pixels [default: the network's, 84 for resnet12]
    #[arg(long, value_name = "PIXELS", value_parser = up_to::<PIXELS>)]
    size: Option<usize>,
    /// Pixels around an image before it is cropped [default: 8]
    #[arg(long, value_name = "PIXELS")]
    padding: Option<usize>,
    /// Probability that a rectangle is erased [default: 0.5]
    #[arg(long, value_name = "X")]
    erase: Option<f64>,
    /// Episodes per validation [default: 2000]
    #[arg(long, value_name = "N", value_parser = up_to::<1_000_000>)]
    validation: Option<usize>,
    /// Random seed [default: 1]
    #[arg(long)]
    seed: Option<u64>,
}

const AFTER: &str = "\
Examples:
  trustpath train --dataset cifar-fs --data data/ --out run/
  trustpath train --data photos/ --out run/ --device cpu --epochs 2 --episodes 40

Exit status: 0 on success, 1 on failure, 2 for invalid input or usage, 130 after Ctrl-C.";

fn rate(text: &str) -> std::result::Result<(usize, f64), String> {
    let parts = text.split_once(':');
    let parts = parts.and_then(|(epoch, rate)| Some((epoch.parse().ok()?, rate.parse().ok()?)));
    parts.ok_or_else(|| "give pairs such as 60:0.1".into())
}

#[cfg(feature = "libtorch")]
pub fn run(args: &TrainArgs) -> Result<()> {
    libtorch::run(args)
}

/// Says how to get a program that can train.
#[cfg(not(feature = "libtorch"))]
pub fn run(_: &TrainArgs) -> Result<()> {
    Err(crate::error::Error::Usage(
        "this trustpath was built without libtorch and cannot train: pip install torch==2.11.0, then \
         LIBTORCH_USE_PYTORCH=1 cargo build --release --features libtorch"
            .into(),
    ))
}
