//! Affinities between instances.
//!
//! ```text
//! p_{j|i} ∝ exp(−βᵢ ‖xᵢ − xⱼ‖²),  βᵢ such that  −Σⱼ p_{j|i} log p_{j|i} = log perplexity;    pᵢⱼ = (p_{j|i} + p_{i|j}) / 2n
//! ```

use rayon::prelude::*;

use super::LandmarkCoordinates;
use trustpath_path::linalg::exp::exp_single;
use trustpath_path::linalg::simd;

/// Trials of `β`; about six are usual.
const TRIALS: usize = 40;
/// The `βd` from which an affinity is zero.
const FARTHEST: f32 = 60.0;
/// Partial sums over the instances.
const LANES: usize = 16;

/// The joint affinities, row by row.
pub(super) fn joint(x: &LandmarkCoordinates, perplexity: f64) -> Vec<f32> {
    let n = x.n;
    // At most a third of the other instances: with all of them as neighbours there is nothing to tell apart.
    let entropy = perplexity.min(((n as f64 - 1.0) / 3.0).max(1.0)).ln();
    let mut conditional = vec![0.0f32; n * n];
    conditional.par_chunks_mut(n).enumerate().for_each(|(i, row)| {
        let q: Vec<f32> = (0..x.d).map(|axis| x.at(i, axis)).collect();
        x.squared_distances(&q, row);
        normalize(row, i, entropy);
    });
    let mut p = vec![0.0f32; n * n];
    p.par_chunks_mut(n).enumerate().for_each(|(i, row)| {
        for (j, p) in row.iter_mut().enumerate() {
            *p = (conditional[i * n + j] + conditional[j * n + i]) / (2 * n) as f32;
        }
    });
    p
}

/// Squared distances from instance `i` become the affinities of its neighbours.
///
/// `log β` is computed by Newton's method on the entropy `h = log s + β w/s`, whose slope is `−β²` times the variance of the distances,
/// kept inside the bracket of what was tried.
fn normalize(row: &mut [f32], i: usize, entropy: f64) {
    // Relative to the nearest, so that no exponential vanishes in all of them. Its own entry counts as one of distance zero,
    // which is subtracted from the sums.
    row[i] = f32::INFINITY;
    let nearest = row.iter().copied().fold(f32::INFINITY, f32::min);
    row.iter_mut().for_each(|d| *d -= nearest);
    row[i] = 0.0;
    let mean = row.iter().map(|&d| f64::from(d)).sum::<f64>() / (row.len() as f64 - 1.0).max(1.0);
    let mut beta = if mean > 0.0 { 1.0 / mean } else { 1.0 };
    let (mut low, mut high) = (0.0, f64::INFINITY);
    for _ in 0..TRIALS {
        let [sum, first, second] = simd::dispatch(
            (&*row, beta as f32),
            #[inline(always)]
            |(row, beta)| moments(row, beta),
        );
        let sum = (sum - 1.0).max(f64::MIN_POSITIVE);
        let (mean, square) = (first / sum, second / sum);
        let excess = sum.ln() + beta * mean - entropy;
        if excess.abs() < 1e-4 {
            break;
        }
        if excess > 0.0 {
            low = beta
        } else {
            high = beta
        }
        let slope = beta * beta * (square - mean * mean);
        let newton = beta * (excess / slope).clamp(-2.0, 2.0).exp();
        // Duplicates keep the entropy high whatever the width, so the width is bounded.
        beta = if newton > low && newton < high {
            newton.min(1e30)
        } else if high.is_finite() {
            (low + high) / 2.0
        } else {
            (2.0 * beta).min(1e30)
        };
    }
    let total = simd::dispatch(
        (&mut *row, beta as f32),
        #[inline(always)]
        |(row, beta)| {
            // Nothing so far away is visible, and numbers close to the smallest are slow.
            let affinity = |far: f32| if far < FARTHEST { exp_single(-far) } else { 0.0 };
            row.iter_mut().for_each(|d| *d = affinity(beta * *d));
            row.iter().sum::<f32>() - 1.0
        },
    );
    row[i] = 0.0;
    if total > 0.0 {
        row.iter_mut().for_each(|p| *p /= total);
    }
}

/// `Σ e^(−βd)`, `Σ d e^(−βd)` and `Σ d² e^(−βd)`.
#[inline(always)]
fn moments(row: &[f32], beta: f32) -> [f64; 3] {
    let mut lanes = [[0.0f32; LANES]; 3];
    let mut add = |l: usize, d: f32| {
        let w = exp_single(-beta * d);
        lanes[0][l] += w;
        lanes[1][l] += w * d;
        lanes[2][l] += w * d * d;
    };
    let chunks = row.chunks_exact(LANES);
    chunks.remainder().iter().enumerate().for_each(|(l, &d)| add(l, d));
    for chunk in chunks {
        for l in 0..LANES {
            add(l, chunk[l]);
        }
    }
    lanes.map(|lanes| lanes.iter().map(|&part| f64::from(part)).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_instance_has_the_perplexity_asked_for() {
        let n = 60;
        let mut row: Vec<f32> = (0..n).map(|j| ((j * 37 % 61) as f32 / 10.0).powi(2)).collect();
        normalize(&mut row, 4, 10f64.ln());
        let entropy: f64 = row.iter().filter(|p| **p > 0.0).map(|p| -f64::from(*p) * f64::from(*p).ln()).sum();
        assert!((entropy.exp() - 10.0).abs() < 0.01, "{}", entropy.exp());
        assert_eq!(row[4], 0.0);
        assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    }

    #[test]
    fn the_joint_affinities_are_symmetric_and_sum_to_one() {
        let n = 25;
        let x = LandmarkCoordinates { n, d: 1, values: (0..n).map(|i| (i * i % 31) as f32).collect() };
        let p = joint(&x, 5.0);
        assert!((p.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        for i in 0..n {
            for j in 0..n {
                assert_eq!(p[i * n + j], p[j * n + i]);
            }
        }
    }
}
