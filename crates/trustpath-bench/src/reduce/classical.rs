//! Classical scaling: coordinates whose inner products come nearest to given ones.
//!
//! ```text
//! min ‖J B J − Z Zᵀ‖_F,  J = I − 11ᵀ/n:   Z = (√λ₁ v₁, …, √λ_d v_d)
//! ```
//!
//! for the largest eigenvalues `λ` of the centred `J B J`. With `B` the Gram matrix these are the principal components;
//! with `B = −½ D²` it is multidimensional scaling of the distances `D`.

use super::columns;
use trustpath::{Instances, Matrix, Result};
use trustpath_path::linalg::Tridiagonal;

/// The `d` leading coordinates of the first `n` instances, by their Gram matrix.
pub(super) fn of_gram(instances: &Instances, n: usize, d: usize) -> Result<Matrix> {
    let gram = instances.gram();
    coordinates(Matrix::from_fn(n, n, |i, j| gram[(i, j)]), d)
}

/// The `d` leading coordinates of a symmetric `b`. A coordinate that the data do not have is zero.
pub(super) fn coordinates(mut b: Matrix, d: usize) -> Result<Matrix> {
    let n = b.rows();
    let means: Vec<f64> = b.iter_rows().map(|row| row.iter().sum::<f64>() / n as f64).collect();
    let mean = means.iter().sum::<f64>() / n as f64;
    // Negated: the largest eigenvalues are then the lowest.
    for i in 0..n {
        for (j, x) in b.row_mut(i).iter_mut().enumerate() {
            *x = (means[i] - *x) + (means[j] - mean);
        }
    }
    let pairs = Tridiagonal::of(&b).lowest(d)?;
    let largest = -pairs.values[0];
    let rounding = n as f64 * f64::EPSILON * largest;
    let mut x = columns(&pairs.vectors, 0);
    let scale: Vec<f64> = pairs.values.iter().map(|&l| if -l > rounding { (-l).sqrt() } else { 0.0 }).collect();
    for i in 0..n {
        x.row_mut(i).iter_mut().zip(&scale).for_each(|(x, s)| *x *= s);
    }
    Ok(x)
}
