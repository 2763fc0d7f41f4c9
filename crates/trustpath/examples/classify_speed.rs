//! What the classifiers cost inside an episode: microseconds per training, warm, and per whole loop.
//!
//! The rounds are those of a balanced episode: 5 ways with 1 shot and 15 unlabelled instances per class, or with 5
//! shots and 50; each round adds 5 instances per class, and each training is followed by the probabilities of the
//! first 75 unlabelled instances. The Gram matrix is there before the clock starts.
//!
//! ```sh
//! cargo run --release --example classify_speed
//! ```

use std::time::Instant;

use trustpath::classify::Method;
use trustpath::{Features, Instances};

const WAYS: usize = 5;
const DIMS: usize = 512;
const STEP: usize = 5;
const EPISODES: u64 = 20;
const REPEATS: usize = 20;

/// Classes that overlap, with non-negative features as a network gives them; instance `i` is of class `i mod 5`.
fn episode(rows: usize, seed: u64) -> Instances {
    let mut state = seed;
    let mut uniform = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut feature = |sparsity: i32| uniform().powi(sparsity);
    let centers: Vec<f64> = (0..WAYS * DIMS).map(|_| feature(6)).collect();
    let mut values = Vec::with_capacity(rows * DIMS);
    for row in 0..rows {
        let center = &centers[row % WAYS * DIMS..][..DIMS];
        values.extend(center.iter().map(|center| 0.5 * center + feature(4)));
    }
    let features = Features::new(&values[..], rows, DIMS).expect("a matrix of finite numbers");
    features.normalize().expect("no zero row")
}

fn measure(method: Method, shots: usize, unlabelled: usize) {
    let rounds = unlabelled / STEP + 1;
    let (mut training, mut scoring) = (vec![0.0; rounds], 0.0);
    for seed in 0..EPISODES {
        let x = episode(WAYS * (shots + unlabelled), seed);
        x.gram();
        let rows: Vec<usize> = (0..x.len()).collect();
        let labels: Vec<usize> = rows.iter().map(|row| row % WAYS).collect();
        let query = &rows[WAYS * shots..][..75];
        let mut best = vec![f64::INFINITY; rounds];
        let mut best_scoring = f64::INFINITY;
        for _ in 0..REPEATS {
            let mut trainer = method.build().trainer(&x, WAYS);
            let mut scoring = 0.0;
            for (round, best) in best.iter_mut().enumerate() {
                let n = WAYS * (shots + STEP * round);
                let start = Instant::now();
                trainer.train(&rows[..n], &labels[..n]).expect("a solvable problem");
                *best = best.min(start.elapsed().as_secs_f64() * 1e6);
                let start = Instant::now();
                std::hint::black_box(trainer.probabilities(query));
                scoring += start.elapsed().as_secs_f64() * 1e6;
            }
            best_scoring = best_scoring.min(scoring);
        }
        training.iter_mut().zip(&best).for_each(|(sum, best)| *sum += best / EPISODES as f64);
        scoring += best_scoring / EPISODES as f64;
    }
    let whole = training.iter().sum::<f64>() + scoring;
    println!(
        "{method}, {shots} shots: {whole:.0} µs a loop, {scoring:.0} of them for probabilities"
    );
    for (round, time) in training.iter().enumerate() {
        println!("  {:>4} samples: {time:>6.1} µs", WAYS * (shots + STEP * round));
    }
}

fn main() {
    for method in Method::ALL {
        measure(method, 1, 15);
        measure(method, 5, 50);
    }
}
