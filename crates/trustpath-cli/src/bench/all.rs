//! `trustpath bench --method all`: every method on the very same episodes.

use serde::Serialize;
use trustpath_bench::SelfTrainingSpec;
use trustpath_bench::stats::{Estimate, paired_difference};
use trustpath_bench::{EpisodeList, FeatureTable, Finished, Method};
use trustpath_report::{Table, TableColumn};

use super::{BenchArgs, Chosen, EPISODES, Scores, scores};
use crate::error::{Error, Result};
use crate::run::{Runner, Speed};
use crate::{interrupt, print};
use trustpath_bench::last_of;

/// All there is to say. Accuracies are fractions here and percent in the table.
#[derive(Debug, Serialize)]
struct Comparison<'a> {
    version: &'static str,
    features: &'a str,
    seed: u64,
    asked: usize,
    threads: usize,
    cells: Vec<Cell>,
}

/// The methods on one kind of episodes, the best first.
#[derive(Debug, Serialize)]
struct Cell {
    episodes: String,
    pool: String,
    shot: usize,
    methods: Vec<Row>,
}

/// A method.
#[derive(Debug, Serialize)]
struct Row {
    name: String,
    accuracy: Estimate,
    /// Its accuracy less that of the best, in pairs; none for the best itself.
    difference: Option<Estimate>,
    /// Processor time of one episode, where the system says; otherwise the median time on one thread.
    milliseconds: f64,
}

/// Checks the options and the parameters of all methods.
pub fn check(args: &BenchArgs, base: &SelfTrainingSpec) -> Result<()> {
    let given = [("--against", args.run.against.is_some()), ("--export-episodes", args.run.export_episodes.is_some())];
    if let Some((option, _)) = given.into_iter().find(|(_, given)| *given) {
        return Err(Error::Usage(format!("{option} is for one method: drop it, or name one")));
    }
    for method in Method::all(&args.method.options(base)?) {
        method.build()?;
    }
    Ok(())
}

/// Runs the command.
pub fn run(
    args: &BenchArgs,
    runner: &Runner,
    table: &FeatureTable,
    list: Option<&EpisodeList>,
    way: usize,
) -> Result<()> {
    let methods = Method::all(&args.method.options(&args.base(way))?);
    let count = args.run.episodes.unwrap_or(EPISODES);
    let chosen = match list {
        Some(list) => vec![Chosen::listed(list, table)?],
        None => {
            let cells = args.task.cells(way)?.into_iter();
            cells.map(|task| Chosen::drawn(task, table, args.run.seed, count)).collect::<Result<_>>()?
        }
    };

    let (mut cells, mut done, mut asked) = (Vec::new(), 0, 0);
    for (number, chosen) in chosen.iter().enumerate() {
        let mut runs = Vec::new();
        for method in &methods {
            asked += chosen.episodes.count();
            if interrupt::requested() {
                continue;
            }
            let name = method.to_string();
            let ending = format!(".{number}.{name}");
            let journal = args.journal.open(table, &chosen.identity, method, &ending)?;
            let label = format!("{}, {} shot, {name}", chosen.pool, chosen.shot);
            let run = runner.run(&label, table, &*chosen.episodes, method, journal)?;
            done += run.finished.len();
            runs.push((name, run.finished, run.speed));
        }
        cells.push(Cell {
            episodes: chosen.text.clone(),
            pool: chosen.pool.clone(),
            shot: chosen.shot,
            methods: rows(runs)?,
        });
    }
    let comparison = Comparison {
        version: env!("CARGO_PKG_VERSION"),
        features: table.source(),
        seed: args.run.seed,
        asked: chosen.first().map_or(0, |chosen| chosen.episodes.count()),
        threads: runner.threads(),
        cells,
    };
    if done > 0 {
        print::stdout(&match (args.output.json, args.output.csv) {
            (true, _) => comparison.json()?,
            (_, true) => comparison.csv()?,
            _ => comparison.text()?,
        })?;
    }
    if done < asked {
        return Err(Error::Interrupted { done, asked, remedy: args.journal.remedy() });
    }
    Ok(())
}

/// The rows of a cell, the best first. After an interrupt methods may have different episodes: they are compared on
/// those that both have.
fn rows(runs: Vec<(String, Vec<Finished>, Speed)>) -> Result<Vec<Row>> {
    let mut rows: Vec<(Row, Scores)> = Vec::new();
    for (name, finished, speed) in runs.into_iter().filter(|run| !run.1.is_empty()) {
        let accuracies: Vec<f64> = finished.iter().map(last_of).collect();
        let accuracy = Estimate::of(&accuracies)?;
        // Episodes of a journal were timed in another run.
        let milliseconds = match speed.episodes {
            0 => 1e3 * median(finished.iter().map(|f| f.seconds).collect()),
            _ => speed.milliseconds(),
        };
        let row = Row { name, accuracy, difference: None, milliseconds };
        rows.push((row, scores(&finished, last_of)));
    }
    rows.sort_by(|a, b| b.0.accuracy.mean.total_cmp(&a.0.accuracy.mean));
    let Some(best) = rows.first().map(|(_, scores)| scores.clone()) else { return Ok(Vec::new()) };
    let paired = |scores: &Scores| {
        let both = scores.iter().filter_map(|(episode, ours)| Some((*ours, *best.get(episode)?)));
        let (ours, theirs): (Vec<f64>, Vec<f64>) = both.unzip();
        paired_difference(&ours, &theirs).ok()
    };
    let others = rows.iter_mut().skip(1);
    others.for_each(|(row, scores)| row.difference = paired(scores));
    Ok(rows.into_iter().map(|(row, _)| row).collect())
}

/// The middle of some numbers; zero of none.
pub fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(0.0)
}

impl Comparison<'_> {
    fn text(&self) -> Result<String> {
        let threads = print::count(self.threads, "thread", "threads");
        let mut text = format!("{}, the same episodes for all, {threads}\n", self.features);
        let columns = ["pool", "shots", "method"].map(TableColumn::left).into_iter();
        let numbers = ["accuracy (%)", "to the best", "ms per episode"].map(TableColumn::right);
        let mut table = Table::new(columns.chain(numbers).collect());
        for cell in &self.cells {
            text += &format!("{}: {}\n", cell.pool, cell.episodes);
            for (i, row) in cell.methods.iter().enumerate() {
                // What repeats is left out.
                let (pool, shot) = match i {
                    0 => (cell.pool.clone(), cell.shot.to_string()),
                    _ => (String::new(), String::new()),
                };
                let difference = row.difference.as_ref().map_or("best".into(), print::points);
                let milliseconds = format!("{:.2}", row.milliseconds);
                let accuracy = row.accuracy.percent();
                table.push([pool, shot, row.name.clone(), accuracy, difference, milliseconds])?;
            }
        }
        Ok(text + "\n" + &table.text())
    }

    fn json(&self) -> Result<String> {
        let text = serde_json::to_string_pretty(self).map_err(|e| Error::Print(e.to_string()))?;
        Ok(text + "\n")
    }

    fn csv(&self) -> Result<String> {
        let names = ["pool", "shot", "method", "mean", "half_width", "difference"];
        let more = ["difference_half_width", "milliseconds", "episodes"];
        let columns = names.into_iter().chain(more).map(TableColumn::left).collect();
        let mut table = Table::new(columns);
        for cell in &self.cells {
            for row in &cell.methods {
                let of = |value: fn(&Estimate) -> f64| match &row.difference {
                    Some(difference) => value(difference).to_string(),
                    None => String::new(),
                };
                table.push([
                    cell.pool.clone(),
                    cell.shot.to_string(),
                    row.name.clone(),
                    row.accuracy.mean.to_string(),
                    row.accuracy.half_width.to_string(),
                    of(|d| d.mean),
                    of(|d| d.half_width),
                    row.milliseconds.to_string(),
                    row.accuracy.episodes.to_string(),
                ])?;
            }
        }
        Ok(table.csv())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_compared_with_the_best_on_the_episodes_both_have() {
        let run = |name: &str, accuracies: &[f64]| {
            let finished = |(i, a): (usize, &f64)| Finished { episode: i as u64, accuracies: vec![*a], seconds: 0.002 };
            let finished: Vec<_> = accuracies.iter().enumerate().map(finished).collect();
            let speed = Speed { episodes: 0, seconds: 0.0, threads: 1, processor_seconds: None };
            (name.to_owned(), finished, speed)
        };
        let runs = vec![run("a", &[0.5, 0.5]), run("b", &[0.75, 0.5, 0.7]), run("c", &[])];
        let rows = rows(runs).unwrap();
        assert_eq!(rows.iter().map(|row| row.name.as_str()).collect::<Vec<_>>(), ["b", "a"]);
        assert!(rows[0].difference.is_none());
        let difference = rows[1].difference.unwrap();
        assert_eq!((difference.mean, difference.episodes), (-0.125, 2));
        assert_eq!(rows[0].milliseconds, 2.0);
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
    }
}
