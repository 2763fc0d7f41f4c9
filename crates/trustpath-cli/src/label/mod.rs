//! `trustpath label`: labels for what has none, how far each can be trusted, and why.

use std::path::PathBuf;
use std::time::Instant;

use clap::{Args, ValueEnum};
use trustpath::label::{LabelParams, Labeller, Labelling, Trust, label};
use trustpath::reduce::Method;
use trustpath_explain::{FrontEnd, LabelResult, SavedModel};

use crate::args::{self, InputArgs, Instances, LimitArgs, OutputArgs, RunArgs, Wanted};
use crate::cli::{choice, positive};
use crate::error::Result;
use crate::features::Rows;
use crate::pictures::SourceArgs;
use crate::progress::Stages;
use crate::{memory, results};

/// What to label, and what to make of it.
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct LabelArgs {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    trust: TrustArgs,
    #[command(flatten)]
    source: SourceArgs,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    more: MoreArgs,
    #[command(flatten)]
    large: JudgeArgs,
    #[command(flatten)]
    run: RunArgs,
}

/// How labels are judged.
#[derive(Debug, Args)]
#[command(next_help_heading = "Judging")]
struct JudgeArgs {
    /// Judge labels in the coordinates of this reduction [default: the leading principal components,
    /// smoothed over neighbours]
    #[arg(long, value_name = "NAME", value_parser = choice::<Method>(&METHODS))]
    reduction: Option<Method>,
    #[command(flatten)]
    limits: LimitArgs,
}

/// Names of the reductions.
const METHODS: [&str; 6] = ["lle", "ltsa", "isomap", "se", "pca", "mds"];

/// Which labels to trust.
#[derive(Debug, Args)]
#[command(next_help_heading = "Trust")]
struct TrustArgs {
    /// Trust as many labels as possible while at least this share of them is expected to be right, as
    /// in 0.95; needs enough given labels, and says so where there are too few
    #[arg(long, value_name = "P", allow_negative_numbers = true,
        conflicts_with_all = ["credibility", "per_class"])]
    precision: Option<f64>,
    /// Trust labels at least this credible, from 0 to 1 [default: 0.5]
    #[arg(long, value_name = "C", allow_negative_numbers = true, conflicts_with = "per_class")]
    credibility: Option<f64>,
    /// Trust the so many most credible of every class, as the paper does
    #[arg(long, value_name = "N", value_parser = positive)]
    per_class: Option<usize>,
    /// Every instance belongs to a labelled class: do not look for what is none of these
    #[arg(long)]
    closed: bool,
    /// Who labels: rounds of selection, the adaptive mode, or whoever does it better for so many
    /// labels and instances
    #[arg(long, value_enum, default_value_t = LabellerArg::Auto)]
    labeller: LabellerArg,
}

/// Who labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LabellerArg {
    /// The adaptive mode in small pools, rounds in others
    Auto,
    /// The adaptive mode, which labels the pool at once
    Adaptive,
    /// A classifier that its most credible labels teach in rounds
    Rounds,
}

impl From<LabellerArg> for Labeller {
    fn from(arg: LabellerArg) -> Self {
        match arg {
            LabellerArg::Auto => Self::Auto,
            LabellerArg::Adaptive => Self::Adaptive,
            LabellerArg::Rounds => Self::Rounds,
        }
    }
}

impl TrustArgs {
    fn trust(&self) -> Trust {
        match (self.precision, self.per_class) {
            (Some(target), _) => Trust::Precision(target),
            (_, Some(quota)) => Trust::PerClass(quota),
            _ => Trust::Credibility(self.credibility.unwrap_or(0.5)),
        }
    }
}

/// What else to write.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
struct MoreArgs {
    /// Write a page to look at: map, path, galleries and every verdict, in one file
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// Save the trained model, for trustpath predict
    #[arg(long, value_name = "FILE.safetensors")]
    model: Option<PathBuf>,
    /// Suggest so many instances whose labels would help most
    #[arg(long, value_name = "N", default_value_t = 0)]
    suggest: usize,
}

const AFTER: &str = "\
Examples:
  trustpath label embeddings.npy --labels labels.csv --out labels.parquet --report report.html
  trustpath label pool.csv --label-column kind --precision 0.95 --out labels.csv
  trustpath label pool.parquet --suggest 20 --model model.safetensors
  trustpath label photos/ --report report.html --out labels.csv
  trustpath sample try && trustpath label try/pool.csv --report try/report.html

Pictures in class folders have the name of the folder as their label; those that lie in no folder, or
in one named unlabeled or unknown, have none. Or give --labels with file names and labels. Their
features are made by a network and kept in a file, see --cache.

Exit status: 0 when all is done, 1 when something failed, 2 for input or usage that cannot be right, 130 after Ctrl-C.";

/// Runs the command.
pub fn run(args: &LabelArgs) -> Result<()> {
    let output = args.output.output()?;
    let report = args.more.report.as_deref().map(results::page_output).transpose()?;
    if let Some(model) = &args.more.model {
        results::check_model_output(model)?;
    }
    let progress = args.run.progress();
    let threads = args::pool(args.run.threads)?;
    let Instances { pool, pictures } =
        args.input.read(Wanted::Some, &args.source, &threads, progress)?;
    let start = Instant::now();
    let params = LabelParams {
        labeller: args.trust.labeller.into(),
        trust: args.trust.trust(),
        none_of_these: !args.trust.closed,
        suggest: args.more.suggest,
        seed: args.run.seed,
        reduction: args.large.reduction,
        limits: args.large.limits.limits(),
        ..LabelParams::default()
    };
    let labelling = threads.install(|| -> Result<Labelling> {
        let rows = Rows::all(&pool);
        let features = rows.features()?;
        let mut watch = Stages::new(progress);
        Ok(label(&features, pool.labels(), pool.class_names().len(), &params, &mut watch)?)
    })?;
    let (data, front_end) = (results::data_info(&pool), FrontEnd::CommandLine);
    let result = LabelResult { data, labelling: &labelling, params, front_end };
    if let Some(file) = &report {
        results::write_page(file, &threads, progress, pictures.as_ref(), || result.page())?;
    }
    if let Some(path) = &args.more.model {
        let saved = SavedModel {
            model: labelling.model.clone(),
            class_names: pool.class_names().to_vec(),
            class_type: None,
            columns: pool.columns().map(<[String]>::to_vec),
            centre: None,
            extractor: pictures.as_ref().map(|pictures| pictures.maker.clone()),
        };
        saved.write(path)?;
    }
    let summary = result.text(&memory::spent(start.elapsed()));
    results::finish(output.as_ref(), &result, &summary)
}
