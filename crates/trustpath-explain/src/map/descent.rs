//! Gradient descent on the map, with exact gradients.
//!
//! ```text
//! ∂/∂yᵢ = 4 Σⱼ (e·pᵢⱼ − wᵢⱼ/Z) wᵢⱼ (yᵢ − yⱼ),    Z = Σₖₗ wₖₗ
//! ```
//!
//! with the affinities exaggerated by `e = 12` in the first steps, so that groups form, then `e = 1`, with momentum and a
//! gain for each coordinate that grows while its gradient keeps its sign. Rows are summed each on their own and their sums
//! added in order: the same to the bit for any number of threads.

use rayon::prelude::*;

use trustpath_path::linalg::simd;

const EXAGGERATION: f32 = 12.0;
/// Share of the steps that are exaggerated.
const EARLY: f64 = 0.2;
const LANES: usize = 16;
/// Rows of a unit of parallel work.
const STRIP: usize = 32;
/// Below this many instances a step is over before another thread has woken up.
const ALONE: usize = 256;

/// Sums over the other instances of one row: attraction, repulsion, and `Σⱼ wᵢⱼ`.
#[derive(Clone, Copy, Default)]
struct Forces {
    attraction: [f32; 2],
    repulsion: [f32; 2],
    weight: f32,
}

/// Places after `steps` steps from `y`, for affinities `p` (row by row).
pub(super) fn descend(p: &[f32], mut y: Vec<[f32; 2]>, steps: usize) -> Vec<[f32; 2]> {
    let n = y.len();
    let rate = (n as f32 / EXAGGERATION / 2.0).max(100.0);
    let early = (EARLY * steps as f64) as usize;
    let mut velocity = vec![[0.0f32; 2]; n];
    let mut gain = vec![[1.0f32; 2]; n];
    let mut forces = vec![Forces::default(); n];
    let mut axes = [vec![0.0f32; n], vec![0.0f32; n]];
    for step in 0..steps {
        let (exaggeration, momentum) = if step < early { (EXAGGERATION, 0.5) } else { (1.0, 0.8) };
        for (i, y) in y.iter().enumerate() {
            (axes[0][i], axes[1][i]) = (y[0], y[1]);
        }
        let [x0, x1] = &axes;
        let work = |(strip, out): (usize, &mut [Forces])| {
            simd::dispatch(
                (out, strip * STRIP, p, &x0[..], &x1[..]),
                #[inline(always)]
                |strip| strip_forces(strip),
            );
        };
        if n < ALONE {
            forces.chunks_mut(STRIP).enumerate().for_each(work);
        } else {
            forces.par_chunks_mut(STRIP).enumerate().for_each(work);
        }
        // Every instance counted itself, with weight one.
        let z = forces.iter().map(|f| f64::from(f.weight) - 1.0).sum::<f64>().max(1e-12);
        let inverse = (1.0 / z) as f32;
        for i in 0..n {
            for axis in 0..2 {
                let f = &forces[i];
                let gradient = 4.0 * (exaggeration * f.attraction[axis] - inverse * f.repulsion[axis]);
                let (v, g) = (&mut velocity[i][axis], &mut gain[i][axis]);
                *g = if (gradient > 0.0) == (*v > 0.0) { (*g * 0.8).max(0.01) } else { *g + 0.2 };
                *v = momentum * *v - rate * *g * gradient;
                y[i][axis] += *v;
            }
        }
        center(&mut y);
    }
    y
}

type Strip<'a> = (&'a mut [Forces], usize, &'a [f32], &'a [f32], &'a [f32]);

#[inline(always)]
fn strip_forces((out, from, p, x0, x1): Strip<'_>) {
    let n = x0.len();
    for (k, out) in out.iter_mut().enumerate() {
        let i = from + k;
        *out = row_forces(&p[i * n..(i + 1) * n], x0[i], x1[i], x0, x1);
    }
}

#[inline(always)]
fn row_forces(p: &[f32], a: f32, b: f32, x0: &[f32], x1: &[f32]) -> Forces {
    let mut sums = [[0.0f32; LANES]; 5];
    let full = p.len() / LANES * LANES;
    for at in (0..full).step_by(LANES) {
        let (p, x0, x1) = (&p[at..at + LANES], &x0[at..at + LANES], &x1[at..at + LANES]);
        for l in 0..LANES {
            add(&mut sums, l, p[l], a - x0[l], b - x1[l]);
        }
    }
    for j in full..p.len() {
        add(&mut sums, j - full, p[j], a - x0[j], b - x1[j]);
    }
    let [a0, a1, r0, r1, weight] = sums.map(fold);
    Forces { attraction: [a0, a1], repulsion: [r0, r1], weight }
}

#[inline(always)]
fn add(sums: &mut [[f32; LANES]; 5], l: usize, p: f32, d0: f32, d1: f32) {
    let w = 1.0 / (1.0 + d0 * d0 + d1 * d1);
    let (attraction, repulsion) = (p * w, w * w);
    sums[0][l] += attraction * d0;
    sums[1][l] += attraction * d1;
    sums[2][l] += repulsion * d0;
    sums[3][l] += repulsion * d1;
    sums[4][l] += w;
}

/// The sum of all lanes, by halves.
#[inline(always)]
fn fold(mut lanes: [f32; LANES]) -> f32 {
    let mut half = LANES / 2;
    while half > 0 {
        for l in 0..half {
            lanes[l] += lanes[l + half];
        }
        half /= 2;
    }
    lanes[0]
}

fn center(y: &mut [[f32; 2]]) {
    for axis in 0..2 {
        let mean = y.iter().map(|y| f64::from(y[axis])).sum::<f64>() / y.len() as f64;
        y.iter_mut().for_each(|y| y[axis] -= mean as f32);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{LandmarkCoordinates, affinity::joint};
    use super::*;

    /// `Σ p log (p / q)` in double precision.
    fn divergence(p: &[f32], y: &[[f64; 2]]) -> f64 {
        let n = y.len();
        let w = |i: usize, j: usize| 1.0 / (1.0 + (y[i][0] - y[j][0]).powi(2) + (y[i][1] - y[j][1]).powi(2));
        let pairs = || (0..n).flat_map(|i| (0..n).filter(move |j| *j != i).map(move |j| (i, j)));
        let z: f64 = pairs().map(|(i, j)| w(i, j)).sum();
        pairs()
            .map(|(i, j)| (f64::from(p[i * n + j]), w(i, j) / z))
            .filter(|(p, _)| *p > 0.0)
            .map(|(p, q)| p * (p / q).ln())
            .sum()
    }

    #[test]
    fn the_forces_are_the_slope_of_the_divergence() {
        let n = 37;
        let x = LandmarkCoordinates { n, d: 2, values: (0..2 * n).map(|i| (i as f32 * 1.3).sin()).collect() };
        let p = joint(&x, 5.0);
        let y: Vec<[f64; 2]> = (0..n).map(|i| [(i as f64 * 0.7).cos() * 3.0, (i as f64 * 2.1).sin()]).collect();
        let axis = |a: usize| y.iter().map(|y| y[a] as f32).collect::<Vec<_>>();
        let (x0, x1) = (axis(0), axis(1));
        let mut forces = vec![Forces::default(); n];
        strip_forces((&mut forces, 0, &p, &x0, &x1));
        let z: f32 = forces.iter().map(|f| f.weight - 1.0).sum();
        for i in 0..n {
            for a in 0..2 {
                let ours = 4.0 * (forces[i].attraction[a] - forces[i].repulsion[a] / z);
                let moved = |by: f64| {
                    let mut y = y.clone();
                    y[i][a] += by;
                    divergence(&p, &y)
                };
                let slope = (moved(1e-5) - moved(-1e-5)) / 2e-5;
                assert!((f64::from(ours) - slope).abs() < 1e-6, "{i} {a}: {ours} {slope}");
            }
        }
    }

    #[test]
    fn descending_brings_the_divergence_down() {
        let n = 120;
        let group = |i: usize| (i % 4) as f32 * 10.0;
        let x = LandmarkCoordinates {
            n,
            d: 2,
            values: (0..2 * n).map(|i| group(i % n) + (i as f32 * 1.3).sin()).collect(),
        };
        let p = joint(&x, 10.0);
        let start: Vec<[f32; 2]> = (0..n).map(|i| [(i as f32).sin() * 1e-4, (i as f32).cos() * 1e-4]).collect();
        let wide = |y: &[[f32; 2]]| y.iter().map(|y| y.map(f64::from)).collect::<Vec<_>>();
        let end = descend(&p, start.clone(), 500);
        let (before, after) = (divergence(&p, &wide(&start)), divergence(&p, &wide(&end)));
        assert!(after < 0.3 * before, "{before} {after}");
    }
}
