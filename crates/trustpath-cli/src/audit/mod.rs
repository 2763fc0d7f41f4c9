//! `trustpath audit`: which of the given labels are likely wrong.

mod demo;

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use trustpath::{Audit, Features, audit};
use trustpath_report::labelling::{LabelReport, ReportInstance, ReportKind, Verdict};
use trustpath_report::{Column as TableColumn, Table};
use trustpath_table::{Column, Pool, ResultTable};

use crate::args::{self, InputArgs, Instances, OutputArgs, RunArgs, Wanted};
use crate::error::{Error, Result};
use crate::pictures::SourceArgs;
use crate::{interrupt, page, print};

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
    let labelled = Labelled::of(&pool);
    let stage = args.run.progress().stage("walking the path", 1, "paths");
    let found = threads.install(|| labelled.audit(&pool))?;
    stage.step();
    drop(stage);
    if interrupt::requested() {
        return Err(trustpath::Error::Stopped.into());
    }
    let reasons: Vec<String> =
        (0..labelled.rows.len()).map(|at| labelled.reason(&pool, &found, at)).collect();
    if let Some(path) = &report {
        let stage = args.run.progress().stage("drawing the page", 1, "pages");
        let html = threads.install(|| -> Result<String> {
            let mut page = labelled.document(&pool, &found, &reasons)?;
            if let Some(pictures) = &pictures {
                pictures.illustrate(&mut page, &labelled.rows)?;
            }
            Ok(page.html()?)
        })?;
        stage.step();
        page::write(path, &html)?;
    }
    let text = labelled.summary(&pool, &found, start.elapsed().as_secs_f64())?;
    match &output {
        Some(output) => {
            labelled.table(&pool, &found, &reasons)?.write(output)?;
            if output.is_stream() { Ok(()) } else { print::stdout(&text) }
        }
        None => print::stdout(&text),
    }
}

/// The instances with a label; the others have nothing to audit.
struct Labelled {
    rows: Vec<usize>,
    labels: Vec<usize>,
}

impl Labelled {
    fn of(pool: &Pool) -> Self {
        let (rows, labels) = pool
            .labels()
            .iter()
            .enumerate()
            .filter_map(|(row, label)| label.map(|label| (row, label)))
            .unzip();
        Self { rows, labels }
    }

    fn audit(&self, pool: &Pool) -> Result<Audit> {
        let values: Vec<f32> = self.rows.iter().flat_map(|&row| pool.row(row)).copied().collect();
        let features = Features::new(&values[..], self.rows.len(), pool.dims())?;
        audit(&features, &self.labels, pool.class_names().len()).map_err(|error| match error {
            // The engine counts the labelled rows alone.
            trustpath::Error::ZeroVector { row } => {
                Error::Engine(trustpath::Error::ZeroVector { row: self.rows[row] })
            }
            error => Error::Engine(error),
        })
    }

    fn reason(&self, pool: &Pool, found: &Audit, at: usize) -> String {
        let name = |class: usize| &pool.class_names()[class];
        let (given, other) = (name(self.labels[at]), name(found.suggested[at]));
        let (fit, against) = (found.credibility[at], found.suggested_credibility[at]);
        let nearest: Vec<String> = found.nearest[at]
            .iter()
            .map(|&near| format!("{} ({})", pool.ids()[self.rows[near]], name(self.labels[near])))
            .collect();
        let fits = match found.suspect[at] {
            true => format!("{other} would fit better ({against:.2}) than {given} ({fit:.2})"),
            false => format!("fits {given} ({fit:.2}); next would be {other} ({against:.2})"),
        };
        format!("{fits}; nearest: {}", nearest.join(", "))
    }

    /// One row a labelled instance, the most suspicious first.
    fn table(&self, pool: &Pool, found: &Audit, reasons: &[String]) -> Result<ResultTable> {
        let name = |class: usize| pool.class_names()[class].clone();
        let each = |f: &dyn Fn(usize) -> String| -> Vec<String> {
            found.ranking.iter().map(|&at| f(at)).collect()
        };
        let number = |values: &[f64]| found.ranking.iter().map(|&at| values[at]).collect();
        let verdict = |at: usize| if found.suspect[at] { "suspect" } else { "fits" }.to_owned();
        let mut table = ResultTable::default();
        table.push("id", Column::Text(each(&|at| pool.ids()[self.rows[at]].clone())))?;
        table.push("label", Column::Text(each(&|at| name(self.labels[at]))))?;
        table.push("suggested", Column::Text(each(&|at| name(found.suggested[at]))))?;
        table.push("credibility", Column::Number(number(&found.credibility)))?;
        let would = number(&found.suggested_credibility);
        table.push("suggested_credibility", Column::Number(would))?;
        table.push("verdict", Column::Text(each(&verdict)))?;
        table.push("reason", Column::Text(each(&|at| reasons[at].clone())))?;
        Ok(table)
    }

    fn suspects(found: &Audit) -> usize {
        found.suspect.iter().filter(|suspect| **suspect).count()
    }

    fn line(&self, pool: &Pool) -> String {
        format!(
            "{}, {} each; {}",
            print::count(self.rows.len(), "labelled instance", "labelled instances"),
            print::count(pool.dims(), "feature", "features"),
            print::count(pool.class_names().len(), "class", "classes"),
        )
    }

    fn summary(&self, pool: &Pool, found: &Audit, seconds: f64) -> Result<String> {
        let suspects = Self::suspects(found);
        let share = 100.0 * suspects as f64 / self.rows.len() as f64;
        let mut text = format!(
            "{}: {}\n{} ({share:.1} %), {seconds:.1} s\n",
            pool.source(),
            self.line(pool),
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
                    pool.ids()[self.rows[at]].clone(),
                    pool.class_names()[self.labels[at]].clone(),
                    pool.class_names()[found.suggested[at]].clone(),
                    format!("{:.2}", found.credibility[at]),
                    format!("{:.2}", found.suggested_credibility[at]),
                ])?;
            }
            text.push_str(&format!("\n{}", table.text()));
        }
        Ok(text)
    }

    fn document(&self, pool: &Pool, found: &Audit, reasons: &[String]) -> Result<LabelReport> {
        let places = page::places(&found.coordinates)?;
        let instances = (0..self.rows.len())
            .map(|at| ReportInstance {
                id: pool.ids()[self.rows[at]].clone(),
                label: if found.suspect[at] { found.suggested[at] } else { self.labels[at] },
                given: Some(self.labels[at]),
                probability: f64::NAN,
                credibility: found.credibility[at],
                round: None,
                verdict: if found.suspect[at] { Verdict::Suspect } else { Verdict::Fits },
                reason: reasons[at].clone(),
                position: places[at],
                suggested: None,
                neighbours: found.nearest[at].clone(),
                thumbnail: None,
            })
            .collect();
        let suspects = Self::suspects(found);
        Ok(LabelReport {
            kind: ReportKind::Audit,
            title: format!("Audit of {}", pool.source()),
            subtitle: self.line(pool),
            facts: vec![
                ("labelled".into(), self.rows.len().to_string()),
                ("suspects".into(), suspects.to_string()),
            ],
            notes: Vec::new(),
            classes: pool.class_names().to_vec(),
            instances,
            path: Some(page::path(&found.lambda, &found.gamma_norm, |_| true)),
            rounds: Vec::new(),
        })
    }
}
