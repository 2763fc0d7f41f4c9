//! `trustpath data pack`: a dataset as a few compact files.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use trustpath_vision::dataset::{Dataset, DatasetSplit};
use trustpath_vision::pack::PackParams;

use super::{DatasetSourceArgs, step};
use crate::error::Result;
use crate::files::CommandFiles;
use crate::images::skipped;
use crate::print;
use crate::values::{PIXELS, choice, up_to};

/// What to pack, and how.
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct PackArgs {
    #[command(flatten)]
    source: DatasetSourceArgs,
    /// Folder for the pack; created if it does not exist
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Size of the images in pixels; larger ones are resized to squares, others keep their bytes
    #[arg(long, value_name = "PIXELS", default_value_t = 84, value_parser = up_to::<PIXELS>)]
    size: usize,
    /// Only this split; may be given several times [default: all]
    #[arg(long, value_parser = choice::<DatasetSplit>(&DatasetSplit::NAMES))]
    split: Vec<DatasetSplit>,
    /// Largest size of a file in MiB
    #[arg(long, value_name = "MIB", default_value_t = 48, value_parser = up_to::<1_048_576>)]
    shard_mib: usize,
    /// Encode resized images as JPEG of this quality, 1 to 100 [default: lossless PNG]
    #[arg(long, value_name = "N")]
    quality: Option<u8>,
    /// Skip images that cannot be read, and list them
    #[arg(long)]
    skip_bad: bool,
}

const AFTER: &str = "\
Every command that takes a dataset takes the folder of its pack instead.

Examples:
  trustpath data pack downloads/ --dataset cifar-fs --out cifar-fs-pack
  trustpath data pack CUB_200_2011.tgz --size 84 --quality 90 --out cub-pack

Exit status: 0 on success, 1 if a file cannot be written, 2 for invalid input.";

pub fn run(args: &PackArgs) -> Result<()> {
    let pack = PackParams {
        size: args.size,
        quality: args.quality,
        shard_bytes: args.shard_mib.saturating_mul(1 << 20),
        splits: args.split.clone(),
        skip_bad: args.skip_bad,
    };
    pack.check()?;
    let files = CommandFiles::default().reads("the dataset", [&args.source.data]);
    files.writes("--out", [&args.out]).check()?;
    let dataset = Dataset::open(&args.source.data, args.source.dataset)?;
    let total: usize = match args.split.as_slice() {
        [] => dataset.len(),
        splits => splits.iter().map(|&split| dataset.peek(split).len()).sum(),
    };
    let start = Instant::now();
    let stage = args.source.progress.get().stage("pack", total as u64, "images");
    let packed = pack.write(&dataset, &args.out, || step(&stage))?;
    drop(stage);
    let mut table = print::table(["file"], ["MiB"]);
    for (file, bytes) in &packed.files {
        table.push([file.clone(), mib(*bytes)])?;
    }
    let mut text = format!(
        "{} of {} in {}: {} MiB in {:.1} s; {} kept the bytes they had\n\n{}",
        print::count(packed.images, "image", "images"),
        dataset.name(),
        args.out.display(),
        mib(packed.bytes()),
        start.elapsed().as_secs_f64(),
        packed.kept,
        table.text(),
    );
    if !packed.skipped.is_empty() {
        text += &format!("\n{}", skipped(packed.skipped.iter().map(|(_, error)| error)));
    }
    print::stdout(&text)
}

fn mib(bytes: usize) -> String {
    format!("{:.2}", bytes as f64 / f64::from(1 << 20))
}
