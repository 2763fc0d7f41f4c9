//! `trustpath extract`: features of images or texts, computed by a network.

use std::path::PathBuf;

use clap::Args;
use trustpath_vision::extract::Extraction;
use trustpath_vision::weights::FloatPrecision;

use crate::args::WorkArgs;
use crate::error::{Error, Result};
use crate::files::CommandFiles;
use crate::images::{self, DatasetArgs, NetworkArgs};
use crate::values::choice;
use crate::{print, texts};

/// Which images, by which network, to where.
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct ExtractArgs {
    /// Images: a folder of class folders, a zip or tar of them, a csv, or a known dataset
    #[arg(long, value_name = "PATH", required_unless_present = "texts")]
    images: Option<PathBuf>,
    /// Texts instead of images: a .csv, .tsv, .jsonl or .parquet and --text, or a folder of .txt files
    #[arg(long, value_name = "PATH", conflicts_with = "images")]
    texts: Option<PathBuf>,
    /// Column of the texts
    #[arg(long, value_name = "NAME", requires = "texts")]
    text: Option<String>,
    #[command(flatten)]
    dataset: DatasetArgs,
    /// File for the features: .safetensors, or .npy with NAME-labels.csv beside it
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Precision of the features
    #[arg(long, default_value = "f16", value_parser = choice::<FloatPrecision>(&FloatPrecision::NAMES))]
    dtype: FloatPrecision,
    /// Skip images that cannot be read, and list them
    #[arg(long)]
    skip_bad: bool,
    #[command(flatten)]
    work: WorkArgs,
    #[command(flatten)]
    network: NetworkArgs,
}

const AFTER: &str = "\
Examples:
  trustpath extract --images photos/ --out photos.safetensors
  trustpath extract --weights resnet12.safetensors --images photos/ --out photos.safetensors
  trustpath extract --backbone wrn28-10 --weights S2M2.pth.tar --images mini.zip --split test --out novel.npy
  trustpath extract --backbone dino.onnx --input-size 224 --images photos/ --out photos.safetensors
  trustpath label photos.safetensors --out labels.csv
  trustpath extract --texts questions.csv --text question --out questions.npy

After Ctrl-C, the same command resumes the extraction. If the .safetensors file exists already, only
new and changed images are computed.

Exit status: 0 on success, 1 on failure, 2 for invalid input or usage, 130 after Ctrl-C.";

pub fn run(args: &ExtractArgs) -> Result<()> {
    let files =
        args.network.files(CommandFiles::default()).reads("the images", &args.images).reads("the texts", &args.texts);
    let labels = Extraction::labels_file(&args.out);
    files.writes("--out", [&args.out]).writes("--out", &labels).check()?;
    let (threads, progress) = (args.work.pool()?, args.work.progress.get());
    if let Some(texts) = &args.texts {
        let model = args.network.text_model(None)?;
        return texts::extract(texts, args.text.as_deref(), model, &args.out, &threads, progress);
    }
    let Some(images) = &args.images else { return Err(Error::Usage("give --images or --texts".into())) };
    let chosen = args.network.open(threads.current_num_threads())?;
    let dataset = args.dataset.open(images, None, None)?;
    let extraction = Extraction { precision: args.dtype, skip_bad: args.skip_bad };
    let backbone = chosen.backbone.as_ref();
    let done = images::extract(extraction, backbone, &dataset, &args.out, &threads, progress)?;
    let new = dataset.len() - done.before;
    let mut text = format!(
        "{}: {} of {}, {} each, by {}",
        args.out.display(),
        print::count(dataset.len() - done.skipped.len(), "image", "images"),
        print::count(dataset.classes().len(), "class", "classes"),
        print::count(backbone.info().dim, "feature", "features"),
        chosen.words,
    );
    text += &match new {
        0 => "; all were there already\n".into(),
        _ => format!(", {} images/s\n", print::rate(new as f64 / done.took.as_secs_f64().max(1e-9))),
    };
    text += &images::skipped(done.skipped.iter().map(|(_, error)| error));
    if new > 0 {
        progress.say(chosen.advice());
    }
    print::stdout(&text)
}
