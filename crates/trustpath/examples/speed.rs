//! Prints how long whole episodes and paths take on one thread: `cargo run --release -p trustpath --example speed`;
//! with `-- paths 2`, the large paths alone on two threads.
//!
//! The features are random class clusters of the given size; what they are hardly matters to the time. Each figure is
//! the smallest over several runs.

use std::time::Instant;

use trustpath::classify::{Classify, LogisticParams};
use trustpath::incidental::{IciCParams, IciRParams, Incidental, Keep};
use trustpath::reduce::{Reduce, lle::Lle};
use trustpath::select::{Credibility, Rule};
use trustpath::{Features, Matrix, SelfTaught, SelfTaughtParams, Task};

const CLASSES: usize = 5;
const DIMS: usize = 512;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let paths_alone = arguments.next().as_deref() == Some("paths");
    let threads = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(1);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("a pool of threads").install(|| {
        if !paths_alone {
            episodes();
        }
        paths();
    });
}

fn episodes() {
    println!("{:<28} {:>9} {:>5} {:>3} {:>6} {:>12}", "case", "n", "D", "c", "rounds", "ms");
    // Support, unlabeled and query instances of each class, and the cap on what is taken in.
    let settings = [
        ("1shot-transductive", 1, 15, 0, None),
        ("5shot-transductive", 5, 15, 0, None),
        ("1shot-semi30", 1, 30, 15, Some(25)),
        ("5shot-semi50", 5, 50, 15, Some(45)),
    ];
    for (setting, shot, unlabeled, query, cap) in settings {
        for model in ["icir", "icic"] {
            let counts = [shot * CLASSES, unlabeled * CLASSES, query * CLASSES];
            episode(&format!("{model}-{setting}"), model, counts, cap);
        }
    }
    println!();
    stages("icir-1shot-transductive", [5, 75, 0], None);
    stages("icir-5shot-semi50", [25, 250, 75], Some(45));
    println!();
}

fn paths() {
    println!("{:<28} {:>9} {:>5} {:>3} {:>19}", "case", "n", "d", "c", "ms");
    for n in [1_000, 10_000, 100_000, 1_000_000] {
        path(n, 10);
    }
}

fn model(name: &str) -> Box<dyn Incidental> {
    match name {
        "icir" => Box::new(IciRParams::default().check().expect("defaults are valid")),
        _ => Box::new(IciCParams::default().check().expect("defaults are valid")),
    }
}

fn learner(model_name: &str, cap: Option<usize>) -> SelfTaught {
    SelfTaught::new(
        Box::new(Lle::default().check().expect("defaults are valid")),
        Box::new(LogisticParams::default().check().expect("defaults are valid")),
        Box::new(Credibility { model: model(model_name), rule: Rule::Continuous }),
        SelfTaughtParams { cap, ..Default::default() },
    )
    .expect("defaults are valid")
}

fn support(labelled: usize) -> Vec<usize> {
    (0..labelled).map(|i| i % CLASSES).collect()
}

/// A whole self-training loop, from raw features on.
fn episode(name: &str, model_name: &str, counts: [usize; 3], cap: Option<usize>) {
    let rows = counts.iter().sum();
    let labels = support(counts[0]);
    let learner = learner(model_name, cap);
    let (mut total, mut rounds) = (0.0, 0);
    let episodes = 20;
    for seed in 0..episodes {
        let raw = clusters(rows, DIMS, CLASSES, seed);
        total += fastest(5, || {
            let features = Features::new(&raw[..], rows, DIMS).expect("finite");
            let instances = features.normalize().expect("not zero");
            let task = Task {
                instances: &instances,
                labels: &labels,
                unlabeled: counts[1],
                classes: CLASSES,
                truth: None,
            };
            rounds = learner.run(&task).expect("a regular episode").rounds.len();
        });
    }
    let n = counts[0] + counts[1];
    let milliseconds = 1e3 * total / episodes as f64;
    println!("{name:<28} {n:>9} {DIMS:>5} {CLASSES:>3} {rounds:>6} {milliseconds:>12.3}");
}

/// The same loop taken apart: each stage replayed on what the loop gave it, averaged over episodes.
fn stages(name: &str, counts: [usize; 3], cap: Option<usize>) {
    let rows: usize = counts.iter().sum();
    let (labelled, pool) = (counts[0], counts[0] + counts[1]);
    let labels = support(labelled);
    let learner = learner("icir", cap);
    let lle = Lle::default().check().expect("defaults are valid");
    let logistic = LogisticParams::default().check().expect("defaults are valid");
    let icir = IciRParams::default().check().expect("defaults are valid");
    let mut milliseconds = [0.0; 5];
    let episodes = 20;
    for seed in 0..episodes {
        let raw = clusters(rows, DIMS, CLASSES, seed);
        let features = Features::new(&raw[..], rows, DIMS).expect("finite");
        let instances = features.normalize().expect("not zero");
        let task = Task {
            instances: &instances,
            labels: &labels,
            unlabeled: counts[1],
            classes: CLASSES,
            truth: None,
        };
        let rounds = learner.run(&task).expect("a regular episode").rounds;
        let embedding = lle.reduce(&instances, pool).expect("enough instances");
        let wanted: Vec<usize> = (labelled..rows).collect();
        let times = [
            fastest(5, || {
                Features::new(&raw[..], rows, DIMS).and_then(|f| f.normalize()).expect("finite");
            }),
            fastest(5, || {
                features.normalize().expect("not zero").gram();
            }),
            fastest(5, || {
                lle.reduce(&instances, pool).expect("enough instances");
            }),
            fastest(5, || {
                let mut trainer = logistic.trainer(&instances, CLASSES);
                let mut taken: Vec<usize> = (0..labelled).collect();
                trainer.train(&taken, &labels).expect("regular");
                trainer.probabilities(&wanted);
                for round in &rounds {
                    taken.extend(&round.selected);
                    let label = |&row: &usize| match row.checked_sub(labelled) {
                        Some(at) => round.pseudo_labels[at],
                        None => labels[row],
                    };
                    let now: Vec<usize> = taken.iter().map(label).collect();
                    trainer.train(&taken, &now).expect("regular");
                    trainer.probabilities(&wanted);
                }
            }),
            fastest(5, || {
                let mut ranker = icir.ranker(&embedding.x, CLASSES);
                let mut open: Vec<usize> = (labelled..pool).collect();
                for round in &rounds {
                    let mut now = labels.clone();
                    now.extend(&round.pseudo_labels);
                    ranker.most_credible(&now, &open, &[5; CLASSES]).expect("regular");
                    open.retain(|row| !round.selected.contains(row));
                }
            }),
        ];
        for (sum, time) in milliseconds.iter_mut().zip(times) {
            *sum += 1e3 * time / episodes as f64;
        }
    }
    // The Gram matrix was timed with a fresh normalisation before it.
    milliseconds[1] -= milliseconds[0];
    let names = ["normalise", "Gram matrix", "LLE", "classifier", "ranking"];
    let total: f64 = milliseconds.iter().sum();
    println!("{name}, stage by stage");
    for (stage, time) in names.iter().zip(milliseconds) {
        println!("  {stage:<14} {time:>8.3} ms {:>4.0} %", 100.0 * time / total);
    }
}

/// The ICI-R path alone: 100 λ, five coordinates.
fn path(n: usize, classes: usize) {
    let d = 5;
    let raw = clusters(n, d, classes, 1);
    let x = Matrix::from_fn(n, d, |i, j| f64::from(raw[i * d + j]));
    // One label in ten is wrong.
    let labels: Vec<usize> =
        (0..n).map(|i| if i % 10 == 3 { i / 10 % classes } else { i % classes }).collect();
    let icir = IciRParams::default().check().expect("defaults are valid");
    let best = fastest(if n > 100_000 { 1 } else { 3 }, || {
        icir.path(&x, &labels, classes, Keep::default()).expect("a regular path");
    });
    println!(
        "{:<28} {n:>9} {d:>5} {classes:>3} {:>6} {:>12.1}",
        format!("icir-path-n{n}"),
        "",
        1e3 * best
    );
}

fn fastest(runs: usize, mut work: impl FnMut()) -> f64 {
    (0..runs)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64()
        })
        .fold(f64::INFINITY, f64::min)
}

/// Instance `i` belongs to class `i mod classes`: a common mean, a class mean, and noise, all from one generator.
fn clusters(rows: usize, dims: usize, classes: usize, seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678;
    let mut normal = || {
        // The sum of twelve uniform numbers is close enough to normal here.
        (0..12)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 40) as f32 / (1u32 << 24) as f32
            })
            .sum::<f32>()
            - 6.0
    };
    let common: Vec<f32> = (0..dims).map(|_| normal()).collect();
    let means: Vec<f32> = (0..classes * dims).map(|_| normal()).collect();
    (0..rows * dims)
        .map(|at| {
            let (i, j) = (at / dims, at % dims);
            common[j] + 0.6 * means[i % classes * dims + j] + 1.2 * normal()
        })
        .collect()
}
