//! What other classes of the same features say about new ones: their mean, and how instances vary within a class.
//!
//! A network that has seen base classes gives new classes features of a similar shape. For base classes `c` with the
//! covariance `S_c` of their instances about their own mean,
//!
//! ```text
//! m = mean of all base instances,      S = mean_c (S_c / ‖S_c‖) · mean_c ‖S_c‖,      S = Σⱼ vⱼ aⱼ aⱼᵀ
//! ```
//!
//! with Frobenius norms, so that every class has the same say in the shape of `S`: the definition of Hu, Pateux and Gripon
//! (BAVARDAGE, 2023). `S` is kept as its principal axes `aⱼ`, the largest variance `vⱼ` first. It is computed when it is first
//! asked for.

use std::sync::{Arc, OnceLock};

use super::geometry::centre;
use crate::linalg::block::inner;
use crate::linalg::eigen;
use crate::{Error, Instances, Matrix, Result};

/// Instances of base classes, and their statistics once they are asked for.
///
/// ```
/// use trustpath::Features;
/// use trustpath::transductive::BaseClasses;
///
/// // Two classes that vary along the second feature.
/// let values = [1.0, 0.1, 0.0, 1.0, -0.1, 0.0, 0.0, 0.1, 1.0, 0.0, -0.1, 1.0];
/// let instances = Features::new(&values[..], 4, 3)?.normalize()?;
/// let base = BaseClasses::new(instances, vec![0, 0, 1, 1])?;
/// let axis = base.centred()?.axes().row(0);
/// assert!(axis[1].abs() > 0.9);
/// # Ok::<(), trustpath::Error>(())
/// ```
#[derive(Debug)]
pub struct BaseClasses {
    instances: Instances,
    labels: Vec<usize>,
    centred: OnceLock<Result<BaseStatistics>>,
}

impl BaseClasses {
    /// Base classes, of which none may be a class of the pools that they are to help with.
    ///
    /// # Errors
    /// When there is not one label per instance, or no class varies.
    pub fn new(instances: Instances, labels: Vec<usize>) -> Result<Arc<Self>> {
        if labels.len() != instances.len() {
            return Err(Error::LabelCount { labels: labels.len(), rows: instances.len() });
        }
        let base = Self { instances, labels, centred: OnceLock::new() };
        // Without variation there is nothing to learn from; this is the cheapest time to say so.
        let mut first = vec![None; base.labels.iter().max().map_or(0, |most| most + 1)];
        let rows = base.instances.unit().iter_rows().zip(&base.labels);
        let varies = rows.into_iter().any(|(row, &label)| *first[label].get_or_insert(row) != row);
        match varies {
            true => Ok(Arc::new(base)),
            false => Err(Error::Constant { rows: base.labels.len() }),
        }
    }

    /// Number of features of each instance.
    pub fn dims(&self) -> usize {
        self.instances.dims()
    }

    /// Refuses instances with another number of features.
    ///
    /// # Errors
    /// [`Error::BaseDimensions`].
    pub fn check(&self, dims: usize) -> Result<()> {
        match dims == self.dims() {
            true => Ok(()),
            false => Err(Error::BaseDimensions { base: self.dims(), given: dims }),
        }
    }

    /// Statistics of `x ← (x − m)/‖x − m‖`, where `m`, their mean, is that of the unit rows before.
    ///
    /// # Errors
    /// When the eigenvalue solver fails.
    pub fn centred(&self) -> Result<&BaseStatistics> {
        let made = self.centred.get_or_init(|| {
            let mut x = self.instances.unit().clone();
            let (mean, rows) = (super::geometry::mean(&x, 0..x.rows()), x.rows());
            centre(&mut x, 0..rows, &mean);
            BaseStatistics::of(&x, &self.labels, mean)
        });
        made.as_ref().map_err(Clone::clone)
    }
}

/// The mean of base classes and the covariance within them.
#[derive(Debug, Clone, PartialEq)]
pub struct BaseStatistics {
    mean: Vec<f64>,
    variances: Vec<f64>,
    axes: Matrix,
}

impl BaseStatistics {
    fn of(x: &Matrix, labels: &[usize], mean: Vec<f64>) -> Result<Self> {
        let dims = x.cols();
        let classes = labels.iter().max().map_or(0, |most| most + 1);
        let (mut sum, mut norms, mut varying) = (Matrix::zeros(dims, dims), 0.0, 0.0);
        for class in 0..classes {
            let rows: Vec<usize> = (0..x.rows()).filter(|&i| labels[i] == class).collect();
            if rows.len() < 2 {
                continue;
            }
            let mut residuals = Matrix::from_fn(rows.len(), dims, |i, j| x[(rows[i], j)]);
            let centre = super::geometry::mean(&residuals, 0..rows.len());
            for i in 0..rows.len() {
                residuals.row_mut(i).iter_mut().zip(&centre).for_each(|(v, c)| *v -= c);
            }
            let covariance = inner(&residuals, &residuals, 1.0 / rows.len() as f64);
            let norm = covariance.as_slice().iter().map(|v| v * v).sum::<f64>().sqrt();
            if norm > 0.0 {
                let pairs = sum.as_mut_slice().iter_mut().zip(covariance.as_slice());
                pairs.for_each(|(s, c)| *s += c / norm);
                (norms, varying) = (norms + norm, varying + 1.0);
            }
        }
        let scale = norms / f64::max(varying * varying, 1.0);
        let eigen = eigen(sum.view())?;
        let (values, vectors) = (eigen.S().column_vector(), eigen.U());
        // Ascending, and of a matrix that rounding may have made slightly indefinite.
        let at = |j: usize| dims - 1 - j;
        let variances = (0..dims).map(|j| (scale * values[at(j)]).max(0.0)).collect();
        Ok(Self { mean, variances, axes: Matrix::from_fn(dims, dims, |j, i| vectors[(i, at(j))]) })
    }

    /// `m`.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// The variances `vⱼ` along the axes, largest first.
    pub fn variances(&self) -> &[f64] {
        &self.variances
    }

    /// The axes `aⱼ`, one row each.
    pub fn axes(&self) -> &Matrix {
        &self.axes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Features;

    /// Two classes of different size around different means, with the same shape: long along the first feature.
    fn base() -> Arc<BaseClasses> {
        let value = |i: usize, j: usize| {
            let noise = (((i * 7919 + j * 104_729) as f64) * 0.618).sin();
            let spread = [0.5, 0.1, 0.05, 0.1][j];
            1.0 + if i < 60 { 0.2 * j as f64 } else { -0.1 * j as f64 } + spread * noise
        };
        let values: Vec<f64> = (0..90 * 4).map(|at| value(at / 4, at % 4)).collect();
        let instances = Features::new(&values[..], 90, 4).unwrap().normalize().unwrap();
        BaseClasses::new(instances, (0..90).map(|i| usize::from(i >= 60)).collect()).unwrap()
    }

    #[test]
    fn axes_and_variances_make_up_the_covariance() {
        let base = base();
        let statistics = base.centred().unwrap();
        let mut x = base.instances.unit().clone();
        let middle = crate::transductive::geometry::mean(&x, 0..90);
        centre(&mut x, 0..90, &middle);
        // The same from its definition.
        let mut shape = Matrix::zeros(4, 4);
        let mut size = 0.0;
        for rows in [0..60, 60..90] {
            let n = rows.len() as f64;
            let mean = crate::transductive::geometry::mean(&x, rows.clone());
            let entry = |a: usize, b: usize| {
                rows.clone().map(|i| (x[(i, a)] - mean[a]) * (x[(i, b)] - mean[b])).sum::<f64>() / n
            };
            let covariance = Matrix::from_fn(4, 4, entry);
            let norm = covariance.as_slice().iter().map(|v| v * v).sum::<f64>().sqrt();
            for (s, c) in shape.as_mut_slice().iter_mut().zip(covariance.as_slice()) {
                *s += 0.5 * c / norm;
            }
            size += 0.5 * norm;
        }
        for a in 0..4 {
            for b in 0..4 {
                let parts = statistics.variances.iter().zip(statistics.axes.iter_rows());
                let sum: f64 = parts.map(|(v, axis)| v * axis[a] * axis[b]).sum();
                assert!((sum - size * shape[(a, b)]).abs() < 1e-14, "{a} {b}");
            }
        }
        assert!(statistics.variances.is_sorted_by(|a, b| a >= b));
        assert_eq!(statistics.mean, middle);
    }

    #[test]
    fn what_cannot_be_base_classes_is_refused() {
        let instances = |rows: usize| {
            let values: Vec<f64> = (0..rows * 2).map(|at| (at % 2 + 1) as f64).collect();
            Features::new(&values[..], rows, 2).unwrap().normalize().unwrap()
        };
        assert!(matches!(
            BaseClasses::new(instances(3), vec![0, 1]),
            Err(Error::LabelCount { labels: 2, rows: 3 })
        ));
        assert!(matches!(
            BaseClasses::new(instances(3), vec![0, 0, 1]),
            Err(Error::Constant { rows: 3 })
        ));
        assert!(matches!(base().check(5), Err(Error::BaseDimensions { base: 4, given: 5 })));
    }
}
