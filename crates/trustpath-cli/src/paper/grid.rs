//! Methods by class balance, pool size, ways and shots: tables over all of them.
//!
//! The result of every setting is kept in `grid.jsonl` as soon as it is done, and is not computed again.

mod cells;
mod notes;

use std::time::Instant;

use trustpath_bench::SelfTrainingSpec;
use trustpath_bench::reduce::default_dimensions;
use trustpath_bench::{BenchMethod, last_of};

use super::frame::*;
use crate::bench::median;
use crate::error::Error;
use cells::{GridSetting, settings};
use notes::{MethodNote, Note, Notes};

pub const TARGET: PaperTarget = PaperTarget {
    name: "grid",
    about: "Methods by class balance, pool size, ways and shots; slow, and not part of all",
    heading: "Class balance, pool size, ways and shots",
    paper: "pools are balanced, 5-way, with 75 queries; other pools are not reported.",
    find,
};

/// The default methods.
const METHODS: [&str; 5] = ["adaptive", "pt-map", "bd-cspn", "icir", PLAIN];
/// The method that the others are compared with.
const PLAIN: &str = "plain";
/// Self-training decomposes an `n × n` matrix: above this size it is left out.
const MOST_FOR_ROUNDS: usize = 500;
/// Draws of class sizes that estimate how often a dataset is large enough for them.
const DRAWS: u64 = 400;
/// If fewer draws fit, those that do have little to do with the concentration asked for.
const LEAST_FITTING: f64 = 0.05;

fn find(lab: &Lab, finding: &mut Finding) -> Result<()> {
    let names = methods(&lab.args.methods);
    let mut notes = Notes::open(&lab.args.out)?;
    let of_dataset = |dataset| settings(dataset).into_iter().map(move |setting| (dataset, setting));
    let all: Vec<(&PaperDataset, GridSetting)> = lab.datasets.iter().flat_map(of_dataset).collect();
    let (start, mut computed) = (Instant::now(), 0);
    let mut results = Vec::new();
    for (number, &(dataset, setting)) in all.iter().enumerate() {
        let key = key(lab, dataset, &setting, &names);
        if let Some(note) = notes.get(&key) {
            results.push((dataset, setting, note.clone()));
            continue;
        }
        let (done, count) = (number + 1, all.len());
        let begun = Instant::now();
        let note = run(lab, dataset, &setting, &names).map_err(|error| match error {
            Error::PaperInterrupted(_) => Error::PaperInterrupted(format!(
                "{number} of {count} settings are kept in {}; repeat the command to continue",
                notes.path.display()
            )),
            error => error,
        })?;
        computed += 1;
        let left = start.elapsed().as_secs_f64() / f64::from(computed) * (count - done) as f64;
        lab.runner.progress.say(&format!(
            "{} {}: {:.1} s ({done} of {count}, about {:.0} min left)\n",
            dataset.name,
            setting.text(),
            begun.elapsed().as_secs_f64(),
            left / 60.0
        ));
        notes.push(key, note.clone())?;
        results.push((dataset, setting, note));
    }
    finding.text(
        "Each cell is the accuracy in %, and in brackets the paired difference to the plain classifier with its 95% \
         interval. α is the concentration of the class sizes (∞: balanced); n is the number of queries. Fitting is the \
         share of drawn class sizes that the classes are large enough for: below 100%, draws that did not fit were \
         replaced by new ones.",
    );
    finding.table("Over all settings, by method.", overview(&results, &names)?);
    tables(&results, &names, finding)
}

fn methods(asked: &[String]) -> Vec<String> {
    let asked = if asked.is_empty() { METHODS.map(str::to_owned).to_vec() } else { asked.to_vec() };
    // The plain classifier always runs, and last.
    asked.into_iter().filter(|name| *name != PLAIN).chain([PLAIN.to_owned()]).collect()
}

/// Everything that changes the result.
fn key(lab: &Lab, dataset: &PaperDataset, setting: &GridSetting, names: &[String]) -> String {
    let table = dataset.table(Split::Novel);
    let data = format!("{} {}×{}", dataset.name, table.rows(), table.dims());
    let run = format!("seed {}, {} episodes", lab.args.seed, setting.episodes(lab.episodes()));
    let version = env!("CARGO_PKG_VERSION");
    format!("{version}; {data}; {}; {run}; {}", setting.text(), names.join(","))
}

fn run(lab: &Lab, dataset: &PaperDataset, setting: &GridSetting, names: &[String]) -> Result<Note> {
    let table = dataset.table(Split::Novel);
    let count = setting.episodes(lab.episodes());
    let mut note = Note { episodes: count, ..Note::default() };
    let Ok(sampler) = setting.task().check(table) else {
        return Ok(Note { skipped: Some("the classes are too few or too small".into()), ..note });
    };
    note.fitting = sampler.fitting(lab.args.seed, DRAWS);
    if note.fitting < LEAST_FITTING {
        return Ok(Note { skipped: Some("the classes are too small for such imbalance".into()), ..note });
    }
    let base = SelfTrainingSpec { dim: default_dimensions(setting.way), ..SelfTrainingSpec::default() };
    let large = setting.queries + setting.way * setting.shot > MOST_FOR_ROUNDS;
    let mut scores = Vec::new();
    for name in names {
        let method = BenchMethod::named(name, &base)?;
        if large && matches!(method, BenchMethod::SelfTraining(_)) {
            continue;
        }
        let title = format!("{} {}, {name}", dataset.name, setting.text());
        let done = lab.evaluate(&title, table, setting.task(), &method, count)?.finished;
        let milliseconds = 1e3 * median(done.iter().map(|episode| episode.seconds).collect());
        scores.push((name, done.iter().map(last_of).collect::<Vec<f64>>(), milliseconds));
    }
    // The plain classifier is the last of the names.
    let plain = scores.last().map_or(Vec::new(), |(_, scores, _)| scores.clone());
    for (name, scores, milliseconds) in scores {
        let (name, accuracy) = (name.clone(), MeanEstimate::of(&scores)?.mean);
        let MeanEstimate { mean, half_width, .. } = difference(&scores, &plain)?;
        note.methods.push(MethodNote { name, accuracy, difference: mean, half_width, milliseconds });
    }
    Ok(note)
}

/// A dataset, a setting and its result.
type GridResult<'a> = (&'a PaperDataset, GridSetting, Note);

/// By method: how often it is below the plain classifier, and by how much in the worst setting.
fn overview(results: &[GridResult<'_>], names: &[String]) -> Result<Table> {
    let mut table = table(["Method"], ["settings", "accuracy (%)", "to plain", "below plain", "the worst", "where"]);
    for name in names {
        let entries: Vec<(&GridResult<'_>, &MethodNote)> =
            results.iter().filter_map(|outcome| Some((outcome, outcome.2.method(name)?))).collect();
        let mean = |value: fn(&MethodNote) -> f64| {
            let sum = entries.iter().map(|(_, entry)| value(entry)).sum::<f64>();
            100.0 * sum / entries.len().max(1) as f64
        };
        let below = entries.iter().filter(|(_, entry)| entry.difference < -entry.half_width);
        let worst = entries.iter().min_by(|a, b| a.1.difference.total_cmp(&b.1.difference));
        let (worst, place) = match worst {
            Some(((dataset, setting, _), entry)) if name != PLAIN => {
                let MethodNote { difference: mean, half_width, .. } = **entry;
                let place = format!("{}, {}", dataset.title(), setting.text());
                (points(&MeanEstimate { mean, half_width, episodes: 0 }), place)
            }
            _ => ("–".into(), "–".into()),
        };
        table.push([
            name.clone(),
            entries.len().to_string(),
            format!("{:.2}", mean(|entry| entry.accuracy)),
            format!("{:+.2}", mean(|entry| entry.difference)),
            below.count().to_string(),
            worst,
            place,
        ])?;
    }
    Ok(table)
}

/// One table for each dataset, ways and shots.
fn tables(results: &[GridResult<'_>], names: &[String], finding: &mut Finding) -> Result<()> {
    let group = |(dataset, setting, _): &GridResult<'_>| {
        format!("{}, {}-way {}-shot", dataset.title(), setting.way, setting.shot)
    };
    for rows in results.chunk_by(|a, b| group(a) == group(b)) {
        let heads = ["n", "α", "fitting", "episodes"].into_iter().chain(names.iter().map(String::as_str));
        let mut table = Table::new(heads.map(TableColumn::right).collect());
        for (_, setting, note) in rows {
            let run = note.skipped.is_none();
            let or_dash = |text: String| if run { text } else { "–".into() };
            let mut cells = vec![setting.queries.to_string(), setting.alpha_text()];
            cells.push(or_dash(format!("{:.0}%", 100.0 * note.fitting)));
            cells.push(or_dash(note.episodes.to_string()));
            cells.extend(names.iter().map(|name| match note.method(name) {
                Some(entry) if name == PLAIN => format!("{:.1}", 100.0 * entry.accuracy),
                Some(entry) => format!(
                    "{:.1} ({:+.1} ± {:.1})",
                    100.0 * entry.accuracy,
                    100.0 * entry.difference,
                    100.0 * entry.half_width
                ),
                None => or_dash("too slow".into()),
            }));
            table.push(cells)?;
        }
        finding.table(rows.first().map_or(String::new(), group), table);
        let reasons = left_out(rows);
        if !reasons.is_empty() {
            finding.text(format!("Left out: {}.", reasons.join("; ")));
        }
    }
    Ok(())
}

/// What was not run, and why, by size.
fn left_out(rows: &[GridResult<'_>]) -> Vec<String> {
    let same = |a: &GridResult<'_>, b: &GridResult<'_>| a.1.queries == b.1.queries;
    let of_size = |rows: &[GridResult<'_>]| {
        let skipped: Vec<_> = rows.iter().filter(|row| row.2.skipped.is_some()).collect();
        let (_, setting, note) = skipped.first()?;
        let reason = note.skipped.clone().unwrap_or_default();
        let alphas: Vec<String> = skipped.iter().map(|row| row.1.alpha_text()).collect();
        let which =
            if alphas.len() == rows.len() { String::new() } else { format!(" with α = {}", alphas.join(", ")) };
        Some(format!("n = {}{which}, because {reason}", setting.queries))
    };
    rows.chunk_by(same).filter_map(of_size).collect()
}
