//! Symmetric matrices that are known by their products alone.

use super::sparse::{Blend, Csr};
use crate::Matrix;

/// A symmetric `n × n` matrix `M`.
pub(crate) trait Operator {
    /// `n`.
    fn size(&self) -> usize;

    /// `Y ← product · M X + own · X + old · Y` for blocks of vectors.
    fn apply(&mut self, x: &Matrix, factors: Factors, y: &mut Matrix);
}

/// The factors of [`Operator::apply`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Factors {
    /// Of `M X`.
    pub product: f64,
    /// Of `X`.
    pub own: f64,
    /// Of what was in `Y` before.
    pub old: f64,
}

impl Factors {
    /// `M X` alone.
    pub(crate) const PLAIN: Self = Self { product: 1.0, own: 0.0, old: 0.0 };
}

/// `M = s BᵀB`, which is never formed: two products with sparse matrices take its place.
#[derive(Debug)]
pub(crate) struct Square {
    b: Csr,
    transposed: Csr,
    scale: f64,
    /// `B X`.
    half: Matrix,
}

impl Square {
    /// `s BᵀB`.
    pub(crate) fn new(b: Csr, scale: f64) -> Self {
        let transposed = b.transpose();
        Self { b, transposed, scale, half: Matrix::default() }
    }
}

impl Operator for Square {
    fn size(&self) -> usize {
        self.transposed.rows()
    }

    fn apply(&mut self, x: &Matrix, factors: Factors, y: &mut Matrix) {
        if self.half.cols() != x.cols() {
            self.half = Matrix::zeros(self.b.rows(), x.cols());
        }
        self.b.multiply(x, Blend::PLAIN, &mut self.half);
        let Factors { product, own, old } = factors;
        let blend = Blend { product: product * self.scale, own: Some((x, own)), old };
        self.transposed.multiply(&self.half, blend, y);
    }
}

/// `M = I − S` with a sparse symmetric `S`.
#[derive(Debug)]
pub(crate) struct Complement {
    /// `S`.
    pub s: Csr,
}

impl Operator for Complement {
    fn size(&self) -> usize {
        self.s.rows()
    }

    fn apply(&mut self, x: &Matrix, factors: Factors, y: &mut Matrix) {
        let Factors { product, own, old } = factors;
        let blend = Blend { product: -product, own: Some((x, own + product)), old };
        self.s.multiply(x, blend, y);
    }
}
