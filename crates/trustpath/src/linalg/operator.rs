//! Symmetric matrices that are used only in products.

use super::sparse::{Csr, Factors};
use crate::Matrix;

/// A symmetric `n × n` matrix `M`.
pub(crate) trait Operator {
    /// `n`.
    fn size(&self) -> usize;

    /// `Y ← product · M X + own · X + old · Y` for blocks of vectors.
    fn apply(&mut self, x: &Matrix, factors: Factors, y: &mut Matrix);
}

/// `M = s BᵀB`, which is never formed: two products with sparse matrices take its place.
#[derive(Debug)]
pub(crate) struct ScaledSquare {
    b: Csr,
    transposed: Csr,
    scale: f64,
    /// `B X`.
    half: Matrix,
}

impl ScaledSquare {
    /// `s BᵀB`.
    pub(crate) fn new(b: Csr, scale: f64) -> Self {
        let transposed = b.transpose();
        Self { b, transposed, scale, half: Matrix::default() }
    }
}

impl Operator for ScaledSquare {
    fn size(&self) -> usize {
        self.transposed.rows()
    }

    fn apply(&mut self, x: &Matrix, factors: Factors, y: &mut Matrix) {
        if self.half.cols() != x.cols() {
            self.half = Matrix::zeros(self.b.rows(), x.cols());
        }
        self.b.multiply(x, Factors::PRODUCT, None, &mut self.half);
        let factors = Factors { product: factors.product * self.scale, ..factors };
        self.transposed.multiply(&self.half, factors, Some(x), y);
    }
}

/// `M = I − S` with a sparse symmetric `S`.
#[derive(Debug)]
pub(crate) struct IdentityMinus(pub Csr);

impl Operator for IdentityMinus {
    fn size(&self) -> usize {
        self.0.rows()
    }

    fn apply(&mut self, x: &Matrix, factors: Factors, y: &mut Matrix) {
        let Factors { product, own, old } = factors;
        let factors = Factors { product: -product, own: own + product, old };
        self.0.multiply(x, factors, Some(x), y);
    }
}
