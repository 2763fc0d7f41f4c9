//! Features → few dimensions.
//!
//! The incidental model regresses labels on few dimensions, `d ≪ n`. Each reduction is one file: its objective in the
//! module doc, a struct of its parameters with [`Default`] that implements [`Reduce`], and its tests. All of them follow
//! scikit-learn's definitions with the arguments of the paper's code, and share one graph of [`Neighbors`].
//!
//! ```
//! use trustpath::{Features, reduce::Reduction};
//!
//! let values: Vec<f64> = (0..20 * 8).map(|i| f64::from(i * i % 37) - 18.0).collect();
//! let instances = Features::new(&values[..], 20, 8)?.normalize()?;
//! let lle = "lle".parse::<Reduction>()?.build(3, 5)?;
//! let embedding = lle.reduce(&instances, 20)?;
//! assert_eq!((embedding.x.rows(), embedding.x.cols()), (20, 3));
//! # Ok::<(), trustpath::Error>(())
//! ```
//!
//! Matrices over all pairs of instances are decomposed to the last digit, so that at most [`DENSE_ROWS`] instances can be
//! reduced. Only `pca` takes more: it then works on the features.

mod alignment;
mod classical;
mod components;
pub mod identity;
pub mod isomap;
pub mod lle;
pub mod ltsa;
pub mod mds;
mod method;
pub mod pca;
pub mod spectral;
mod svd;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

pub use method::Reduction;
pub use svd::SparseRows;

use std::borrow::Cow;

pub use crate::limits::DENSE_ROWS;
use crate::limits::GRAM_ROWS;
use crate::neighbors::{Neighbors, coincide};
use crate::{Error, Instances, Matrix, Result};

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
/// [`neighbors`](Self::neighbors), [`most`](Self::most) and [`check_own_parameters`](Self::check_own_parameters). The checks that all algorithms
/// have in common, and the graph, are in the provided methods.
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

    /// Checks the parameters that only this algorithm has.
    ///
    /// # Errors
    /// [`Error::Parameter`].
    fn check_own_parameters(&self) -> Result<()> {
        Ok(())
    }

    /// Coordinates of the first `n` instances, once all checks have passed. The graph is empty where the algorithm needs
    /// none.
    ///
    /// # Errors
    /// [`Error::NotConverged`].
    fn embed(&self, instances: &Instances, n: usize, graph: &Neighbors) -> Result<Embedding>;

    /// Checks all that can be checked without data.
    ///
    /// # Errors
    /// [`Error::Parameter`].
    fn check_parameters(&self) -> Result<()> {
        self.check_own_parameters()?;
        check_positive("d", self.dimensions().unwrap_or(1))?;
        check_positive("neighbors", self.neighbors(0).unwrap_or(1))
    }

    /// The reduction itself, if its parameters are valid.
    ///
    /// # Errors
    /// [`Error::Parameter`].
    fn check(self) -> Result<Self>
    where
        Self: Sized,
    {
        self.check_parameters()?;
        Ok(self)
    }

    /// Coordinates of the first `n` instances, computed together and without the other instances.
    ///
    /// # Errors
    /// When `n` instances do not suffice for the neighbours or dimensions asked for; [`Error::TooManyToReduce`] when they
    /// are more than the algorithm takes.
    fn reduce(&self, instances: &Instances, n: usize) -> Result<Embedding> {
        check_instances(self, instances, n)?;
        let graph = self.neighbors(n).map(|k| Neighbors::of(instances, n, k)).transpose()?;
        let available = if graph.is_some() { n - 1 } else { (n - 1).min(instances.dims()) };
        check_dimensions(self.dimensions().unwrap_or(0), available)?;
        self.embed(instances, n, &graph.unwrap_or_default())
    }
}

/// Refuses a number that must not be zero.
fn check_positive(name: &'static str, value: usize) -> Result<()> {
    match value {
        0 => Err(Error::parameter(name, value, "it must be at least 1")),
        _ => Ok(()),
    }
}

/// Checks the parameters, and refuses more instances than there are or than the reduction takes, and instances that are all
/// one point.
fn check_instances<R: Reduce + ?Sized>(
    reduction: &R,
    instances: &Instances,
    n: usize,
) -> Result<()> {
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
    if n > 1 && (1..n).all(|j| coincide(instances, 0, j)) {
        return Err(Error::Constant { rows: n });
    }
    Ok(())
}

/// Refuses more dimensions than a method can give.
fn check_dimensions(asked: usize, available: usize) -> Result<()> {
    if asked > available {
        return Err(Error::TooManyDimensions { asked, available });
    }
    Ok(())
}

/// The first `n` instances, where all of them are too many for a Gram matrix; otherwise all.
fn with_gram(instances: &Instances, n: usize) -> Result<Cow<'_, Instances>> {
    if instances.len() <= GRAM_ROWS {
        return Ok(Cow::Borrowed(instances));
    }
    Ok(Cow::Owned(Instances::from_unit(first_rows(instances, n)?)))
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
