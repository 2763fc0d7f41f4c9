//! Prints how long nearest neighbours take, and the share that is found:
//! `cargo run --release -p trustpath --example neighbors -- 1000000`, the argument being the largest number of points.
//!
//! The points are twenty clusters in 128 dimensions, each spread over 20 directions of its own, from long to short, and a
//! little over all.

use std::time::Instant;

use rayon::prelude::*;
use trustpath::neighbors::{Neighbors, Points, Search};
use trustpath::random::mix;

const DIMS: usize = 128;
const CLUSTERS: u64 = 20;
const DIRECTIONS: u64 = 20;
const NEIGHBORS: usize = 10;
/// Points up to which the exact search is timed.
const EXACT: usize = 100_000;

fn main() {
    let largest = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(100_000);
    println!("{:>9} {:>9} {:>9} {:>7}", "points", "exact s", "cells s", "recall");
    for n in [10_000, 30_000, 100_000, 300_000, 1_000_000] {
        if n <= largest {
            row(n);
        }
    }
}

fn row(n: usize) {
    let values = points(n);
    let points = Points::new(&values, n, DIMS).expect("points");
    let timed = |search| {
        let start = Instant::now();
        let graph = Neighbors::search(points, NEIGHBORS, search).expect("a graph");
        (start.elapsed().as_secs_f64(), graph)
    };
    let (cells, graph) = timed(Search::Auto);
    let exact = if n <= EXACT { format!("{:.2}", timed(Search::Exact).0) } else { String::new() };
    let recall = graph.recall().map_or("exact".into(), |recall| format!("{recall:.4}"));
    println!("{n:>9} {exact:>9} {cells:>9.2} {recall:>7}");
}

fn points(n: usize) -> Vec<f32> {
    let centres: Vec<f32> = (0..CLUSTERS * DIMS as u64).map(|at| normal(1, at)).collect();
    let directions: Vec<f32> = (0..CLUSTERS * DIRECTIONS * DIMS as u64).map(|at| normal(2, at)).collect();
    let mut values = vec![0.0; n * DIMS];
    values.par_chunks_exact_mut(DIMS).enumerate().for_each(|(i, row)| {
        let i = i as u64;
        let cluster = (mix(i) % CLUSTERS) as usize;
        for (j, value) in row.iter_mut().enumerate() {
            *value = centres[cluster * DIMS + j] + 0.1 * normal(3, i * DIMS as u64 + j as u64);
        }
        for (at, direction) in
            directions[cluster * DIRECTIONS as usize * DIMS..].chunks_exact(DIMS).take(DIRECTIONS as usize).enumerate()
        {
            let length = 0.5 * 0.93f32.powi(at as i32);
            let along = length * normal(4, i * DIRECTIONS + at as u64);
            row.iter_mut().zip(direction).for_each(|(value, d)| *value += along * d);
        }
    });
    values
}

/// A number of about normal distribution that is a function of the two: four uniform ones together.
fn normal(stream: u64, at: u64) -> f32 {
    let bits = mix(mix(stream) ^ at);
    let sum: f32 = (0..4).map(|part| ((bits >> (16 * part)) & 0xffff) as f32 / 65536.0 - 0.5).sum();
    sum * 3f32.sqrt()
}
