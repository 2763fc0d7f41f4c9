//! `trustpath label`: labels for unlabeled instances, how far each can be trusted, and why.

mod first;
mod update;

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use rayon::ThreadPool;
use trustpath::label::Labelling;
use trustpath::spec::LabelSpec;
use trustpath::{Origin, label};
use trustpath_explain::{DataInfo, FrontEnd, LabelResult, ResultColumns, SavedModel, SavedPool};
use trustpath_table::{FileSet, ReadingNote};

use crate::args::{self, InputArgs, LoadedInstances, OutputArgs, RunArgs, Wanted};
use crate::error::{Error, Result};
use crate::features::{PoolRows, named};
use crate::files::CommandFiles;
use crate::images::SourceArgs;
use crate::progress::ProgressObserver;
use crate::repeated::{self, Repeated};
use crate::results::Summary;
use crate::spec_args::SpecArgs;
use crate::{memory, print, results};

/// Options of `trustpath label`.
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct LabelArgs {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    update: UpdateArgs,
    #[command(flatten)]
    repeated: RepeatedArgs,
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
    /// Keep features, ids and labels of the pool in the model, so that --update can add to it
    #[arg(long, requires = "model")]
    keep_pool: bool,
}

/// The pool that the instances are added to.
#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
struct UpdateArgs {
    /// Add the instances to the pool of this model, which --keep-pool has saved. --labels may then name instances of both
    #[arg(long, value_name = "MODEL.safetensors")]
    update: Option<PathBuf>,
}

/// Whether near-duplicates are left out.
#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
struct RepeatedArgs {
    /// Leave out near-duplicates, whose features have at least this cosine [without a number: 0.99]: of each group, unlabelled
    /// instances but the first, or all of them where another is labelled. See trustpath check --duplicates
    #[arg(long, value_name = "COSINE", num_args = 0..=1, require_equals = true,
        default_missing_value = repeated::COSINE)]
    leave_out_duplicates: Option<f64>,
}

impl RepeatedArgs {
    /// The instances without near-duplicates.
    fn leave_out(&self, instances: LoadedInstances, threads: &ThreadPool) -> Result<LoadedInstances> {
        let Some(cosine) = self.leave_out_duplicates else { return Ok(instances) };
        let LoadedInstances { pool, images, texts } = instances;
        if pool.tasks().is_some() {
            return Err(Error::Usage(format!(
                "{} are tasks of Label Studio, each of which gets a prediction: leave out --leave-out-duplicates",
                pool.source()
            )));
        }
        let gone = threads.install(|| Repeated::find(&pool, cosine))?.superfluous(&pool);
        let note = match gone.len() {
            0 => format!("No near-duplicates were found (cosine at least {cosine})."),
            n => format!(
                "{} left out (cosine at least {cosine}); trustpath check --duplicates lists such groups.",
                print::count(n, "near-duplicate was", "near-duplicates were")
            ),
        };
        let pool = if gone.is_empty() { pool } else { pool.without(&gone)? };
        let images = images.map(|images| images.without(&gone));
        Ok(LoadedInstances { pool: pool.with_note(ReadingNote::Sentence(note)), images, texts })
    }
}

const AFTER: &str = "\
Examples:
  trustpath label embeddings.npy --labels labels.csv --out labels.parquet --report report.html
  trustpath label pool.csv --label-column kind --precision 0.95 --out labels.csv
  trustpath label pool.parquet --label-column kind --suggest 20 --model model.safetensors
  trustpath label photos/ --report report.html --out labels.csv
  trustpath label questions.csv --text question --report report.html --out labels.csv
  trustpath label photos/ --leave-out-duplicates --out labels.csv
  trustpath label tasks.json --out predictions.json               (of and for Label Studio)
  trustpath label embeddings.npy --labels labels.csv --model pool.safetensors --keep-pool
  trustpath label --update pool.safetensors new.npy --out both.csv
  trustpath label embeddings.npy --suggest 20 --out first.csv     (no labels yet: what to label first)
  trustpath sample try && trustpath label try/pool.npy --labels try/labels.csv

The label of an image is the name of its class folder; images in no folder, or in one named unlabeled
or unknown, have no label. Or give --labels with file names and labels. Features of images are
extracted by a network and kept in a file, see --cache.

All files are written completely before any of them replaces an earlier one: first the report, then
the model, last the result. A run that is killed leaves files that are complete, old or new.

Exit status: 0 on success, 1 on failure, 2 for invalid input or usage, 130 after Ctrl-C.";

/// What a user should know if every instance has a label.
const NOTHING_LEFT: &str =
    "Every instance has a label, so nothing is left to label. To find wrong labels, use trustpath audit.";

pub fn run(args: &LabelArgs) -> Result<()> {
    let spec = args.options.spec()?;
    let trust = spec.trust()?;
    let start = Instant::now();
    let set = FileSet::default();
    let output = args.output.output()?.map(|output| output.staged(&set));
    args.run.check(output.as_ref())?;
    let MoreArgs { report: page, model, keep_pool } = &args.more;
    let report = page.as_deref().map(|path| results::page_output(path, &set)).transpose()?;
    let model_file = model.as_deref().map(|path| results::model_output(path, &set)).transpose()?;
    let files = args.output.files(CommandFiles::default());
    let files = files.writes("--report", page).writes("--model", model);
    let progress = args.run.progress.get();
    let threads = args::pool(args.run.threads)?;
    // Without any label, it can still be said what to label first.
    let mut wanted = if spec.suggest > 0 { Wanted::Any } else { Wanted::Some };
    let instances = match &args.update.update {
        Some(model) => {
            wanted = Wanted::Some;
            update::read(model, &args.input, files, &args.source, &threads, progress)?
        }
        None => args.input.read(wanted, files, &args.source, None, &threads, progress)?,
    };
    let instances = args.repeated.leave_out(instances, &threads)?;
    let LoadedInstances { pool, images, .. } = &instances;
    if wanted == Wanted::Any && pool.labels().iter().all(Option::is_none) {
        if page.is_some() || model.is_some() {
            return Err(Error::Usage(format!(
                "no instance of {} has a label, so there is no report and no model: leave out --report and --model to see what to label first, or give --labels",
                pool.source()
            )));
        }
        let first = threads.install(|| first::choose(pool, &spec, progress))?;
        let summary = first::summary(pool, &first, start.elapsed());
        let table = || first::table(pool, &first);
        return results::finish(&args.run, output.as_ref(), &set, pool, table, summary);
    }
    pool.check_labels()?;
    let origins = pool.origins(Origin::NAMES)?;
    let labelling = threads.install(|| -> Result<Labelling> {
        let rows = PoolRows::all(pool);
        let features = rows.features()?;
        let labels = label(&features, pool.labels()).origins(&origins).classes(pool.class_names().len());
        labels.spec(&spec).run_observed(&mut ProgressObserver::new(progress)).map_err(|error| named(pool, error))
    })?;
    let (data, front_end) = (DataInfo::of(pool), FrontEnd::CommandLine);
    let result = LabelResult { data, labelling: &labelling, trust, closed: spec.closed, front_end };
    if let Some(file) = &report {
        // Images are those of the rows that were added alone.
        let images = images.as_ref().filter(|_| args.update.update.is_none());
        let shown = args.input.text_column(pool);
        let page = || result.page();
        results::write_page(file, pool, &threads, progress, images, shown.as_deref(), page)?;
    }
    if let Some(file) = &model_file {
        let saved = SavedModel {
            model: labelling.model.clone(),
            class_names: pool.class_names().to_vec(),
            class_type: None,
            columns: pool.columns().map(<[String]>::to_vec),
            centre: None,
            extractor: instances.extractor().cloned(),
            representation: instances.representation(),
            pool: keep_pool.then(|| SavedPool::of(pool)).transpose()?,
        };
        let bytes = saved.to_bytes()?;
        file.write(|w| w.write_all(&bytes))?;
    }
    let took = start.elapsed();
    let suggested = labelling.suggestions.iter().map(|next| pool.ids()[next.row].clone()).collect();
    let (facts, mut notes) = (result.facts(), result.notes());
    let mut text = result.text(&memory::spent(took));
    if pool.labels().iter().all(Option::is_some) {
        text = format!("{NOTHING_LEFT}\n\n{text}");
        notes.push(NOTHING_LEFT.into());
    }
    let summary = Summary { text, facts, notes, suggested, took };
    results::finish(&args.run, output.as_ref(), &set, pool, || Ok(result.table()?), summary)
}
