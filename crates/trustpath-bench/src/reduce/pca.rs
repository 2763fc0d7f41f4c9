//! Principal components: the directions along which the instances vary most.
//!
//! ```text
//! max tr Uᵀ Xᵀ J X U,  UᵀU = I,  J = I − 11ᵀ/n;   Z = J X U
//! ```
//!
//! Up to [`DENSE_ROWS`] instances `Z` comes from the eigenvectors of `J K J`, where `K` is their Gram matrix (classical
//! scaling); of more, `U` are the eigenvectors of `XᵀJX` or follow from those of `J K J`, whichever is smaller.

use faer::Mat;

use super::{DENSE_ROWS, Embedding, Reduce, classical, first_rows};
use trustpath::neighbors::Neighbors;
use trustpath::{Instances, Matrix, Result};
use trustpath_path::linalg::block::times;
use trustpath_path::linalg::pca::{centred, principal_axes};

#[derive(Debug)]
pub(super) struct Pca {
    pub d: usize,
}

impl Reduce for Pca {
    fn dimensions(&self) -> Option<usize> {
        Some(self.d)
    }

    fn most(&self) -> Option<usize> {
        None
    }

    fn embed(&self, instances: &Instances, n: usize, _: &Neighbors) -> Result<Embedding> {
        Ok(Embedding::plain(if n <= DENSE_ROWS {
            classical::of_gram(instances, n, self.d)?
        } else {
            by_axes(&first_rows(instances, n)?, self.d)?
        }))
    }
}

/// By the principal axes. A dimension that the data do not have is zero.
fn by_axes(x: &Matrix, d: usize) -> Result<Matrix> {
    let (_, axes) = principal_axes(x, d)?;
    let axes = Mat::from_fn(x.cols(), d, |i, j| if j < axes.rows() { axes[(j, i)] } else { 0.0 });
    Ok(times(&centred(x.iter_rows(), x.cols()).1, axes.as_ref()))
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

    /// `Z Zᵀ`, which signs of coordinates leave as it is.
    fn products(z: &Matrix) -> Matrix {
        Matrix::from_view((z.view() * z.view().transpose()).as_ref())
    }

    #[test]
    fn both_ways_agree_and_leave_dimensions_that_the_data_lack_at_zero() {
        // 300 instances whose variance falls off by a fifth from one direction to the next.
        let decaying = instances(300, 40, |i, j| {
            let wave = |l: usize| ((i * (2 * l + 3) + l * l) as f64 * 0.37).sin();
            (0..30).map(|l| 0.8f64.powi(l as i32) * wave(l) * ((l * 7 + j * 3 + l * j) as f64).cos()).sum()
        });
        let gram = coordinates(&Pca { d: 6 }, &decaying);
        assert!(max_difference(&products(&gram), &products(&by_axes(decaying.unit(), 6).unwrap())) < 1e-13);
        let flat = instances(60, 30, |i, j| ((i % 3 * 5 + j * j) as f64).cos());
        let z = by_axes(flat.unit(), 5).unwrap();
        assert!((0..60).all(|i| (2..5).all(|j| z[(i, j)] == 0.0)));
    }

    #[test]
    fn many_instances_go_by_their_features() {
        let x = clusters(3, 700, 12, 1.0);
        let many = coordinates(&Pca { d: 3 }, &x);
        let expected = classical::of_gram(&x, 2100, 3).unwrap();
        assert!(max_difference(&products(&many), &products(&expected)) < 1e-12);
    }
}
