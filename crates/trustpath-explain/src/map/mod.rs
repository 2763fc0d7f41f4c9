//! A map for the eye: two dimensions in which neighbours stay neighbours (t-SNE).
//!
//! Van der Maaten and Hinton's objective. Affinities `P` between instances are Gaussian, each with the width at which an
//! instance has about `perplexity` neighbours; on the map they are those of a Student distribution; and the map is where
//! the two differ least:
//!
//! ```text
//! min over y of  Σᵢⱼ pᵢⱼ log (pᵢⱼ / qᵢⱼ),    qᵢⱼ = wᵢⱼ / Σₖₗ wₖₗ,    wᵢⱼ = 1 / (1 + ‖yᵢ − yⱼ‖²)
//! ```
//!
//! Distances are taken on the leading principal components, which also are the start. At most `landmarks` instances,
//! spread evenly over the rows, are placed so, with exact gradients; every other one goes to the weighted mean of the
//! landmarks nearest to it. So no table over all pairs of instances is ever built. It is only for looking at: groups and
//! their borders mean something, distances between groups and axes do not.

mod affinity;
mod axes;
mod descent;

use rayon::prelude::*;

use self::axes::PrincipalCoordinates;
use trustpath::random::mix;
use trustpath::{Error, Instances, Matrix, Result};

/// Instances that a map places by gradient descent, whose cost grows with the square; the others are placed by these.
const MAP_LANDMARKS: usize = 1500;
/// Principal components on which the distances of a map are measured: enough for the neighbourhoods of a figure.
const MAP_COMPONENTS: usize = 50;

/// Parameters of [`map_2d`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MapParams {
    /// About how many neighbours each instance has (30; fewer where there are fewer than 90 instances).
    pub perplexity: f64,
    /// How many instances are placed by optimisation (1500), the others by these.
    pub landmarks: usize,
    /// Steps of gradient descent (300).
    pub steps: usize,
    /// Which landmarks are drawn, and how ties are broken.
    pub seed: u64,
}

impl Default for MapParams {
    fn default() -> Self {
        Self { perplexity: 30.0, landmarks: MAP_LANDMARKS, steps: 300, seed: 0 }
    }
}

impl MapParams {
    /// Checks what can be checked without data.
    ///
    /// # Errors
    /// [`Error::Parameter`].
    pub fn check(self) -> Result<Map> {
        if !(1.0..=1000.0).contains(&self.perplexity) {
            let expected = "it must be a number of neighbours from 1 to 1000";
            return Err(Error::parameter("perplexity", self.perplexity, expected));
        }
        if self.landmarks == 0 {
            return Err(Error::parameter("landmarks", self.landmarks, "it must be at least 1"));
        }
        Ok(Map(self))
    }
}

/// A map with checked parameters.
#[derive(Debug, Clone)]
pub struct Map(MapParams);

/// Landmarks that place another instance.
const GUIDES: usize = 6;
/// Instances placed together.
const BLOCK: usize = 128;

/// Places every instance on a map: one row each, two columns.
///
/// ```
/// use trustpath::{Features, map_2d, MapParams};
/// let values: Vec<f64> = (0..20 * 8).map(|i| f64::from(i * i % 37) - 18.0).collect();
/// let instances = Features::new(&values[..], 20, 8)?.normalize()?;
/// let map = map_2d(&instances, MapParams::default())?;
/// assert_eq!((map.rows(), map.cols()), (20, 2));
/// # Ok::<(), trustpath::Error>(())
/// ```
///
/// # Errors
/// [`Error::Parameter`] for parameters outside their domain.
pub fn map_2d(instances: &Instances, params: MapParams) -> Result<Matrix> {
    Ok(params.check()?.place(instances))
}

impl Map {
    /// Places every instance: one row each, two columns.
    pub fn place(&self, instances: &Instances) -> Matrix {
        let n = instances.len();
        let landmarks = self.landmarks(n);
        let x = axes::leading(instances.unit(), &landmarks, self.0.seed);
        let chosen = Coordinates::gather(&x, &landmarks);
        let p = affinity::joint(&chosen, self.0.perplexity);
        let start = self.start(&chosen, &landmarks);
        let y = descent::descend(&p, start, self.0.steps);

        let mut map = Matrix::zeros(n, 2);
        map.as_mut_slice().par_chunks_mut(2 * BLOCK).enumerate().for_each(|(block, out)| {
            let mut squared = vec![0.0; landmarks.len()];
            for (k, place) in out.chunks_exact_mut(2).enumerate() {
                let i = block * BLOCK + k;
                match landmarks.binary_search(&i) {
                    Ok(at) => place.copy_from_slice(&y[at].map(f64::from)),
                    Err(_) => {
                        chosen.squared_distances(x.row(i), &mut squared);
                        place.copy_from_slice(&guided(&squared, &y));
                    }
                }
            }
        });
        self.jitter(&mut map, &landmarks);
        map
    }

    /// One row out of each of as many equal stretches as there are landmarks, in ascending order.
    fn landmarks(&self, n: usize) -> Vec<usize> {
        let count = self.0.landmarks.min(n);
        (0..count)
            .map(|k| {
                let (from, to) = (k * n / count, (k + 1) * n / count);
                from + (mix(self.0.seed ^ mix(k as u64)) % (to - from) as u64) as usize
            })
            .collect()
    }

    /// The first two principal components, small, and apart even where instances are the same.
    fn start(&self, x: &Coordinates, rows: &[usize]) -> Vec<[f32; 2]> {
        let n = rows.len() as f64;
        let spread = ((0..rows.len()).map(|i| x.at(i, 0).powi(2)).sum::<f32>() as f64 / n).sqrt();
        let scale = if spread > 1e-12 { 1e-4 / spread } else { 0.0 };
        let place = |(at, &row): (usize, &usize)| {
            let noise = noise(self.0.seed, row);
            [0, 1].map(|axis| (f64::from(x.at(at, axis)) * scale + 1e-6 * noise[axis]) as f32)
        };
        rows.iter().enumerate().map(place).collect()
    }

    /// Moves instances placed by landmarks by at most 0.4 % of the extent of the map, so that duplicates are not hidden.
    fn jitter(&self, map: &mut Matrix, landmarks: &[usize]) {
        let reach = map.as_slice().iter().fold(0.0f64, |m, v| m.max(v.abs()));
        for i in 0..map.rows() {
            if landmarks.binary_search(&i).is_err() {
                let noise = noise(self.0.seed, i);
                map.row_mut(i).iter_mut().zip(noise).for_each(|(v, e)| *v += 4e-3 * reach * e);
            }
        }
    }
}

/// Two numbers between −1 and 1 that are a function of the seed and the row alone.
fn noise(seed: u64, row: usize) -> [f64; 2] {
    let bits = mix(seed ^ mix(row as u64 ^ 0x6d61_7000));
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
struct Coordinates {
    n: usize,
    d: usize,
    values: Vec<f32>,
}

impl Coordinates {
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
fn squared_distances((x, q, out): (&Coordinates, &[f32], &mut [f32])) {
    out.fill(0.0);
    for (column, &q) in x.values.chunks_exact(x.n).zip(q) {
        for (out, x) in out.iter_mut().zip(column) {
            *out += (x - q) * (x - q);
        }
    }
}

#[cfg(test)]
mod tests;
