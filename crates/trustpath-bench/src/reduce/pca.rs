//! Principal components: the directions along which the instances vary most.
//!
//! ```text
//! max tr Uᵀ Xᵀ J X U,  UᵀU = I,  J = I − 11ᵀ/n;   Z = J X U
//! ```
//!
//! Where the Gram matrix `K` of the instances is available, `Z` comes from the eigenvectors of `J K J` (classical scaling).
//! Of many instances `Xᵀ J X` is the smaller matrix, and `U` are its eigenvectors. Where that has more than 2,048 rows too,
//! `U` is searched in a subspace (Halko, Martinsson and Tropp 2011): the span of `(XᵀJX)^q Ω` with a Gaussian `Ω` of a few
//! more than `d` columns and `q = 6`, orthonormalised between the powers.

use faer::Mat;

use super::{DEFAULT_D, DENSE_ROWS, Embedding, Reduce, classical, with_gram};
use trustpath::neighbors::Neighbors;
use trustpath::{Instances, Matrix, Result};
use trustpath_path::linalg::block::{inner, times};
use trustpath_path::linalg::pca::{OVERSAMPLING, centred, gaussian, leading, subspace};

/// Features up to which principal components of many instances come from the scatter matrix. Beyond, the matrix and its
/// eigenvectors cost more than a sketch.
const SCATTER_DIMS: usize = 2048;

/// Powers of the scatter matrix that a sketch is multiplied by.
const POWERS: usize = 6;

/// Principal component analysis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pca {
    /// Number of dimensions (5).
    pub d: usize,
}

impl Default for Pca {
    fn default() -> Self {
        Self { d: DEFAULT_D }
    }
}

impl Reduce for Pca {
    fn dimensions(&self) -> Option<usize> {
        Some(self.d)
    }

    fn most(&self) -> Option<usize> {
        None
    }

    fn embed(&self, instances: &Instances, n: usize, _: &Neighbors) -> Result<Embedding> {
        let dims = instances.dims();
        let centred = || centred(instances.unit().iter_rows().take(n), dims).1;
        Ok(Embedding::plain(if n <= DENSE_ROWS {
            classical::of_gram(&*with_gram(instances, n)?, n, self.d)?
        } else if dims <= SCATTER_DIMS {
            exact(&centred(), self.d)?
        } else {
            sketched(&centred(), self.d)?
        }))
    }
}

/// From the eigenvectors of `XᵀJX`. A dimension that the data do not have is zero.
fn exact(centred: &Matrix, d: usize) -> Result<Matrix> {
    let rounding = |largest: f64| centred.rows() as f64 * f64::EPSILON * largest;
    let axes = leading(&inner(centred, centred, -1.0), d.min(centred.cols()), rounding)?;
    let axes = Mat::from_fn(centred.cols(), d, |i, j| if j < axes.rows() { axes[(j, i)] } else { 0.0 });
    Ok(times(centred, axes.as_ref()))
}

/// From a subspace that holds nearly all of the leading directions.
fn sketched(centred: &Matrix, d: usize) -> Result<Matrix> {
    let dims = centred.cols();
    let width = (d + OVERSAMPLING).min(dims).min(centred.rows());
    let mut state = 0;
    let start = Mat::from_fn(dims, width, |_, _| gaussian(&mut state));
    let axes = subspace(start, POWERS, |v| inner(centred, &times(centred, v.as_ref()), 1.0).view().to_owned());
    // With all but the leading directions gone, what is left is a small exact problem.
    exact(&times(centred, axes.as_ref()), d)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduce::testing::{clusters, coordinates, instances, max_difference};
    use trustpath::Error;
    use trustpath::neighbors::squared_difference;

    #[test]
    fn all_components_keep_all_distances() {
        let x = clusters(2, 6, 4, 1.0);
        let z = coordinates(&Pca { d: 4 }, &x);
        for i in 0..12 {
            for j in 0..12 {
                let squared = |m: &Matrix| squared_difference(m.row(i), m.row(j));
                assert!((squared(&z) - squared(x.unit())).abs() < 1e-13);
            }
        }
        for c in 0..4 {
            assert!((0..12).map(|i| z[(i, c)]).sum::<f64>().abs() < 1e-13);
        }
    }

    #[test]
    fn a_dimension_that_the_data_lack_is_zero() {
        // Three distinct points span two dimensions.
        let x = instances(12, 6, |i, j| ((i % 3 * 5 + j * j) as f64).cos());
        let z = coordinates(&Pca { d: 4 }, &x);
        assert!((0..12).all(|i| z[(i, 2)] == 0.0 && z[(i, 3)] == 0.0));
        assert!((0..12).any(|i| z[(i, 1)] != 0.0));
    }

    #[test]
    fn refuses_more_dimensions_than_features() {
        let x = clusters(2, 6, 4, 1.0);
        let error = Pca { d: 5 }.reduce(&x, 12).unwrap_err();
        assert_eq!(error, Error::TooManyDimensions { asked: 5, available: 4 });
    }

    /// 300 instances whose variance falls off by a fifth from one direction to the next.
    fn decaying() -> Instances {
        instances(300, 40, |i, j| {
            let wave = |l: usize| ((i * (2 * l + 3) + l * l) as f64 * 0.37).sin();
            (0..30).map(|l| 0.8f64.powi(l as i32) * wave(l) * ((l * 7 + j * 3 + l * j) as f64).cos()).sum()
        })
    }

    /// `Z Zᵀ`, which signs of coordinates leave as it is.
    fn products(z: &Matrix) -> Matrix {
        Matrix::from_view((z.view() * z.view().transpose()).as_ref())
    }

    #[test]
    fn all_ways_agree() {
        let x = decaying();
        let gram = coordinates(&Pca { d: 6 }, &x);
        let (_, centred) = centred(x.unit().iter_rows(), x.dims());
        let exact = exact(&centred, 6).unwrap();
        let sketched = sketched(&centred, 6).unwrap();
        assert!(max_difference(&products(&gram), &products(&exact)) < 1e-13);
        assert!(max_difference(&products(&gram), &products(&sketched)) < 1e-7);
    }

    #[test]
    fn a_sketch_of_few_dimensions_is_exact_and_leaves_the_others_zero() {
        let x = instances(60, 30, |i, j| ((i % 3 * 5 + j * j) as f64).cos());
        let (_, centred) = centred(x.unit().iter_rows(), x.dims());
        let (exact, sketched) = (exact(&centred, 5).unwrap(), sketched(&centred, 5).unwrap());
        assert!(max_difference(&products(&exact), &products(&sketched)) < 1e-13);
        assert!((0..60).all(|i| (2..5).all(|j| exact[(i, j)] == 0.0 && sketched[(i, j)].abs() < 1e-12)));
    }

    #[test]
    fn many_instances_go_by_their_features() {
        let x = clusters(3, 700, 12, 1.0);
        let many = coordinates(&Pca { d: 3 }, &x);
        let expected = classical::of_gram(&x, 2100, 3).unwrap();
        assert!(max_difference(&products(&many), &products(&expected)) < 1e-12);
    }
}
