//! How good the stopping rule and the predicted number of labels are: sessions in which somebody answers truly whatever is asked.
//!
//! ```sh
//! cargo run --release -p trustpath-serve --example stopping -- 8 features.npy …
//! ```
//!
//! The first argument is the number of draws, the others are files of features, each with a file `-labels.npy` beside it; without
//! them the validation classes of the embedded datasets are used. A pool has 20 classes of 60 instances, or 20 classes of which the
//! largest has ten times as many as the smallest. A session begins without labels, asks for what `trustpath serve` would ask for, and
//! updates the model after every ten answers, until the rule has said *enough* with one more update than it takes.

use std::path::Path;

use trustpath::label;
use trustpath::label::{Represented, Verdict};
use trustpath::spec::LabelSpec;
use trustpath::{Features, NoObserver};
use trustpath_episodes::{FeatureTable, Random, Result, Split, embedded};
use trustpath_serve::progress::{Goal, Point, outlook};
use trustpath_table::TableFile;

const CLASSES: usize = 20;
const PER_CLASS: usize = 60;
const BATCH: usize = 10;
/// Questions per update, as the command asks for them.
const AHEAD: usize = 4;
const GOAL: Goal = Goal { coverage: 0.9, precision: Some(0.9), apart: BATCH };

/// A pool whose labels somebody knows.
struct Pool {
    values: Vec<f32>,
    dims: usize,
    truth: Vec<usize>,
}

impl Pool {
    fn draw(table: &FeatureTable, long_tailed: bool, seed: u64) -> Self {
        let mut random = Random::stream(seed, 20);
        let all: Vec<usize> = (0..table.class_names().len()).collect();
        let (mut rows, mut truth) = (Vec::new(), Vec::new());
        let classes = random.choose(&all, CLASSES.min(all.len()));
        for (rank, &class) in classes.iter().enumerate() {
            let share = 0.1f64.powf(rank as f64 / (classes.len() - 1) as f64);
            let size = if long_tailed { PER_CLASS as f64 * share } else { PER_CLASS as f64 };
            let members = &table.members()[class];
            rows.extend(random.choose(members, (size.round() as usize).min(members.len())));
            truth.resize(rows.len(), rank);
        }
        Self { values: table.gather(&rows), dims: table.dims(), truth }
    }
}

/// The state after an update, and what only the one who knows the labels knows.
struct Update {
    point: Point,
    enough: bool,
    more: Option<[usize; 3]>,
    /// The share of the trusted labels that are right.
    precision: f64,
}

fn session(pool: &Pool) -> Result<Vec<Update>> {
    let rows = pool.truth.len();
    let features = Features::new(&pool.values[..], rows, pool.dims)?;
    let spec =
        LabelSpec { suggest: AHEAD * BATCH, precision: GOAL.precision, ..LabelSpec::default() };
    let kept = Represented::of(&features, &mut NoObserver)?;
    let mut queue = kept.label_first(spec.suggest);
    let mut known = vec![false; rows];
    let (mut points, mut updates) = (Vec::<Point>::new(), Vec::<Update>::new());
    let mut after = 0;
    while after < 2 && points.last().is_none_or(|p| p.labels + BATCH <= rows) {
        queue.iter().take(BATCH).for_each(|&row| known[row] = true);
        let (labels, classes) = numbered(&pool.truth, &known);
        if classes < 2 {
            queue.drain(..BATCH.min(queue.len()));
            // A pool of one class cannot be labelled.
            if queue.is_empty() {
                break;
            }
            continue;
        }
        let found = label(&features, &labels).classes(classes).spec(&spec).on(&kept).run()?;
        let trusted = &found.trusted.rows;
        let name =
            |label: usize| pool.truth[labels.iter().position(|l| *l == Some(label)).unwrap_or(0)];
        let names: Vec<usize> = (0..classes).map(name).collect();
        let right =
            |row: &&usize| found.labels[**row].map(|label| names[label]) == Some(pool.truth[**row]);
        let count = known.iter().filter(|&&known| known).count();
        let estimate = found.trusted.estimate.filter(|_| !trusted.is_empty());
        let point = Point {
            labels: count,
            coverage: (count + trusted.len()) as f64 / rows as f64,
            trusted: trusted.len(),
            precision: estimate.map(|e| [e.precision, e.interval.0, e.interval.1]),
        };
        points.push(point);
        let look = outlook(&points, GOAL, rows);
        after += usize::from(look.enough);
        updates.push(Update {
            point,
            enough: look.enough,
            more: look.more.filter(|_| !look.enough),
            precision: trusted.iter().filter(right).count() as f64 / trusted.len() as f64,
        });
        queue = found.suggestions;
        let p = &found.probability;
        let mut rest: Vec<usize> =
            (0..rows).filter(|&row| !known[row] && found.verdicts[row] != Verdict::Given).collect();
        rest.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
        queue.extend(rest);
        queue.retain(|&row| !known[row]);
        if queue.is_empty() {
            break;
        }
    }
    Ok(updates)
}

/// The labels that are known, with the classes that occur numbered from 0.
fn numbered(truth: &[usize], known: &[bool]) -> (Vec<Option<usize>>, usize) {
    let mut number = vec![None; truth.len()];
    let mut classes = 0;
    for (&class, _) in truth.iter().zip(known).filter(|(_, known)| **known) {
        if number[class].is_none() {
            number[class] = Some(classes);
            classes += 1;
        }
    }
    let label = |(&class, &known): (&usize, &bool)| number[class].filter(|_| known);
    (truth.iter().zip(known).map(label).collect(), classes)
}

/// What the sessions of a kind of pool gave.
#[derive(Default)]
struct Found {
    /// Labels and precision where the rule said enough; `None` if it never did.
    stops: Vec<Option<(f64, f64)>>,
    /// The same for the first update that reached the coverage.
    first: Vec<(f64, f64)>,
    /// For every prediction: whether the number was in its range, and how many times as many labels it took.
    predictions: Vec<(bool, f64)>,
}

impl Found {
    fn add(&mut self, updates: &[Update], rows: usize) {
        let share = |u: &Update| u.point.labels as f64 / rows as f64;
        let stop = updates.iter().find(|update| update.enough);
        self.stops.push(stop.map(|update| (share(update), update.precision)));
        let reached = updates.iter().find(|update| update.point.coverage >= GOAL.coverage);
        self.first.extend(reached.map(|update| (share(update), update.precision)));
        let Some(reached) = reached else { return };
        for update in updates.iter().take_while(|u| u.point.labels < reached.point.labels) {
            if let Some([expected, least, most]) = update.more {
                let took = reached.point.labels - update.point.labels;
                // The goal is only seen at the end of a batch.
                let inside = least < took + BATCH && took < most + BATCH;
                self.predictions.push((inside, took as f64 / expected.max(1) as f64));
            }
        }
    }

    fn print(&self, name: &str, kind: &str) {
        let stopped: Vec<(f64, f64)> = self.stops.iter().flatten().copied().collect();
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let percent = |values: Vec<f64>| match values.is_empty() {
            true => "–".to_owned(),
            false => format!("{:.1}", 100.0 * mean(&values)),
        };
        let precise: Vec<f64> = stopped.iter().map(|(_, precision)| *precision).collect();
        let target = GOAL.precision.unwrap_or(0.0);
        let share = |values: &[f64], at_least: f64| {
            percent(values.iter().map(|v| f64::from(u8::from(*v >= at_least))).collect())
        };
        let least = precise.iter().copied().fold(f64::INFINITY, f64::min);
        let mut ratio: Vec<f64> = self.predictions.iter().map(|(_, ratio)| *ratio).collect();
        ratio.sort_by(f64::total_cmp);
        let quantile = |q: f64| match ratio.len() {
            0 => "–".to_owned(),
            n => format!("{:.1}", ratio[((n - 1) as f64 * q).round() as usize]),
        };
        println!(
            "| {name} | {kind} | {} of {} | {} | {} | {} | {} | {} | {} | {} | {} | {} to {} |",
            stopped.len(),
            self.stops.len(),
            percent(stopped.iter().map(|(labels, _)| *labels).collect()),
            percent(precise.clone()),
            share(&precise, target),
            share(&precise, target - 0.03),
            percent(if precise.is_empty() { vec![] } else { vec![least] }),
            percent(self.first.iter().map(|(_, precision)| *precision).collect()),
            self.predictions.len(),
            percent(
                self.predictions.iter().map(|(inside, _)| f64::from(u8::from(*inside))).collect()
            ),
            quantile(0.1),
            quantile(0.9),
        );
    }
}

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let draws: u64 = args.first().and_then(|n| n.parse().ok()).unwrap_or(4);
    println!(
        "| features | pool | said enough | labels then | precision then | ≥ 90 | ≥ 87 | lowest | precision at the first update | predictions | in range | labels it took / predicted |\n|{}",
        "---|".repeat(12)
    );
    let tables = args.iter().skip(1).map(|file| {
        let name = Path::new(file).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok((name, TableFile::new(file).read()?))
    });
    let mut tables: Vec<(String, FeatureTable)> = tables.collect::<Result<_>>()?;
    if tables.is_empty() {
        for dataset in embedded::DATASETS {
            let table = embedded::load(dataset, Split::Validation)?.clone();
            tables.push((dataset.to_string(), table));
        }
    }
    for (name, table) in &tables {
        for (kind, long_tailed) in [("balanced", false), ("1:10", true)] {
            let mut found = Found::default();
            for seed in 0..draws {
                let pool = Pool::draw(table, long_tailed, seed);
                let updates = session(&pool)?;
                found.add(&updates, pool.truth.len());
            }
            found.print(name, kind);
        }
    }
    Ok(())
}
