//! What all tests share: files, and weights and images by the formula of golden/make.py.

mod checkpoints;
mod datasets;
mod images;
mod networks;
mod operations;
mod packs;
mod tensors;
mod transformers;

use std::path::{Path, PathBuf};

use trustpath::random::mix;
use trustpath_vision::image::RgbImage;
use trustpath_vision::network::Network;
use trustpath_vision::weights::{NetworkWeights, Parameter};

/// Numbers in −0.5 … 0.5.
fn noise(count: usize, seed: usize) -> impl Iterator<Item = f64> {
    (0..count as u64).map(move |i| {
        let z = (i + seed as u64 * 1_000_003).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mix(z) >> 40) as f64 / f64::from(1 << 24) - 0.5
    })
}

fn weights(network: &Network) -> NetworkWeights {
    let mut parameters = network.parameters();
    parameters.sort();
    let made = |(seed, (key, shape)): (usize, (String, Vec<usize>))| {
        let count: usize = shape.iter().product();
        let gain = (24.0 * shape[0] as f64 / count as f64).sqrt();
        let around_one = key.ends_with("running_var") || (shape.len() == 1 && key.ends_with("weight"));
        let value = |x: f64| match shape.len() {
            _ if around_one => 1.0 + x,
            4 => x * gain,
            _ => x,
        };
        let values = noise(count, seed).map(|x| value(x) as f32).collect();
        (key, Parameter { shape, values })
    };
    NetworkWeights::new("made by a formula", parameters.into_iter().enumerate().map(made).collect())
}

fn images(count: usize, size: usize) -> Vec<f32> {
    noise(count * 3 * size * size, 7777).map(|x| (4.0 * x) as f32).collect()
}

/// A file or folder of the tests' data.
fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// Writes a file, and the folders it is in.
fn put(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, bytes).unwrap();
    path
}

/// An image of one pixel.
fn pixel() -> Vec<u8> {
    RgbImage { width: 1, height: 1, rgb: vec![1, 2, 3] }.png().unwrap()
}
