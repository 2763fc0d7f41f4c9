//! Gradient and curvature of the logarithmic loss over many samples.
//!
//! ```text
//! Σᵢ (pᵢ − yᵢ) zᵢᵀ,   Σᵢ qᵢ zᵢᵀ   and   Σᵢ qᵢ (zᵢ²)ᵀ   with   q = |p − y|
//! ```
//!
//! one row per class, one column per feature. The curvature of a sample is `p (1 − p)`; but a sample that is badly
//! misclassified now will be right at the minimum, and passes through all the curvature in between. `q` bounds that, and is
//! close to `p (1 − p)` where samples are right. Scores and products are in single precision, one strip of samples at a time,
//! so that nothing of size samples × classes is ever stored; the sums over strips are in double precision. Strips belong to
//! shards, which depend on the number of samples alone; shards are processed in parallel and added in order.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

use crate::linalg::exp::exp_single;
use crate::linalg::simd;
use crate::linalg::vector::add_scaled;

/// Samples in a strip.
pub(super) const STRIP: usize = 256;
/// Number of shards, each with its own sums.
const SHARDS: usize = 16;

/// Samples with their labels.
#[derive(Debug, Clone, Copy)]
pub(super) struct LabelledRows<'a> {
    /// Row-major features.
    pub z: &'a [f32],
    /// Number of features.
    pub dims: usize,
    /// One label per row.
    pub labels: &'a [u32],
    pub classes: usize,
}

/// Sums over samples, each with one row per class and one column per feature.
#[derive(Debug, Default)]
pub(super) struct SampleSums {
    pub gradient: Vec<f64>,
    /// Features weighted by `q`; empty unless requested.
    pub first: Vec<f64>,
    /// Squares of features weighted by `q`; empty unless requested.
    pub second: Vec<f64>,
}

impl LabelledRows<'_> {
    /// The sums at these weights, which have one row per class.
    pub fn sums(&self, weights: &[f32], with_curvature: bool) -> SampleSums {
        let strips = self.labels.len().div_ceil(STRIP);
        let shard = strips.div_ceil(SHARDS).max(1) * STRIP;
        let shards: Vec<SampleSums> = self
            .labels
            .par_chunks(shard)
            .zip(self.z.par_chunks(shard * self.dims))
            .map(|(labels, z)| LabelledRows { z, labels, ..*self }.shard(weights, with_curvature))
            .collect();
        let mut shards = shards.into_iter();
        let mut total = shards.next().unwrap_or_default();
        for shard in shards {
            add_scaled(&mut total.gradient, 1.0, &shard.gradient);
            add_scaled(&mut total.first, 1.0, &shard.first);
            add_scaled(&mut total.second, 1.0, &shard.second);
        }
        total
    }

    fn shard(&self, weights: &[f32], with_curvature: bool) -> SampleSums {
        let (c, d) = (self.classes, self.dims);
        let mut sums = SampleSums { gradient: vec![0.0; c * d], ..SampleSums::default() };
        if with_curvature {
            (sums.first, sums.second) = (vec![0.0; c * d], vec![0.0; c * d]);
        }
        let (mut p, mut partial) = (vec![0.0; STRIP * c], vec![0.0; c * d]);
        let mut squares = Vec::new();
        for (labels, z) in self.labels.chunks(STRIP).zip(self.z.chunks(STRIP * d)) {
            let n = labels.len();
            let p = &mut p[..n * c];
            matmul(
                MatMut::from_row_major_slice_mut(&mut *p, n, c),
                Accum::Replace,
                MatRef::from_row_major_slice(z, n, d),
                MatRef::from_row_major_slice(weights, c, d).transpose(),
                1.0,
                Par::Seq,
            );
            softmax(p, c);
            for (p, &label) in p.chunks_exact_mut(c).zip(labels) {
                p[label as usize] -= 1.0;
            }
            adjoint(p, z, n, &mut partial, &mut sums.gradient);
            if with_curvature {
                p.iter_mut().for_each(|e| *e = e.abs());
                adjoint(p, z, n, &mut partial, &mut sums.first);
                squares.clear();
                squares.extend(z.iter().map(|z| z * z));
                adjoint(p, &squares, n, &mut partial, &mut sums.second);
            }
        }
        sums
    }
}

/// Adds `eᵀ z`, where both have `n` rows; `partial` is workspace.
fn adjoint(e: &[f32], z: &[f32], n: usize, partial: &mut [f32], to: &mut [f64]) {
    let (c, d) = (e.len() / n, z.len() / n);
    matmul(
        MatMut::from_row_major_slice_mut(&mut *partial, c, d),
        Accum::Replace,
        MatRef::from_row_major_slice(e, n, c).transpose(),
        MatRef::from_row_major_slice(z, n, d),
        1.0,
        Par::Seq,
    );
    to.iter_mut().zip(partial).for_each(|(to, part)| *to += f64::from(*part));
}

/// `softmax` of every row, in place.
fn softmax(rows: &mut [f32], classes: usize) {
    const LANES: usize = 16;
    simd::dispatch(
        rows,
        #[inline(always)]
        |rows| {
            for row in rows.chunks_exact_mut(classes) {
                let mut highest = [f32::NEG_INFINITY; LANES];
                for values in row.chunks(LANES) {
                    for (highest, &value) in highest.iter_mut().zip(values) {
                        *highest = if value > *highest { value } else { *highest };
                    }
                }
                let top = highest.into_iter().fold(f32::NEG_INFINITY, f32::max);
                let mut total = [0.0f32; LANES];
                let mut chunks = row.chunks_exact_mut(LANES);
                for values in &mut chunks {
                    for l in 0..LANES {
                        values[l] = exp_single(values[l] - top);
                        total[l] += values[l];
                    }
                }
                for (value, total) in chunks.into_remainder().iter_mut().zip(&mut total) {
                    *value = exp_single(*value - top);
                    *total += *value;
                }
                let scale = 1.0 / total.into_iter().fold(0.0, |sum, part| sum + part);
                row.iter_mut().for_each(|value| *value *= scale);
            }
        },
    );
}
