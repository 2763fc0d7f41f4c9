//! The representation of a pool whose rows are on several machines: what each does with its rows, and what is computed from their sums.
//!
//! The steps are those of one machine (`blocks.rs`), by the same functions:
//!
//! 1. every block of rows adds to `XᵀX` ([`product`]), which gives the [`basis`] that all use;
//! 2. every block keeps `y = Bᵀx` of its rows ([`keep`]), from which the cells of the neighbour search are placed
//!    ([`CellPlan`](crate::neighbors::CellPlan)), and sends each row to the [region](crate::neighbors::Region) that owns its cell;
//! 3. every region finds the neighbours of its rows and smooths them: it moves the rows as they were kept towards their neighbours as these
//!    were kept, then the same rows towards their neighbours as these are after that ([`KeptRows::moved`]), and scales the second result to
//!    unit length ([`KeptRows::scaled`]); what it needs of other regions it receives;
//! 4. the smoothed rows add to their mean and scatter, which gives the [`Components`], and each row its coordinates.

use super::Projection;
use super::kept::{self, KeptRows, Scatter};
use super::recall::RecallSample;
use super::smoothing;
use crate::neighbors::Neighbors;
use crate::observer::{NoObserver, Stages};
use crate::{Features, Matrix, Result};

/// Neighbours that an instance moves towards, in a pool of this size.
pub fn neighbors_of(n: usize) -> usize {
    smoothing::NEIGHBORS.min(n.saturating_sub(1))
}

/// `−XᵀX` of rows, powered and at unit length; `None` where the features have so few dimensions that all are kept.
///
/// # Errors
/// [`Error::ZeroVector`](crate::Error::ZeroVector).
pub fn product(features: &Features<'_>, signed: bool) -> Result<Option<Matrix>> {
    kept::negated_product(features, signed, &Stages::new(&mut NoObserver, 1))
}

/// The directions that are kept of `dims` features, one row each, from the sum of the products of all `n` rows.
///
/// # Errors
/// [`Error::Constant`](crate::Error::Constant) when all rows are the same.
pub fn basis(product: Option<&Matrix>, dims: usize, n: usize) -> Result<Matrix> {
    kept::singular_vectors(product, dims, n)
}

/// What is kept of rows, the first of which has this number in the pool. The sample is compared with all of them.
///
/// # Errors
/// [`Error::ZeroVector`](crate::Error::ZeroVector).
pub fn keep(
    features: &Features<'_>,
    first_row: usize,
    signed: bool,
    basis: &Matrix,
    sample: &mut RecallSample,
) -> Result<KeptRows> {
    let mut observer = NoObserver;
    let stages = Stages::new(&mut observer, 1);
    KeptRows::of(features, first_row, signed, basis, sample, &stages)
}

impl KeptRows {
    /// These rows, moved once towards their neighbours, which are among `others`. Smoothing moves the rows as they were kept, both times:
    /// first towards all rows as they were kept, then towards all rows as they are after that.
    #[must_use]
    pub fn moved(&self, others: &Self, neighbors: &Neighbors) -> Self {
        let mut moved = self.clone();
        moved.move_towards(others, neighbors);
        moved
    }

    /// These rows at unit length, with what is cut off.
    #[must_use]
    pub fn scaled(mut self) -> Self {
        self.scale();
        self
    }

    /// The cosine of every neighbour with each of the first instances, in the order of the lists.
    pub fn cosines(&self, neighbors: &Neighbors) -> Vec<f32> {
        let of_row = |i: usize| neighbors.indices(i).map(move |j| self.cosine(i, j));
        (0..neighbors.len()).flat_map(of_row).collect()
    }
}

/// The mean and the principal components of a pool.
#[derive(Debug, Clone, PartialEq)]
pub struct Components {
    /// The mean, in the dimensions that are kept.
    pub mean: Vec<f64>,
    /// The components, one row each.
    pub components: Matrix,
    /// The same in terms of the features.
    pub projection: Projection,
}

impl Components {
    /// From the sum of the scatter of all `n` rows, and the basis.
    ///
    /// # Errors
    /// [`Error::Constant`](crate::Error::Constant) when all rows are the same.
    pub fn of(scatter: Scatter, n: usize, basis: &Matrix, signed: bool) -> Result<Self> {
        let (mean, components) = scatter.components(n)?;
        let (far, directions) = kept::in_features(basis, mean.clone(), &components)?;
        let projection = Projection { signed, origin: None, mean: far, basis: directions };
        Ok(Self { mean, components, projection })
    }
}
