//! Prints how long episodes and paths take on one thread: `cargo run --release -p trustpath-bench --example speed`. With
//! `-- parts`, only each reduction, classifier and path of one episode; with `-- paths 2`, only the large paths, on two
//! threads.
//!
//! The features are random class clusters; the time hardly depends on them. Each figure is the minimum of several runs.

use std::time::Instant;

use trustpath::classify::{Classify, LogisticParams};
use trustpath::incidental::{IciRParams, Incidental, Keep};
use trustpath::{Features, Instances, Matrix, Result, Task};
use trustpath_bench::classifiers::ClassifierKind;
use trustpath_bench::reduce::{DEFAULT_D, DEFAULT_NEIGHBORS, Lle, Reduce, ReductionKind};
use trustpath_bench::{IncidentalKind, SelfTrainingSpec};

const CLASSES: usize = 5;
const DIMS: usize = 512;
const EPISODES: u64 = 20;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let part = arguments.next().unwrap_or_default();
    let threads = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(1);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("a pool of threads").install(|| match part.as_str() {
        "parts" => parts(),
        "paths" => paths(),
        _ => episodes().and_then(|()| paths()),
    })
}

fn episodes() -> Result<()> {
    println!("{:<28} {:>9} {:>5} {:>3} {:>6} {:>12}", "case", "n", "D", "c", "rounds", "ms");
    // Support, unlabeled and query instances per class, and the cap on accepted instances.
    let settings = [
        ("1shot-transductive", [1, 15, 0], None),
        ("5shot-transductive", [5, 15, 0], None),
        ("1shot-semi30", [1, 30, 15], Some(25)),
        ("5shot-semi50", [5, 50, 15], Some(45)),
    ];
    for (setting, counts, cap) in settings {
        for model in IncidentalKind::ALL {
            episode(setting, model, counts.map(|count| count * CLASSES), cap)?;
        }
    }
    println!();
    stages("icir-1shot-transductive", [5, 75, 0], None)?;
    stages("icir-5shot-semi50", [25, 250, 75], Some(45))?;
    println!();
    Ok(())
}

/// The labelled instances, which come first, of a task with these instances.
fn task<'a>(instances: &'a Instances, labels: &'a [usize], unlabeled: usize) -> Task<'a> {
    Task { instances, labels, unlabeled, classes: CLASSES, truth: None }
}

fn labels_of(rows: usize) -> Vec<usize> {
    (0..rows).map(|i| i % CLASSES).collect()
}

/// An entire self-training loop, starting from raw features.
fn episode(setting: &str, model: IncidentalKind, counts: [usize; 3], cap: Option<usize>) -> Result<()> {
    let name = format!("{model}-{setting}");
    let (rows, labels) = (counts.iter().sum(), labels_of(counts[0]));
    let learner = SelfTrainingSpec { model, cap, ..SelfTrainingSpec::default() }.build()?;
    let (mut total, mut rounds) = (0.0, 0);
    for seed in 0..EPISODES {
        let raw = clusters(rows, DIMS, CLASSES, seed);
        total += fastest(5, || {
            let instances = Features::new(&raw[..], rows, DIMS)?.normalize()?;
            rounds = learner.run(&task(&instances, &labels, counts[1]))?.rounds.len();
            Ok(())
        })?;
    }
    let n = counts[0] + counts[1];
    let milliseconds = total / EPISODES as f64;
    println!("{name:<28} {n:>9} {DIMS:>5} {CLASSES:>3} {rounds:>6} {milliseconds:>12.3}");
    Ok(())
}

/// The same loop in parts: each stage repeated on the input it has in the loop, averaged over episodes.
fn stages(name: &str, counts: [usize; 3], cap: Option<usize>) -> Result<()> {
    let rows: usize = counts.iter().sum();
    let (labelled, pool) = (counts[0], counts[0] + counts[1]);
    let labels = labels_of(labelled);
    let icir = IciRParams::default().check()?;
    let learner = SelfTrainingSpec { cap, ..SelfTrainingSpec::default() }.build()?;
    let lle = Lle::default();
    let logistic = LogisticParams::default().check()?;
    let mut milliseconds = [0.0; 5];
    for seed in 0..EPISODES {
        let raw = clusters(rows, DIMS, CLASSES, seed);
        let features = Features::new(&raw[..], rows, DIMS)?;
        let instances = features.normalize()?;
        let rounds = learner.run(&task(&instances, &labels, counts[1]))?.rounds;
        let embedding = lle.reduce(&instances, pool)?;
        let wanted: Vec<usize> = (labelled..rows).collect();
        let times = [
            fastest(5, || Features::new(&raw[..], rows, DIMS)?.normalize().map(drop))?,
            fastest(5, || {
                features.normalize()?.gram();
                Ok(())
            })?,
            fastest(5, || lle.reduce(&instances, pool).map(drop))?,
            fastest(5, || {
                let mut trainer = logistic.trainer(&instances, CLASSES);
                let mut taken: Vec<usize> = (0..labelled).collect();
                trainer.train(&taken, &labels)?;
                trainer.probabilities(&wanted);
                for round in &rounds {
                    taken.extend(&round.selected);
                    let label = |&row: &usize| match row.checked_sub(labelled) {
                        Some(at) => round.pseudo_labels[at],
                        None => labels[row],
                    };
                    let now: Vec<usize> = taken.iter().map(label).collect();
                    trainer.train(&taken, &now)?;
                    trainer.probabilities(&wanted);
                }
                Ok(())
            })?,
            fastest(5, || {
                let mut ranker = icir.ranker(&embedding.x, CLASSES);
                let mut open: Vec<usize> = (labelled..pool).collect();
                for round in &rounds {
                    let now = [&labels[..], &round.pseudo_labels].concat();
                    ranker.most_credible(&now, &open, &[5; CLASSES])?;
                    open.retain(|row| !round.selected.contains(row));
                }
                Ok(())
            })?,
        ];
        for (sum, time) in milliseconds.iter_mut().zip(times) {
            *sum += time / EPISODES as f64;
        }
    }
    // The Gram matrix was timed together with a normalisation.
    milliseconds[1] -= milliseconds[0];
    let names = ["normalise", "Gram matrix", "LLE", "classifier", "ranking"];
    let total: f64 = milliseconds.iter().sum();
    println!("{name}, stage by stage");
    for (stage, time) in names.iter().zip(milliseconds) {
        println!("  {stage:<14} {time:>8.3} ms {:>4.0} %", 100.0 * time / total);
    }
    Ok(())
}

/// Every reduction, classifier and path on one episode: 5-way 1-shot transductive, n = 80, D = 512.
fn parts() -> Result<()> {
    let (rows, labels) = (80, labels_of(80));
    let raw = clusters(rows, DIMS, CLASSES, 1);
    let instances = Features::new(&raw[..], rows, DIMS)?.normalize()?;
    let print = |name: String, time: f64| println!("{name:<28} {time:>12.3} ms");
    for method in ReductionKind::ALL.into_iter().filter(|&m| m != ReductionKind::Identity) {
        let reduction = method.build(DEFAULT_D, DEFAULT_NEIGHBORS)?;
        let time = fastest(20, || reduction.reduce(&instances, rows).map(drop))?;
        print(format!("reduce-{method}"), time);
    }
    let all: Vec<usize> = (0..rows).collect();
    for method in ClassifierKind::ALL {
        let classifier = method.build();
        let time = fastest(20, || classifier.trainer(&instances, CLASSES).train(&all, &labels))?;
        print(format!("classify-{method}"), time);
    }
    let x = Lle::default().reduce(&instances, rows)?.x;
    for model in IncidentalKind::ALL {
        let path = SelfTrainingSpec { model, ..SelfTrainingSpec::default() }.incidental()?;
        let time = fastest(20, || path.path(&x, &labels, CLASSES, Keep::default()).map(drop))?;
        print(format!("path-{model}"), time);
    }
    Ok(())
}

/// The ICI-R path alone: 100 λ, five coordinates, ten classes.
fn paths() -> Result<()> {
    println!("{:<28} {:>9} {:>5} {:>3} {:>19}", "case", "n", "d", "c", "ms");
    let (d, classes) = (5, 10);
    let icir = IciRParams::default().check()?;
    for n in [1_000, 10_000, 100_000, 1_000_000] {
        let raw = clusters(n, d, classes, 1);
        let x = Matrix::from_fn(n, d, |i, j| f64::from(raw[i * d + j]));
        // One label in ten is wrong.
        let labels: Vec<usize> = (0..n).map(|i| if i % 10 == 3 { i / 10 % classes } else { i % classes }).collect();
        let runs = if n > 100_000 { 1 } else { 3 };
        let best = fastest(runs, || icir.path(&x, &labels, classes, Keep::default()).map(drop))?;
        println!("{:<28} {n:>9} {d:>5} {classes:>3} {best:>19.1}", format!("icir-path-n{n}"));
    }
    Ok(())
}

/// The minimum over several runs, in milliseconds.
fn fastest(runs: usize, mut work: impl FnMut() -> Result<()>) -> Result<f64> {
    let mut best = f64::INFINITY;
    for _ in 0..runs {
        let start = Instant::now();
        work()?;
        best = best.min(1e3 * start.elapsed().as_secs_f64());
    }
    Ok(best)
}

/// Instance `i` belongs to class `i mod classes`: a common mean, a class mean, and noise, all from one generator.
fn clusters(rows: usize, dims: usize, classes: usize, seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678;
    let mut uniform = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 40) as f32 / (1u32 << 24) as f32
    };
    // The sum of twelve uniform numbers is close enough to normal here.
    let mut normal = || (0..12).map(|_| uniform()).sum::<f32>() - 6.0;
    let common: Vec<f32> = (0..dims).map(|_| normal()).collect();
    let means: Vec<f32> = (0..classes * dims).map(|_| normal()).collect();
    (0..rows * dims)
        .map(|at| {
            let (i, j) = (at / dims, at % dims);
            common[j] + 0.6 * means[i % classes * dims + j] + 1.2 * normal()
        })
        .collect()
}
