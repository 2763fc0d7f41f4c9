//! Principal components: the directions along which the instances vary most.
//!
//! ```text
//! max tr Uᵀ Xᵀ J X U,  UᵀU = I,  J = I − 11ᵀ/n;   Z = J X U
//! ```
//!
//! Where the Gram matrix `K` of the instances is at hand, `Z` comes from the eigenvectors of `J K J` (classical scaling).
//! Of many instances `Xᵀ J X` is the smaller matrix, and `U` are its eigenvectors. Where that has more than 2,048 rows too,
//! `U` is sought in a subspace (Halko, Martinsson and Tropp 2011): the span of `(XᵀJX)^q Ω` with a Gaussian `Ω` of a few
//! more than `d` columns and `q = 6`, orthonormalised between the powers.

use faer::Mat;
use rayon::prelude::*;

use super::neighbors::Neighbors;
use super::{
    DEFAULT_D, DENSE_ROWS, Embedding, Reduce, check_dimensions, check_instances, check_positive,
    classical, head, rows,
};
use crate::linalg::basis::Basis;
use crate::linalg::block::{inner, means, times};
use crate::linalg::{Tridiagonal, noise};
use crate::{Instances, Matrix, Result};

/// Features up to which their scatter matrix is taken.
const SCATTER_DIMS: usize = 2048;
/// Directions of a sketch beyond those asked for.
const OVERSAMPLING: usize = 16;
/// Powers of the scatter matrix that a sketch is turned by.
const POWERS: usize = 6;

/// Parameters of [`Pca`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PcaParams {
    /// Number of dimensions (5).
    pub d: usize,
}

impl Default for PcaParams {
    fn default() -> Self {
        Self { d: DEFAULT_D }
    }
}

impl PcaParams {
    /// Checks what can be checked without data.
    ///
    /// # Errors
    /// [`crate::Error::Parameter`].
    pub fn check(self) -> Result<Pca> {
        check_positive("d", self.d)?;
        Ok(Pca(self))
    }
}

/// Principal component analysis.
#[derive(Debug, Clone)]
pub struct Pca(PcaParams);

impl Reduce for Pca {
    fn name(&self) -> &'static str {
        "pca"
    }

    fn neighbors(&self, _: usize) -> Option<usize> {
        None
    }

    fn reduce_on(
        &self,
        instances: &Instances,
        n: usize,
        _: Option<&Neighbors>,
    ) -> Result<Embedding> {
        let d = self.0.d;
        check_instances(instances, n)?;
        check_dimensions(d, (n - 1).min(instances.dims()))?;
        let x = if n <= DENSE_ROWS {
            let instances = head(instances, n)?;
            let gram = instances.gram();
            classical::coordinates(Matrix::from_fn(n, n, |i, j| gram[(i, j)]), d)?
        } else {
            let centred = centred(rows(instances, n)?);
            if instances.dims() <= SCATTER_DIMS {
                exact(&centred, d)?
            } else {
                sketched(&centred, d)?
            }
        };
        Ok(Embedding::plain(x))
    }
}

/// `J X`.
fn centred(mut x: Matrix) -> Matrix {
    let (means, dims) = (means(&x), x.cols());
    x.as_mut_slice().par_chunks_exact_mut(dims).for_each(|row| {
        row.iter_mut().zip(&means).for_each(|(x, m)| *x -= m);
    });
    x
}

/// From the eigenvectors of `XᵀJX`.
fn exact(centred: &Matrix, d: usize) -> Result<Matrix> {
    // Negated: the largest eigenvalues are then the lowest.
    let pairs = Tridiagonal::of(&inner(centred, centred, -1.0)).lowest(d)?;
    let rounding = centred.rows() as f64 * f64::EPSILON * -pairs.values[0];
    let axes = Mat::from_fn(centred.cols(), d, |i, j| {
        if -pairs.values[j] > rounding { pairs.vectors[(j, i)] } else { 0.0 }
    });
    Ok(times(centred, axes.as_ref()))
}

/// From a subspace that holds nearly all of the leading directions.
fn sketched(centred: &Matrix, d: usize) -> Result<Matrix> {
    let dims = centred.cols();
    let width = (d + OVERSAMPLING).min(dims).min(centred.rows());
    let mut state = 0;
    let mut axes = Matrix::zeros(dims, width);
    axes.as_mut_slice().fill_with(|| gaussian(&mut state));
    for _ in 0..POWERS {
        let q = Basis::new(&times(centred, axes.view())).q;
        axes = Basis::new(&inner(centred, &q, 1.0)).q;
    }
    // With all but the leading directions gone, what is left is a small exact problem.
    let small = times(centred, axes.view());
    let z = exact(&small, d.min(small.cols()))?;
    Ok(Matrix::from_fn(z.rows(), d, |i, j| if j < z.cols() { z[(i, j)] } else { 0.0 }))
}

/// A standard normal number, by Box and Muller's transform.
fn gaussian(state: &mut u64) -> f64 {
    let (radius, angle) = (noise(state) + 0.5, noise(state) + 0.5);
    (-2.0 * (1.0 - radius).ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;
    use crate::reduce::testing::{clusters, instances, max_difference};

    #[test]
    fn all_components_keep_all_distances() {
        let x = clusters(2, 6, 4, 1.0);
        let z = PcaParams { d: 4 }.check().unwrap().reduce(&x, 12).unwrap().x;
        for i in 0..12 {
            for j in 0..12 {
                let squared = |m: &Matrix| -> f64 {
                    m.row(i).iter().zip(m.row(j)).map(|(a, b)| (a - b) * (a - b)).sum()
                };
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
        let z = PcaParams { d: 4 }.check().unwrap().reduce(&x, 12).unwrap().x;
        assert!((0..12).all(|i| z[(i, 2)] == 0.0 && z[(i, 3)] == 0.0));
        assert!((0..12).any(|i| z[(i, 1)] != 0.0));
    }

    #[test]
    fn refuses_more_dimensions_than_features() {
        let x = clusters(2, 6, 4, 1.0);
        let error = PcaParams { d: 5 }.check().unwrap().reduce(&x, 12).unwrap_err();
        assert_eq!(error, Error::TooManyDimensions { asked: 5, available: 4 });
        assert!(matches!(PcaParams { d: 0 }.check(), Err(Error::Parameter { name: "d", .. })));
    }

    /// 300 instances whose variance falls off by a fifth from one direction to the next.
    fn decaying() -> Instances {
        instances(300, 40, |i, j| {
            let wave = |l: usize| ((i * (2 * l + 3) + l * l) as f64 * 0.37).sin();
            (0..30)
                .map(|l| 0.8f64.powi(l as i32) * wave(l) * ((l * 7 + j * 3 + l * j) as f64).cos())
                .sum()
        })
    }

    /// `Z Zᵀ`, which signs of coordinates leave as it is.
    fn products(z: &Matrix) -> Matrix {
        Matrix::from_view((z.view() * z.view().transpose()).as_ref())
    }

    #[test]
    fn all_ways_agree() {
        let x = decaying();
        let gram = PcaParams { d: 6 }.check().unwrap().reduce(&x, 300).unwrap().x;
        let centred = centred(x.unit().clone());
        let exact = exact(&centred, 6).unwrap();
        let sketched = sketched(&centred, 6).unwrap();
        assert!(max_difference(&products(&gram), &products(&exact)) < 1e-13);
        assert!(max_difference(&products(&gram), &products(&sketched)) < 1e-7);
    }

    #[test]
    fn a_sketch_of_few_dimensions_is_exact_and_leaves_the_others_zero() {
        let x = instances(60, 30, |i, j| ((i % 3 * 5 + j * j) as f64).cos());
        let centred = centred(x.unit().clone());
        let (exact, sketched) = (exact(&centred, 5).unwrap(), sketched(&centred, 5).unwrap());
        assert!(max_difference(&products(&exact), &products(&sketched)) < 1e-13);
        assert!(
            (0..60).all(|i| (2..5).all(|j| exact[(i, j)] == 0.0 && sketched[(i, j)].abs() < 1e-12))
        );
    }

    #[test]
    fn many_instances_go_by_their_features() {
        let x = clusters(3, 700, 12, 1.0);
        let many = PcaParams { d: 3 }.check().unwrap().reduce(&x, 2100).unwrap().x;
        let gram = instances(2100, 12, |i, j| x.unit()[(i, j)]);
        let gram = Matrix::from_fn(2100, 2100, |i, j| {
            gram.unit().row(i).iter().zip(gram.unit().row(j)).map(|(a, b)| a * b).sum()
        });
        let expected = classical::coordinates(gram, 3).unwrap();
        assert!(max_difference(&products(&many), &products(&expected)) < 1e-12);
    }
}
