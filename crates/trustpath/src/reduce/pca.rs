//! Principal components: the directions along which the instances vary most.
//!
//! ```text
//! max tr Uᵀ Xᵀ J X U,  UᵀU = I,  J = I − 11ᵀ/n;   Z = J X U
//! ```
//!
//! The Gram matrix `K` of the instances is at hand, so `Z` comes from the eigenvectors of `J K J` (classical scaling).

use super::{
    DEFAULT_D, Embedding, Reduce, check_dimensions, check_instances, check_positive, classical,
};
use crate::{Instances, Matrix, Result};

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

    fn reduce(&self, instances: &Instances, n: usize) -> Result<Embedding> {
        check_instances(instances, n)?;
        check_dimensions(self.0.d, (n - 1).min(instances.dims()))?;
        let gram = instances.gram();
        let head = Matrix::from_fn(n, n, |i, j| gram[(i, j)]);
        Ok(Embedding { x: classical::coordinates(head, self.0.d)?, nullity: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;
    use crate::reduce::testing::{clusters, instances};

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
}
