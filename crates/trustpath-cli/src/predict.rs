//! `trustpath predict`: labels for new instances by a model that `label` saved.

use std::path::PathBuf;

use clap::Args;
use trustpath::Features;
use trustpath::label::Prediction;
use trustpath_table::{Column, Pool, ResultTable};

use crate::args::{self, InputArgs, Instances, OutputArgs, RunArgs, Wanted};
use crate::error::Result;
use crate::model_file::{self, Saved};
use crate::pictures::SourceArgs;
use crate::print;

/// What to label, and by what.
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct PredictArgs {
    /// The model, as trustpath label --model saved it
    model: PathBuf,
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    source: SourceArgs,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    run: RunArgs,
}

const AFTER: &str = "\
Examples:
  trustpath predict model.safetensors new.npy --out new-labels.csv
  trustpath predict model.safetensors new-photos/ --out new-labels.csv
  cat new.csv | trustpath predict model.safetensors - --out - --out-format jsonl

Exit status: 0 when all is done, 1 when something failed, 2 for input or usage that cannot be right, 130 after Ctrl-C.";

/// Runs the command.
pub fn run(args: &PredictArgs) -> Result<()> {
    let output = args.output.output()?;
    let saved = model_file::read(&args.model)?;
    let threads = args::pool(args.run.threads)?;
    let progress = args.run.progress();
    let Instances { pool, pictures } =
        args.input.read(Wanted::None, &args.source, &threads, progress)?;
    if let Some(pictures) = &pictures {
        saved.check_maker(&pictures.maker, &args.model)?;
    }
    pool.check_features(saved.model.projection.mean.len(), saved.columns.as_deref())?;
    let found = threads.install(|| -> Result<Prediction> {
        let features = Features::new(pool.features(), pool.rows(), pool.dims())?;
        Ok(saved.model.predict(&features)?)
    })?;
    if let Some(output) = &output {
        table(&pool, &saved, &found)?.write(output)?;
        if output.is_stream() {
            return Ok(());
        }
    }
    print::stdout(&summary(&pool, &saved, &found))
}

fn table(pool: &Pool, saved: &Saved, found: &Prediction) -> Result<ResultTable> {
    let name = |class: &usize| saved.class_names[*class].clone();
    let probability = |(row, &label): (usize, &usize)| found.probabilities[(row, label)];
    let verdict = |&trusted: &bool| if trusted { "trusted" } else { "doubtful" }.to_owned();
    let mut table = ResultTable::default();
    table.push("id", Column::Text(pool.ids().to_vec()))?;
    table.push("label", Column::Text(found.labels.iter().map(name).collect()))?;
    table.push(
        "probability",
        Column::Number(found.labels.iter().enumerate().map(probability).collect()),
    )?;
    table.push("credibility", Column::Number(found.credibility.clone()))?;
    table.push("verdict", Column::Text(found.trusted.iter().map(verdict).collect()))?;
    table.push("rival", Column::Text(found.rival.iter().map(name).collect()))?;
    Ok(table)
}

fn summary(pool: &Pool, saved: &Saved, found: &Prediction) -> String {
    let trusted = found.trusted.iter().filter(|t| **t).count();
    let mut counts = vec![0usize; saved.class_names.len()];
    found.labels.iter().for_each(|&label| counts[label] += 1);
    let mut order: Vec<usize> = (0..counts.len()).filter(|&class| counts[class] > 0).collect();
    order.sort_by_key(|&class| std::cmp::Reverse(counts[class]));
    let classes: Vec<String> = order
        .iter()
        .take(10)
        .map(|&class| format!("{} {}", saved.class_names[class], counts[class]))
        .collect();
    let more = order.len().saturating_sub(10);
    let more = if more > 0 { format!(" and {more} classes more") } else { String::new() };
    format!(
        "{}: {}, {trusted} trusted (credibility at least {:.2}), {} doubtful\n{}{more}\n",
        pool.source(),
        print::count(pool.rows(), "instance", "instances"),
        saved.model.cut,
        pool.rows() - trusted,
        classes.join(", "),
    )
}
