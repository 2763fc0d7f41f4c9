//! The leading right singular vectors of a sparse matrix.
//!
//! ```text
//! X ≈ U S Vᵀ,  UᵀU = VᵀV = I,  d columns each
//! ```
//!
//! `V` is searched in a subspace (Halko, Martinsson and Tropp 2011): `Q` spans `(XXᵀ)^q Ω` with a Gaussian `Ω` of a few
//! more than `d` columns, orthonormalised between the powers, and the eigenvectors of `QᵀXXᵀQ` turn `XᵀQ` into `V`. `X` is
//! only used in products, whose sums have one order for any number of threads.

use faer::Mat;

use trustpath::{Error, Matrix, Result};
use trustpath_path::linalg::block::inner;
use trustpath_path::linalg::pca::{OVERSAMPLING, gaussian, leading, subspace};
use trustpath_path::linalg::sparse::Csr;
use trustpath_path::linalg::vector::to_unit;

/// Powers of `XXᵀ`: singular values of texts fall slowly, and few more change nothing.
const POWERS: usize = 4;

/// The leading right singular vectors, one row each: at most `d`, without those whose singular value is rounding.
///
/// # Errors
/// [`Error::Constant`] if all entries are zero.
pub(super) fn right_singular_vectors(rows: &Csr, d: usize) -> Result<Matrix> {
    let transposed = rows.transpose();
    let (n, cols) = (rows.rows(), transposed.rows());
    let width = (d + OVERSAMPLING).min(n).min(cols);
    if width == 0 {
        return Err(Error::Constant { rows: n });
    }
    let product = |a: &Csr, x: &Matrix| {
        let mut y = Matrix::zeros(a.rows(), x.cols());
        a.multiply(x, &mut y);
        y
    };
    let mut state = 0;
    let start = Mat::from_fn(n, width, |_, _| gaussian(&mut state));
    let basis = subspace(start, POWERS, |v| {
        let half = product(&transposed, &Matrix::from_view(v.as_ref()));
        product(rows, &half).view().to_owned()
    });
    let projected = product(&transposed, &Matrix::from_view(basis.as_ref()));
    let rounding = |largest: f64| 1e-12 * largest.max(f64::MIN_POSITIVE);
    let turns = leading(&inner(&projected, &projected, -1.0), d.min(width), rounding)?;
    if turns.rows() == 0 {
        return Err(Error::Constant { rows: n });
    }
    let mut axes = Matrix::zeros(turns.rows(), cols);
    for (k, turn) in turns.iter_rows().enumerate() {
        let axis = axes.row_mut(k);
        for (v, row) in axis.iter_mut().zip(projected.iter_rows()) {
            *v = row.iter().zip(turn).map(|(x, t)| x * t).sum();
        }
        to_unit(axis);
    }
    Ok(axes)
}
#[cfg(test)]
mod tests {
    use super::*;

    /// A sparse matrix of a few clear directions and noise.
    fn rows() -> (Csr, Matrix) {
        let (n, cols) = (90, 60);
        let dense = Matrix::from_fn(n, cols, |i, j| match (i + j) % 3 {
            0 => (1.0 + (i % 4) as f64) * ((j % 4 == i % 4) as u8 as f64) + ((i * j) as f64).sin(),
            _ => 0.0,
        });
        let mut sparse = Csr::new(cols);
        for row in dense.iter_rows() {
            let entries = row.iter().enumerate().filter(|(_, x)| **x != 0.0);
            sparse.push_row(entries.map(|(j, x)| (j, *x)));
        }
        (sparse, dense)
    }

    #[test]
    fn the_vectors_are_those_of_the_dense_matrix() {
        let (sparse, dense) = rows();
        let axes = right_singular_vectors(&sparse, 5).unwrap();
        let expected = leading(&inner(&dense, &dense, -1.0), 5, |_| 0.0).unwrap();
        for (axis, expected) in axes.iter_rows().zip(expected.iter_rows()) {
            let dot: f64 = axis.iter().zip(expected).map(|(a, b)| a * b).sum();
            assert!((dot.abs() - 1.0).abs() < 1e-6, "{dot}");
        }
    }

    #[test]
    fn threads_do_not_change_the_bits() {
        let (sparse, _) = rows();
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| right_singular_vectors(&sparse, 7)).unwrap()
        };
        assert_eq!(with(1), with(3));
    }

    #[test]
    fn a_matrix_of_zeros_has_none() {
        let mut zeros = Csr::new(4);
        zeros.push_row([]);
        zeros.push_row([]);
        assert_eq!(right_singular_vectors(&zeros, 2), Err(Error::Constant { rows: 2 }));
        assert!(right_singular_vectors(&Csr::new(0), 2).is_err());
    }
}
