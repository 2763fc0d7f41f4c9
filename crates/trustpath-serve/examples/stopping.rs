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
use trustpath::represent::Represented;
use trustpath::spec::LabelSpec;
use trustpath::{Features, NoObserver, Origin};
use trustpath_bench::{FeatureTable, Random, Result, Split, embedded};
use trustpath_serve::progress::{Goal, Outlook, ProgressPoint, outlook};
use trustpath_table::TableFile;

const CLASSES: usize = 20;
const PER_CLASS: usize = 60;
const BATCH: usize = 10;
/// Questions per update, as the command asks for them.
const AHEAD: usize = 4;
const GOAL: Goal = Goal { coverage: 0.9, precision: Some(0.9), apart: BATCH };

/// A pool whose labels somebody knows.
struct SimulatedPool {
    values: Vec<f32>,
    dims: usize,
    truth: Vec<usize>,
}

impl SimulatedPool {
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
    point: ProgressPoint,
    outlook: Outlook,
    /// The share of the trusted labels that are right.
    precision: f64,
}

fn session(pool: &SimulatedPool) -> Result<Vec<Update>> {
    let rows = pool.truth.len();
    let features = Features::new(&pool.values[..], rows, pool.dims)?;
    let spec = LabelSpec { suggest: AHEAD * BATCH, precision: GOAL.precision, ..LabelSpec::default() };
    let represented = Represented::of(&features, &mut NoObserver)?;
    let chosen = |row| (row, Origin::Chosen);
    let mut queue: Vec<(usize, Origin)> = represented.label_first(spec.suggest).into_iter().map(chosen).collect();
    let (mut known, mut origins) = (vec![false; rows], vec![Origin::Unknown; rows]);
    let (mut points, mut updates) = (Vec::<ProgressPoint>::new(), Vec::<Update>::new());
    let mut after = 0;
    // A pool of one class cannot be labelled.
    while after < 2 && !queue.is_empty() && points.last().is_none_or(|p| p.labels + BATCH <= rows) {
        let batch = BATCH.min(queue.len());
        queue[..batch].iter().for_each(|&(row, origin)| (known[row], origins[row]) = (true, origin));
        let (labels, names) = numbered(&pool.truth, &known);
        if names.len() < 2 {
            queue.drain(..batch);
            continue;
        }
        let asked = label(&features, &labels).origins(&origins).classes(names.len());
        let labelling = asked.spec(&spec).on(&represented).run()?;
        let trusted = &labelling.trusted.rows;
        let right = |row: &&usize| labelling.labels[**row].map(|label| names[label]) == Some(pool.truth[**row]);
        let point = ProgressPoint::new(known.iter().filter(|&&known| known).count(), &labelling);
        points.push(point);
        let outlook = outlook(&points, GOAL, rows);
        after += usize::from(outlook.enough);
        let precision = trusted.iter().filter(right).count() as f64 / trusted.len() as f64;
        updates.push(Update { point, outlook, precision });
        let p = &labelling.probability;
        let mut rest: Vec<usize> = (0..rows).collect();
        rest.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
        let suggested = labelling.suggestions.iter().map(|next| (next.row, next.origin));
        queue = suggested.chain(rest.into_iter().map(chosen)).collect();
        queue.retain(|(row, _)| !known[*row]);
    }
    Ok(updates)
}

/// The labels that are known, with the classes that occur numbered from 0, and the class of each number.
fn numbered(truth: &[usize], known: &[bool]) -> (Vec<Option<usize>>, Vec<usize>) {
    let mut names = Vec::new();
    for (&class, _) in truth.iter().zip(known).filter(|(_, known)| **known) {
        if !names.contains(&class) {
            names.push(class);
        }
    }
    let label = |(class, &known): (&usize, &bool)| names.iter().position(|name| name == class).filter(|_| known);
    (truth.iter().zip(known).map(label).collect(), names)
}

/// What the sessions of a kind of pool gave.
#[derive(Default)]
struct SessionOutcomes {
    /// Labels and precision where the rule said enough; `None` if it never did.
    stops: Vec<Option<(f64, f64)>>,
    /// The precision at the first update that reached the coverage.
    first: Vec<f64>,
    /// For every prediction: whether the number was in its range, and how many times as many labels it took.
    predictions: Vec<(bool, f64)>,
}

impl SessionOutcomes {
    fn add(&mut self, updates: &[Update], rows: usize) {
        let stop = updates.iter().find(|update| update.outlook.enough);
        self.stops.push(stop.map(|update| (update.point.labels as f64 / rows as f64, update.precision)));
        let Some(reached) = updates.iter().find(|update| update.point.coverage >= GOAL.coverage) else { return };
        self.first.extend(Some(reached.precision).filter(|precision| !precision.is_nan()));
        for update in updates.iter().take_while(|u| u.point.labels < reached.point.labels) {
            if let Some([expected, least, most]) = update.outlook.more {
                let took = reached.point.labels - update.point.labels;
                // The goal is only seen at the end of a batch.
                let inside = least < took + BATCH && took < most + BATCH;
                self.predictions.push((inside, took as f64 / expected.max(1) as f64));
            }
        }
    }

    fn print(&self, name: &str, kind: &str) {
        let (labels, mut precise): (Vec<f64>, Vec<f64>) = self.stops.iter().flatten().copied().unzip();
        // Some sessions end because everything is labelled, and trust nothing.
        precise.retain(|precision| !precision.is_nan());
        let target = GOAL.precision.unwrap_or(0.0);
        let least = precise.iter().copied().reduce(f64::min);
        let mut ratio: Vec<f64> = self.predictions.iter().map(|(_, ratio)| *ratio).collect();
        ratio.sort_by(f64::total_cmp);
        let quantile = |q: f64| match ratio.len() {
            0 => "–".to_owned(),
            n => format!("{:.1}", ratio[((n - 1) as f64 * q).round() as usize]),
        };
        println!(
            "| {name} | {kind} | {} of {} | {} | {} | {} | {} | {} | {} | {} | {} | {} to {} |",
            labels.len(),
            self.stops.len(),
            percent(labels),
            percent(precise.iter().copied()),
            percent(precise.iter().map(|p| share(*p >= target))),
            percent(precise.iter().map(|p| share(*p >= target - 0.03))),
            percent(least),
            percent(self.first.iter().copied()),
            self.predictions.len(),
            percent(self.predictions.iter().map(|(inside, _)| share(*inside))),
            quantile(0.1),
            quantile(0.9),
        );
    }
}

fn share(is: bool) -> f64 {
    f64::from(u8::from(is))
}

/// The mean of some shares in percent.
fn percent(shares: impl IntoIterator<Item = f64>) -> String {
    let shares: Vec<f64> = shares.into_iter().collect();
    if shares.is_empty() {
        return "–".to_owned();
    }
    format!("{:.1}", 100.0 * shares.iter().sum::<f64>() / shares.len() as f64)
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
            let mut outcomes = SessionOutcomes::default();
            for seed in 0..draws {
                let pool = SimulatedPool::draw(table, long_tailed, seed);
                let updates = session(&pool)?;
                outcomes.add(&updates, pool.truth.len());
            }
            outcomes.print(name, kind);
        }
    }
    Ok(())
}
