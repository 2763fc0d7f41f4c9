//! A pool too large to hold: features are read block by block, and kept in fewer dimensions.
//!
//! ```text
//! y = Bᵀx,    ρ = ‖x‖² − ‖y‖²          B the leading right singular vectors of all rows, from their product XᵀX
//! ```
//!
//! Smoothing is linear, so `Bᵀ` of the smoothed instances is the smoothed `y`. What `B` cuts off is orthogonal to it and, in
//! hundreds of dimensions, nearly so between any two instances: it adds `ρᵢ + ρⱼ` to their squared distance, and averages
//! out as instances move towards each other. So distances, lengths and components come from `y` and `ρ` alone. They
//! are kept in single precision; sums are taken in double.

use faer::MatRef;
use rayon::prelude::*;

use super::smoothing::{NEIGHBORS, smooth};
use super::{Projection, Representation};
use crate::label::run::NEAREST;
use crate::limits::{
    LEAST_KEPT_DIMS, Limits, POOL_COMPONENTS, RECALL_ROWS, SIGN_PLACES, SIGN_ROWS,
};
use crate::linalg::block::{add_inner, multiply};
use crate::linalg::pca::{ROUNDING, add_to_mean, leading_of};
use crate::linalg::vector::to_unit;
use crate::neighbors::{Neighbors, Points, SimilarityGraph};
use crate::observer::Stages;
use crate::power::{SIGNED_FROM, is_signed, power, power_row};
use crate::{Features, Instances, Matrix, Result};

/// Rows read together.
const BLOCK: usize = 4096;
/// Rows worked on together.
const STRIP: usize = 512;
/// A component with less variance than this is what cancelling the mean leaves of sums over many rows.
const CANCELLED: f64 = 1e-11;

pub(super) fn represent(
    features: &Features<'_>,
    limits: Limits,
    stages: &mut Stages<'_>,
) -> Result<Representation> {
    stages.next("reading the features")?;
    let signed = has_signs(features)?;
    let basis = singular_vectors(features, signed, stages)?;
    let mut sample = RecallSample::of(features, signed)?;
    let mut kept = KeptRows::of(features, signed, &basis, &mut sample, stages)?;
    stages.next("finding neighbours")?;
    let neighbors = kept.neighbors(limits)?;
    stages.next("smoothing")?;
    kept.smooth(&neighbors);
    let graph = kept.graph(&neighbors);
    let (recall, nearest) = (sample.recall(&neighbors), Some(neighbors.first(NEAREST)));
    drop(neighbors);
    let (mean, components) = kept.components()?;
    let smooth = Instances::from_unit(kept.coordinates(&mean, &components));
    // Back to all features: rows of the components and the mean are combinations of those of the basis.
    let in_features = |m: &Matrix| {
        let mut out = Matrix::zeros(m.rows(), basis.cols());
        multiply(m.as_slice(), m.rows(), basis.view(), out.as_mut_slice());
        out
    };
    let mean = in_features(&Matrix::from_vec(1, mean.len(), mean)?).row(0).to_vec();
    let projection = Projection { signed, mean, basis: in_features(&components) };
    Ok(Representation {
        smooth,
        projection,
        unit: None,
        graph,
        recall: Some(recall),
        neighbors: nearest,
    })
}

/// Whether the features are taken to have signs, by some rows from everywhere in the pool.
fn has_signs(features: &Features<'_>) -> Result<bool> {
    let n = features.rows();
    let rows = (0..SIGN_PLACES).flat_map(|k| {
        let first = k * (n / SIGN_PLACES);
        first..(first + SIGN_ROWS).min(n)
    });
    let some = features.gather(rows)?.into_unit();
    Ok(is_signed(&some, some.rows(), SIGNED_FROM))
}

/// Calls `each` with the first row of every block, and its rows: powered, at unit length.
fn for_blocks(
    features: &Features<'_>,
    signed: bool,
    stages: &Stages<'_>,
    mut each: impl FnMut(usize, &[f64]),
) -> Result<()> {
    let (n, d) = (features.rows(), features.dims());
    let mut block = vec![0.0; BLOCK.min(n) * d];
    for first in (0..n).step_by(BLOCK) {
        stages.check_stop()?;
        let block = &mut block[..BLOCK.min(n - first) * d];
        features.normalized_block(first, block)?;
        block.par_chunks_exact_mut(d).for_each(|row| power_row(row, signed));
        each(first, block);
    }
    Ok(())
}

/// The leading right singular vectors of all rows, one row each; the axes themselves where they are few.
fn singular_vectors(features: &Features<'_>, signed: bool, stages: &Stages<'_>) -> Result<Matrix> {
    let d = features.dims();
    // Half of them: with a copy to sort and smooth that takes as much memory as the features.
    let kept = (d / 2).max(LEAST_KEPT_DIMS);
    if d <= kept {
        return Ok(Matrix::from_fn(d, d, |i, j| f64::from(u8::from(i == j))));
    }
    let mut negated = Matrix::zeros(d, d);
    for_blocks(features, signed, stages, |_, block| {
        add_inner(block, block, -1.0, STRIP, &mut negated);
    })?;
    leading_of(&negated, kept, features.rows(), ROUNDING)
}

/// Instances whose exact neighbours are computed, to see which share of them the graph has.
struct RecallSample {
    rows: Vec<usize>,
    /// Their features, powered, one row each.
    x: Matrix,
    /// Inner product and row of the nearest of each so far, nearest first.
    nearest: Vec<Vec<(f64, usize)>>,
}

impl RecallSample {
    fn of(features: &Features<'_>, signed: bool) -> Result<Self> {
        let n = features.rows();
        let count = RECALL_ROWS.min(n);
        let rows: Vec<usize> = (0..count).map(|k| k * n / count).collect();
        let mut x = features.gather(rows.iter().copied())?.into_unit();
        power(&mut x, signed);
        Ok(Self { nearest: vec![Vec::new(); count], rows, x })
    }

    /// Compares all with the rows of a block.
    fn compare(&mut self, first: usize, block: &[f64]) {
        let d = self.x.cols();
        let count = block.len() / d;
        let sample = self.x.as_slice().par_chunks(STRIP / 8 * d);
        let lists = self.nearest.par_chunks_mut(STRIP / 8).zip(self.rows.par_chunks(STRIP / 8));
        sample.zip(lists).for_each(|(x, (nearest, rows))| {
            let mut inner = vec![0.0; rows.len() * count];
            let block = MatRef::from_row_major_slice(block, count, d);
            multiply(x, rows.len(), block.transpose(), &mut inner);
            for ((inner, nearest), &row) in inner.chunks_exact(count).zip(nearest).zip(rows) {
                for (at, &inner) in inner.iter().enumerate().filter(|(at, _)| first + at != row) {
                    if nearest.len() < NEIGHBORS || inner > nearest[NEIGHBORS - 1].0 {
                        let place = nearest.partition_point(|(kept, _)| *kept >= inner);
                        nearest.insert(place, (inner, first + at));
                        nearest.truncate(NEIGHBORS);
                    }
                }
            }
        });
    }

    /// The share of their neighbours that a graph has.
    fn recall(&self, graph: &Neighbors) -> f64 {
        let (mut found, mut all) = (0, 0);
        for (&row, nearest) in self.rows.iter().zip(&self.nearest) {
            let has = |other: usize| graph.list(row).contains(&(other as u32));
            found += nearest.iter().filter(|(_, other)| has(*other)).count();
            all += nearest.len();
        }
        found as f64 / all.max(1) as f64
    }
}

/// What is kept of every row.
struct KeptRows {
    n: usize,
    r: usize,
    /// `y`, one row per instance.
    y: Vec<f32>,
    /// `ρ`: squared length of what is cut off.
    rho: Vec<f32>,
}

impl KeptRows {
    fn of(
        features: &Features<'_>,
        signed: bool,
        basis: &Matrix,
        sample: &mut RecallSample,
        stages: &Stages<'_>,
    ) -> Result<Self> {
        let (n, d, r) = (features.rows(), features.dims(), basis.rows());
        let (mut y, mut rho) = (vec![0.0f32; n * r], vec![0.0f32; n]);
        for_blocks(features, signed, stages, |first, block| {
            let rows = block.len() / d;
            sample.compare(first, block);
            let y = &mut y[first * r..(first + rows) * r];
            let strips = y.par_chunks_mut(STRIP * r).zip(block.par_chunks(STRIP * d));
            strips.zip(rho[first..first + rows].par_chunks_mut(STRIP)).for_each(|((y, x), rho)| {
                let mut exact = vec![0.0; y.len()];
                multiply(x, rho.len(), basis.view().transpose(), &mut exact);
                y.iter_mut().zip(&exact).for_each(|(y, e)| *y = *e as f32);
                for (rho, y) in rho.iter_mut().zip(exact.chunks_exact(r)) {
                    *rho = (1.0 - y.iter().map(|y| y * y).sum::<f64>()).max(0.0) as f32;
                }
            });
        })?;
        Ok(Self { n, r, y, rho })
    }

    fn neighbors(&self, limits: Limits) -> Result<Neighbors> {
        let points = Points::new(&self.y, self.n, self.r)?.with_extra(&self.rho)?;
        Neighbors::search(points, NEIGHBORS.min(self.n - 1), limits.search)
    }

    /// Moves every instance towards its neighbours and scales it to unit length.
    fn smooth(&mut self, graph: &Neighbors) {
        smooth(&mut self.y, self.r, graph, |weight| weight as f32);
        // What is cut off is orthogonal between instances: its squared length is what adds up.
        smooth(&mut self.rho, 1, graph, |weight| (weight as f32) * (weight as f32));
        self.y.par_chunks_exact_mut(self.r).zip(&self.rho).for_each(|(z, rho)| {
            let square: f32 = z.iter().map(|z| z * z).sum::<f32>() + rho;
            let scale = if square > 0.0 { square.sqrt().recip() } else { 0.0 };
            z.iter_mut().for_each(|z| *z *= scale);
        });
    }

    /// The similarity graph of the smoothed instances, over the neighbours that they had before: another search would take
    /// as long as the first, and finds unknown classes hardly better.
    fn graph(&self, neighbors: &Neighbors) -> SimilarityGraph {
        let row = |i: usize| &self.y[i * self.r..(i + 1) * self.r];
        SimilarityGraph::of(neighbors, |i, k| {
            // What is cut off is orthogonal between instances, so the cosine is that of the parts that are kept.
            let other = row(neighbors.list(i)[k] as usize);
            let cosine: f32 = row(i).iter().zip(other).map(|(a, b)| a * b).sum();
            2.0 - 2.0 * f64::from(cosine)
        })
    }

    /// The mean and the leading principal components, one row each.
    fn components(&self) -> Result<(Vec<f64>, Matrix)> {
        let (n, r) = (self.n, self.r);
        let mut mean = vec![0.0; r];
        let mut negated = Matrix::zeros(r, r);
        for block in self.y.chunks(BLOCK * r) {
            let block: Vec<f64> = block.iter().map(|&y| f64::from(y)).collect();
            add_to_mean(&mut mean, block.chunks_exact(r), n);
            add_inner(&block, &block, -1.0, STRIP, &mut negated);
        }
        for i in 0..r {
            for j in 0..r {
                // The smaller index first, so that rounding leaves the matrix symmetric.
                negated[(i, j)] += n as f64 * mean[i.min(j)] * mean[i.max(j)];
            }
        }
        Ok((mean, leading_of(&negated, POOL_COMPONENTS.min(r), n, CANCELLED)?))
    }

    /// Coordinates of all instances. They overwrite what was kept before they are converted to double precision, so that the
    /// two are never in memory together.
    fn coordinates(mut self, mean: &[f64], components: &Matrix) -> Matrix {
        let (r, c) = (self.r, components.rows());
        for first in (0..self.n).step_by(BLOCK) {
            let rows = BLOCK.min(self.n - first);
            let block = self.y[first * r..(first + rows) * r].to_vec();
            let to = self.y[first * c..(first + rows) * c].par_chunks_mut(STRIP * c);
            to.zip(block.par_chunks(STRIP * r)).for_each(|(to, y)| {
                let from_mean = |(at, &y): (usize, &f32)| f64::from(y) - mean[at % r];
                let centred: Vec<f64> = y.iter().enumerate().map(from_mean).collect();
                let mut u = vec![0.0; to.len()];
                multiply(&centred, y.len() / r, components.view().transpose(), &mut u);
                u.chunks_exact_mut(c).for_each(to_unit);
                to.iter_mut().zip(u).for_each(|(to, u)| *to = u as f32);
            });
        }
        self.y.truncate(self.n * c);
        self.y.shrink_to_fit();
        Matrix::from_fn(self.n, c, |i, j| f64::from(self.y[i * c + j]))
    }
}
