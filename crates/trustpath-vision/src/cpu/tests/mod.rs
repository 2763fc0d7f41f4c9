//! What the tests of the engine share: weights and images by the formula of tests/golden/make.py.

mod encoder;
mod networks;
mod operations;
mod transformers;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use trustpath::random::mix;

use super::Engine;
use crate::backbone::Backbone;
use crate::network::Network;
use crate::weights::{NetworkWeights, Parameter};

/// What PyTorch computed.
fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

/// Numbers in −0.5 … 0.5.
fn noise(count: usize, seed: usize) -> impl Iterator<Item = f64> {
    (0..count as u64).map(move |i| {
        let z = (i + seed as u64 * 1_000_003).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mix(z) >> 40) as f64 / f64::from(1 << 24) - 0.5
    })
}

/// Parameters of these names and shapes.
fn formula(mut shapes: Vec<(String, Vec<usize>)>) -> BTreeMap<String, Parameter> {
    shapes.sort();
    let made = |(seed, (key, shape)): (usize, (String, Vec<usize>))| {
        let count: usize = shape.iter().product();
        let gain = (24.0 * shape[0] as f64 / count as f64).sqrt();
        let value = |x: f64| match shape.len() {
            _ if key.ends_with("head.bias") => 0.0,
            _ if key.ends_with("running_var") => 1.0 + x,
            1 if key.ends_with("weight") => 1.0 + x,
            2.. if key.ends_with("weight") => x * gain,
            _ => x,
        };
        let values = noise(count, seed).map(|x| value(x) as f32).collect();
        (key, Parameter { shape, values })
    };
    shapes.into_iter().enumerate().map(made).collect()
}

fn weights(network: &Network) -> NetworkWeights {
    NetworkWeights::new("made by a formula", formula(network.parameters()))
}

/// The largest difference of features from those expected, relative to the largest value of each feature.
fn difference(features: &[f32], expected: &[f64], dim: usize) -> f64 {
    assert_eq!(features.len(), expected.len());
    let of_one = |(feature, expected): (&[f32], &[f64])| {
        let largest = expected.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        let distances = feature.iter().zip(expected).map(|(&a, b)| (f64::from(a) - b).abs());
        distances.fold(0.0, f64::max) / largest
    };
    features.chunks(dim).zip(expected.chunks(dim)).map(of_one).fold(0.0, f64::max)
}

/// Features have the same bits whatever the threads and whatever images they are computed with.
fn depend_on_neither_threads_nor_company(engine: &Engine, count: usize, threads: &[usize]) {
    let size = engine.info().input.size;
    let all = images(count, size);
    let alone: Vec<f32> = all.chunks(3 * size * size).flat_map(|one| engine.features(one).unwrap()).collect();
    for &threads in threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert!(pool.install(|| engine.features(&all)).unwrap() == alone, "{threads} threads");
    }
}

fn images(count: usize, size: usize) -> Vec<f32> {
    noise(count * 3 * size * size, 7777).map(|x| (4.0 * x) as f32).collect()
}
