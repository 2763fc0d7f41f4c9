//! How good the labels of a whole pool are, and how far its trusted ones can be trusted: all classes of an embedded
//! dataset at once, all labels but a few a class hidden.
//!
//! ```sh
//! cargo run --release -p trustpath-episodes --example label_quality -- novel 5
//! ```

use std::time::Instant;

use trustpath::classify::Method;
use trustpath::label::{LabelParams, Trust, Unwatched, Verdict, label};
use trustpath::{Features, Result};
use trustpath_episodes::{FeatureTable, Random, Split, embedded};

fn main() {
    let mut args = std::env::args().skip(1);
    let split = match args.next().as_deref() {
        Some("validation") => Split::Validation,
        _ => Split::Novel,
    };
    let seeds: u64 = args.next().and_then(|n| n.parse().ok()).unwrap_or(3);
    println!(
        "accuracy on the unlabeled in %, means over {seeds} draws of the given labels; trusted: credibility ≥ ½, and"
    );
    println!(
        "at a target precision of 0.9: its coverage, its true precision, and the draws that could promise it\n"
    );
    println!(
        "{:9} {:6} {:8} {:>6} {:>6} | {:>8} {:>9} {:>9} | {:>8} {:>9} {:>5} | {:>6} {:>6}",
        "dataset",
        "labels",
        "pool",
        "plain",
        "label",
        "coverage",
        "precision",
        "estimate",
        "cov 0.9",
        "prec 0.9",
        "draws",
        "none",
        "s"
    );
    for dataset in ["cifar-fs", "cub"] {
        let table = embedded::load(dataset, split).expect("embedded");
        for labels in [1, 5, 20] {
            for tail in [false, true] {
                let runs: Vec<Row> =
                    (0..seeds).map(|seed| run(table, labels, tail, seed).expect("a run")).collect();
                let mean = |f: &dyn Fn(&Row) -> f64| runs.iter().map(f).sum::<f64>() / seeds as f64;
                let promised: Vec<&Row> = runs.iter().filter(|r| r.promised.1 > 0.0).collect();
                let of = |f: &dyn Fn(&Row) -> f64| {
                    promised.iter().map(|r| f(r)).sum::<f64>() / promised.len() as f64
                };
                println!(
                    "{dataset:9} {labels:6} {:8} {:6.2} {:6.2} | {:8.1} {:9.1} {:9.1} | {:8.1} {:9.1} {:5} | {:6.1} {:6.2}",
                    if tail { "1:10" } else { "balanced" },
                    mean(&|r| r.plain),
                    mean(&|r| r.label),
                    mean(&|r| r.trusted.0),
                    mean(&|r| r.trusted.1),
                    mean(&|r| r.estimate),
                    of(&|r| r.promised.0),
                    of(&|r| r.promised.1),
                    promised.len(),
                    mean(&|r| r.none),
                    mean(&|r| r.seconds),
                );
            }
        }
    }
}

/// Percentages.
struct Row {
    plain: f64,
    label: f64,
    /// Coverage and precision of the trusted set.
    trusted: (f64, f64),
    estimate: f64,
    /// The same at a target precision; zeros where it could not be promised.
    promised: (f64, f64),
    none: f64,
    seconds: f64,
}

fn run(table: &FeatureTable, per_class: usize, tail: bool, seed: u64) -> Result<Row> {
    let classes = table.class_names().len();
    let (rows, truth, given) = draw(table, per_class, tail, seed);
    let values = table.gather(&rows);
    let features = Features::new(&values[..], rows.len(), table.dims())?;
    let open: Vec<usize> = (0..rows.len()).filter(|&i| given[i].is_none()).collect();

    let instances = features.normalize()?;
    let classifier = Method::Logistic.build();
    let mut trainer = classifier.trainer(&instances, classes);
    let labelled: Vec<usize> = (0..rows.len()).filter(|&i| given[i].is_some()).collect();
    trainer.train(&labelled, &labelled.iter().map(|&i| truth[i]).collect::<Vec<_>>())?;
    let p = trainer.probabilities(&open);
    let right = open.iter().enumerate().filter(|(at, i)| {
        let row = p.row(*at);
        (0..classes).all(|k| row[k] <= row[truth[**i]])
    });
    let percent = |part: usize, all: usize| 100.0 * part as f64 / all.max(1) as f64;
    let plain = percent(right.count(), open.len());

    let start = Instant::now();
    let found = label(
        &features,
        &given,
        classes,
        &LabelParams { seed, ..Default::default() },
        &mut Unwatched,
    )?;
    let seconds = start.elapsed().as_secs_f64();
    let judge = |verdicts: &[Verdict], labels: &[Option<usize>]| {
        let trusted: Vec<usize> =
            open.iter().copied().filter(|&i| verdicts[i] == Verdict::Trusted).collect();
        let right = trusted.iter().filter(|&&i| labels[i] == Some(truth[i])).count();
        (percent(trusted.len(), open.len()), percent(right, trusted.len()))
    };
    let right = open.iter().filter(|&&i| found.labels[i] == Some(truth[i])).count();
    let params = LabelParams { seed, trust: Trust::Precision(0.9), ..Default::default() };
    let promised = label(&features, &given, classes, &params, &mut Unwatched)?;
    Ok(Row {
        plain,
        label: percent(right, open.len()),
        trusted: judge(&found.verdicts, &found.labels),
        estimate: found.trusted.estimate.map_or(f64::NAN, |(precision, _)| 100.0 * precision),
        promised: judge(&promised.verdicts, &promised.labels),
        none: percent(
            open.iter().filter(|&&i| found.verdicts[i] == Verdict::NoneOfThese).count(),
            open.len(),
        ),
        seconds,
    })
}

/// Rows of the pool, their classes, and the labels that are given.
fn draw(
    table: &FeatureTable,
    per_class: usize,
    tail: bool,
    seed: u64,
) -> (Vec<usize>, Vec<usize>, Vec<Option<usize>>) {
    let mut random = Random::stream(seed, per_class as u64);
    let classes = table.class_names().len();
    let mut order: Vec<usize> = (0..classes).collect();
    random.shuffle(&mut order);
    let (mut rows, mut truth, mut given) = (Vec::new(), Vec::new(), Vec::new());
    for (rank, &class) in order.iter().enumerate() {
        let mut members = table.members()[class].clone();
        random.shuffle(&mut members);
        let share = if tail { 0.1f64.powf(rank as f64 / (classes - 1) as f64) } else { 1.0 };
        let open = ((members.len() - per_class) as f64 * share).round().max(1.0) as usize;
        for (at, &row) in members[..per_class + open].iter().enumerate() {
            rows.push(row);
            truth.push(class);
            given.push((at < per_class).then_some(class));
        }
    }
    (rows, truth, given)
}
