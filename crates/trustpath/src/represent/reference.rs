//! Rows of a pool that new rows are smoothed over.
//!
//! ```text
//! q = Bᵀx                                       x the new row, prepared as those of the pool; B the leading directions of these
//! z = ((1 − a) q + a Σⱼ wⱼ z¹ⱼ) / ‖·‖           z¹ⱼ the reference rows after the first of the two steps of the pool, wⱼ ∝ max(0, ⟨q, xⱼ⟩)⁴
//! u = Vᵀ(B z − m) / ‖·‖                         the coordinates of the pool
//! ```
//!
//! This is what the second step does with a row of the pool. What `B` cuts off is orthogonal to it, so only its length counts. Neighbours
//! are the `k` rows that `q` comes nearest to as seen from them ([`Targets`]): for rows that nobody has as a neighbour this labels one to two
//! points better than the nearest ones. A row of the pool is not its own neighbour, neither when the model is calibrated nor when it is met
//! again as a new one: a reference row that coincides with a new row is left out.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

use super::smoothing::{NEIGHBORS, SMOOTHING, move_towards};
use super::{Projection, Represented};
use crate::limits::{REFERENCE_BASIS_ROWS, REFERENCE_DIMS, REFERENCE_ROWS};
use crate::linalg::pca::principal_axes;
use crate::linalg::vector::{dot_in_order, to_unit};
use crate::neighbors::{NearestTargets, Neighbors, Points, Targets, edge_weight};
use crate::{Error, Features, Matrix, Result};

/// Rows that are projected together. A strip that has fewer is filled up, so that no result depends on where a strip ends.
const STRIP: usize = 256;
/// Rows that are read together.
const BLOCK: usize = 4096;

/// Reference rows in the directions that are kept.
#[derive(Debug, Clone)]
pub struct Reference {
    /// One row per direction that is kept, one column per feature.
    basis: Matrix,
    /// The rows before smoothing, row-major.
    rows: Vec<f32>,
    /// The same after the first step.
    once: Vec<f32>,
    targets: Targets,
    /// `BᵀV`, row-major.
    turn: Vec<f32>,
    /// `Vᵀm`.
    offset: Vec<f32>,
}

impl PartialEq for Reference {
    fn eq(&self, other: &Self) -> bool {
        (&self.basis, &self.rows, &self.once) == (&other.basis, &other.rows, &other.once)
    }
}

/// New rows in the coordinates of the pool, and the reference rows near each.
#[derive(Debug)]
pub(crate) struct Placed {
    /// The coordinates.
    pub u: Matrix,
    nearest: NearestTargets,
}

impl Placed {
    /// Writes the mean of what the reference rows near a row have, weighted as it is smoothed; `values` has as many for every one of them
    /// as there is room for. Zeros where no reference row is near.
    pub fn mean(&self, row: usize, values: &[f32], to: &mut [f32]) {
        to.fill(0.0);
        let total: f64 = self.nearest.of(row).map(|(inner, _)| weight(inner)).sum();
        if total == 0.0 {
            return;
        }
        for (inner, j) in self.nearest.of(row) {
            let w = (weight(inner) / total) as f32;
            let from = &values[j * to.len()..(j + 1) * to.len()];
            to.iter_mut().zip(from).for_each(|(to, v)| *to += w * v);
        }
    }
}

/// The weight of a neighbour with this inner product.
fn weight(inner: f32) -> f64 {
    edge_weight(2.0 - 2.0 * f64::from(inner))
}

/// Rows in the kept directions, row-major, and what is cut off of each, as a squared length.
struct KeptRows {
    rows: Vec<f32>,
    rest: Vec<f32>,
}

impl Reference {
    /// Of a pool, and which rows of it they are.
    pub(crate) fn of(pool: &Represented) -> Result<(Self, Vec<usize>)> {
        let n = pool.unit.len();
        let count = n.min(REFERENCE_ROWS);
        let which: Vec<usize> = (0..count).map(|at| at * n / count).collect();
        let x = if count == n { pool.unit.unit().clone() } else { pool.unit.gather(&which).into_unit() };
        let x = pool.projection.prepare(x);
        let basis = kept_directions(&x)?;
        let dims = basis.rows();
        let kept = project(x.as_slice(), x.cols(), &single(&basis), dims).rows;
        let neighbors = if count == n {
            pool.neighbors.clone()
        } else {
            let points = Points::new(&kept, count, dims)?;
            Neighbors::search(points, NEIGHBORS)?
        };
        let mut once = kept.clone();
        if !neighbors.is_empty() {
            move_towards(&mut once, &kept, dims, &neighbors, |weight| weight as f32);
        }
        let reference = Self::new(&pool.projection, basis, kept, once)?;
        Ok((reference, which))
    }

    /// Of rows in the directions that are kept.
    ///
    /// # Errors
    /// [`Error::Shape`] where the parts do not fit together, [`Error::NotFinite`].
    pub fn new(projection: &Projection, basis: Matrix, rows: Vec<f32>, once: Vec<f32>) -> Result<Self> {
        let (dims, d) = (basis.rows(), projection.mean.len());
        let n = rows.len() / dims.max(1);
        let fits = basis.cols() == d && projection.basis.cols() == d && rows.len() == n * dims;
        if !fits || once.len() != rows.len() || n == 0 {
            return Err(Error::Shape { rows: n, dims, expected: rows.len(), given: once.len() });
        }
        Points::new(&once, n, dims)?;
        let plain = Targets::new(&rows, dims, &vec![0.0; n])?;
        let around = plain.nearest(&rows, NEIGHBORS, Some)?;
        let last = |j: usize| around.of(j).last().map_or(0.0, |(inner, _)| inner);
        let shift: Vec<f32> = (0..n).map(last).collect();
        let targets = plain.shifted(&shift);
        let turn =
            Matrix::from_fn(dims, projection.basis.rows(), |i, j| dot_in_order(basis.row(i), projection.basis.row(j)));
        let offset = |v: &[f64]| dot_in_order(v, &projection.mean) as f32;
        let offset = projection.basis.iter_rows().map(offset).collect();
        Ok(Self { turn: single(&turn), offset, basis, rows, once, targets })
    }

    /// The directions that are kept, and the rows in these before smoothing and after its first step: what [`new`](Self::new) takes.
    pub fn parts(&self) -> (&Matrix, &[f32], &[f32]) {
        (&self.basis, &self.rows, &self.once)
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len() / self.basis.rows()
    }

    /// Never true: there is at least one row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Places new rows, which must have the features of the pool, and calls `each` with all of them, prepared, a block at a time.
    ///
    /// # Errors
    /// [`Error::Dimensions`] for another number of features, [`Error::ZeroVector`]; for rows that are read, as when they are.
    pub(crate) fn place(
        &self,
        projection: &Projection,
        features: &Features<'_>,
        rows: std::ops::Range<usize>,
        mut each: impl FnMut(&[f64]) -> Result<()>,
    ) -> Result<Placed> {
        let d = features.dims();
        if d != self.basis.cols() {
            return Err(Error::Dimensions { expected: self.basis.cols(), given: d });
        }
        let (preparation, basis) = (projection.preparation(), single(&self.basis));
        let mut kept = KeptRows { rows: Vec::new(), rest: Vec::new() };
        let mut block = vec![0.0; BLOCK.min(rows.len()) * d];
        for first in rows.clone().step_by(BLOCK) {
            let block = &mut block[..BLOCK.min(rows.end - first) * d];
            features.normalized_block(first, block)?;
            block.par_chunks_exact_mut(d).for_each(|row| preparation.row(row));
            each(block)?;
            let KeptRows { rows, rest } = project(block, d, &basis, self.basis.rows());
            kept.rows.extend(rows);
            kept.rest.extend(rest);
        }
        self.smooth(&kept, |_| None)
    }

    /// Places prepared rows of the pool as if they were new; `own` is the number of each among the reference rows.
    pub(crate) fn place_again(
        &self,
        pool: &Represented,
        rows: &[usize],
        own: impl Fn(usize) -> Option<usize> + Sync,
    ) -> Result<Placed> {
        let x = pool.projection.prepare(pool.unit.gather(rows).into_unit());
        let kept = project(x.as_slice(), x.cols(), &single(&self.basis), self.basis.rows());
        self.smooth(&kept, |at| own(rows[at]))
    }

    fn smooth(&self, kept: &KeptRows, own: impl Fn(usize) -> Option<usize> + Sync) -> Result<Placed> {
        let (dims, r) = (self.basis.rows(), self.offset.len());
        let nearest = self.targets.nearest(&kept.rows, NEIGHBORS, own)?;
        let n = kept.rest.len();
        let mut u = Matrix::zeros(n, r);
        let strips = u.as_mut_slice().par_chunks_mut(STRIP * r).enumerate();
        strips.for_each_init(
            || (vec![0.0; STRIP * dims], vec![0.0; STRIP * r]),
            |(z, turned), (strip, u)| {
                for (at, z) in z.chunks_exact_mut(dims).take(u.len() / r).enumerate() {
                    let row = strip * STRIP + at;
                    z.copy_from_slice(&kept.rows[row * dims..(row + 1) * dims]);
                    self.move_row(z, kept.rest[row], nearest.of(row));
                }
                multiply(z, &self.turn, dims, turned);
                for (u, turned) in u.chunks_exact_mut(r).zip(turned.chunks_exact(r)) {
                    let centred = turned.iter().zip(&self.offset).map(|(t, o)| f64::from(t - o));
                    u.iter_mut().zip(centred).for_each(|(u, centred)| *u = centred);
                    to_unit(u);
                }
            },
        );
        Ok(Placed { u, nearest })
    }

    /// Moves one row towards its neighbours, and scales it, with what is cut off of it, to unit length.
    fn move_row(&self, z: &mut [f32], rest: f32, nearest: impl Iterator<Item = (f32, usize)> + Clone) {
        let dims = z.len();
        let total: f64 = nearest.clone().map(|(inner, _)| weight(inner)).sum();
        let mut rest = rest;
        if total > 0.0 {
            let keep = (1.0 - SMOOTHING) as f32;
            z.iter_mut().for_each(|z| *z *= keep);
            for (inner, j) in nearest {
                let w = (SMOOTHING * weight(inner) / total) as f32;
                let once = &self.once[j * dims..(j + 1) * dims];
                z.iter_mut().zip(once).for_each(|(z, once)| *z += w * once);
            }
            rest *= keep * keep;
        }
        let square = z.iter().map(|z| z * z).sum::<f32>() + rest;
        let scale = if square > 0.0 { square.sqrt().recip() } else { 0.0 };
        z.iter_mut().for_each(|z| *z *= scale);
    }
}

/// The mean of some of these rows and their leading principal components, orthonormal.
fn kept_directions(x: &Matrix) -> Result<Matrix> {
    let (n, d) = (x.rows(), x.cols());
    let count = n.min(REFERENCE_BASIS_ROWS);
    let (mut mean, axes) = if count == n {
        principal_axes(x, REFERENCE_DIMS - 1)?
    } else {
        let some = Matrix::from_fn(count, d, |i, j| x[(i * n / count, j)]);
        principal_axes(&some, REFERENCE_DIMS - 1)?
    };
    for axis in axes.iter_rows() {
        let inner = dot_in_order(axis, &mean);
        mean.iter_mut().zip(axis).for_each(|(m, a)| *m -= inner * a);
    }
    // Of rows that were centred hardly anything is left of it.
    let left = dot_in_order(&mean, &mean);
    let rows = axes.rows() + usize::from(left > LEAST);
    to_unit(&mut mean);
    Ok(Matrix::from_fn(rows, d, |i, j| if i < axes.rows() { axes[(i, j)] } else { mean[j] }))
}

/// Squared length from which the rest of the mean is a direction of its own.
const LEAST: f64 = 1e-6;

/// A matrix in single precision.
fn single(m: &Matrix) -> Vec<f32> {
    m.as_slice().iter().map(|&v| v as f32).collect()
}

/// `Bᵀx` of rows of unit length, for a basis with one row per direction.
fn project(x: &[f64], d: usize, basis: &[f32], dims: usize) -> KeptRows {
    let n = x.len() / d;
    let mut kept = KeptRows { rows: vec![0.0; n * dims], rest: vec![0.0; n] };
    let strips = kept.rows.par_chunks_mut(STRIP * dims).zip(kept.rest.par_chunks_mut(STRIP));
    strips.zip(x.par_chunks(STRIP * d)).for_each_init(
        || (vec![0.0f32; STRIP * d], vec![0.0f32; STRIP * dims]),
        |(from, to), ((rows, rest), x)| {
            from.iter_mut().zip(x).for_each(|(from, &x)| *from = x as f32);
            matmul(
                MatMut::from_row_major_slice_mut(&mut *to, STRIP, dims),
                Accum::Replace,
                MatRef::from_row_major_slice(from, STRIP, d),
                MatRef::from_row_major_slice(basis, dims, d).transpose(),
                1.0,
                Par::Seq,
            );
            rows.copy_from_slice(&to[..rows.len()]);
            for (rest, row) in rest.iter_mut().zip(rows.chunks_exact(dims)) {
                *rest = (1.0 - row.iter().map(|v| v * v).sum::<f32>()).max(0.0);
            }
        },
    );
    kept
}

/// `out = x m` of a strip of rows, for a row-major `m`.
fn multiply(x: &[f32], m: &[f32], dims: usize, out: &mut [f32]) {
    let columns = m.len() / dims;
    matmul(
        MatMut::from_row_major_slice_mut(out, STRIP, columns),
        Accum::Replace,
        MatRef::from_row_major_slice(x, STRIP, dims),
        MatRef::from_row_major_slice(m, dims, columns),
        1.0,
        Par::Seq,
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::vector::dot;
    use crate::observer::NoObserver;
    use crate::random::Random;

    fn values(n: usize, d: usize) -> Vec<f64> {
        let mut random = Random::stream(9, 0);
        let value = |at: usize| {
            let lean = if at % d % 5 == at / d % 5 { 1.0 } else { 0.1 };
            (lean + 0.4 * random.normal()).abs()
        };
        (0..n * d).map(value).collect()
    }

    #[test]
    fn a_row_of_the_pool_is_placed_where_it_was() {
        // All directions are kept, and a part of them.
        for d in [30, 220] {
            let n = 400;
            let values = values(n, d);
            let features = Features::new(&values[..], n, d).unwrap();
            let pool = Represented::of(&features, &mut NoObserver).unwrap();
            let (reference, which) = Reference::of(&pool).unwrap();
            assert!(which.iter().copied().eq(0..n) && reference.len() == n);
            let again = reference.place(&pool.projection, &features, 0..n, |_| Ok(())).unwrap();
            let own = |row: usize| Some(row);
            let rows: Vec<usize> = (0..n).collect();
            let as_new = reference.place_again(&pool, &rows, own).unwrap();
            let mut sum = 0.0;
            for row in 0..n {
                sum += dot(again.u.row(row), pool.smooth.unit().row(row)) / n as f64;
                assert!(dot(again.u.row(row), as_new.u.row(row)) > 1.0 - 1e-6);
                assert!(again.nearest.of(row).all(|(_, j)| j != row));
            }
            assert!(sum > 0.9, "{d}: {sum}");
            // Whatever the blocks.
            for block in [1, 37, 256] {
                for first in (0..n).step_by(block) {
                    let rows = first..(first + block).min(n);
                    let part = reference.place(&pool.projection, &features, rows, |_| Ok(()));
                    let part = part.unwrap();
                    for at in 0..part.u.rows() {
                        assert_eq!(part.u.row(at), again.u.row(first + at));
                    }
                }
            }
        }
    }

    #[test]
    fn other_features_and_parts_that_do_not_fit_are_refused() {
        let values = values(60, 7);
        let features = Features::new(&values[..], 60, 7).unwrap();
        let pool = Represented::of(&features, &mut NoObserver).unwrap();
        let (reference, _) = Reference::of(&pool).unwrap();
        let other = [1.0; 5];
        let other = Features::new(&other[..], 1, 5).unwrap();
        let error = reference.place(&pool.projection, &other, 0..1, |_| Ok(())).unwrap_err();
        assert_eq!(error, Error::Dimensions { expected: 7, given: 5 });
        let (basis, rows, once) = reference.parts();
        let new = |rows: &[f32]| {
            let (rows, once) = (rows.to_vec(), once.to_vec());
            Reference::new(&pool.projection, basis.clone(), rows, once)
        };
        assert_eq!(new(rows).unwrap(), reference);
        assert!(matches!(new(&rows[7..]), Err(Error::Shape { .. })));
        assert!(matches!(new(&[]), Err(Error::Shape { .. })));
    }
}
