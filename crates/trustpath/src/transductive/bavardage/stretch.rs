//! Rows whose directions are divided by the deviation within base classes.

use faer::MatRef;

use crate::linalg::block::{inner, times};
use crate::linalg::{eigen, gram};
use crate::transductive::BaseStatistics;
use crate::{Matrix, Result};

/// The instances of a base class that the scatter matrix of base classes counts.
const BASE_INSTANCES: f64 = 60.0;
/// Added to the eigenvalues of that matrix, so that it has an inverse.
const RIDGE: f64 = 1e-6;
/// A direction with less than this share of the longest has only rounding in it.
const NO_DIRECTION: f64 = 1e-12;

/// `y = diag(min(e^(−1/2), limit)) Wᵀ Uᵀ x`, one row per row of `x`.
pub(super) fn stretched(
    x: &Matrix,
    pool: usize,
    base: &BaseStatistics,
    limit: f64,
) -> Result<Matrix> {
    let basis = span(x, pool)?;
    // The inverse of the scatter matrix between the directions of the basis.
    let mut roots = times(&basis, base.axes().view().transpose());
    for k in 0..roots.rows() {
        let pairs = roots.row_mut(k).iter_mut().zip(base.variances());
        pairs.for_each(|(r, v)| *r /= (BASE_INSTANCES * v + RIDGE).sqrt());
    }
    let inverse = eigen(gram(&roots).view())?;
    let (values, w) = (inverse.S().column_vector(), inverse.U());
    let mut z = times(x, basis.view().transpose());
    z = times(&z, w);
    for i in 0..z.rows() {
        let row = z.row_mut(i).iter_mut().enumerate();
        row.for_each(|(k, v)| *v *= values[k].max(0.0).sqrt().min(limit));
    }
    Ok(z)
}

/// An orthonormal basis of the span of the first `pool` rows, one row per direction.
fn span(x: &Matrix, pool: usize) -> Result<Matrix> {
    let rows = Matrix::from_view(x.view().subrows(0, pool));
    let by_features = pool >= x.cols();
    let products = if by_features { inner(&rows, &rows, 1.0) } else { gram(&rows) };
    let eigen = eigen(products.view())?;
    let (values, vectors) = (eigen.S().column_vector(), eigen.U());
    let size = vectors.ncols();
    let longest = values[size - 1];
    let kept: Vec<usize> = (0..size).filter(|&k| values[k] > NO_DIRECTION * longest).collect();
    let column = |k: usize, scale: f64, v: MatRef<'_, f64>| {
        let mut column = Matrix::zeros(1, v.nrows());
        (0..v.nrows()).for_each(|i| column.row_mut(0)[i] = scale * v[(i, k)]);
        column
    };
    let mut basis = Matrix::zeros(kept.len(), x.cols());
    for (to, &k) in kept.iter().enumerate() {
        let direction = match by_features {
            true => column(k, 1.0, vectors),
            false => times(&column(k, values[k].sqrt().recip(), vectors), rows.view()),
        };
        basis.row_mut(to).copy_from_slice(direction.as_slice());
    }
    Ok(basis)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::vector;
    use crate::transductive::BaseClasses;
    use crate::transductive::tests::pool;

    #[test]
    fn stretching_divides_by_the_deviation_within_the_base_classes() {
        // More rows than features: the basis spans all directions, and distances are those of S^(−1/2) x up to the limit.
        for (rows, limit) in [(40, 1e9), (4, 1e9), (40, 3.0)] {
            let base = pool(30, &[0, 0, 0], 0.9);
            let base = BaseClasses::new(base.instances.clone(), base.labels.clone()).unwrap();
            let statistics = base.centred().unwrap();
            let dims = base.dims();
            let x = Matrix::from_fn(rows, dims, |i, j| {
                (((i * 31 + 1) * (j * j * 17 + 3)) as f64).sin()
            });
            let y = stretched(&x, rows, statistics, limit).unwrap();
            assert_eq!(y.cols(), rows.min(dims));
            if limit < 1e9 {
                let longest = x.iter_rows().zip(y.iter_rows());
                let within =
                    |(x, y): (&[f64], &[f64])| vector::norm(y) <= limit * vector::norm(x) + 1e-9;
                assert!(longest.into_iter().all(within));
                continue;
            }
            for (x, y) in x.iter_rows().zip(y.iter_rows()) {
                let axes = statistics.axes().iter_rows().zip(statistics.variances());
                let expected: f64 =
                    axes.map(|(a, v)| vector::dot(x, a).powi(2) / (60.0 * v + 1e-6)).sum();
                assert!((vector::dot(y, y) - expected).abs() < 1e-8 * expected);
            }
        }
    }
}
