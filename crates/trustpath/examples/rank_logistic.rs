//! How long one ICI-C ranking takes on the golden cases and on a larger made-up one.
//!
//! `cargo run --release --example rank_logistic`

#[allow(dead_code)]
#[path = "../tests/common/mod.rs"]
mod common;

use std::time::Instant;

use common::Case;
use trustpath::incidental::Incidental;
use trustpath::incidental::logistic::{IciCParams, Penalty, Scaling};
use trustpath::{Matrix, Result};

fn main() -> Result<()> {
    for name in ["t1_seed1", "t1_seed2", "t1_seed3", "t5_seed1", "s30_seed1", "s30_seed2"] {
        let case = Case::open(name);
        let x = case.array("X_lle");
        let x = Matrix::from_vec(x.shape[0], x.shape[1], x.values)?;
        report(name, &x, &case.first_labels())?;
    }
    let (x, labels) = clusters(275, 5, 5);
    report("made up", &x, &labels)
}

fn report(name: &str, x: &Matrix, labels: &[usize]) -> Result<()> {
    for penalty in [Penalty::Ungrouped, Penalty::Grouped] {
        for scaling in [Scaling::Glmnet, Scaling::Paper] {
            let model = IciCParams { penalty, scaling, ..Default::default() }.check()?;
            let mut ranker = model.ranker(x, 5);
            let mut best = f64::INFINITY;
            for _ in 0..30 {
                let start = Instant::now();
                ranker.vanish(labels)?;
                best = best.min(start.elapsed().as_secs_f64());
            }
            let n = labels.len();
            println!("{name:>10} n={n:<4} {penalty:?}/{scaling:?}: {:.3} ms", 1e3 * best);
        }
    }
    Ok(())
}

/// Overlapping clusters with one label in ten wrong, columns orthonormal like those of an embedding.
fn clusters(n: usize, d: usize, c: usize) -> (Matrix, Vec<usize>) {
    let mut state = 7_u64;
    let mut uniform = move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut normal = move || (0..12).map(|_| uniform()).sum::<f64>() - 6.0;
    let mut labels: Vec<usize> = (0..n).map(|i| i % c).collect();
    let mut x = Matrix::from_fn(n, d, |i, j| 0.5 * normal() + if i % c == j { 1.0 } else { 0.0 });
    for j in 0..d {
        for h in 0..j {
            let dot: f64 = (0..n).map(|i| x[(i, j)] * x[(i, h)]).sum();
            (0..n).for_each(|i| x[(i, j)] -= dot * x[(i, h)]);
        }
        let norm = (0..n).map(|i| x[(i, j)] * x[(i, j)]).sum::<f64>().sqrt();
        (0..n).for_each(|i| x[(i, j)] /= norm);
    }
    for i in (0..n).step_by(10) {
        labels[i] = (labels[i] + 1) % c;
    }
    (x, labels)
}
