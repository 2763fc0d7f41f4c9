//! Features → few dimensions.
//!
//! The incidental model regresses labels on few dimensions, `d ≪ n`. Each reduction is one file: its objective in the
//! module doc, a `…Params` struct with [`Default`] whose `check` gives the reduction itself, and its tests. All of them
//! follow scikit-learn's definitions with the arguments of the paper's code, and share one [`neighbors`] graph.
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
//! Up to [`DENSE_ROWS`] instances, matrices over all pairs of instances are taken apart to the last digit. Beyond, no such
//! matrix exists: the alignment matrices of `lle`, `ltsa` and `se` are sparse and known by their products, `pca` works on
//! the features, and `isomap` and `mds` place landmarks first.

mod classical;
pub mod identity;
pub mod isomap;
mod landmarks;
pub mod lle;
pub mod ltsa;
pub mod mds;
mod method;
pub mod neighbors;
mod order;
pub mod pca;
mod pieces;
mod sparse;
pub mod spectral;

pub use method::Reduction;

use std::borrow::Cow;

use self::neighbors::{GRAM_ROWS, Neighbors};
use crate::{Error, Instances, Matrix, Result};

/// Instances up to which a reduction may take matrices over all pairs of them.
pub const DENSE_ROWS: usize = 2000;
/// The paper's number of dimensions.
pub const DEFAULT_D: usize = 5;
/// How many dimensions to reduce to for so many classes: as many as classes, but at least the paper's five.
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
pub struct Embedding {
    /// Coordinates, one row an instance.
    pub x: Matrix,
    /// Dimension of the null space of the alignment matrix, where the method has one: 1 when the neighbourhood graph
    /// holds together, more when it falls into pieces.
    pub nullity: Option<usize>,
    /// How far the iteration went, where eigenvectors of a sparse matrix were iterated for.
    pub iteration: Option<Iteration>,
}

impl Embedding {
    /// Coordinates that come without an alignment matrix.
    fn plain(x: Matrix) -> Self {
        Self { x, nullity: None, iteration: None }
    }
}

/// What it took to find eigenvectors of a sparse matrix `M`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Iteration {
    /// Products of `M` with a block of vectors.
    pub products: usize,
    /// The largest `‖M v − θ v‖` of a unit eigenvector `v`, relative to `‖M‖`.
    pub residual: f64,
}

/// A way to reduce the features of instances to few dimensions.
pub trait Reduce: Send + Sync + std::fmt::Debug {
    /// Its name, as on the command line.
    fn name(&self) -> &'static str;

    /// Neighbours of each of `n` instances that it looks at, where it looks at any.
    fn neighbors(&self, n: usize) -> Option<usize>;

    /// Coordinates of the first `n` instances on a graph of their nearest neighbours found by the caller, which may be
    /// an approximate one. Methods without a graph do not look at it.
    ///
    /// # Errors
    /// As for [`Reduce::reduce`]; [`Error::Parameter`] when the graph is missing or of another shape.
    fn reduce_on(
        &self,
        instances: &Instances,
        n: usize,
        graph: Option<&Neighbors>,
    ) -> Result<Embedding>;

    /// Coordinates of the first `n` instances, seen together and apart from the others.
    ///
    /// # Errors
    /// When `n` instances do not suffice for the neighbours or dimensions asked for.
    fn reduce(&self, instances: &Instances, n: usize) -> Result<Embedding> {
        check_instances(instances, n)?;
        let graph = self.neighbors(n).map(|k| Neighbors::of(instances, n, k)).transpose()?;
        self.reduce_on(instances, n, graph.as_ref())
    }
}

/// Refuses a number of dimensions or neighbours that no data could serve.
fn check_positive(name: &'static str, value: usize) -> Result<()> {
    if value == 0 {
        return Err(Error::parameter(name, value, "it must be at least 1"));
    }
    Ok(())
}

/// Refuses an `n` that is not there, and instances that are all one point.
fn check_instances(instances: &Instances, n: usize) -> Result<()> {
    if n == 0 {
        return Err(Error::Empty { rows: 0, dims: instances.dims() });
    }
    if n > instances.len() {
        return Err(Error::parameter("n", n, "there are fewer instances than that"));
    }
    if n > 1 && (1..n).all(|j| neighbors::coincide(instances, 0, j)) {
        return Err(Error::Constant { rows: n });
    }
    Ok(())
}

/// Refuses a graph that is not there, or not of `n` instances with `k` neighbours each.
fn check_graph(graph: Option<&Neighbors>, n: usize, k: usize) -> Result<&Neighbors> {
    let graph = graph.ok_or_else(|| {
        Error::parameter("graph", "none", "this reduction needs the nearest neighbours")
    })?;
    if graph.len() != n {
        return Err(Error::parameter("graph", graph.len(), "it must hold every instance once"));
    }
    let given = graph.indices(0).len();
    if given != k {
        let expected = "it must have as many neighbours as the reduction asks for";
        return Err(Error::parameter("graph", given, expected));
    }
    Ok(graph)
}

/// The first `n` instances, where all of them are too many for a Gram matrix.
fn head(instances: &Instances, n: usize) -> Result<Cow<'_, Instances>> {
    if instances.len() <= GRAM_ROWS {
        return Ok(Cow::Borrowed(instances));
    }
    Ok(Cow::Owned(Instances::from_unit(rows(instances, n)?)))
}

/// The first `n` rows.
fn rows(instances: &Instances, n: usize) -> Result<Matrix> {
    let dims = instances.dims();
    Matrix::from_vec(n, dims, instances.unit().as_slice()[..n * dims].to_vec())
}

/// Refuses more dimensions than a method can give.
fn check_dimensions(asked: usize, available: usize) -> Result<()> {
    if asked > available {
        return Err(Error::TooManyDimensions { asked, available });
    }
    Ok(())
}

/// Rows `skip..` of a matrix of eigenvectors, as columns.
fn columns(vectors: &Matrix, skip: usize) -> Matrix {
    Matrix::from_fn(vectors.cols(), vectors.rows() - skip, |i, j| vectors[(skip + j, i)])
}

#[cfg(test)]
pub(crate) mod testing {
    use crate::linalg::noise;
    use crate::{Features, Instances, Matrix};

    /// `groups` clusters of `each` points in `dims` dimensions, the further apart the larger `spread`.
    pub(crate) fn clusters(groups: usize, each: usize, dims: usize, spread: f64) -> Instances {
        instances(groups * each, dims, |i, j| {
            let group = i / each;
            let center = ((group * 7 + j * 3 + group * j) as f64 * 1.3).sin();
            spread * center + ((i * 131 + j * 71 + i * j * 17) as f64 * 0.61).sin()
        })
    }

    /// `count` points of `classes` classes in turn, each class along `directions` of its own and with noise in all `dims`;
    /// the further apart the larger `spread`.
    pub(crate) fn classes(
        count: usize,
        classes: usize,
        dims: usize,
        directions: usize,
        spread: f64,
    ) -> Instances {
        let mut state = 3;
        let mut draw = |many: usize| -> Vec<f64> { (0..many).map(|_| noise(&mut state)).collect() };
        let (centres, axes) = (draw(classes * dims), draw(classes * directions * dims));
        let (along, jitter) = (draw(count * directions), draw(count * dims));
        instances(count, dims, |i, j| {
            let class = i % classes;
            let tangent: f64 = (0..directions)
                .map(|l| along[i * directions + l] * axes[(class * directions + l) * dims + j])
                .sum();
            let tangent = 3.0 * tangent / (directions as f64).sqrt();
            spread * centres[class * dims + j] + tangent + 0.6 * jitter[i * dims + j]
        })
    }

    /// Correlation of the distances between rows in two matrices, over pairs of every seventh row.
    pub(crate) fn correlation(a: &Matrix, b: &Matrix) -> f64 {
        let distances = |x: &Matrix| -> Vec<f64> {
            let squared = |i: usize, j: usize| -> f64 {
                x.row(i).iter().zip(x.row(j)).map(|(a, b)| (a - b) * (a - b)).sum()
            };
            let rows = (0..x.rows()).step_by(7);
            rows.flat_map(|i| (0..i).step_by(7).map(move |j| (i, j)))
                .map(|(i, j)| squared(i, j).sqrt())
                .collect()
        };
        let (a, b) = (distances(a), distances(b));
        let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
        let (ma, mb) = (mean(&a), mean(&b));
        let product = |x: &[f64], mx: f64, y: &[f64], my: f64| -> f64 {
            x.iter().zip(y).map(|(x, y)| (x - mx) * (y - my)).sum()
        };
        product(&a, ma, &b, mb) / (product(&a, ma, &a, ma) * product(&b, mb, &b, mb)).sqrt()
    }

    pub(crate) fn instances(
        rows: usize,
        dims: usize,
        entry: impl FnMut(usize, usize) -> f64,
    ) -> Instances {
        let matrix = Matrix::from_fn(rows, dims, entry);
        Features::new(matrix.as_slice(), rows, dims).unwrap().normalize().unwrap()
    }

    /// The projector `X (XᵀX)⁺ Xᵀ`, which signs and rotations of coordinates leave as it is.
    pub(crate) fn projector(x: &Matrix) -> Matrix {
        let x = x.view();
        let pseudo_inverse = (x.transpose() * x).self_adjoint_eigen(faer::Side::Lower).unwrap();
        Matrix::from_view((x * pseudo_inverse.pseudoinverse() * x.transpose()).as_ref())
    }

    pub(crate) fn max_difference(a: &Matrix, b: &Matrix) -> f64 {
        a.as_slice().iter().zip(b.as_slice()).fold(0.0, |m, (a, b)| m.max((a - b).abs()))
    }
}
