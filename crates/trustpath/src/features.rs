//! Features as they come in, and instances as the method sees them: on the unit sphere.
//!
//! The paper normalises every feature vector, `x ← x / ‖x‖₂`, before anything else. [`Features`] borrows the
//! caller's memory and checks it once, or reads rows from a [`BlockSource`] and checks them each time;
//! [`Instances`] owns the normalised rows in `f64` and, once it is needed, their Gram matrix `K = X Xᵀ`, which neighbours,
//! reductions and classifiers of an episode all share. Rows are normalised once per run: everything after
//! [`Features::normalize`] takes [`Instances`].

mod block_source;

use std::sync::OnceLock;

use rayon::prelude::*;

use crate::linalg::{gram, simd, vector};
use crate::{Error, Matrix, Result};
pub use block_source::BlockSource;

/// Values that are gathered at a time, so that what is read from a file is never in memory twice.
const AT_ONCE: usize = 1 << 20;

/// A checked, borrowed, row-major matrix of features, one row per instance.
///
/// ```
/// let values: Vec<f32> = vec![3.0, 4.0, 0.0, 2.0];
/// let features = trustpath::Features::new(&values[..], 2, 2)?;
/// let instances = features.normalize()?;
/// assert_eq!(instances.unit().row(0), [0.6, 0.8]);
/// # Ok::<(), trustpath::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Features<'a> {
    values: Values<'a>,
    rows: usize,
    dims: usize,
}

/// Borrowed feature values, in either precision, or a way to read them.
#[derive(Debug, Clone, Copy)]
pub enum Values<'a> {
    /// Single precision, as networks give them.
    F32(&'a [f32]),
    /// Double precision.
    F64(&'a [f64]),
    /// Read block by block when they are needed.
    Blocks(&'a dyn BlockSource),
}

impl<'a> From<&'a [f32]> for Values<'a> {
    fn from(values: &'a [f32]) -> Self {
        Self::F32(values)
    }
}

impl<'a> From<&'a [f64]> for Values<'a> {
    fn from(values: &'a [f64]) -> Self {
        Self::F64(values)
    }
}

impl<'a> From<&'a dyn BlockSource> for Values<'a> {
    fn from(source: &'a dyn BlockSource) -> Self {
        Self::Blocks(source)
    }
}

impl<'a> Features<'a> {
    /// Checks `rows × dims` row-major values. Those of a [`BlockSource`] are checked when they are read.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Shape`], [`Error::NotFinite`].
    pub fn new(values: impl Into<Values<'a>>, rows: usize, dims: usize) -> Result<Self> {
        let values = values.into();
        match values {
            Values::F32(v) => check_matrix(v, rows, dims)?,
            Values::F64(v) => check_matrix(v, rows, dims)?,
            Values::Blocks(_) if rows == 0 || dims == 0 => return Err(Error::Empty { rows, dims }),
            Values::Blocks(_) => {}
        }
        Ok(Self { values, rows, dims })
    }

    /// `rows × dims` values that are read block by block.
    ///
    /// # Errors
    /// [`Error::Empty`].
    pub fn blocks(source: &'a dyn BlockSource, rows: usize, dims: usize) -> Result<Self> {
        Self::new(source, rows, dims)
    }

    /// Number of instances.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of features of each instance.
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// The rows from `first` on as they are, as many as `to` has room for.
    ///
    /// # Errors
    /// [`Error::Stored`] and [`Error::NotFinite`] for rows of a [`BlockSource`].
    ///
    /// # Panics
    /// When a row is out of range, or `to` holds no whole rows.
    pub fn block(&self, first: usize, to: &mut [f64]) -> Result<()> {
        let dims = self.dims;
        assert_eq!(to.len() % dims, 0, "a block holds whole rows");
        assert!(first + to.len() / dims <= self.rows, "a block ends where the rows do");
        let range = first * dims..first * dims + to.len();
        match self.values {
            Values::F32(v) => widen(&v[range], to),
            Values::F64(v) => to.copy_from_slice(&v[range]),
            Values::Blocks(source) => {
                let mut values = vec![0.0; to.len()];
                source.read(first, &mut values).map_err(|reason| Error::Stored { reason })?;
                check_finite(&values, dims, first)?;
                widen(&values, to);
            }
        }
        Ok(())
    }

    /// The rows from `first` on, L2-normalised, as many as `to` has room for.
    ///
    /// # Errors
    /// As [`block`](Self::block), and [`Error::ZeroVector`] for a row without direction.
    pub(crate) fn normalized_block(&self, first: usize, to: &mut [f64]) -> Result<()> {
        self.block(first, to)?;
        let zero = to.par_chunks_exact_mut(self.dims).enumerate().filter_map(|(at, x)| {
            let scaled = simd::dispatch(
                x,
                #[inline(always)]
                |x| normalize(x),
            );
            scaled.is_none().then_some(at)
        });
        match zero.min() {
            Some(at) => Err(Error::ZeroVector { row: first + at }),
            None => Ok(()),
        }
    }

    /// All rows, L2-normalised.
    ///
    /// # Errors
    /// [`Error::ZeroVector`] for a row without direction; [`Error::Stored`] and [`Error::NotFinite`] for rows of a
    /// [`BlockSource`].
    pub fn normalize(&self) -> Result<Instances> {
        self.gather(0..self.rows)
    }

    /// The rows named, in that order, L2-normalised: how an episode is drawn from a larger table.
    ///
    /// # Errors
    /// [`Error::Empty`] when no row is named, and as [`normalize`](Self::normalize).
    ///
    /// # Panics
    /// When a row number is out of range.
    pub fn gather(&self, rows: impl IntoIterator<Item = usize>) -> Result<Instances> {
        let mut rows = rows.into_iter().peekable();
        let mut data = Vec::with_capacity(rows.size_hint().0.min(self.rows) * self.dims);
        let most = (AT_ONCE / self.dims).max(1);
        while let Some(first) = rows.next() {
            // Rows that follow each other are read at once.
            let mut count = 1;
            while count < most && rows.next_if_eq(&(first + count)).is_some() {
                count += 1;
            }
            let start = data.len();
            data.resize(start + count * self.dims, 0.0);
            self.normalized_block(first, &mut data[start..])?;
        }
        let count = data.len() / self.dims;
        if count == 0 {
            return Err(Error::Empty { rows: 0, dims: self.dims });
        }
        Ok(Instances { unit: Matrix::from_vec(count, self.dims, data)?, gram: OnceLock::new() })
    }
}

/// Refuses values that are not a `rows × dims` matrix of finite numbers.
pub(crate) fn check_matrix<T: Copy + Into<f64>>(values: &[T], rows: usize, dims: usize) -> Result<()> {
    if rows == 0 || dims == 0 {
        return Err(Error::Empty { rows, dims });
    }
    let expected = rows.saturating_mul(dims);
    if values.len() != expected {
        return Err(Error::Shape { rows, dims, expected, given: values.len() });
    }
    check_finite(values, dims, 0)
}

/// Reports the position of the first value that is not a finite number; the values begin with row `first`.
fn check_finite<T: Copy + Into<f64>>(values: &[T], dims: usize, first: usize) -> Result<()> {
    let bad = values.iter().map(|&v| v.into()).enumerate().find(|(_, v)| !v.is_finite());
    match bad {
        Some((at, value)) => Err(Error::NotFinite { row: first + at / dims, column: at % dims, value }),
        None => Ok(()),
    }
}

fn widen(from: &[f32], to: &mut [f64]) {
    to.iter_mut().zip(from).for_each(|(to, &x)| *to = f64::from(x));
}

/// Scales a vector of any finite length to unit length; `None` if it is zero.
#[inline(always)]
fn normalize(x: &mut [f64]) -> Option<()> {
    let mut norm = vector::norm(x);
    if !(1e-100..=1e100).contains(&norm) {
        // Squares of such entries overflow or vanish: scale first.
        let scale = x.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        if scale == 0.0 {
            return None;
        }
        x.iter_mut().for_each(|v| *v /= scale);
        norm = vector::norm(x);
    }
    // The quotient `v / norm`, rounded twice rather than divided, which takes several times as long.
    let inverse = 1.0 / norm;
    for v in x {
        let quotient = *v * inverse;
        *v = quotient.mul_add(-norm, *v).mul_add(inverse, quotient);
    }
    Some(())
}

/// Instances on the unit sphere, and their Gram matrix once it is asked for.
#[derive(Debug, Clone)]
pub struct Instances {
    unit: Matrix,
    gram: OnceLock<Matrix>,
}

impl Instances {
    /// Rows that have unit length already, or are zero.
    #[doc(hidden)]
    pub fn from_unit(unit: Matrix) -> Self {
        Self { unit, gram: OnceLock::new() }
    }

    /// The rows.
    pub(crate) fn into_unit(self) -> Matrix {
        self.unit
    }

    /// The instances in these rows, in that order.
    ///
    /// # Panics
    /// When a row number is out of range.
    pub fn gather(&self, rows: &[usize]) -> Self {
        Self::from_unit(Matrix::from_fn(rows.len(), self.dims(), |i, j| self.unit[(rows[i], j)]))
    }

    /// Number of instances.
    pub fn len(&self) -> usize {
        self.unit.rows()
    }

    /// Never true: an empty set of instances cannot be built.
    pub fn is_empty(&self) -> bool {
        self.unit.rows() == 0
    }

    /// Number of features of each instance.
    pub fn dims(&self) -> usize {
        self.unit.cols()
    }

    /// The normalised features, one row per instance.
    pub fn unit(&self) -> &Matrix {
        &self.unit
    }

    /// The Gram matrix `K = X Xᵀ`, symmetric to the bit, computed once.
    pub fn gram(&self) -> &Matrix {
        self.gram.get_or_init(|| gram(&self.unit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_is_not_a_matrix_of_finite_numbers() {
        assert_eq!(Features::new(&[0.0f32; 0][..], 0, 3).unwrap_err(), Error::Empty { rows: 0, dims: 3 });
        assert!(matches!(Features::new(&[1.0f32; 5][..], 2, 3), Err(Error::Shape { .. })));
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let error = Features::new(&[1.0, 2.0, 3.0, bad][..], 2, 2).unwrap_err();
            assert!(matches!(error, Error::NotFinite { row: 1, column: 1, .. }));
        }
        let zero = [1.0f64, 0.0, 0.0, 0.0];
        let features = Features::new(&zero[..], 2, 2).unwrap();
        assert_eq!(features.normalize().unwrap_err(), Error::ZeroVector { row: 1 });
    }

    #[test]
    fn normalises_extreme_values_without_overflow() {
        let extreme = [3e300f64, 4e300, 3e-300, 4e-300];
        let x = Features::new(&extreme[..], 2, 2).unwrap().normalize().unwrap();
        for row in x.unit().iter_rows() {
            assert!((row[0] - 0.6).abs() < 1e-15 && (row[1] - 0.8).abs() < 1e-15);
        }
    }

    #[test]
    fn gram_is_symmetric_with_unit_diagonal() {
        let values: Vec<f64> = (0..35).map(|i| (f64::from(i) * 0.7).sin()).collect();
        let x = Features::new(&values[..], 7, 5).unwrap().normalize().unwrap();
        for i in 0..7 {
            assert!((x.gram()[(i, i)] - 1.0).abs() < 1e-14);
            for j in 0..7 {
                let dot: f64 = x.unit().row(i).iter().zip(x.unit().row(j)).map(|(a, b)| a * b).sum();
                assert!((x.gram()[(i, j)] - dot).abs() < 1e-14);
                assert_eq!(x.gram()[(i, j)], x.gram()[(j, i)]);
            }
        }
    }
}
