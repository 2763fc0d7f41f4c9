//! The curvature of the Huber regression, and solving with it.
//!
//! Up to [`DENSE_UNKNOWNS`] unknowns the matrix is formed and factored. Above, its products with vectors are summed over the
//! instances and conjugate gradients solve, preconditioned by `I_c ⊗ Σᵢ wᵢ xᵢxᵢᵀ`: the curvature without the part that is
//! subtracted, which is the matrix of iteratively reweighted least squares.

use super::conjugate_gradients::conjugate_gradients;
use super::row_source::{EvalPoint, Knot, RowSource, Sum};
use super::rows::pairs;
use crate::limits::DENSE_UNKNOWNS;
use crate::linalg::cholesky;
use crate::linalg::vector::add_scaled;
use crate::{Matrix, Result};

/// Curvature below this counts as none, and the matrix is shifted. The coordinates are orthonormal: if all instances were
/// zero, the curvature would be one in every direction.
pub(super) const FLOOR: f64 = 1e-12;
/// Relative residual at which a conjugate-gradient step of Newton's method ends.
pub(super) const STEP: f64 = 1e-2;
/// The same for tangents, which are also used for interpolation: [`LOOSER`] times the tolerance of solutions, but at least
/// this, and at most [`STEP`].
const TANGENT: f64 = 1e-5;
/// Ratio of the tolerance of tangents to that of solutions.
const LOOSER: f64 = 100.0;

/// The curvature of `c` responses on `d` coordinates, at the point where it was last computed.
#[derive(Debug, Clone)]
pub(super) struct Curvature {
    c: usize,
    d: usize,
    /// [`Sum::Curvature`] if the matrix is formed, else [`Sum::Gram`]; both end in the right-hand side of the tangent.
    sums: Vec<f64>,
    /// The factor of the matrix, or of its preconditioner for one response.
    factor: Vec<f64>,
    form: Form,
}

#[derive(Debug, Clone)]
enum Form {
    Dense {
        /// Whether the curvature is positive in every direction, and so the solution unique.
        definite: bool,
    },
    Products {
        point: Knot,
        slot: usize,
        /// What is added to the curvature in every direction.
        floor: f64,
    },
}

impl Curvature {
    pub fn new(c: usize, d: usize) -> Self {
        let (form, sum, order) = if c * d <= DENSE_UNKNOWNS {
            (Form::Dense { definite: false }, Sum::Curvature, c * d)
        } else {
            (Form::Products { point: Knot::default(), slot: 0, floor: FLOOR }, Sum::Gram, d)
        };
        Self { c, d, sums: vec![0.0; sum.len(d, c)], factor: vec![0.0; order * order], form }
    }

    pub fn is_iterative(&self) -> bool {
        matches!(self.form, Form::Products { .. })
    }

    /// Computes the curvature at a point. Less than `floor` of it, in any direction, counts as none.
    pub fn take(&mut self, rows: &mut impl RowSource, at: EvalPoint<'_>, floor: f64) -> Result<()> {
        let Self { c, d, sums, factor, form } = self;
        match form {
            Form::Dense { definite } => {
                rows.sum_over_rows(Sum::Curvature, at, sums)?;
                *definite = cholesky::factor_shifted(factor, *c * *d, floor, |to| unpack(sums, *c, *d, to));
            }
            Form::Products { .. } => {
                rows.sum_over_rows(Sum::Gram, at, sums)?;
                let gram = &sums[..*d * *d];
                cholesky::factor_shifted(factor, *d, floor, |to| to.copy_from_slice(gram));
                let point = Knot { lambda: at.lambda, first: at.first, b: at.b.to_vec(), tangent: Vec::new() };
                *form = Form::Products { point, slot: at.slot, floor };
            }
        }
        Ok(())
    }

    /// `dB/dλ` at the point, given the tolerance of solutions, by at most so many products.
    pub fn tangent(
        &self,
        rows: &mut impl RowSource,
        tangent: &mut [f64],
        (tolerance, products): (f64, usize),
    ) -> Result<()> {
        if let Form::Dense { definite: false } = self.form {
            // The solution is not unique, and the tangent could point anywhere.
            tangent.fill(0.0);
            return Ok(());
        }
        tangent.copy_from_slice(&self.sums[self.sums.len() - self.c * self.d..]);
        self.solve(rows, tangent, ((LOOSER * tolerance).clamp(TANGENT, STEP), products))
    }

    /// Solves in place: exactly where the matrix is formed, else to a relative residual or by at most so many products.
    pub fn solve(&self, rows: &mut impl RowSource, x: &mut [f64], until: (f64, usize)) -> Result<()> {
        let (c, d) = (self.c, self.d);
        let Form::Products { point, slot, floor } = &self.form else {
            cholesky::solve(&self.factor, c * d, x);
            return Ok(());
        };
        let product = |v: &Matrix| {
            let mut product = Matrix::zeros(c, d);
            rows.sum_over_rows(Sum::Product(v.as_slice()), point.point(d, *slot), product.as_mut_slice())?;
            add_scaled(product.as_mut_slice(), *floor, v.as_slice());
            Ok(product)
        };
        let precondition = |v: &Matrix| {
            let mut v = v.clone();
            v.as_mut_slice().chunks_exact_mut(d).for_each(|response| cholesky::solve(&self.factor, d, response));
            v
        };
        let right = Matrix::from_vec(c, d, x.to_vec())?;
        x.copy_from_slice(conjugate_gradients(&right, until, product, precondition)?.as_slice());
        Ok(())
    }
}

/// The upper triangle of `I_c ⊗ A − Σ (r̂r̂ᵀ) ⊗ (xxᵀ)` from the packed sums.
fn unpack(packed: &[f64], c: usize, d: usize, h: &mut [f64]) {
    let (size, column) = (c * d, pairs(d));
    let mut kl = 0;
    for k in 0..c {
        for l in k..c {
            kl += 1;
            let subtracted = &packed[kl * column..(kl + 1) * column];
            let mut ab = 0;
            for a in 0..d {
                for b in a..d {
                    let value = if k == l { packed[ab] } else { 0.0 } - subtracted[ab];
                    h[(k * d + a) * size + l * d + b] = value;
                    if k != l {
                        h[(k * d + b) * size + l * d + a] = value;
                    }
                    ab += 1;
                }
            }
        }
    }
}
