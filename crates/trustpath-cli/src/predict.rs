//! `trustpath predict`: labels for new instances by a model that `label` saved.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use trustpath::Features;
use trustpath::label::LabelModel;
use trustpath_explain::{DataInfo, PredictResult, Predictions, ResultColumns, SavedModel};
use trustpath_table::{FileSet, PartlyLabelledTable};

use crate::args::{self, InputArgs, LoadedInstances, OutputArgs, RunArgs, Wanted};
use crate::error::{Error, Result};
use crate::files::CommandFiles;
use crate::images::SourceArgs;
use crate::results::Summary;
use crate::{interrupt, memory, results};

/// Options of `trustpath predict`.
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
  trustpath predict model.safetensors new-questions.csv --text question --out new-labels.csv
  cat new.csv | trustpath predict model.safetensors - --out - --out-format jsonl

Exit status: 0 on success, 1 on failure, 2 for invalid input or usage, 130 after Ctrl-C.";

pub fn run(args: &PredictArgs) -> Result<()> {
    let start = Instant::now();
    let output = args.output.output()?;
    args.run.check(output.as_ref())?;
    let saved = SavedModel::read(&args.model)?;
    let threads = args::pool(args.run.threads)?;
    let progress = args.run.progress.get();
    let files = args.output.files(CommandFiles::default()).reads("the model", [&args.model]);
    let by = Some((&saved, args.model.as_path()));
    let instances = args.input.read(Wanted::None, files, &args.source, by, &threads, progress)?;
    if let Some(extractor) = instances.extractor() {
        saved.check_extractor(extractor, &args.model)?;
    } else if !saved.representation.is_empty() {
        return Err(Error::Usage(format!(
            "{} was trained on texts by their words (tf-idf): give texts, and --text with the name of their column",
            args.model.display()
        )));
    }
    let LoadedInstances { pool, .. } = instances;
    pool.check_features(saved.model.projection.mean.len(), saved.columns.as_deref())?;
    let predictions = threads.install(|| predict(&pool, &saved.model))?;
    let data = DataInfo { classes: &saved.class_names, ..DataInfo::of(&pool) };
    let unlike = saved.model.are_unlike_pool(&predictions.rank);
    let result = PredictResult { data, predictions: &predictions, unlike };
    let took = start.elapsed();
    let summary = Summary { text: result.text(&memory::spent(took)), took, ..Summary::default() };
    results::finish(&args.run, output.as_ref(), &FileSet::default(), &pool, || Ok(result.table()?), summary)
}

/// The number of instances predicted at a time, so that neither all features nor the probabilities of all
/// classes are in memory at once.
const BLOCK: usize = 8192;

/// Predicts block after block.
fn predict(pool: &PartlyLabelledTable, model: &LabelModel) -> Result<Predictions> {
    let dims = pool.dims();
    let mut predictions = Predictions::default();
    let mut values = vec![0.0; BLOCK.min(pool.rows()) * dims];
    for first in (0..pool.rows()).step_by(BLOCK) {
        if interrupt::requested() {
            return Err(trustpath::Error::Stopped.into());
        }
        let count = BLOCK.min(pool.rows() - first);
        let values = &mut values[..count * dims];
        pool.read(first, values)?;
        let features = Features::new(&values[..], count, dims)?;
        predictions.append(model.predict(&features).map_err(|error| match error {
            trustpath::Error::ZeroVector { row } => pool.zero_vector(first + row).into(),
            error => Error::from(error),
        })?);
    }
    Ok(predictions)
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
        label(&features, &given).run().unwrap().model
    }

    fn pool(values: Vec<f32>) -> PartlyLabelledTable {
        let rows = values.len() / DIMS;
        let ids = (0..rows).map(|row| row.to_string()).collect();
        PartlyLabelledTable::new(values, DIMS, ids, vec![None; rows], vec![], "pool").unwrap()
    }

    #[test]
    fn block_by_block_is_all_at_once() {
        let (model, rows) = (model(), 2 * BLOCK + 77);
        let values = values(rows);
        let whole = model.predict(&Features::new(&values[..], rows, DIMS).unwrap()).unwrap();
        let mut expected = Predictions::default();
        expected.append(whole);
        assert_eq!(predict(&pool(values), &model).unwrap(), expected);
    }

    #[test]
    fn a_row_without_direction_is_named_in_a_late_block() {
        let mut values = values(BLOCK + 9);
        values[(BLOCK + 3) * DIMS..][..DIMS].fill(0.0);
        let error = predict(&pool(values), &model()).unwrap_err().to_string();
        let row = BLOCK + 3;
        let start = format!("all features of instance \"{row}\" (row {row}) in pool are zero");
        assert!(error.starts_with(&start), "{error}");
    }
}
