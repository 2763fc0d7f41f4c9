//! The demo: the gain of self-training, round by round, on the built-in features.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use trustpath_bench::SelfTrainingSpec;
use trustpath_bench::stats::MeanEstimate;
use trustpath_bench::{AccuracySummary, Drawn, EpisodeShape, Setting, Split, embedded, write_atomically};
use trustpath_report::{Axis, Curve, Interval};

use crate::args::RunArgs;
use crate::error::{Error, Result};
use crate::paper::frame::{accuracy_curves, point};
use crate::run::{Runner, Speed};
use crate::values::up_to;
use crate::{interrupt, print};

#[derive(Debug, PartialEq, Args)]
pub struct DemoArgs {
    /// Episodes per column
    #[arg(long, value_name = "N", default_value_t = EPISODES, value_parser = up_to::<10_000_000>)]
    episodes: usize,
    /// Folder for the figure, accuracy.png and accuracy.svg; created if missing
    #[arg(long, alias = "output", value_name = "DIR", default_value = FOLDER)]
    out: PathBuf,
    #[command(flatten)]
    run: RunArgs,
    /// Random seed
    #[arg(long, default_value_t = 0, help_heading = "Run")]
    seed: u64,
}

const EPISODES: usize = 600;
const FOLDER: &str = "trustpath-demo";
const SHOTS: [usize; 2] = [1, 5];
const NEXT: &str = "\
Next: trustpath sample try      real data to label: features of 1965 images of 50 bird species, five labels of each
      trustpath label --help    labels for your own data, and which of them can be trusted
      trustpath bench --help    other features, settings and methods; e.g. trustpath bench --features novel.npy
      trustpath paper all       all tables and figures of the paper, in one report
";

/// One column of the demo.
struct DemoColumn {
    name: String,
    summary: AccuracySummary,
    speed: Speed,
}

impl DemoColumn {
    /// The accuracy after a round; round 0 is the plain classifier.
    fn after(&self, round: usize) -> MeanEstimate {
        match round {
            0 => self.summary.plain,
            _ => self.summary.rounds.get(round - 1).copied().unwrap_or(self.summary.last),
        }
    }
}

pub fn run(args: &DemoArgs) -> Result<()> {
    let runner = Runner::new(args.run.threads, args.run.progress.get())?;
    let mut cells = Vec::new();
    let mut done = 0;
    for dataset in embedded::DATASETS {
        let table = embedded::load(dataset, Split::Novel)?;
        for shot in SHOTS {
            if interrupt::requested() {
                break;
            }
            let task = EpisodeShape { shot, setting: Setting::Transductive, ..EpisodeShape::default() };
            let episodes = Drawn { sampler: task.check(table)?, seed: args.seed, count: args.episodes };
            let name = format!("{dataset} {shot}-shot");
            let run = runner.run(&name, table, &episodes, &(&SelfTrainingSpec::default()).into(), None)?;
            done += run.finished.len();
            if !run.finished.is_empty() {
                cells.push(DemoColumn { name, summary: AccuracySummary::of(&run.finished)?, speed: run.speed });
            }
        }
    }
    if !cells.is_empty() {
        // Rounds until the accuracy of every column is final.
        let rounds = cells.iter().map(|cell| cell.summary.settled_after()).max().unwrap_or(0);
        if args.run.json {
            print::json(&cells.iter().map(as_json).collect::<Vec<_>>())?;
        } else {
            print::stdout(&text(&cells, rounds, args)?)?;
            print::stdout(&figure(&cells, rounds, args)?)?;
            print::stdout(NEXT)?;
        }
    }
    if interrupt::requested() {
        let asked = args.episodes * SHOTS.len() * embedded::DATASETS.len();
        let remedy = "run the command again, or with fewer --episodes".into();
        return Err(Error::Interrupted { done, asked, remedy });
    }
    Ok(())
}

/// One column for programs: accuracies as shares.
fn as_json(cell: &DemoColumn) -> serde_json::Value {
    let rounds = cell.summary.rounds.iter().map(|round| round.mean);
    serde_json::json!({
        "name": cell.name,
        "plain": cell.summary.plain.mean,
        "rounds": rounds.collect::<Vec<_>>(),
        "final": cell.summary.last.mean,
        "gain": cell.summary.gain.mean,
        "gain_half_width": cell.summary.gain.half_width,
        "episodes": cell.summary.plain.episodes,
        "episodes_per_second": cell.speed.per_second(),
    })
}

fn text(cells: &[DemoColumn], rounds: usize, args: &DemoArgs) -> Result<String> {
    let mut table = print::table(["accuracy (%)"], cells.iter().map(|cell| &cell.name));
    let mut row = |name: String, value: &dyn Fn(&DemoColumn) -> String| {
        table.push([name].into_iter().chain(cells.iter().map(value)))
    };
    row("plain classifier".into(), &|cell| cell.summary.plain.percent())?;
    for round in 1..=rounds {
        row(format!("ICI-R, round {round}"), &|cell| cell.after(round).percent())?;
    }
    row("gain over plain".into(), &|cell| print::points(&cell.summary.gain))?;
    row("episodes per second".into(), &|cell| print::rate(cell.speed.per_second()))?;
    row("ms per episode and thread".into(), &|cell| format!("{:.2}", cell.speed.milliseconds()))?;
    Ok(format!(
        "ICI-R on real images of classes the network was not trained on: 5-way, 15 queries per class, transductive,\n\
         {} per column, seed {}, {}. ± is the 95% interval.\n\
         Rounds after {rounds} give the same numbers.\n\n{}\n",
        print::count(args.episodes, "episode", "episodes"),
        args.seed,
        print::count(cells[0].speed.threads, "thread", "threads"),
        table.text(),
    ))
}

/// Draws the figure; returns where it is, or why it could not be written.
fn figure(cells: &[DemoColumn], rounds: usize, args: &DemoArgs) -> Result<String> {
    let curve = |cell: &DemoColumn| Curve {
        name: cell.name.clone(),
        points: (0..=rounds).map(|round| point(round as f64, &cell.after(round))).collect(),
    };
    let figure = accuracy_curves(
        "Accuracy by round, ICI-R on novel classes",
        format!(
            "5-way transductive, {} each; round 0 is the plain classifier; bands: 95% intervals",
            print::count(args.episodes, "episode", "episodes")
        ),
        Axis::new("Round").whole(),
        cells.iter().map(curve).collect(),
        Interval::default(),
    )?;
    let [png, svg] = ["png", "svg"].map(|e| args.out.join(format!("accuracy.{e}")));
    let bytes = figure.png(2.0)?;
    // That the folder cannot be made is said by the file that cannot be written.
    let _ = std::fs::create_dir_all(&args.out);
    let written = write_atomically(&png, |file| file.write_all(&bytes))
        .and_then(|()| write_atomically(&svg, |file| file.write_all(figure.svg().as_bytes())));
    Ok(match written {
        Ok(()) => format!("Figure: {} and {}\n\n", png.display(), svg.display()),
        Err(error) => format!("No figure: {error}\n\n"),
    })
}
