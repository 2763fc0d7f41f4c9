//! `trustpath extract`: features of pictures, by a network.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use trustpath_vision::backbone::Backbone;
use trustpath_vision::cpu::Engine;
use trustpath_vision::dataset::{Dataset, Kind, Split};
use trustpath_vision::extract::{Extraction, Outcome, Watch};
use trustpath_vision::network::Network;
use trustpath_vision::onnx::{Model, Settings};
use trustpath_vision::weights::{Precision, Weights};

use crate::args;
use crate::cli::{choice, positive};
use crate::error::{Error, Result};
use crate::interrupt;
use crate::print;
use crate::progress::{Progress, Stage};

/// How many bad pictures are named; the rest are counted.
const NAMED: usize = 20;

/// Which pictures, by which network, to where.
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct ExtractArgs {
    /// The network: resnet12, wrn28-10, densenet121, densenet121-imagenet, or a model in ONNX
    #[arg(long, value_name = "NAME|FILE.onnx", default_value = "resnet12")]
    backbone: String,
    /// Its weights: .safetensors, or a PyTorch checkpoint; a model in ONNX has its own
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Pictures: a folder of class folders, a zip or tar of them, a csv, or a known dataset
    #[arg(long, value_name = "PATH")]
    images: PathBuf,
    /// What the pictures are [default: found out]
    #[arg(long, value_parser = choice::<Kind>(&Kind::NAMES))]
    dataset: Option<Kind>,
    /// Only these classes [default: all]
    #[arg(long, value_parser = choice::<Split>(&Split::NAMES))]
    split: Option<Split>,
    /// File for the features: .safetensors, or .npy with NAME-labels.csv beside it
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Precision of the features
    #[arg(long, default_value = "f16", value_parser = choice::<Precision>(&Precision::NAMES))]
    dtype: Precision,
    /// Leave out pictures that cannot be read, and list them
    #[arg(long)]
    skip_bad: bool,
    /// Threads; the features are the same for any number [default: one for each core]
    #[arg(long, value_name = "N", value_parser = positive)]
    threads: Option<usize>,
    /// No progress
    #[arg(long)]
    quiet: bool,
    /// Progress as lines of JSON on standard error
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    onnx: OnnxArgs,
}

/// What a model in ONNX does not say itself; a .toml beside it may as well.
#[derive(Debug, Args)]
#[command(next_help_heading = "Models in ONNX")]
struct OnnxArgs {
    /// Edge of the pictures [default: 224]
    #[arg(long, value_name = "N", value_parser = positive)]
    input_size: Option<usize>,
    /// Mean of red, green and blue, of values in 0 to 1 [default: 0.485,0.456,0.406]
    #[arg(long, value_name = "R,G,B", value_parser = colours)]
    mean: Option<[f32; 3]>,
    /// Spread of red, green and blue [default: 0.229,0.224,0.225]
    #[arg(long, value_name = "R,G,B", value_parser = colours)]
    std: Option<[f32; 3]>,
    /// Output that is the feature [default: the first that can be]
    #[arg(long, value_name = "NAME")]
    output: Option<String>,
}

fn colours(text: &str) -> std::result::Result<[f32; 3], String> {
    let values: Option<Vec<f32>> = text.split(',').map(|x| x.trim().parse().ok()).collect();
    let three = values.and_then(|values| values.try_into().ok());
    three.ok_or_else(|| "give three numbers such as 0.485,0.456,0.406".into())
}

const AFTER: &str = "\
Examples:
  trustpath extract --weights resnet12.safetensors --images photos/ --out photos.safetensors
  trustpath extract --backbone wrn28-10 --weights S2M2.pth.tar --images mini.zip --split test --out novel.npy
  trustpath extract --backbone dino.onnx --input-size 224 --images photos/ --out photos.safetensors
  trustpath label photos.safetensors --out labels.csv

Interrupted by Ctrl-C, the same command goes on where it ended.

Exit status: 0 when all is done, 1 when something failed, 2 for input or usage that cannot be right, 130 after Ctrl-C.";

/// Runs the command.
pub fn run(args: &ExtractArgs) -> Result<()> {
    let pool = args::pool(args.threads)?;
    let backbone = backbone(args, pool.current_num_threads())?;
    let whole = Dataset::open(&args.images, args.dataset)?;
    let dataset = args.split.map_or(Ok(whole.clone()), |split| whole.split(split))?;
    let extraction = Extraction { precision: args.dtype, skip_bad: args.skip_bad };
    let progress = Progress::new(args.quiet, args.json);
    let mut watcher = Watcher { progress, stage: None, begun: 0 };
    let start = Instant::now();
    let outcome =
        pool.install(|| extraction.run(backbone.as_ref(), &dataset, &args.out, &mut watcher))?;
    let seconds = start.elapsed().as_secs_f64();
    let begun = watcher.begun;
    drop(watcher);
    match outcome {
        Outcome::Stopped { done, all } => Err(Error::Paused { done, all }),
        Outcome::Finished { rows, skipped } => {
            let mut text = format!(
                "{}: {} of {}, {} each, {} pictures/s\n",
                args.out.display(),
                print::count(rows, "picture", "pictures"),
                print::count(dataset.classes().len(), "class", "classes"),
                print::count(backbone.dim(), "feature", "features"),
                print::rate((dataset.len() - begun) as f64 / seconds.max(1e-9)),
            );
            if !skipped.is_empty() {
                text +=
                    &format!("skipped {}:\n", print::count(skipped.len(), "picture", "pictures"));
                skipped.iter().take(NAMED).for_each(|(_, error)| text += &format!("  {error}\n"));
                if skipped.len() > NAMED {
                    text += &format!("  and {} more\n", skipped.len() - NAMED);
                }
            }
            print::stdout(&text)
        }
    }
}

fn backbone(args: &ExtractArgs, threads: usize) -> Result<Box<dyn Backbone>> {
    let path = Path::new(&args.backbone);
    let OnnxArgs { input_size, mean, std, output } = &args.onnx;
    let is_onnx = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("onnx"));
    if is_onnx {
        if args.weights.is_some() {
            let sentence = "a model in ONNX has its own weights; leave out --weights";
            return Err(Error::Usage(sentence.into()));
        }
        let (input_size, mean, std, output) = (*input_size, *mean, *std, output.clone());
        let settings = Settings { input_size, mean, std, output };
        return Ok(Model::new(path, settings)?.open(threads)?);
    }
    if input_size.is_some() || mean.is_some() || std.is_some() || output.is_some() {
        let sentence = "--input-size, --mean, --std and --output are for models in ONNX; leave them out, or give --backbone FILE.onnx";
        return Err(Error::Usage(sentence.into()));
    }
    let network = Network::by_name(&args.backbone)?;
    let Some(weights) = &args.weights else {
        let sentence = format!("{} needs its weights: give them by --weights", args.backbone);
        return Err(Error::Usage(sentence));
    };
    Ok(Box::new(Engine::new(&network, Weights::read(weights)?)?))
}

/// Shows progress and listens to Ctrl-C.
struct Watcher {
    progress: Progress,
    stage: Option<Stage>,
    begun: usize,
}

impl Watch for Watcher {
    fn begin(&mut self, done: usize, all: usize) {
        self.begun = done;
        self.stage = Some(self.progress.stage("extract", (all - done) as u64, "pictures"));
    }

    fn advance(&mut self, pictures: usize) {
        if let Some(stage) = &self.stage {
            (0..pictures).for_each(|_| stage.step());
        }
    }

    fn stop(&self) -> bool {
        interrupt::requested()
    }
}
