//! `trustpath label`: labels for unlabeled instances, how far each can be trusted, and why.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use trustpath::label;
use trustpath::label::Labelling;
use trustpath::spec::LabelSpec;
use trustpath_explain::{FrontEnd, LabelResult, SavedModel};

use crate::args::{self, InputArgs, Instances, OutputArgs, RunArgs, Wanted};
use crate::error::Result;
use crate::features::Rows;
use crate::images::SourceArgs;
use crate::progress::ProgressObserver;
use crate::results::Summary;
use crate::spec_args::SpecArgs;
use crate::{memory, results};

/// Options of `trustpath label`.
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct LabelArgs {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    source: SourceArgs,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    more: MoreArgs,
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    options: SpecArgs<LabelSpec>,
}

/// Other files to write.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
struct MoreArgs {
    /// Write a report: map, path, galleries and every verdict, in one HTML file
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// Save the trained model, for trustpath predict
    #[arg(long, value_name = "FILE.safetensors")]
    model: Option<PathBuf>,
}

const AFTER: &str = "\
Examples:
  trustpath label embeddings.npy --labels labels.csv --out labels.parquet --report report.html
  trustpath label pool.csv --label-column kind --precision 0.95 --out labels.csv
  trustpath label pool.parquet --label-column kind --suggest 20 --model model.safetensors
  trustpath label photos/ --report report.html --out labels.csv
  trustpath sample try && trustpath label try/pool.npy --labels try/labels.csv

The label of an image is the name of its class folder; images in no folder, or in one named unlabeled
or unknown, have no label. Or give --labels with file names and labels. Features of images are
extracted by a network and kept in a file, see --cache.

Exit status: 0 on success, 1 on failure, 2 for invalid input or usage, 130 after Ctrl-C.";

/// Runs the command.
pub fn run(args: &LabelArgs) -> Result<()> {
    let spec = args.options.spec()?;
    let trust = spec.trust()?;
    let start = Instant::now();
    let output = args.output.output()?;
    args.run.check(output.as_ref())?;
    let report = args.more.report.as_deref().map(results::page_output).transpose()?;
    if let Some(model) = &args.more.model {
        results::check_model_output(model)?;
    }
    let progress = args.run.progress();
    let threads = args::pool(args.run.threads)?;
    let Instances { pool, images } =
        args.input.read(Wanted::Some, &args.source, &threads, progress)?;
    let labelling = threads.install(|| -> Result<Labelling> {
        let rows = Rows::all(&pool);
        let features = rows.features()?;
        let labels = label(&features, pool.labels()).classes(pool.class_names().len());
        Ok(labels.spec(&spec).run_observed(&mut ProgressObserver::new(progress))?)
    })?;
    let (data, front_end) = (results::data_info(&pool), FrontEnd::CommandLine);
    let result = LabelResult { data, labelling: &labelling, trust, closed: spec.closed, front_end };
    if let Some(file) = &report {
        results::write_page(file, &pool, &threads, progress, images.as_ref(), || result.page())?;
    }
    if let Some(path) = &args.more.model {
        let saved = SavedModel {
            model: labelling.model.clone(),
            class_names: pool.class_names().to_vec(),
            class_type: None,
            columns: pool.columns().map(<[String]>::to_vec),
            centre: None,
            extractor: images.as_ref().map(|images| images.extractor.clone()),
        };
        saved.write(path)?;
    }
    let took = start.elapsed();
    let suggested = labelling.suggestions.iter().map(|&row| pool.ids()[row].clone()).collect();
    let (facts, notes) = (result.facts(), result.notes());
    let summary =
        Summary { text: result.text(&memory::spent(took)), facts, notes, suggested, took };
    results::finish(&args.run, output.as_ref(), &pool, &result, summary)
}
