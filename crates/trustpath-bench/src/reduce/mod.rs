//! Features → few dimensions.
//!
//! The incidental model regresses labels on few dimensions, `d ≪ n`. Each reduction is one file: its objective in the
//! module doc, a struct that implements [`Reduce`], and its tests. All of them follow scikit-learn's definitions with
//! the arguments of the paper's code, and share one graph of [`Neighbors`].
//!
//! ```
//! use trustpath::Features;
//! use trustpath_bench::reduce::ReductionKind;
//!
//! let values: Vec<f64> = (0..20 * 8).map(|i| f64::from(i * i % 37) - 18.0).collect();
//! let instances = Features::new(&values[..], 20, 8)?.normalize()?;
//! let lle = "lle".parse::<ReductionKind>()?.build(3, 5)?;
//! let embedding = lle.reduce(&instances, 20)?;
//! assert_eq!((embedding.x.rows(), embedding.x.cols()), (20, 3));
//! # Ok::<(), trustpath::Error>(())
//! ```
//!
//! Matrices over all pairs of instances are decomposed to the last digit, so that at most [`DENSE_ROWS`] instances can be
//! reduced. Only `pca` takes more: it then works on the features.

mod alignment;
mod classical;
mod identity;
mod isomap;
mod lle;
mod ltsa;
mod mds;
mod method;
mod pca;
mod spectral;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub use lle::Lle;
pub use method::ReductionKind;

use std::borrow::Cow;

use trustpath::limits::GRAM_ROWS;
use trustpath::neighbors::{Neighbors, measured};
use trustpath::{Error, Instances, Matrix, Result};

/// Instances that a reduction other than `pca` takes at most, because it builds matrices over all pairs of them. An
/// eigendecomposition takes `2n³/3` multiply-adds, a few seconds at this size.
pub const DENSE_ROWS: usize = 2000;
/// The paper's number of dimensions.
pub const DEFAULT_D: usize = 5;
/// How many dimensions to reduce to for this number of classes: as many as classes, but at least the paper's five.
///
/// Telling `c` classes apart by a linear model takes about as many directions. On 20-way 1-shot episodes of real
/// features, 20 dimensions bring two points more than five, and 40 bring no more.
pub fn default_dimensions(classes: usize) -> usize {
    classes.max(DEFAULT_D)
}

/// The paper's number of neighbours.
pub const DEFAULT_NEIGHBORS: usize = 5;

/// Below this squared distance `2 − 2K` has lost more than three of its sixteen digits.
const CLOSE: f64 = 1e-3;
/// Squared distance of vectors that differ only by rounding.
const SAME: f64 = (16.0 * f64::EPSILON) * (16.0 * f64::EPSILON);

/// Few-dimensional coordinates of instances.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Embedding {
    /// Coordinates, one row per instance.
    pub x: Matrix,
    /// Dimension of the null space of the alignment matrix, where the method has one: 1 when the neighbourhood graph
    /// is connected, more when it is not.
    pub nullity: Option<usize>,
}

impl Embedding {
    /// Coordinates that come without an alignment matrix.
    fn plain(x: Matrix) -> Self {
        Self { x, nullity: None }
    }
}

/// A way to reduce the features of instances to few dimensions.
///
/// An algorithm implements [`dimensions`](Self::dimensions) and [`embed`](Self::embed), and where they apply
/// [`neighbors`](Self::neighbors) and [`most`](Self::most). The checks that all algorithms have in common, and the
/// graph, are in the provided methods.
pub trait Reduce: Send + Sync + std::fmt::Debug {
    /// Number of dimensions that it reduces to; `None` where it keeps all features.
    fn dimensions(&self) -> Option<usize>;

    /// Number of neighbours that it needs of each of `n` instances; `None` where it needs no graph.
    fn neighbors(&self, _n: usize) -> Option<usize> {
        None
    }

    /// Number of instances that it takes at most; `None` where it builds no matrix over all pairs of many.
    fn most(&self) -> Option<usize> {
        Some(DENSE_ROWS)
    }

    /// Coordinates of the first `n` instances, once all checks have passed; unless they are more than [`DENSE_ROWS`],
    /// their Gram matrix can be had. The graph is empty where the algorithm needs none.
    ///
    /// # Errors
    /// [`Error::NotConverged`].
    fn embed(&self, instances: &Instances, n: usize, graph: &Neighbors) -> Result<Embedding>;

    /// Checks all that can be checked without data.
    ///
    /// # Errors
    /// [`Error::Parameter`].
    fn check_parameters(&self) -> Result<()> {
        check_positive("d", self.dimensions().unwrap_or(1))?;
        check_positive("neighbors", self.neighbors(0).unwrap_or(1))
    }

    /// Coordinates of the first `n` instances, computed together and without the other instances.
    ///
    /// # Errors
    /// When `n` instances do not suffice for the neighbours or dimensions asked for; [`Error::TooManyToReduce`] when they
    /// are more than the algorithm takes.
    fn reduce(&self, instances: &Instances, n: usize) -> Result<Embedding> {
        check_instances(self, instances, n)?;
        let instances = with_gram(instances, n)?;
        let graph = self.neighbors(n).map(|k| Neighbors::of(&instances, n, k)).transpose()?;
        let available = if graph.is_some() { n - 1 } else { (n - 1).min(instances.dims()) };
        match self.dimensions() {
            Some(asked) if asked > available => Err(Error::TooManyDimensions { asked, available }),
            _ => self.embed(&instances, n, &graph.unwrap_or_default()),
        }
    }
}

/// Refuses a number that must not be zero.
fn check_positive(name: &'static str, value: usize) -> Result<()> {
    if value == 0 { Err(Error::parameter(name, value, "it must be at least 1")) } else { Ok(()) }
}

/// Checks the parameters, and refuses more instances than there are or than the reduction takes, and instances that are all
/// one point.
fn check_instances<R: Reduce + ?Sized>(reduction: &R, instances: &Instances, n: usize) -> Result<()> {
    reduction.check_parameters()?;
    if let Some(most) = reduction.most().filter(|&most| n > most) {
        return Err(Error::TooManyToReduce { rows: n, most });
    }
    if n == 0 {
        return Err(Error::Empty { rows: 0, dims: instances.dims() });
    }
    if n > instances.len() {
        return Err(Error::parameter("n", n, "there are fewer instances than that"));
    }
    if n > 1 && (1..n).all(|j| measured(instances, 0, j) <= SAME) {
        return Err(Error::Constant { rows: n });
    }
    Ok(())
}

/// The first `n` instances, where all of them are too many for a Gram matrix; otherwise all.
fn with_gram(instances: &Instances, n: usize) -> Result<Cow<'_, Instances>> {
    if instances.len() <= GRAM_ROWS || n > DENSE_ROWS {
        return Ok(Cow::Borrowed(instances));
    }
    Ok(Cow::Owned(Instances::from_unit(first_rows(instances, n)?)))
}

/// `‖xᵢ − xⱼ‖² = 2 − 2 Kᵢⱼ`, or measured where that cancels.
fn squared_distance(instances: &Instances, i: usize, j: usize) -> f64 {
    let distance = 2.0 - 2.0 * instances.gram()[(i, j)];
    if distance < CLOSE { measured(instances, i, j) } else { distance }
}

/// The first `n` rows.
fn first_rows(instances: &Instances, n: usize) -> Result<Matrix> {
    let dims = instances.dims();
    Matrix::from_vec(n, dims, instances.unit().as_slice()[..n * dims].to_vec())
}

/// Rows `skip..` of a matrix of eigenvectors, as columns.
fn columns(vectors: &Matrix, skip: usize) -> Matrix {
    Matrix::from_fn(vectors.cols(), vectors.rows() - skip, |i, j| vectors[(skip + j, i)])
}
