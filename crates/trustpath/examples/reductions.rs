//! Prints the time of each reduction, and how far its iteration went: `cargo run --release -p trustpath --example reductions`,
//! or with `-- lle 10000` one reduction at one size.
//!
//! The features are those of 20 classes: each lies along its own 15 directions, with some noise in all 128 dimensions, and
//! classes overlap. The graph of nearest neighbours is built first and timed separately. Up to 2,000 instances matrices are
//! dense; that sparse matrices give the same result is checked by the tests.

use std::time::Instant;

use trustpath::neighbors::Neighbors;
use trustpath::random::Random;
use trustpath::reduce::{DENSE_ROWS, Reduce, Reduction};
use trustpath::{Features, Instances, Result};

const CLASSES: usize = 20;
const DIMS: usize = 128;
const DIRECTIONS: usize = 15;
const SIZES: [usize; 5] = [2_000, 5_000, 10_000, 50_000, 100_000];

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let method: Option<Reduction> = arguments.first().map(|name| name.parse()).transpose()?;
    let size: Option<usize> = arguments.get(1).and_then(|n| n.parse().ok());
    println!(
        "{:<8} {:>8} {:>4} {:>4} {:>9} {:>9} {:>9} {:>10} {:>8}",
        "method", "n", "d", "k", "graph s", "reduce s", "products", "residual", "nullity"
    );
    for n in SIZES.into_iter().filter(|&n| size.is_none_or(|size| size == n)) {
        let instances = instances(n)?;
        for (candidate, d, k) in [
            (Reduction::Lle, 20, 5),
            (Reduction::Lle, 20, 10),
            (Reduction::Ltsa, 5, 10),
            (Reduction::Spectral, 20, 0),
            (Reduction::Isomap, 20, 10),
            (Reduction::Mds, 5, 0),
            (Reduction::Pca, 20, 0),
        ] {
            if method.is_none_or(|method| method == candidate) {
                measure(candidate, d, k, &instances)?;
            }
        }
    }
    Ok(())
}

fn measure(method: Reduction, d: usize, k: usize, instances: &Instances) -> Result<()> {
    let n = instances.len();
    let reduction: Box<dyn Reduce> = method.build(d, k.max(1))?;
    let start = Instant::now();
    let neighbors = reduction.neighbors(n);
    let graph = neighbors.map(|k| Neighbors::of(instances, n, k)).transpose()?;
    let searched = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let embedding = reduction.reduce_on(instances, n, graph.as_ref())?;
    let reduced = start.elapsed().as_secs_f64();
    let text = |number: Option<usize>| number.map_or("–".into(), |number| number.to_string());
    let residual = embedding.iteration.map(|it| format!("{:.1e}", it.residual));
    println!(
        "{:<8} {n:>8} {d:>4} {:>4} {searched:>9.2} {reduced:>9.2} {:>9} {:>10} {:>8}",
        method.name(),
        text(neighbors),
        text(embedding.iteration.map(|it| it.products)),
        residual.unwrap_or(if n > DENSE_ROWS { "–" } else { "dense" }.into()),
        text(embedding.nullity),
    );
    Ok(())
}

/// Instances of all classes in turn.
fn instances(n: usize) -> Result<Instances> {
    let mut random = Random::stream(1, 0);
    let mut gaussians = |count: usize, scale: f64| -> Vec<f64> {
        (0..count).map(|_| scale * random.normal()).collect()
    };
    let each = (DIMS as f64).sqrt().recip();
    let centres = gaussians(CLASSES * DIMS, 0.45 * each);
    let axes = gaussians(CLASSES * DIRECTIONS * DIMS, each);
    let mut values = vec![0.0; n * DIMS];
    for (i, row) in values.chunks_exact_mut(DIMS).enumerate() {
        let class = i % CLASSES;
        row.copy_from_slice(&gaussians(DIMS, 0.7 * each));
        let along = gaussians(DIRECTIONS, (DIRECTIONS as f64).sqrt().recip());
        for (j, value) in row.iter_mut().enumerate() {
            *value += centres[class * DIMS + j];
            for (l, along) in along.iter().enumerate() {
                *value += along * axes[(class * DIRECTIONS + l) * DIMS + j];
            }
        }
    }
    Features::new(&values[..], n, DIMS)?.normalize()
}
