//! `trustpath audit`: which of the given labels are likely wrong.

mod demo;

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use trustpath::spec::AuditSpec;
use trustpath::{Audit, audit};
use trustpath_findings::audit::Labelled;
use trustpath_report::{Column as TableColumn, Table};
use trustpath_table::{Column, PartlyLabelledTable, ResultTable};

use crate::args::{self, InputArgs, Instances, OutputArgs, RunArgs, Wanted};
use crate::error::Result;
use crate::features::Rows;
use crate::images::SourceArgs;
use crate::progress::ProgressObserver;
use crate::spec_args::SpecArgs;
use crate::{memory, page, print};

/// What to audit.
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct AuditArgs {
    #[command(flatten)]
    input: Option<InputArgs>,
    /// Flip labels of real data on purpose, and see how well they are found, next to the scores that
    /// every such tool has
    #[arg(long, conflicts_with = "InputArgs", required_unless_present = "InputArgs")]
    demo: bool,
    #[command(flatten)]
    source: SourceArgs,
    #[command(flatten)]
    output: OutputArgs,
    /// Write a page to look at: map, path and every suspect, in one file
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
  trustpath audit photos/ --report audit.html        # labels are the names of the class folders
  trustpath audit --demo

Exit status: 0 when all is done, 1 when something failed, 2 for input or usage that cannot be right, 130 after Ctrl-C.";

/// Suspects shown on a terminal.
const SHOWN: usize = 10;

/// Runs the command.
pub fn run(args: &AuditArgs) -> Result<()> {
    let Some(input) = &args.input else { return demo::run(&args.run) };
    let output = args.output.output()?;
    let report = args.report.as_deref().map(page::output).transpose()?;
    let threads = args::pool(args.run.threads)?;
    let progress = args.run.progress();
    let Instances { pool, pictures } =
        input.read(Wanted::Given, &args.source, &threads, progress)?;
    let start = Instant::now();
    let labelled = Labelled::of(page::about(&pool));
    let found = threads.install(|| run_audit(&labelled, &pool, args))?;
    let reasons: Vec<String> =
        (0..labelled.rows.len()).map(|at| labelled.reason(&found, at)).collect();
    if let Some(path) = &report {
        let stage = args.run.progress().stage("drawing the page", 1, "pages");
        let html = threads.install(|| -> Result<String> {
            let (mut page, shown) = labelled.page(&found, &reasons)?;
            if let Some(pictures) = &pictures {
                let rows: Vec<usize> = shown.iter().map(|&at| labelled.rows[at]).collect();
                pictures.illustrate(&mut page, &rows)?;
            }
            Ok(page.html()?)
        })?;
        stage.step();
        page::write(path, &html)?;
    }
    let text = summary(&labelled, &found, &memory::spent(start.elapsed()))?;
    match &output {
        Some(output) => {
            table(&labelled, &found, &reasons)?.write(output)?;
            if output.is_stream() { Ok(()) } else { print::stdout(&text) }
        }
        None => print::stdout(&text),
    }
}

fn run_audit(
    labelled: &Labelled<'_>,
    pool: &PartlyLabelledTable,
    args: &AuditArgs,
) -> Result<Audit> {
    let rows = Rows::some(pool, &labelled.rows);
    let (spec, mut observer) = (args.options.spec()?, ProgressObserver::new(args.run.progress()));
    let (labels, classes) = (&labelled.labels, pool.class_names().len());
    let found =
        audit(&rows.features()?, labels).classes(classes).spec(&spec).run_observed(&mut observer);
    Ok(found.map_err(|error| labelled.in_terms_of_all(error))?)
}

/// One row a labelled instance, the most suspicious first.
fn table(labelled: &Labelled<'_>, found: &Audit, reasons: &[String]) -> Result<ResultTable> {
    let Labelled { about, rows, labels } = labelled;
    let name = |class: usize| about.classes[class].clone();
    let each = |f: &dyn Fn(usize) -> String| -> Vec<String> {
        found.ranking.iter().map(|&at| f(at)).collect()
    };
    let number = |values: &[f64]| found.ranking.iter().map(|&at| values[at]).collect();
    let verdict = |at: usize| if found.suspect[at] { "suspect" } else { "fits" }.to_owned();
    let mut table = ResultTable::default();
    table.push("id", Column::Text(each(&|at| about.ids[rows[at]].clone())))?;
    table.push("label", Column::Text(each(&|at| name(labels[at]))))?;
    table.push("suggested", Column::Text(each(&|at| name(found.suggested[at]))))?;
    table.push("credibility", Column::Number(number(&found.credibility)))?;
    let would = number(&found.suggested_credibility);
    table.push("suggested_credibility", Column::Number(would))?;
    table.push("verdict", Column::Text(each(&verdict)))?;
    table.push("reason", Column::Text(each(&|at| reasons[at].clone())))?;
    Ok(table)
}

/// What came of it, for a terminal.
fn summary(labelled: &Labelled<'_>, found: &Audit, spent: &str) -> Result<String> {
    let Labelled { about, rows, labels } = labelled;
    let suspects = Labelled::suspects(found);
    let share = 100.0 * suspects as f64 / rows.len() as f64;
    let mut text = format!(
        "{}: {}\n{} ({share:.1} %), {spent}\n",
        about.source,
        labelled.line(),
        print::count(suspects, "suspect", "suspects"),
    );
    if suspects > 0 {
        let columns = vec![
            TableColumn::left("most suspicious"),
            TableColumn::left("label"),
            TableColumn::left("suggested"),
            TableColumn::right("credibility"),
            TableColumn::right("of the suggested"),
        ];
        let mut table = Table::new(columns);
        let ranked = found.ranking.iter().copied().filter(|&at| found.suspect[at]);
        for at in ranked.take(SHOWN) {
            table.push([
                about.ids[rows[at]].clone(),
                about.classes[labels[at]].clone(),
                about.classes[found.suggested[at]].clone(),
                format!("{:.2}", found.credibility[at]),
                format!("{:.2}", found.suggested_credibility[at]),
            ])?;
        }
        text.push_str(&format!("\n{}", table.text()));
    }
    Ok(text)
}
