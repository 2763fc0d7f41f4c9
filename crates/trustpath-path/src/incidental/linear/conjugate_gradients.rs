//! Preconditioned conjugate gradients, for the products of a curvature that is not formed.

use crate::linalg::vector::{add_scaled, dot, norm};
use crate::{Matrix, Result};

/// How many products with the curvature the conjugate gradients of a step may take. Where nearly all instances have left
/// zero, there is almost no curvature in many directions: conjugate gradients would go through all of them towards a step
/// that is then cut. So a step that was cut leaves the next one a quarter of its products, a whole step twice as many.
#[derive(Debug)]
pub(super) struct Products(pub usize);

impl Default for Products {
    fn default() -> Self {
        Self(16)
    }
}

impl Products {
    pub const MOST: usize = 128;
    const FEWEST: usize = 4;

    /// After a step of which this part was taken.
    pub fn adapt(&mut self, part: f64) {
        let next = if part < 1.0 { self.0 / 4 } else { 2 * self.0 };
        self.0 = next.clamp(Self::FEWEST, Self::MOST);
    }
}

/// An approximate solution of `A x = b` for a symmetric `A` of which only products are known, in at most `most` steps. Ends
/// at a residual of `tolerance` relative to `b`, or where a direction has no curvature.
pub(super) fn conjugate_gradients(
    b: &Matrix,
    (tolerance, most): (f64, usize),
    mut product: impl FnMut(&Matrix) -> Result<Matrix>,
    precondition: impl Fn(&Matrix) -> Matrix,
) -> Result<Matrix> {
    let target = tolerance * norm(b.as_slice());
    let mut residual = b.clone();
    let mut x = Matrix::zeros(b.rows(), b.cols());
    let mut direction = precondition(&residual);
    let mut energy = dot(residual.as_slice(), direction.as_slice());
    for _ in 0..most {
        let product = product(&direction)?;
        let curvature = dot(direction.as_slice(), product.as_slice());
        if curvature.is_nan() || curvature <= 0.0 {
            break;
        }
        let length = energy / curvature;
        add_scaled(x.as_mut_slice(), length, direction.as_slice());
        add_scaled(residual.as_mut_slice(), -length, product.as_slice());
        if norm(residual.as_slice()) <= target {
            break;
        }
        let preconditioned = precondition(&residual);
        let next = dot(residual.as_slice(), preconditioned.as_slice());
        let turn = next / energy;
        for (to, p) in direction.as_mut_slice().iter_mut().zip(preconditioned.as_slice()) {
            *to = p + turn * *to;
        }
        energy = next;
    }
    Ok(x)
}
