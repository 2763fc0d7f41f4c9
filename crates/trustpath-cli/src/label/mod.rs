//! `trustpath label`: labels for what has none, how far each can be trusted, and why.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use trustpath::label;
use trustpath::label::Labelling;
use trustpath::spec::LabelSpec;
use trustpath_findings::label::{Summary, page as draw, ranks, reason, verdict};
use trustpath_table::{Column, Output, PartlyLabelledTable, ResultTable};

use crate::args::{self, InputArgs, Instances, OutputArgs, RunArgs, Wanted};
use crate::error::Result;
use crate::features::Rows;
use crate::images::SourceArgs;
use crate::progress::ProgressObserver;
use crate::spec_args::SpecArgs;
use crate::{memory, model_file, page, print};

/// What to label, and what to make of it.
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
}

const AFTER: &str = "\
Examples:
  trustpath label embeddings.npy --labels labels.csv --out labels.parquet --report report.html
  trustpath label pool.csv --label-column kind --precision 0.95 --out labels.csv
  trustpath label pool.parquet --suggest 20 --model model.safetensors
  trustpath label photos/ --report report.html --out labels.csv
  trustpath sample try && trustpath label try/pool.csv --report try/report.html

ExtractedImages in class folders have the name of the folder as their label; those that lie in no folder, or
in one named unlabeled or unknown, have none. Or give --labels with file names and labels. Their
features are made by a network and kept in a file, see --cache.

Exit status: 0 when all is done, 1 when something failed, 2 for input or usage that cannot be right, 130 after Ctrl-C.";

/// Runs the command.
pub fn run(args: &LabelArgs) -> Result<()> {
    let spec = args.options.spec()?;
    let trust = spec.trust()?;
    let output = args.output.output()?;
    let report = args.more.report.as_deref().map(page::output).transpose()?;
    if let Some(model) = &args.more.model {
        model_file::check(model)?;
    }
    let progress = args.run.progress();
    let threads = args::pool(args.run.threads)?;
    let Instances { pool, pictures } =
        args.input.read(Wanted::Some, &args.source, &threads, progress)?;
    let start = Instant::now();
    let labelling = threads.install(|| -> Result<Labelling> {
        let rows = Rows::all(&pool);
        let features = rows.features()?;
        let labels = label(&features, pool.labels()).classes(pool.class_names().len());
        Ok(labels.spec(&spec).run_observed(&mut ProgressObserver::new(progress))?)
    })?;
    let about = page::about(&pool);
    let summary = Summary::new(&about, &labelling, trust, spec.closed);
    let reasons: Vec<String> =
        (0..pool.rows()).map(|row| reason(&about, &labelling, row)).collect();

    if let Some(path) = &report {
        let stage = progress.stage("drawing the page", 1, "page");
        let html = threads.install(|| -> Result<String> {
            let (mut page, rows) = draw(&about, &labelling, &summary, &reasons)?;
            if let Some(pictures) = &pictures {
                pictures.illustrate(&mut page, &rows)?;
            }
            Ok(page.html()?)
        })?;
        stage.step();
        page::write(path, &html)?;
    }
    if let Some(path) = &args.more.model {
        let maker = pictures.as_ref().map(|pictures| &pictures.origin);
        model_file::write(path, &labelling.model, &pool, maker)?;
    }
    let text = summary.text(&memory::spent(start.elapsed()));
    match &output {
        Some(output) => {
            table(&pool, &labelling, &reasons)?.write(output)?;
            tell(output, &text)
        }
        None => print::stdout(&text),
    }
}

/// The summary goes where the result does not.
fn tell(output: &Output, text: &str) -> Result<()> {
    match output.is_stream() {
        true => Ok(()),
        false => print::stdout(text),
    }
}

/// One row an instance.
fn table(
    pool: &PartlyLabelledTable,
    labelling: &Labelling,
    reasons: &[String],
) -> Result<ResultTable> {
    let name = |label: &Option<usize>| label.map(|class| pool.class_names()[class].clone());
    let suggested = ranks(labelling).into_iter().map(|rank| rank.map(|r| r as u64)).collect();
    let rounds = labelling.accepted_in.iter().map(|round| round.map(|r| r as u64 + 1)).collect();
    let verdicts = labelling.verdicts.iter().map(|&v| verdict(v).to_owned()).collect();
    let mut table = ResultTable::default();
    table.push("id", Column::Text(pool.ids().to_vec()))?;
    table.push("label", Column::OptionalText(labelling.labels.iter().map(name).collect()))?;
    table.push("probability", Column::Number(labelling.probability.clone()))?;
    table.push("credibility", Column::Number(labelling.credibility.clone()))?;
    table.push("round", Column::OptionalCount(rounds))?;
    table.push("verdict", Column::Text(verdicts))?;
    table.push("reason", Column::Text(reasons.to_vec()))?;
    if !labelling.suggestions.is_empty() {
        table.push("suggested", Column::OptionalCount(suggested))?;
    }
    Ok(table)
}
