//! Features → few dimensions.
//!
//! The incidental model regresses labels on few dimensions, `d ≪ n`. Each reduction is one file: its objective in the
//! module doc, a `…Params` struct with [`Default`] whose `check` gives the reduction itself, and its tests. All of them
//! follow scikit-learn's definitions with the arguments of the paper's code, and share one [`neighbors`] graph.
//!
//! ```
//! use trustpath::{Features, reduce::Method};
//!
//! let values: Vec<f64> = (0..20 * 8).map(|i| f64::from(i * i % 37) - 18.0).collect();
//! let instances = Features::new(&values[..], 20, 8)?.normalize()?;
//! let lle = "lle".parse::<Method>()?.build(3, 5)?;
//! let embedding = lle.reduce(&instances, 20)?;
//! assert_eq!((embedding.x.rows(), embedding.x.cols()), (20, 3));
//! # Ok::<(), trustpath::Error>(())
//! ```

mod classical;
pub mod identity;
pub mod isomap;
pub mod lle;
pub mod ltsa;
pub mod mds;
mod method;
pub mod neighbors;
pub mod pca;
pub mod spectral;

pub use method::Method;

use crate::{Error, Instances, Matrix, Result};

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
}

/// A way to reduce the features of instances to few dimensions.
pub trait Reduce: Send + Sync + std::fmt::Debug {
    /// Its name, as on the command line.
    fn name(&self) -> &'static str;

    /// Coordinates of the first `n` instances, seen together and apart from the others.
    ///
    /// # Errors
    /// When `n` instances do not suffice for the neighbours or dimensions asked for.
    fn reduce(&self, instances: &Instances, n: usize) -> Result<Embedding>;
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
    use crate::{Features, Instances, Matrix};

    /// `groups` clusters of `each` points in `dims` dimensions, the further apart the larger `spread`.
    pub(crate) fn clusters(groups: usize, each: usize, dims: usize, spread: f64) -> Instances {
        instances(groups * each, dims, |i, j| {
            let group = i / each;
            let center = ((group * 7 + j * 3 + group * j) as f64 * 1.3).sin();
            spread * center + ((i * 131 + j * 71 + i * j * 17) as f64 * 0.61).sin()
        })
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
