//! Affinities between instances.
//!
//! ```text
//! p_{j|i} ∝ exp(−βᵢ ‖xᵢ − xⱼ‖²),  βᵢ such that  −Σⱼ p_{j|i} log p_{j|i} = log perplexity;    pᵢⱼ = (p_{j|i} + p_{i|j}) / 2n
//! ```

use rayon::prelude::*;

use super::Coordinates;

/// Bisections of `β`; far more precise than a figure can show.
const BISECTIONS: usize = 40;

/// The joint affinities, row by row.
pub(super) fn joint(x: &Coordinates, perplexity: f64) -> Vec<f32> {
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
fn normalize(row: &mut [f32], i: usize, entropy: f64) {
    // Relative to the nearest, so that no exponential vanishes in all of them.
    let others = || row.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, d)| f64::from(*d));
    let nearest = others().fold(f64::INFINITY, f64::min);
    let mean = others().map(|d| d - nearest).sum::<f64>() / (row.len() as f64 - 1.0).max(1.0);
    let mut beta = if mean > 0.0 { 1.0 / mean } else { 1.0 };
    let (mut low, mut high) = (0.0, f64::INFINITY);
    for _ in 0..BISECTIONS {
        let (mut sum, mut weighted) = (0.0, 0.0);
        for d in others() {
            let d = d - nearest;
            let w = f64::from((-(beta * d) as f32).exp());
            sum += w;
            weighted += w * d;
        }
        let reached = sum.ln() + beta * weighted / sum;
        if (reached - entropy).abs() < 1e-4 {
            break;
        }
        if reached > entropy {
            low = beta
        } else {
            high = beta
        }
        // Duplicates keep the entropy high whatever the width, so the width is bounded.
        beta = if high.is_finite() { (low + high) / 2.0 } else { (2.0 * beta).min(1e30) };
    }
    let mut sum = 0.0;
    for (j, d) in row.iter_mut().enumerate() {
        *d = if j == i { 0.0 } else { (-(beta * (f64::from(*d) - nearest)) as f32).exp() };
        sum += f64::from(*d);
    }
    if sum > 0.0 {
        row.iter_mut().for_each(|p| *p = (f64::from(*p) / sum) as f32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_instance_has_the_perplexity_asked_for() {
        let n = 60;
        let mut row: Vec<f32> = (0..n).map(|j| ((j * 37 % 61) as f32 / 10.0).powi(2)).collect();
        normalize(&mut row, 4, 10f64.ln());
        let entropy: f64 =
            row.iter().filter(|p| **p > 0.0).map(|p| -f64::from(*p) * f64::from(*p).ln()).sum();
        assert!((entropy.exp() - 10.0).abs() < 0.01, "{}", entropy.exp());
        assert_eq!(row[4], 0.0);
        assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    }

    #[test]
    fn the_joint_affinities_are_symmetric_and_sum_to_one() {
        let n = 25;
        let x = Coordinates { n, d: 1, values: (0..n).map(|i| (i * i % 31) as f32).collect() };
        let p = joint(&x, 5.0);
        assert!((p.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        for i in 0..n {
            for j in 0..n {
                assert_eq!(p[i * n + j], p[j * n + i]);
            }
        }
    }
}
