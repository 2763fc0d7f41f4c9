//! The curvature of the Huber regression, and solving with it.
//!
//! Up to [`DENSE_UNKNOWNS`] unknowns the matrix is formed and factored. Above, its products with vectors are summed over the
//! instances and conjugate gradients solve, preconditioned by `I_c ⊗ Σᵢ wᵢ xᵢxᵢᵀ`: the curvature without the part that is
//! subtracted, which is the matrix of iteratively reweighted least squares.

use super::row_source::{EvalPoint, RowSource, Sum};
use super::rows::pairs;
use crate::Result;
use crate::limits::DENSE_UNKNOWNS;
use crate::linalg::cholesky;
use crate::linalg::vector::{add_scaled, dot, norm};

/// Curvature below this counts as none, and the matrix is shifted. The coordinates are orthonormal: if all instances were
/// zero, the curvature would be one in every direction.
pub(super) const FLOOR: f64 = 1e-12;
/// Relative residual at which a conjugate-gradient step of Newton's method ends.
const STEP: f64 = 1e-2;
/// The same for tangents, which are also used for interpolation: [`LOOSER`] times the tolerance of solutions, but at least
/// this, and at most [`STEP`].
const TANGENT: f64 = 1e-5;
/// Ratio of the tolerance of tangents to that of solutions.
const LOOSER: f64 = 100.0;

/// The curvature at the point where it was last computed.
#[derive(Debug, Clone)]
pub(super) enum Curvature {
    Dense(Dense),
    Iterative(Iterative),
}

impl Curvature {
    pub fn new(c: usize, d: usize) -> Self {
        if c * d <= DENSE_UNKNOWNS { Self::Dense(Dense::new(c, d)) } else { Self::Iterative(Iterative::new(c, d)) }
    }

    pub fn is_iterative(&self) -> bool {
        matches!(self, Self::Iterative(_))
    }

    /// Computes the curvature at a point. Less than `floor` of it, in any direction, counts as none.
    pub fn take(&mut self, rows: &mut impl RowSource, at: EvalPoint<'_>, floor: f64) -> Result<()> {
        match self {
            Self::Dense(dense) => dense.take(rows, at, floor),
            Self::Iterative(iterative) => iterative.take(rows, at, floor),
        }
    }

    /// Solves with it, in place.
    pub fn solve(&mut self, rows: &mut impl RowSource, x: &mut [f64]) -> Result<()> {
        match self {
            Self::Dense(dense) => {
                cholesky::solve(&dense.factor, dense.c * dense.d, x);
                Ok(())
            }
            Self::Iterative(iterative) => iterative.solve(rows, x, STEP),
        }
    }

    /// `dB/dλ` at the point, given the tolerance of solutions.
    pub fn tangent(&mut self, rows: &mut impl RowSource, tangent: &mut [f64], tolerance: f64) -> Result<()> {
        match self {
            Self::Dense(dense) => {
                dense.tangent(tangent);
                Ok(())
            }
            Self::Iterative(iterative) => {
                tangent.copy_from_slice(&iterative.sums[iterative.d * iterative.d..]);
                iterative.solve(rows, tangent, (LOOSER * tolerance).clamp(TANGENT, STEP))
            }
        }
    }
}

/// The matrix, formed and factored.
#[derive(Debug, Clone)]
pub(super) struct Dense {
    c: usize,
    d: usize,
    sums: Vec<f64>,
    factor: Vec<f64>,
    /// Whether the curvature is positive in every direction, and so the solution unique.
    definite: bool,
}

impl Dense {
    fn new(c: usize, d: usize) -> Self {
        let sums = vec![0.0; Sum::Curvature.len(d, c)];
        Self { c, d, sums, factor: vec![0.0; c * d * c * d], definite: false }
    }

    fn take(&mut self, rows: &mut impl RowSource, at: EvalPoint<'_>, floor: f64) -> Result<()> {
        rows.sum_over_rows(Sum::Curvature, at, &mut self.sums)?;
        let (c, d, sums) = (self.c, self.d, &self.sums);
        self.definite = cholesky::factor_shifted(&mut self.factor, c * d, floor, |to| unpack(sums, c, d, to));
        Ok(())
    }

    fn tangent(&self, tangent: &mut [f64]) {
        let size = self.c * self.d;
        if self.definite {
            tangent.copy_from_slice(&self.sums[self.sums.len() - size..]);
            cholesky::solve(&self.factor, size, tangent);
        } else {
            // The solution is not unique, and the tangent could point anywhere.
            tangent.fill(0.0);
        }
    }
}

/// Products only, and the preconditioner.
#[derive(Debug, Clone)]
pub(super) struct Iterative {
    c: usize,
    d: usize,
    /// The point: coefficients, threshold, first response, slot.
    b: Vec<f64>,
    lambda: f64,
    first: usize,
    slot: usize,
    /// What is added to the curvature in every direction.
    floor: f64,
    /// `Σᵢ wᵢ xᵢxᵢᵀ`, then the right-hand side of the tangent.
    sums: Vec<f64>,
    /// Factor of the former.
    factor: Vec<f64>,
    residual: Vec<f64>,
    preconditioned: Vec<f64>,
    direction: Vec<f64>,
    product: Vec<f64>,
}

impl Iterative {
    fn new(c: usize, d: usize) -> Self {
        let vector = vec![0.0; c * d];
        Self {
            c,
            d,
            b: vector.clone(),
            lambda: 0.0,
            first: 0,
            slot: 0,
            floor: FLOOR,
            sums: vec![0.0; Sum::Gram.len(d, c)],
            factor: vec![0.0; d * d],
            residual: vector.clone(),
            preconditioned: vector.clone(),
            direction: vector.clone(),
            product: vector,
        }
    }

    fn take(&mut self, rows: &mut impl RowSource, at: EvalPoint<'_>, floor: f64) -> Result<()> {
        let d = self.d;
        self.floor = floor;
        self.b.copy_from_slice(at.b);
        (self.lambda, self.first, self.slot) = (at.lambda, at.first, at.slot);
        rows.sum_over_rows(Sum::Gram, at, &mut self.sums)?;
        let gram = &self.sums[..d * d];
        cholesky::factor_shifted(&mut self.factor, d, floor, |to| to.copy_from_slice(gram));
        Ok(())
    }

    /// Preconditioned conjugate gradients, in place, to the relative residual `tolerance`.
    fn solve(&mut self, rows: &mut impl RowSource, x: &mut [f64], tolerance: f64) -> Result<()> {
        let (c, d) = (self.c, self.d);
        let target = tolerance * norm(x);
        self.residual.copy_from_slice(x);
        x.fill(0.0);
        self.precondition();
        self.direction.copy_from_slice(&self.preconditioned);
        let mut energy = dot(&self.residual, &self.preconditioned);
        for _ in 0..c * d {
            if norm(&self.residual) <= target {
                return Ok(());
            }
            let (b, lambda, first, slot) = (&self.b, self.lambda, self.first, self.slot);
            let at = EvalPoint { b, lambda, first, responses: c, slot };
            rows.sum_over_rows(Sum::Product(&self.direction), at, &mut self.product)?;
            add_scaled(&mut self.product, self.floor, &self.direction);
            let curvature = dot(&self.direction, &self.product);
            if curvature.is_nan() || curvature <= 0.0 {
                return Ok(());
            }
            let length = energy / curvature;
            add_scaled(x, length, &self.direction);
            add_scaled(&mut self.residual, -length, &self.product);
            self.precondition();
            let next = dot(&self.residual, &self.preconditioned);
            let turn = next / energy;
            for (direction, p) in self.direction.iter_mut().zip(&self.preconditioned) {
                *direction = p + turn * *direction;
            }
            energy = next;
        }
        Ok(())
    }

    fn precondition(&mut self) {
        self.preconditioned.copy_from_slice(&self.residual);
        for response in self.preconditioned.chunks_exact_mut(self.d) {
            cholesky::solve(&self.factor, self.d, response);
        }
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
