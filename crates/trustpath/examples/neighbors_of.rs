//! Finds the neighbours of points in a file, for `scripts/neighbors.py`:
//! `cargo run --release -p trustpath --example neighbors_of -- POINTS.f32 DIMS K OUT.u32`.
//!
//! The file has single-precision coordinates, row by row and nothing else. Prints the seconds of the search and the recall that it
//! reports, and writes the neighbours of every point, nearest first.

use std::time::Instant;

use trustpath::neighbors::{Neighbors, Points, Search};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [path, dims, k, out] = &args[..] else { panic!("give POINTS.f32 DIMS K OUT.u32") };
    let (dims, k): (usize, usize) = (dims.parse().expect("dims"), k.parse().expect("k"));
    let bytes = std::fs::read(path).expect("the points");
    let values: Vec<f32> = bytes.chunks_exact(4).map(|v| f32::from_le_bytes([v[0], v[1], v[2], v[3]])).collect();
    drop(bytes);
    let n = values.len() / dims;
    let points = Points::new(&values, n, dims).expect("points");
    let start = Instant::now();
    let graph = Neighbors::search(points, k, Search::Auto).expect("a graph");
    println!("{:.2} {:.4}", start.elapsed().as_secs_f64(), graph.recall().unwrap_or(1.0));
    let bytes: Vec<u8> =
        (0..n).flat_map(|i| graph.indices(i)).flat_map(|j| u32::try_from(j).expect("a row").to_le_bytes()).collect();
    std::fs::write(out, bytes).expect("the output");
}
