//! The representation in which a pool is labelled and judged.
//!
//! ```text
//! x ← √x / ‖√x‖                                          power: skewed features become more nearly Gaussian
//! z ← ((1 − a) x + a Σⱼ wᵢⱼ zⱼ) / ‖·‖,   twice           each instance moves towards its nearest neighbours,
//!                                                         wᵢⱼ ∝ max(0, cos)⁴ over the k nearest, a = ½, k = 10
//! u ← Vᵀ(z − m) / ‖·‖                                     the leading principal components of the pool
//! ```
//!
//! No label is used, so it is made once and serves every fold of the cross-fit. The power is the square root where the
//! features are (nearly) non-negative, as after a ReLU, and `sign(x) √|x|` otherwise. An instance that was not in the
//! pool has no neighbours there: its coordinates are those of `x` itself ([`Projection`]).

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

use crate::linalg::Tridiagonal;
use crate::linalg::block::inner;
use crate::power::{SIGNED_FROM, is_signed, power};
use crate::reduce::neighbors::Neighbors;
use crate::{Error, Features, Instances, Matrix, Result};

/// Neighbours that an instance moves towards.
const NEIGHBORS: usize = 10;
/// How far it moves.
const SMOOTHING: f64 = 0.5;
/// How often.
const SWEEPS: usize = 2;
/// Principal components at most.
const COMPONENTS: usize = 128;
/// A principal component with less variance than this is rounding; instances have unit length.
const ROUNDING: f64 = 1e-14;

/// A pool of instances in its representation.
#[derive(Debug)]
pub(crate) struct Representation {
    /// Coordinates of all instances, smoothed over their neighbours.
    pub smooth: Instances,
    /// Coordinates of all instances as an instance that was not in the pool would have them.
    pub plain: Instances,
    /// How to take other instances there.
    pub projection: Projection,
}

/// The way from features to coordinates.
#[derive(Debug, Clone, PartialEq)]
pub struct Projection {
    /// Whether the features are taken to have signs.
    pub signed: bool,
    /// Mean of the pool.
    pub mean: Vec<f64>,
    /// One row a component, one column a feature.
    pub basis: Matrix,
}

impl Representation {
    /// Represents all rows of the features.
    ///
    /// # Errors
    /// [`Error::ZeroVector`]; [`Error::Constant`] when nothing tells the instances apart.
    pub fn of(features: &Features<'_>) -> Result<Self> {
        let mut powered = features.normalize()?.into_unit();
        let signed = is_signed(&powered, powered.rows(), SIGNED_FROM);
        power(&mut powered, signed);
        let powered = Instances::from_unit(powered);
        let smoothed = smooth(&powered)?;
        let (mean, basis) = principal_components(&smoothed)?;
        let projection = Projection { signed, mean, basis };
        Ok(Self {
            smooth: Instances::from_unit(projection.coordinates(&smoothed)),
            plain: Instances::from_unit(projection.coordinates(powered.unit())),
            projection,
        })
    }
}

impl Projection {
    /// Coordinates of instances that were not in the pool.
    ///
    /// # Errors
    /// [`Error::Dimensions`] for another number of features than the pool's, [`Error::ZeroVector`].
    pub fn apply(&self, features: &Features<'_>) -> Result<Instances> {
        if features.dims() != self.mean.len() {
            return Err(Error::Dimensions { expected: self.mean.len(), given: features.dims() });
        }
        let mut x = features.normalize()?.into_unit();
        power(&mut x, self.signed);
        Ok(Instances::from_unit(self.coordinates(&x)))
    }

    /// `Vᵀ(x − m)` of every row, at unit length. A row at the mean stays at the origin.
    fn coordinates(&self, x: &Matrix) -> Matrix {
        let (n, r) = (x.rows(), self.basis.rows());
        let mut u = Matrix::zeros(n, r);
        let offset: Vec<f64> = self
            .basis
            .iter_rows()
            .map(|v| v.iter().zip(&self.mean).map(|(v, m)| v * m).sum())
            .collect();
        const ROWS: usize = 256;
        let d = x.cols();
        u.as_mut_slice().par_chunks_mut(ROWS * r).zip(x.as_slice().par_chunks(ROWS * d)).for_each(
            |(u, x)| {
                let rows = x.len() / d;
                matmul(
                    MatMut::from_row_major_slice_mut(&mut *u, rows, r),
                    Accum::Replace,
                    MatRef::from_row_major_slice(x, rows, d),
                    self.basis.view().transpose(),
                    1.0,
                    Par::Seq,
                );
                for u in u.chunks_exact_mut(r) {
                    u.iter_mut().zip(&offset).for_each(|(u, o)| *u -= o);
                    to_unit(u);
                }
            },
        );
        u
    }
}

/// Moves every instance towards its neighbours.
fn smooth(instances: &Instances) -> Result<Matrix> {
    let x = instances.unit();
    let (n, d) = (x.rows(), x.cols());
    let k = NEIGHBORS.min(n.saturating_sub(1));
    if k == 0 {
        return Ok(x.clone());
    }
    let graph = Neighbors::of(instances, n, k)?;
    let mut z = x.clone();
    for _ in 0..SWEEPS {
        let mut next = Matrix::zeros(n, d);
        next.as_mut_slice().par_chunks_exact_mut(d).enumerate().for_each(|(i, to)| {
            // cos = 1 − d²/2 on the sphere.
            let weight = |squared: &f64| (1.0 - 0.5 * squared).max(0.0).powi(4);
            let total: f64 = graph.squared_distances(i).iter().map(weight).sum();
            to.iter_mut().zip(x.row(i)).for_each(|(to, x)| *to = (1.0 - SMOOTHING) * x);
            if total > 0.0 {
                for (&j, squared) in graph.indices(i).iter().zip(graph.squared_distances(i)) {
                    let w = SMOOTHING * weight(squared) / total;
                    to.iter_mut().zip(z.row(j)).for_each(|(to, z)| *to += w * z);
                }
            }
        });
        z = next;
    }
    z.as_mut_slice().par_chunks_exact_mut(d).for_each(to_unit);
    Ok(z)
}

/// The mean and the leading principal components, one row each.
fn principal_components(x: &Matrix) -> Result<(Vec<f64>, Matrix)> {
    let (n, d) = (x.rows(), x.cols());
    let mut mean = vec![0.0; d];
    for row in x.iter_rows() {
        mean.iter_mut().zip(row).for_each(|(m, v)| *m += v / n as f64);
    }
    let centred = Matrix::from_fn(n, d, |i, j| x[(i, j)] - mean[j]);
    let wanted = COMPONENTS.min(d).min(n - 1);
    if wanted == 0 {
        return Err(Error::Constant { rows: n });
    }
    // Of the two products of the centred rows with themselves, the smaller has the same leading eigenvalues.
    let by_features = d <= n;
    let size = d.min(n);
    let mut negated =
        if by_features { inner(&centred, &centred, -1.0) } else { negated_gram(&centred) };
    for i in 0..size {
        for j in 0..i {
            negated[(i, j)] = negated[(j, i)];
        }
    }
    let pairs = Tridiagonal::of(&negated).lowest(wanted.min(size))?;
    let kept = pairs.values.iter().take_while(|v| -**v > ROUNDING * n as f64).count();
    if kept == 0 {
        return Err(Error::Constant { rows: n });
    }
    let mut basis = Matrix::zeros(kept, d);
    for (k, vector) in pairs.vectors.iter_rows().take(kept).enumerate() {
        let row = basis.row_mut(k);
        if by_features {
            row.copy_from_slice(vector);
        } else {
            for (x, &weight) in centred.iter_rows().zip(vector) {
                row.iter_mut().zip(x).for_each(|(v, x)| *v += weight * x);
            }
            to_unit(row);
        }
    }
    Ok((mean, basis))
}

/// `−XXᵀ`.
fn negated_gram(x: &Matrix) -> Matrix {
    let n = x.rows();
    let mut gram = Matrix::zeros(n, n);
    let out = MatMut::from_row_major_slice_mut(gram.as_mut_slice(), n, n);
    matmul(out, Accum::Replace, x.view(), x.view().transpose(), -1.0, Par::Seq);
    gram
}

/// Scales a vector to unit length, if it has any.
fn to_unit(x: &mut [f64]) {
    let norm = crate::linalg::vector::norm(x);
    if norm > 0.0 {
        x.iter_mut().for_each(|v| *v /= norm);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(n: usize, d: usize) -> Vec<f64> {
        (0..n * d).map(|at| ((at * at) as f64 * 0.37).sin().abs() + (at % d) as f64 * 0.1).collect()
    }

    fn represent(values: &[f64], n: usize, d: usize) -> Representation {
        Representation::of(&Features::new(values, n, d).unwrap()).unwrap()
    }

    #[test]
    fn an_instance_of_the_pool_projects_to_its_plain_coordinates() {
        for (n, d) in [(40, 7), (12, 30)] {
            let values = values(n, d);
            let pool = represent(&values, n, d);
            let again = Features::new(&values[..d], 1, d).unwrap();
            let again = pool.projection.apply(&again).unwrap();
            for (a, b) in again.unit().row(0).iter().zip(pool.plain.unit().row(0)) {
                assert!((a - b).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn both_ways_to_the_components_agree() {
        // 30 rows of 30 features: cut to 29 rows the small product is the other one.
        let values = values(30, 29);
        let by_features = represent(&values, 30, 29);
        let padded: Vec<f64> =
            values.chunks(29).flat_map(|row| row.iter().copied().chain([0.0, 0.0])).collect();
        let by_rows = represent(&padded, 30, 31);
        let (a, b) = (by_features.smooth.gram(), by_rows.smooth.gram());
        for (a, b) in a.as_slice().iter().zip(b.as_slice()) {
            assert!((a - b).abs() < 1e-4, "{a} {b}");
        }
    }

    #[test]
    fn pools_without_differences_are_refused_and_tiny_ones_are_not() {
        for n in 1..4 {
            let same = [1.0, 2.0].repeat(n);
            let error = Representation::of(&Features::new(&same[..], n, 2).unwrap()).unwrap_err();
            assert_eq!(error, Error::Constant { rows: n });
        }
        let two = represent(&[1.0, 2.0, 2.0, 1.0], 2, 2);
        assert_eq!(two.smooth.dims(), 1);
        let signed = represent(&[1.0, -2.0, -1.0, 0.5, 0.3, 2.0], 3, 2);
        assert!(signed.projection.signed);
    }

    #[test]
    fn other_features_are_refused() {
        let pool = represent(&values(10, 4), 10, 4);
        let other = [1.0; 5];
        let error = pool.projection.apply(&Features::new(&other[..], 1, 5).unwrap()).unwrap_err();
        assert_eq!(error, Error::Dimensions { expected: 4, given: 5 });
    }
}
