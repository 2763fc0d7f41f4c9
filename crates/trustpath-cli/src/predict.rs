//! `trustpath predict`: labels for new instances by a model that `label` saved.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use trustpath::Features;
use trustpath::label::{LabelModel, Prediction};
use trustpath_table::{Column, PartlyLabelledTable, ResultTable};

use crate::args::{self, InputArgs, Instances, OutputArgs, RunArgs, Wanted};
use crate::error::Result;
use crate::images::SourceArgs;
use crate::model_file::{self, Saved};
use crate::{interrupt, memory, print};

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
        saved.check_maker(&pictures.origin, &args.model)?;
    }
    pool.check_features(saved.model.projection.mean.len(), saved.columns.as_deref())?;
    let start = Instant::now();
    let found = threads.install(|| Found::of(&pool, &saved.model))?;
    if let Some(output) = &output {
        table(&pool, &saved, &found)?.write(output)?;
        if output.is_stream() {
            return Ok(());
        }
    }
    print::stdout(&summary(&pool, &saved, &found, &memory::spent(start.elapsed())))
}

/// Instances that are predicted at a time, so that neither all features nor the probabilities of all
/// classes are in memory at once.
const AT_ONCE: usize = 8192;

/// What is predicted for each instance.
#[derive(Debug, Default, PartialEq)]
struct Found {
    labels: Vec<usize>,
    /// Of the label.
    probability: Vec<f64>,
    credibility: Vec<f64>,
    trusted: Vec<bool>,
    rival: Vec<usize>,
}

impl Found {
    fn of(pool: &PartlyLabelledTable, model: &LabelModel) -> Result<Self> {
        let dims = pool.dims();
        let mut found = Self::default();
        let mut values = vec![0.0; AT_ONCE.min(pool.rows()) * dims];
        for first in (0..pool.rows()).step_by(AT_ONCE) {
            if interrupt::requested() {
                return Err(trustpath::Error::Stopped.into());
            }
            let count = AT_ONCE.min(pool.rows() - first);
            let values = &mut values[..count * dims];
            pool.read(first, values)?;
            let features = Features::new(&values[..], count, dims)?;
            found.append(model.predict(&features).map_err(|error| match error {
                trustpath::Error::ZeroVector { row } => {
                    trustpath::Error::ZeroVector { row: first + row }
                }
                error => error,
            })?);
        }
        Ok(found)
    }

    fn append(&mut self, more: Prediction) {
        let labels = more.labels.iter().enumerate();
        self.probability.extend(labels.map(|(row, &label)| more.probabilities[(row, label)]));
        self.labels.extend(more.labels);
        self.credibility.extend(more.credibility);
        self.trusted.extend(more.trusted);
        self.rival.extend(more.rival);
    }
}

fn table(pool: &PartlyLabelledTable, saved: &Saved, found: &Found) -> Result<ResultTable> {
    let name = |class: &usize| saved.class_names[*class].clone();
    let verdict = |&trusted: &bool| if trusted { "trusted" } else { "doubtful" }.to_owned();
    let mut table = ResultTable::default();
    table.push("id", Column::Text(pool.ids().to_vec()))?;
    table.push("label", Column::Text(found.labels.iter().map(name).collect()))?;
    table.push("probability", Column::Number(found.probability.clone()))?;
    table.push("credibility", Column::Number(found.credibility.clone()))?;
    table.push("verdict", Column::Text(found.trusted.iter().map(verdict).collect()))?;
    table.push("rival", Column::Text(found.rival.iter().map(name).collect()))?;
    Ok(table)
}

fn summary(pool: &PartlyLabelledTable, saved: &Saved, found: &Found, spent: &str) -> String {
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
        "{}: {}, {trusted} trusted (credibility at least {:.2}), {} doubtful\n{}{more}\n{spent}\n",
        pool.source(),
        print::count(pool.rows(), "instance", "instances"),
        saved.model.cut,
        pool.rows() - trusted,
        classes.join(", "),
    )
}

#[cfg(test)]
mod tests {
    use trustpath::label;

    use super::*;

    const DIMS: usize = 6;

    fn values(rows: usize) -> Vec<f32> {
        (0..rows * DIMS)
            .map(|at| {
                let (i, j) = (at / DIMS, at % DIMS);
                let noise = ((at * at % 100_003) as f32).sin();
                if j == i % 3 { 1.0 + 0.6 * noise } else { 0.5 + 0.4 * noise }
            })
            .collect()
    }

    fn model() -> LabelModel {
        let given: Vec<Option<usize>> = (0..90).map(|i| (i < 12).then_some(i % 3)).collect();
        let values = values(90);
        let features = Features::new(&values[..], 90, DIMS).unwrap();
        label(&features, &given).classes(3).run().unwrap().model
    }

    fn pool(values: Vec<f32>) -> PartlyLabelledTable {
        let rows = values.len() / DIMS;
        let ids = (0..rows).map(|row| row.to_string()).collect();
        PartlyLabelledTable::new(values, DIMS, ids, vec![None; rows], vec![], "pool").unwrap()
    }

    #[test]
    fn block_by_block_is_all_at_once() {
        let (model, rows) = (model(), 2 * AT_ONCE + 77);
        let values = values(rows);
        let whole = model.predict(&Features::new(&values[..], rows, DIMS).unwrap()).unwrap();
        let mut expected = Found::default();
        expected.append(whole);
        assert_eq!(Found::of(&pool(values), &model).unwrap(), expected);
    }

    #[test]
    fn a_row_without_direction_is_named_in_a_late_block() {
        let mut values = values(AT_ONCE + 9);
        values[(AT_ONCE + 3) * DIMS..][..DIMS].fill(0.0);
        let error = Found::of(&pool(values), &model()).unwrap_err().to_string();
        assert!(error.starts_with(&format!("instance {} is the zero", AT_ONCE + 3)), "{error}");
    }
}
