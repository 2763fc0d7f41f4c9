//! `trustpath audit`: which of the given labels are likely wrong.

mod demo;

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use trustpath::spec::AuditSpec;
use trustpath::{Audit, audit};
use trustpath_explain::{AuditResult, AuditedRows, DataInfo, FrontEnd, ResultColumns};
use trustpath_table::FileSet;

use crate::args::{self, InputArgs, LoadedInstances, OutputArgs, RunArgs, Wanted};
use crate::error::Result;
use crate::features::{PoolRows, named};
use crate::files::CommandFiles;
use crate::images::SourceArgs;
use crate::progress::ProgressObserver;
use crate::results::Summary;
use crate::spec_args::SpecArgs;
use crate::{memory, results};

/// Options of `trustpath audit`.
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct AuditArgs {
    #[command(flatten)]
    input: Option<InputArgs>,
    /// Benchmark: make labels of the built-in data wrong and measure how many are found, next to the scores
    /// that other tools use
    #[arg(long, conflicts_with = "InputArgs", required_unless_present = "InputArgs")]
    demo: bool,
    /// Labels that a person has checked: pairs of id (or row number) and the label that is right. They are taken as
    /// true, and correct the estimates
    #[arg(long, value_name = "FILE", help_heading = "Input", requires = "InputArgs")]
    verified: Option<PathBuf>,
    #[command(flatten)]
    source: SourceArgs,
    #[command(flatten)]
    output: OutputArgs,
    /// Write an HTML report in one file: map, path and every suspect
    #[arg(long, value_name = "FILE.html", help_heading = "Output")]
    report: Option<PathBuf>,
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    options: SpecArgs<AuditSpec>,
}

const AFTER: &str = "\
Examples:
  trustpath audit train.csv --out suspects.csv
  trustpath audit embeddings.npy --labels labels.csv --report audit.html
  trustpath audit train.csv --verified checked.csv    # columns id and label; continue after checking
  trustpath audit photos/ --report audit.html        # labels are the names of the class folders
  trustpath audit --demo

Exit status: 0 on success, 1 on failure, 2 for invalid input or usage, 130 after Ctrl-C.";

pub fn run(args: &AuditArgs) -> Result<()> {
    let Some(input) = &args.input else { return demo::run(&args.run) };
    let start = Instant::now();
    let set = FileSet::default();
    let output = args.output.output()?.map(|output| output.staged(&set));
    args.run.check(output.as_ref())?;
    let report = args.report.as_deref().map(|path| results::page_output(path, &set)).transpose()?;
    let threads = args::pool(args.run.threads)?;
    let progress = args.run.progress.get();
    let files = args.output.files(CommandFiles::default());
    let files = files.writes("--report", &args.report).reads("the verified labels", &args.verified);
    let LoadedInstances { pool, images, .. } =
        input.read(Wanted::Given, files, &args.source, None, &threads, progress)?;
    let data = DataInfo::of(&pool);
    let labelled = AuditedRows::new(data.labels);
    let answers = match &args.verified {
        Some(file) => labelled.answers(&pool.read_verified(file)?),
        None => Vec::new(),
    };
    let audit = threads.install(|| -> Result<Audit> {
        let rows = PoolRows::some(&pool, &labelled.rows);
        let (spec, features) = (args.options.spec()?, rows.features()?);
        let audit = audit(&features, &labelled.labels).classes(pool.class_names().len());
        let audited = audit.spec(&spec).verified(&answers).run_observed(&mut ProgressObserver::new(progress));
        audited.map_err(|error| named(&pool, labelled.error_in_all_rows(error)))
    })?;
    let front_end = FrontEnd::CommandLine;
    let result = AuditResult { data, labelled: &labelled, audit: &audit, front_end };
    if let Some(file) = &report {
        let (images, shown) = (images.as_ref(), input.text_column(&pool));
        let page = || result.page();
        results::write_page(file, &pool, &threads, progress, images, shown.as_deref(), page)?;
    }
    let took = start.elapsed();
    let summary = Summary { text: result.text(&memory::spent(took))?, took, ..Summary::default() };
    results::finish(&args.run, output.as_ref(), &set, &pool, || Ok(result.table()?), summary)
}
