//! The demo: what self-taught learning gains, round by round, on the features that come with the program.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use trustpath_episodes::stats::Estimate;
use trustpath_episodes::{Drawn, EpisodeShape, Method, Setting, Split, embedded, write_atomically};
use trustpath_report::{Axis, Column, Curve, CurvePoint, Curves, Table};

use crate::args::RunArgs;
use crate::cli::positive;
use crate::error::{Error, Result};
use crate::run::{Runner, Speed};
use crate::{interrupt, print};
use trustpath_episodes::AccuracySummary;

/// How large a demo.
#[derive(Debug, PartialEq, Args)]
pub struct DemoArgs {
    /// Episodes of each column
    #[arg(long, value_name = "N", default_value_t = EPISODES, value_parser = positive)]
    episodes: usize,
    /// Folder for the picture, trustpath-demo.png and .svg
    #[arg(long, value_name = "DIR", default_value = ".")]
    output: PathBuf,
    #[command(flatten)]
    run: RunArgs,
}

const EPISODES: usize = 600;
const SHOTS: [usize; 2] = [1, 5];
const NEXT: &str = "\
Next: trustpath bench --help    any features, setting and method; e.g. trustpath bench --features novel.npy
      trustpath paper all       every table and figure of the paper, as one report
";

impl Default for DemoArgs {
    fn default() -> Self {
        Self { episodes: EPISODES, output: ".".into(), run: RunArgs::default() }
    }
}

/// One column of the demo.
struct Cell {
    name: String,
    summary: AccuracySummary,
    speed: Speed,
}

/// Runs the demo.
pub fn run(args: &DemoArgs) -> Result<()> {
    let runner = Runner::new(args.run.threads, args.run.progress())?;
    let mut cells = Vec::new();
    let mut done = 0;
    for dataset in embedded::DATASETS {
        let table = embedded::load(dataset, Split::Novel)?;
        for shot in SHOTS {
            if interrupt::requested() {
                break;
            }
            let task =
                EpisodeShape { shot, setting: Setting::Transductive, ..EpisodeShape::default() };
            let sampler = task.check(table)?;
            let episodes = Drawn { sampler, seed: args.run.seed, count: args.episodes };
            let name = format!("{dataset} {shot}-shot");
            let run = runner.run(&name, table, &episodes, &(&Method::default()).into(), None)?;
            done += run.finished.len();
            if !run.finished.is_empty() {
                cells.push(Cell {
                    name,
                    summary: AccuracySummary::of(&run.finished)?,
                    speed: run.speed,
                });
            }
        }
    }
    if !cells.is_empty() {
        print::stdout(&text(&cells, args)?)?;
        print::stdout(&picture(&cells, args)?)?;
        print::stdout(NEXT)?;
    }
    if interrupt::requested() {
        let asked = args.episodes * SHOTS.len() * embedded::DATASETS.len();
        let remedy = "run it again for all of them, or with fewer --episodes".into();
        return Err(Error::Interrupted { done, asked, remedy });
    }
    Ok(())
}

fn text(cells: &[Cell], args: &DemoArgs) -> Result<String> {
    let names = cells.iter().map(|cell| Column::right(&cell.name));
    let mut table = Table::new([Column::left("accuracy (%)")].into_iter().chain(names).collect());
    let mut row = |name: String, value: &dyn Fn(&Cell) -> String| {
        table.push([name].into_iter().chain(cells.iter().map(value)))
    };
    row("plain classifier".into(), &|cell| cell.summary.plain.percent())?;
    for round in 1..=rounds(cells) {
        row(format!("ICI-R, round {round}"), &|cell| after(cell, round).percent())?;
    }
    row("gain over plain".into(), &|cell| print::points(&cell.summary.gain))?;
    row("episodes per second".into(), &|cell| print::rate(cell.speed.per_second()))?;
    row("ms per episode and thread".into(), &|cell| format!("{:.2}", cell.speed.milliseconds()))?;
    Ok(format!(
        "ICI-R on real images of classes the network never saw: 5 ways, 15 queries a class, transductive,\n\
         {} a column, seed {}, {}. ± is the 95% interval;\n\
         later rounds change no digit shown.\n\n{}\n",
        print::count(args.episodes, "episode", "episodes"),
        args.run.seed,
        print::count(cells[0].speed.threads, "thread", "threads"),
        table.text(),
    ))
}

/// Rounds until the accuracy of every column is that of the end.
fn rounds(cells: &[Cell]) -> usize {
    cells.iter().map(|cell| cell.summary.settled_after()).max().unwrap_or(0)
}

/// The accuracy after a round; round 0 is the plain classifier.
fn after(cell: &Cell, round: usize) -> Estimate {
    match round.checked_sub(1) {
        None => cell.summary.plain,
        Some(round) => cell.summary.rounds.get(round).copied().unwrap_or(cell.summary.last),
    }
}

/// Draws the picture, and says where it is or why it is not.
fn picture(cells: &[Cell], args: &DemoArgs) -> Result<String> {
    let curves = Curves {
        title: "Accuracy by round, ICI-R on novel classes".into(),
        subtitle: format!(
            "5-way transductive, {} each; round 0 is the plain classifier; bands: 95% intervals",
            print::count(args.episodes, "episode", "episodes")
        ),
        x: Axis::new("Round").whole(),
        y: Axis::new("Accuracy").unit("%"),
        curves: cells.iter().map(|cell| curve(cell, rounds(cells))).collect(),
        ..Curves::default()
    };
    let figure = curves.figure()?;
    let (png, svg) =
        (args.output.join("trustpath-demo.png"), args.output.join("trustpath-demo.svg"));
    let written =
        write(&png, &figure.png(2.0)?).and_then(|()| write(&svg, figure.svg().as_bytes()));
    Ok(match written {
        Ok(()) => format!("Picture: {} and {}\n\n", png.display(), svg.display()),
        Err(error) => format!("No picture: {error}\n\n"),
    })
}

fn curve(cell: &Cell, rounds: usize) -> Curve {
    let point = |round| {
        let estimate = after(cell, round);
        CurvePoint { x: round as f64, y: 100.0 * estimate.mean, error: 100.0 * estimate.half_width }
    };
    Curve { name: cell.name.clone(), points: (0..=rounds).map(point).collect() }
}

fn write(path: &Path, bytes: &[u8]) -> trustpath_table::Result<()> {
    write_atomically(path, |file| file.write_all(bytes))
}
