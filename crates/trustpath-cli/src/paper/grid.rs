//! How methods bear imbalance, pool size, ways and shots: a table over all of them.
//!
//! Every setting is kept in `grid.jsonl` as soon as it is done, and not run again.

mod cells;
mod notes;

use std::collections::BTreeMap;
use std::time::Instant;

use trustpath::reduce::default_dimensions;
use trustpath_episodes::stats::Estimate;
use trustpath_episodes::{Approach, Method, Split};
use trustpath_report::{Column, Table};

use super::dataset::Dataset;
use super::error::{Error, Result};
use super::finding::Finding;
use super::lab::{Lab, Watcher, difference};
use super::verdict::points;
use crate::bench::median;
use cells::{Setting, settings};
use notes::{Entry, Note, Notes};
use trustpath_episodes::last_of;

/// What is run where nothing is asked for; names that are none here are left out.
const METHODS: [&str; 5] = ["adaptive", "pt-map", "bd-cspn", "icir", "plain"];
/// By what the others are judged.
const PLAIN: &str = "plain";
/// Self-taught learning decomposes an `n × n` matrix: beyond this it is left out.
const MOST_FOR_ROUNDS: usize = 500;
/// Draws of class sizes by which it is seen whether a dataset has them.
const DRAWS: u64 = 400;
/// Where fewer draws fit, what is left has little to do with the concentration asked for.
const LEAST_FITTING: f64 = 0.05;

/// Runs the grid.
pub fn find(lab: &Lab) -> Result<Finding> {
    let mut finding = Finding::new(
        "Class balance, pool size, ways and shots",
        "pools are balanced, 5-way, with 75 queries; this is what it does not report.",
    );
    let names = methods(lab);
    let mut notes = Notes::open(lab.notes.as_deref())?;
    let all: Vec<(&Dataset, Setting)> = lab
        .datasets
        .iter()
        .flat_map(|dataset| settings(dataset).into_iter().map(move |setting| (dataset, setting)))
        .collect();
    let (start, mut fresh) = (Instant::now(), 0);
    let mut keys = Vec::new();
    for (number, (dataset, setting)) in all.iter().enumerate() {
        let key = key(lab, dataset, setting, &names);
        if notes.get(&key).is_none() {
            let begun = Instant::now();
            let note = match run(lab, dataset, setting, &names) {
                Err(Error::Interrupted) => {
                    let file = notes.file();
                    return Err(Error::Paused { done: number, all: all.len(), file });
                }
                note => note?,
            };
            fresh += 1;
            if !lab.quiet {
                let left = start.elapsed().as_secs_f64() / f64::from(fresh)
                    * (all.len() - number - 1) as f64;
                eprintln!(
                    "{} {}: {:.1} s ({} of {}, about {:.0} min left)",
                    dataset.name,
                    setting.text(),
                    begun.elapsed().as_secs_f64(),
                    number + 1,
                    all.len(),
                    left / 60.0
                );
            }
            notes.push(key.clone(), note)?;
        }
        keys.push(key);
    }
    let noted = all.iter().zip(&keys).filter_map(|(&(dataset, setting), key)| {
        notes.get(key).map(|note| (dataset, setting, note))
    });
    let results: Vec<Outcome<'_>> = noted.collect();
    finding.say(
        "Each cell is the accuracy in %, and in brackets the paired difference to the plain classifier with its 95% \
         interval. α is the concentration of the class sizes, ∞ being balanced; n the queries of the pool. Fitting is \
         the share of drawn class sizes that the classes are large enough for: where it is below 100%, larger imbalance \
         than the dataset has room for was drawn anew.",
    );
    finding.table("Over all settings, by method.", overview(&results, &names)?);
    tables(&results, &names, &mut finding)?;
    Ok(finding)
}

fn methods(lab: &Lab) -> Vec<String> {
    let known = Approach::names();
    let asked: Vec<String> = match lab.methods.is_empty() {
        true => {
            METHODS.into_iter().filter(|name| known.contains(name)).map(str::to_owned).collect()
        }
        false => lab.methods.clone(),
    };
    // The plain classifier runs in any case, and last.
    asked.into_iter().filter(|name| name != PLAIN).chain([PLAIN.to_owned()]).collect()
}

/// Whatever changes the result.
fn key(lab: &Lab, dataset: &Dataset, setting: &Setting, names: &[String]) -> String {
    let table = dataset.table(Split::Novel);
    let data = format!("{} {}×{}", dataset.name, table.rows(), table.dims());
    let run = format!("seed {}, {} episodes", lab.seed, setting.episodes(lab.episodes));
    let version = env!("CARGO_PKG_VERSION");
    format!("{version}; {data}; {}; {run}; {}", setting.text(), names.join(","))
}

fn run(lab: &Lab, dataset: &Dataset, setting: &Setting, names: &[String]) -> Result<Note> {
    let table = dataset.table(Split::Novel);
    let count = setting.episodes(lab.episodes);
    let mut note = Note { episodes: count, ..Note::default() };
    match setting.task().check(table) {
        Err(_) => note.skipped = Some("the classes are too few or too small".into()),
        Ok(sampler) => {
            note.fitting = sampler.fitting(lab.seed, DRAWS);
            if note.fitting < LEAST_FITTING {
                note.skipped = Some("the classes are too small for such imbalance".into());
            }
        }
    }
    if note.skipped.is_some() {
        return Ok(note);
    }
    let base = Method { d: default_dimensions(setting.way), ..Method::default() };
    let mut scores = BTreeMap::new();
    for name in names {
        let approach = Approach::named(name, &base)?;
        let large = setting.queries + setting.way * setting.shot > MOST_FOR_ROUNDS;
        if large && matches!(approach, Approach::SelfTaught(_)) {
            continue;
        }
        let quiet = Watcher::quiet();
        let finished = lab.evaluate(table, setting.task(), approach, count, quiet)?;
        let milliseconds = 1e3 * median(finished.iter().map(|f| f.seconds).collect());
        scores.insert(name, (finished.iter().map(last_of).collect::<Vec<f64>>(), milliseconds));
    }
    let plain = scores.get(&PLAIN.to_owned()).map_or(Vec::new(), |(scores, _)| scores.clone());
    for (name, (scores, milliseconds)) in &scores {
        let accuracy = Estimate::of(scores)?;
        let to_plain = difference(scores, &plain)?;
        note.methods.push(Entry {
            name: (*name).clone(),
            accuracy: accuracy.mean,
            difference: to_plain.mean,
            half_width: to_plain.half_width,
            milliseconds: *milliseconds,
        });
    }
    Ok(note)
}

/// A setting on a dataset, and what came of it.
type Outcome<'a> = (&'a Dataset, Setting, &'a Note);

/// By method: how often it is below the plain classifier, and by how much at the worst.
fn overview(results: &[Outcome<'_>], names: &[String]) -> Result<Table> {
    let heads = ["settings", "accuracy (%)", "to plain", "below plain", "the worst", "where"];
    let heads = heads.into_iter().map(Column::right);
    let mut table = Table::new(std::iter::once(Column::left("Method")).chain(heads).collect());
    for name in names {
        let entries: Vec<_> = results
            .iter()
            .filter_map(|outcome| {
                Some((outcome, outcome.2.methods.iter().find(|e| e.name == *name)?))
            })
            .collect();
        let count = entries.len();
        let mean = |value: fn(&Entry) -> f64| {
            100.0 * entries.iter().map(|(_, entry)| value(entry)).sum::<f64>() / count.max(1) as f64
        };
        let below = entries.iter().filter(|(_, entry)| entry.difference < -entry.half_width);
        let worst = entries.iter().min_by(|a, b| a.1.difference.total_cmp(&b.1.difference));
        let worst = worst.filter(|_| name != PLAIN);
        table.push([
            name.clone(),
            count.to_string(),
            format!("{:.2}", mean(|entry| entry.accuracy)),
            format!("{:+.2}", mean(|entry| entry.difference)),
            below.count().to_string(),
            worst.map_or("–".into(), |(_, entry)| points(&entry.to_plain(0))),
            worst.map_or("–".into(), |((dataset, setting, _), _)| {
                format!("{}, {}", dataset.title(), setting.text())
            }),
        ])?;
    }
    Ok(table)
}

/// One table for each dataset, ways and shots.
fn tables(results: &[Outcome<'_>], names: &[String], finding: &mut Finding) -> Result<()> {
    let group = |(dataset, setting, _): &Outcome<'_>| {
        format!("{}, {}-way {}-shot", dataset.title(), setting.way, setting.shot)
    };
    for rows in results.chunk_by(|a, b| group(a) == group(b)) {
        let heads = ["n", "α", "fitting", "episodes"].into_iter().map(str::to_owned);
        let heads = heads.chain(names.iter().cloned()).map(Column::right);
        let mut table = Table::new(heads.collect());
        for (_, setting, note) in rows {
            let fitting = match note.skipped {
                Some(_) => "–".into(),
                None => format!("{:.0}%", 100.0 * note.fitting),
            };
            let mut cells = vec![setting.queries.to_string(), setting.alpha_text(), fitting];
            cells.push(if note.skipped.is_some() {
                "–".into()
            } else {
                note.episodes.to_string()
            });
            for name in names {
                let entry = note.methods.iter().find(|entry| entry.name == *name);
                cells.push(match (entry, &note.skipped) {
                    (Some(entry), _) if name == PLAIN => format!("{:.1}", 100.0 * entry.accuracy),
                    (Some(entry), _) => format!(
                        "{:.1} ({:+.1} ± {:.1})",
                        100.0 * entry.accuracy,
                        100.0 * entry.difference,
                        100.0 * entry.half_width
                    ),
                    (None, None) => "too dear".into(),
                    (None, Some(_)) => "–".into(),
                });
            }
            table.push(cells)?;
        }
        finding.table(rows.first().map_or(String::new(), group), table);
        let reasons = left_out(rows);
        if !reasons.is_empty() {
            finding.say(format!("Left out: {}.", reasons.join("; ")));
        }
    }
    Ok(())
}

/// What was not run, and why, by size.
fn left_out(rows: &[Outcome<'_>]) -> Vec<String> {
    let same = |a: &Outcome<'_>, b: &Outcome<'_>| a.1.queries == b.1.queries;
    let of_size = |rows: &[Outcome<'_>]| {
        let skipped: Vec<_> = rows.iter().filter(|row| row.2.skipped.is_some()).collect();
        let (_, setting, note) = skipped.first()?;
        let reason = note.skipped.clone().unwrap_or_default();
        let alphas: Vec<String> = skipped.iter().map(|row| row.1.alpha_text()).collect();
        let which = match alphas.len() == rows.len() {
            true => String::new(),
            false => format!(" with α = {}", alphas.join(", ")),
        };
        Some(format!("n = {}{which}, as {reason}", setting.queries))
    };
    rows.chunk_by(same).filter_map(of_size).collect()
}
