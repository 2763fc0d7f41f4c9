//! A map for the eye: two dimensions in which neighbours stay neighbours (t-SNE).
//!
//! Van der Maaten and Hinton's objective. Affinities `P` between instances are Gaussian, each with the width at which an
//! instance has about [`PERPLEXITY`] neighbours; on the map they are those of a Student distribution; and the map is where
//! the two differ least:
//!
//! ```text
//! min over y of  Σᵢⱼ pᵢⱼ log (pᵢⱼ / qᵢⱼ),    qᵢⱼ = wᵢⱼ / Σₖₗ wₖₗ,    wᵢⱼ = 1 / (1 + ‖yᵢ − yⱼ‖²)
//! ```
//!
//! Distances are taken on the leading principal components, which also are the start. At most [`LANDMARKS`] instances,
//! spread evenly over the rows, are placed so, with exact gradients; every other one goes to the weighted mean of the
//! landmarks nearest to it. So no table over all pairs of instances is ever built. It is only for looking at: groups and
//! their borders mean something, distances between groups and axes do not.

mod affinity;
mod axes;
mod descent;

use rayon::prelude::*;

use self::axes::PrincipalCoordinates;
use trustpath::Instances;
use trustpath::random::mix;

/// Instances that are placed by gradient descent, whose cost grows with the square; the others are placed by these.
const LANDMARKS: usize = 1500;
/// Principal components on which distances are measured: enough for the neighbourhoods of a figure.
const COMPONENTS: usize = 50;
/// About how many neighbours each instance has; fewer where there are fewer than 90 instances.
const PERPLEXITY: f64 = 30.0;
/// Steps of gradient descent.
const STEPS: usize = 300;
/// Landmarks that place another instance.
const GUIDES: usize = 6;
/// Instances placed together.
const BLOCK: usize = 128;

/// The place of every instance on a map.
pub fn map_2d(instances: &Instances) -> Vec<[f32; 2]> {
    place(instances, LANDMARKS, STEPS)
}

/// The same by at most this many landmarks and steps.
fn place(instances: &Instances, landmarks: usize, steps: usize) -> Vec<[f32; 2]> {
    let n = instances.len();
    let landmarks = spread(n, landmarks.min(n));
    let x = axes::leading(instances.unit(), &landmarks);
    let chosen = LandmarkCoordinates::gather(&x, &landmarks);
    let p = affinity::joint(&chosen, PERPLEXITY);
    let y = descent::descend(&p, start(&chosen, &landmarks), steps);

    let mut map = vec![[0.0; 2]; n];
    map.par_chunks_mut(BLOCK).enumerate().for_each(|(block, out)| {
        let mut squared = vec![0.0; landmarks.len()];
        for (k, place) in out.iter_mut().enumerate() {
            let i = block * BLOCK + k;
            *place = match landmarks.binary_search(&i) {
                Ok(at) => y[at].map(f64::from),
                Err(_) => {
                    chosen.squared_distances(x.row(i), &mut squared);
                    guided(&squared, &y)
                }
            };
        }
    });
    jitter(&mut map, &landmarks);
    map.into_iter().map(|place| place.map(|v| v as f32)).collect()
}

/// One row out of each of `count` equal stretches of `n` rows, in ascending order.
fn spread(n: usize, count: usize) -> Vec<usize> {
    let row = |k: usize| {
        let (from, to) = (k * n / count, (k + 1) * n / count);
        from + (mix(mix(k as u64)) % (to - from) as u64) as usize
    };
    (0..count).map(row).collect()
}

/// The first two principal components, small, and apart even where instances are the same.
fn start(x: &LandmarkCoordinates, rows: &[usize]) -> Vec<[f32; 2]> {
    let n = rows.len() as f64;
    let spread = ((0..rows.len()).map(|i| x.at(i, 0).powi(2)).sum::<f32>() as f64 / n).sqrt();
    let scale = if spread > 1e-12 { 1e-4 / spread } else { 0.0 };
    let place = |(at, &row): (usize, &usize)| {
        let noise = noise(row);
        [0, 1].map(|axis| (f64::from(x.at(at, axis)) * scale + 1e-6 * noise[axis]) as f32)
    };
    rows.iter().enumerate().map(place).collect()
}

/// Moves instances placed by landmarks by at most 0.4 % of the extent of the map, so that duplicates are not hidden.
fn jitter(map: &mut [[f64; 2]], landmarks: &[usize]) {
    let reach = map.iter().flatten().fold(0.0f64, |m, v| m.max(v.abs()));
    for (i, place) in map.iter_mut().enumerate() {
        if landmarks.binary_search(&i).is_err() {
            place.iter_mut().zip(noise(i)).for_each(|(v, e)| *v += 4e-3 * reach * e);
        }
    }
}

/// Two numbers between −1 and 1 that are a function of the row alone.
fn noise(row: usize) -> [f64; 2] {
    let bits = mix(mix(row as u64 ^ 0x6d61_7000));
    [bits >> 32, bits & 0xffff_ffff].map(|b| b as f64 / f64::from(u32::MAX) * 2.0 - 1.0)
}

/// The mean place of the nearest landmarks, each weighted by a Gaussian that has faded at the farthest of them.
fn guided(squared: &[f32], y: &[[f32; 2]]) -> [f64; 2] {
    let mut near = [(f32::INFINITY, 0usize); GUIDES];
    for (j, &d) in squared.iter().enumerate() {
        if d < near[GUIDES - 1].0 {
            let at = near.partition_point(|&(other, _)| other <= d);
            near.copy_within(at..GUIDES - 1, at + 1);
            near[at] = (d, j);
        }
    }
    let count = squared.len().min(GUIDES);
    let near = &near[..count];
    let (first, last) = (f64::from(near[0].0), f64::from(near[count - 1].0));
    let width = (last - first).max(1e-12) / 3.0;
    let mut sum = [0.0; 3];
    for &(d, j) in near {
        let w = (-(f64::from(d) - first) / width).exp();
        sum[0] += w * f64::from(y[j][0]);
        sum[1] += w * f64::from(y[j][1]);
        sum[2] += w;
    }
    [sum[0] / sum[2], sum[1] / sum[2]]
}

/// Coordinates of instances in single precision, coordinate by coordinate.
#[derive(Debug)]
struct LandmarkCoordinates {
    n: usize,
    d: usize,
    values: Vec<f32>,
}

impl LandmarkCoordinates {
    /// The rows named, of row-major `x`.
    fn gather(x: &PrincipalCoordinates, rows: &[usize]) -> Self {
        let (n, d) = (rows.len(), x.d);
        let values = (0..n * d).map(|at| x.row(rows[at % n])[at / n]).collect();
        Self { n, d, values }
    }

    fn at(&self, i: usize, axis: usize) -> f32 {
        if axis < self.d { self.values[axis * self.n + i] } else { 0.0 }
    }

    /// `‖xᵢ − q‖²` for every `i`.
    fn squared_distances(&self, q: &[f32], out: &mut [f32]) {
        trustpath_path::linalg::simd::dispatch(
            (self, q, out),
            #[inline(always)]
            |work| squared_distances(work),
        );
    }
}

#[inline(always)]
fn squared_distances((x, q, out): (&LandmarkCoordinates, &[f32], &mut [f32])) {
    out.fill(0.0);
    for (column, &q) in x.values.chunks_exact(x.n).zip(q) {
        for (out, x) in out.iter_mut().zip(column) {
            *out += (x - q) * (x - q);
        }
    }
}

#[cfg(test)]
mod tests;
