//! The representation in which a pool is labelled and judged.
//!
//! ```text
//! x ← √x / ‖√x‖                                          power: skewed features become more nearly Gaussian
//! x ← (x − o) / ‖·‖                                      centred, where that leaves fewer hubs (`centring.rs`)
//! z ← ((1 − a) x + a Σⱼ wᵢⱼ zⱼ) / ‖·‖,   twice           each instance moves towards its nearest neighbours,
//!                                                         wᵢⱼ ∝ max(0, cos)⁴ over the k nearest, a = ½, k = 10
//! u ← Vᵀ(z − m) / ‖·‖                                     the leading principal components of the pool
//! ```
//!
//! No label is used, so it is made once and serves every fold of the cross-fit. The power is the square root where the
//! features are (nearly) non-negative, as after a ReLU, and `sign(x) √|x|` otherwise. An instance that was not in the
//! pool is smoothed over rows of the pool that are kept for that ([`Reference`]).

mod centring;
mod copies;
mod in_memory;
mod reference;
mod smoothing;

pub(crate) use reference::Placed;
pub use reference::Reference;

use std::sync::Arc;

use rayon::prelude::*;

use self::centring::Preparation;
use crate::linalg::block::multiply;
use crate::linalg::pca::principal_axes;
use crate::linalg::vector::{dot_in_order, to_unit};
use crate::neighbors::{Neighbors, SimilarityGraph};
use crate::observer::{Observer, Stages};
use crate::{Error, Features, Instances, Matrix, Result};

/// Rows that are projected together.
const STRIP: usize = 256;

/// The representation of a pool: its neighbours, smoothed coordinates and similarity graph. It does not depend on labels, and takes
/// most of the time that labelling a pool takes.
///
/// [`Label::on`](crate::Label::on) labels the pool on it, with the same result as without it, bit for bit.
///
/// ```
/// use trustpath::represent::Represented;
/// use trustpath::{Features, NoObserver, label};
///
/// let values: Vec<f32> = (0..60 * 4)
///     .map(|at| f32::from(u8::from(at % 4 == at / 4 % 3)) + 0.1 * ((at * at) as f32).sin())
///     .collect();
/// let features = Features::new(&values[..], 60, 4)?;
/// let pool = Represented::of(&features, &mut NoObserver)?;
/// // Three labels more at a time.
/// for known in [6, 9, 12] {
///     let given: Vec<Option<usize>> = (0..60).map(|i| (i < known).then_some(i % 3)).collect();
///     let kept = label(&features, &given).on(&pool).run()?;
///     assert_eq!(kept.labels, label(&features, &given).run()?.labels);
/// }
/// # Ok::<(), trustpath::Error>(())
/// ```
#[derive(Debug)]
pub struct Represented {
    /// Coordinates of all instances, smoothed over their neighbours.
    pub(crate) smooth: Arc<Instances>,
    /// How to compute the coordinates of other instances.
    pub(crate) projection: Projection,
    /// The features themselves at unit length.
    pub(crate) unit: Instances,
    /// The similarity graph of the smoothed instances.
    pub(crate) graph: SimilarityGraph,
    /// The nearest neighbours of every instance before smoothing; none of a single instance.
    pub(crate) neighbors: Neighbors,
    /// The group of near-copies that every instance belongs to; empty where there are none.
    pub(crate) copies: Vec<usize>,
}

/// The map from features to coordinates.
#[derive(Debug, Clone, PartialEq)]
pub struct Projection {
    /// Whether the features are taken to have signs.
    pub signed: bool,
    /// What is subtracted from a row after the power, where rows are centred before they are smoothed.
    pub origin: Option<Vec<f64>>,
    /// Mean of the smoothed pool.
    pub mean: Vec<f64>,
    /// One row per component, one column per feature.
    pub basis: Matrix,
}

impl Represented {
    /// Represents all rows of the features.
    ///
    /// # Errors
    /// When all instances are the same, one has no direction, or the observer asks to stop.
    pub fn of(features: &Features<'_>, observer: &mut dyn Observer) -> Result<Self> {
        Self::in_stage(features, &mut Stages::new(observer, 1))
    }

    /// The same as a stage of a longer computation.
    pub(crate) fn in_stage(features: &Features<'_>, stages: &mut Stages<'_>) -> Result<Self> {
        stages.next("representing the pool")?;
        in_memory::represent(features)
    }

    /// The number of instances.
    pub fn rows(&self) -> usize {
        self.unit.len()
    }

    /// Refuses features of another shape.
    pub(crate) fn check(&self, features: &Features<'_>) -> Result<()> {
        let (rows, dims) = (self.unit.len(), self.unit.dims());
        let given = features.rows() * features.dims();
        if (rows, dims) == (features.rows(), features.dims()) {
            return Ok(());
        }
        Err(Error::Shape { rows, dims, expected: rows * dims, given })
    }

    /// The leading principal components of the pool before smoothing, at unit length, and the map to them.
    pub(crate) fn unsmoothed(&self, components: usize) -> Result<(Matrix, Projection)> {
        let x = self.projection.prepare(self.unit.unit().clone());
        let (mean, basis) = principal_axes(&x, components)?;
        let projection = Projection { mean, basis, ..self.projection.clone() };
        Ok((projection.coordinates(&x), projection))
    }
}

impl Projection {
    /// Rows of unit length as they are before they are smoothed.
    fn prepare(&self, mut x: Matrix) -> Matrix {
        let (d, preparation) = (x.cols(), self.preparation());
        x.as_mut_slice().par_chunks_exact_mut(d).for_each(|row| preparation.row(row));
        x
    }

    fn preparation(&self) -> Preparation<'_> {
        Preparation { signed: self.signed, origin: self.origin.as_deref() }
    }

    /// `Vᵀ(x − m)` of every row, at unit length. A row at the mean stays at the origin.
    pub(crate) fn coordinates(&self, x: &Matrix) -> Matrix {
        to_unit_rows(self.centred(x))
    }

    /// `Vᵀ(x − m)` of every row.
    fn centred(&self, x: &Matrix) -> Matrix {
        let (n, r) = (x.rows(), self.basis.rows());
        let mut u = Matrix::zeros(n, r);
        let offset: Vec<f64> = self.basis.iter_rows().map(|v| dot_in_order(v, &self.mean)).collect();
        let d = x.cols();
        let strips = u.as_mut_slice().par_chunks_mut(STRIP * r);
        strips.zip(x.as_slice().par_chunks(STRIP * d)).for_each(|(u, x)| {
            multiply(x, x.len() / d, self.basis.view().transpose(), u);
            for u in u.chunks_exact_mut(r) {
                u.iter_mut().zip(&offset).for_each(|(u, o)| *u -= o);
            }
        });
        u
    }
}

/// Every row at unit length; a row of zeros stays.
fn to_unit_rows(mut u: Matrix) -> Matrix {
    let columns = u.cols();
    u.as_mut_slice().par_chunks_exact_mut(columns).for_each(to_unit);
    u
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observer::NoObserver;

    fn values(n: usize, d: usize) -> Vec<f64> {
        (0..n * d).map(|at| ((at * at) as f64 * 0.37).sin().abs() + (at % d) as f64 * 0.1).collect()
    }

    fn try_represent(values: &[f64], n: usize, d: usize) -> Result<Represented> {
        let features = Features::new(values, n, d).unwrap();
        Represented::of(&features, &mut NoObserver)
    }

    fn represent(values: &[f64], n: usize, d: usize) -> Represented {
        try_represent(values, n, d).unwrap()
    }

    #[test]
    fn both_ways_to_the_components_agree() {
        // 30 rows of 30 features: cut to 29 rows the small product is the other one.
        let values = values(30, 29);
        let by_features = represent(&values, 30, 29);
        let padded: Vec<f64> = values.chunks(29).flat_map(|row| row.iter().copied().chain([0.0, 0.0])).collect();
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
            let error = try_represent(&same, n, 2).unwrap_err();
            assert_eq!(error, Error::Constant { rows: n });
        }
        let error = try_represent(&[1.0, 2.0, 3.0], 3, 1).unwrap_err();
        assert_eq!(error, Error::OneColumn { rows: 3 });
        assert!(error.to_string().contains("add a second feature, or subtract the mean"), "{error}");
        assert_eq!(try_represent(&[1.0, -2.0, 3.0], 3, 1).unwrap().rows(), 3);
        let two = represent(&[1.0, 2.0, 2.0, 1.0], 2, 2);
        assert_eq!(two.smooth.dims(), 1);
        let signed = represent(&[1.0, -2.0, -1.0, 0.5, 0.3, 2.0], 3, 2);
        assert!(signed.projection.signed);
    }
}
