//! What is kept of the rows of a large pool: fewer dimensions, in single precision, and the squared length of what is cut off.

use rayon::prelude::*;

use super::recall::RecallSample;
use super::smoothing::move_towards;
use crate::limits::{LEAST_KEPT_DIMS, POOL_COMPONENTS, SIGN_PLACES, SIGN_ROWS};
use crate::linalg::block::{add_inner, multiply};
use crate::linalg::pca::{ROUNDING, add_to_mean, leading_of};
use crate::linalg::vector::to_unit;
use crate::neighbors::Neighbors;
use crate::observer::Stages;
use crate::power::{SIGNED_FROM, is_signed, power_row};
use crate::{Features, Instances, Matrix, Result};

/// Rows read together.
const BLOCK: usize = 4096;
/// Rows worked on together.
pub(super) const STRIP: usize = 512;
/// A component with less variance than this is what cancelling the mean leaves of sums over many rows.
const CANCELLED: f64 = 1e-11;

/// The rows of a pool of this size by which its features are taken to have signs or not.
pub fn sign_rows(n: usize) -> Vec<usize> {
    let from = |k: usize| k * (n / SIGN_PLACES);
    (0..SIGN_PLACES).flat_map(|k| from(k)..(from(k) + SIGN_ROWS).min(n)).collect()
}

/// Whether these rows, from everywhere in the pool, have signs.
///
/// # Errors
/// [`Error::ZeroVector`](crate::Error::ZeroVector).
pub fn has_signs(features: &Features<'_>) -> Result<bool> {
    Ok(signs_of(features.normalize()?))
}

/// The same of rows at unit length.
pub(super) fn signs_of(some: Instances) -> bool {
    let some = some.into_unit();
    is_signed(&some, some.rows(), SIGNED_FROM)
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

/// How many dimensions of `d` are kept; `None` for all.
pub(super) fn kept_dims(d: usize) -> Option<usize> {
    // Half of them: with a copy to sort and smooth that takes as much memory as the features.
    let kept = (d / 2).max(LEAST_KEPT_DIMS);
    (d > kept).then_some(kept)
}

/// `−XᵀX` of the rows; `None` where all dimensions are kept.
pub(super) fn negated_product(
    features: &Features<'_>,
    signed: bool,
    stages: &Stages<'_>,
) -> Result<Option<Matrix>> {
    let d = features.dims();
    if kept_dims(d).is_none() {
        return Ok(None);
    }
    let mut negated = Matrix::zeros(d, d);
    for_blocks(features, signed, stages, |_, block| {
        add_inner(block, block, -1.0, STRIP, &mut negated);
    })?;
    Ok(Some(negated))
}

/// The leading right singular vectors of `n` rows, one row each, from their product; the axes themselves where all are kept.
pub(super) fn singular_vectors(negated: Option<&Matrix>, d: usize, n: usize) -> Result<Matrix> {
    match (negated, kept_dims(d)) {
        (Some(negated), Some(kept)) => leading_of(negated, kept, n, ROUNDING),
        _ => Ok(Matrix::from_fn(d, d, |i, j| f64::from(u8::from(i == j)))),
    }
}

/// What is kept of every row.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptRows {
    /// Dimensions that are kept.
    pub dims: usize,
    /// `y`, one row per instance.
    pub y: Vec<f32>,
    /// `ρ`: squared length of what is cut off.
    pub rho: Vec<f32>,
}

impl KeptRows {
    /// Of features that begin with this row of a pool.
    pub(super) fn of(
        features: &Features<'_>,
        first_row: usize,
        signed: bool,
        basis: &Matrix,
        sample: &mut RecallSample,
        stages: &Stages<'_>,
    ) -> Result<Self> {
        let (n, d, r) = (features.rows(), features.dims(), basis.rows());
        let (mut y, mut rho) = (vec![0.0f32; n * r], vec![0.0f32; n]);
        for_blocks(features, signed, stages, |first, block| {
            let rows = block.len() / d;
            sample.compare(first_row + first, block);
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
        Ok(Self { dims: r, y, rho })
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rho.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rho.is_empty()
    }

    /// Moves every instance towards its neighbours and scales it to unit length.
    pub(super) fn smooth(&mut self, graph: &Neighbors) {
        let mut once = self.clone();
        once.move_towards(self, graph);
        self.move_towards(&once, graph);
        self.scale();
    }

    /// Moves every instance once towards its neighbours, which are among `others`.
    pub(super) fn move_towards(&mut self, others: &Self, graph: &Neighbors) {
        move_towards(&mut self.y, &others.y, self.dims, graph, |weight| weight as f32);
        // What is cut off is orthogonal between instances: its squared length is what adds up.
        let square = |weight: f64| (weight as f32) * (weight as f32);
        move_towards(&mut self.rho, &others.rho, 1, graph, square);
    }

    /// Scales every row, with what is cut off, to unit length.
    pub(super) fn scale(&mut self) {
        self.y.par_chunks_exact_mut(self.dims).zip(&self.rho).for_each(|(z, rho)| {
            let square: f32 = z.iter().map(|z| z * z).sum::<f32>() + rho;
            let scale = if square > 0.0 { square.sqrt().recip() } else { 0.0 };
            z.iter_mut().for_each(|z| *z *= scale);
        });
    }

    /// The cosine of two smoothed instances. What is cut off is orthogonal between them, so it is that of the parts that are kept.
    pub(super) fn cosine(&self, i: usize, j: usize) -> f32 {
        let row = |i: usize| &self.y[i * self.dims..(i + 1) * self.dims];
        row(i).iter().zip(row(j)).map(|(a, b)| a * b).sum()
    }

    /// Their part in the mean of `n` rows, and `−ZᵀZ`.
    pub fn scatter(&self, n: usize) -> Scatter {
        let r = self.dims;
        let mut scatter = Scatter { mean: vec![0.0; r], negated: Matrix::zeros(r, r) };
        for block in self.y.chunks(BLOCK * r) {
            let block: Vec<f64> = block.iter().map(|&y| f64::from(y)).collect();
            add_to_mean(&mut scatter.mean, block.chunks_exact(r), n);
            add_inner(&block, &block, -1.0, STRIP, &mut scatter.negated);
        }
        scatter
    }

    /// Coordinates of all instances, one after the other: their principal components, at unit length. They overwrite what was kept before.
    pub fn coordinates(mut self, mean: &[f64], components: &Matrix) -> Vec<f32> {
        let (r, c, n) = (self.dims, components.rows(), self.len());
        for first in (0..n).step_by(BLOCK) {
            let rows = BLOCK.min(n - first);
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
        self.y.truncate(n * c);
        self.y.shrink_to_fit();
        self.y
    }
}

/// The mean of rows and their product with themselves, of which parts can be added up.
#[derive(Debug, Clone, PartialEq)]
pub struct Scatter {
    /// The mean, or a part of it.
    pub mean: Vec<f64>,
    /// `−ZᵀZ`.
    pub negated: Matrix,
}

impl Scatter {
    /// The mean of `n` rows and their leading principal components, one row each.
    ///
    /// # Errors
    /// [`Error::Constant`](crate::Error::Constant) when all rows are the same.
    pub(super) fn components(mut self, n: usize) -> Result<(Vec<f64>, Matrix)> {
        let r = self.mean.len();
        for i in 0..r {
            for j in 0..r {
                // The smaller index first, so that rounding leaves the matrix symmetric.
                self.negated[(i, j)] += n as f64 * self.mean[i.min(j)] * self.mean[i.max(j)];
            }
        }
        let components = leading_of(&self.negated, POOL_COMPONENTS.min(r), n, CANCELLED)?;
        Ok((self.mean, components))
    }
}

/// The mean and the components in terms of the features: combinations of the rows of the basis.
pub(super) fn in_features(
    basis: &Matrix,
    mean: Vec<f64>,
    components: &Matrix,
) -> Result<(Vec<f64>, Matrix)> {
    let combined = |m: &Matrix| {
        let mut out = Matrix::zeros(m.rows(), basis.cols());
        multiply(m.as_slice(), m.rows(), basis.view(), out.as_mut_slice());
        out
    };
    let mean = combined(&Matrix::from_vec(1, mean.len(), mean)?).row(0).to_vec();
    Ok((mean, combined(components)))
}
