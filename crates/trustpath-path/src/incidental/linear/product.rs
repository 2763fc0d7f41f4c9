//! The sums for curvatures that are too large to be formed: with that many unknowns, matrix products over a block of rows.

use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, MatMut, MatRef, Par};

use super::row_source::EvalPoint;
use super::rows::{BLOCK, Block, Scratch, residuals};
use crate::linalg::simd;

/// Adds `Σ wᵢ xᵢxᵢᵀ` (`d × d`, lower triangle, column by column), then `Σ_{‖rᵢ‖ > λ} xᵢ r̂ᵢᵀ`.
pub(super) fn gram_strip(d: usize, blocks: &[Block], at: EvalPoint<'_>, sums: &mut [f64], scratch: &mut Scratch) {
    let (gram, tangent) = sums.split_at_mut(d * d);
    for block in blocks {
        let s = block.stride;
        scratch.weighted.resize(d * s, 0.0);
        simd::dispatch(
            &mut *scratch,
            #[inline(always)]
            |scratch| {
                residuals(d, block, at, scratch);
                let weight = &scratch.weight[..s];
                let columns = scratch.weighted.chunks_exact_mut(s).zip(block.x.chunks_exact(s));
                for (to, x) in columns {
                    for ((to, x), w) in to.iter_mut().zip(x).zip(weight) {
                        *to = x * w;
                    }
                }
                let norm = &mut scratch.norm[..s];
                invert_outside(norm, at.lambda);
                for r in scratch.r.chunks_exact_mut(s).take(at.responses) {
                    for (r, inverse) in r.iter_mut().zip(norm.iter()) {
                        *r *= inverse;
                    }
                }
            },
        );
        triangular::matmul(
            MatMut::from_column_major_slice_mut(&mut *gram, d, d),
            BlockStructure::TriangularLower,
            Accum::Add,
            MatRef::from_column_major_slice(&scratch.weighted, s, d).transpose(),
            BlockStructure::Rectangular,
            MatRef::from_column_major_slice(&block.x, s, d),
            BlockStructure::Rectangular,
            1.0,
            Par::Seq,
        );
        add_adjoint(d, block, 1.0, &scratch.r, at.responses, tangent);
    }
}

/// Adds the product of the curvature with `v`, laid out as `B`: `Σ wᵢ xᵢ (uᵢ − r̂ᵢ r̂ᵢᵀuᵢ)ᵀ` with `uᵢ = vᵀxᵢ`, where the
/// second term counts for `‖rᵢ‖ > λ` alone.
pub(super) fn product_strip(
    d: usize,
    blocks: &[Block],
    at: EvalPoint<'_>,
    v: &[f64],
    sums: &mut [f64],
    scratch: &mut Scratch,
) {
    let c = at.responses;
    for block in blocks {
        let s = block.stride;
        image(d, block, Accum::Replace, 1.0, v, c, &mut scratch.fit);
        simd::dispatch(
            &mut *scratch,
            #[inline(always)]
            |scratch| {
                residuals(d, block, at, scratch);
                let (weight, norm) = (&mut scratch.weight[..s], &mut scratch.norm[..s]);
                // r̂ᵀu/‖r‖, one response after the other: norm holds 1/‖r‖² outside, and 0 inside.
                invert_outside(norm, at.lambda);
                for inverse in norm.iter_mut() {
                    *inverse *= *inverse;
                }
                let along = &mut [0.0; BLOCK][..s];
                for (u, r) in scratch.fit.chunks_exact(s).zip(scratch.r.chunks_exact(s)).take(c) {
                    for ((along, u), r) in along.iter_mut().zip(u).zip(r) {
                        *along += *u * r;
                    }
                }
                for (along, inverse) in along.iter_mut().zip(norm.iter()) {
                    *along *= inverse;
                }
                let sheets = scratch.fit.chunks_exact_mut(s).zip(scratch.r.chunks_exact(s));
                for (u, r) in sheets.take(c) {
                    for (((u, r), along), w) in u.iter_mut().zip(r).zip(along.iter()).zip(weight.iter()) {
                        *u = w * (*u - r * along);
                    }
                }
            },
        );
        add_adjoint(d, block, 1.0, &scratch.fit, c, sums);
    }
}

/// `u ← scale · X b` (or adds to it), for coefficients laid out as `B`: one column per response.
pub(super) fn image(d: usize, block: &Block, accum: Accum, scale: f64, b: &[f64], c: usize, u: &mut [f64]) {
    let s = block.stride;
    let x = MatRef::from_column_major_slice(&block.x, s, d);
    let u = MatMut::from_column_major_slice_mut(&mut u[..c * s], s, c);
    matmul(u, accum, x, MatRef::from_column_major_slice(b, d, c), scale, Par::Seq);
}

/// Adds `scale · Xᵀ u`, laid out as `B`.
pub(super) fn add_adjoint(d: usize, block: &Block, scale: f64, u: &[f64], c: usize, sums: &mut [f64]) {
    let s = block.stride;
    let x = MatRef::from_column_major_slice(&block.x, s, d);
    let u = MatRef::from_column_major_slice(&u[..c * s], s, c);
    let sums = MatMut::from_column_major_slice_mut(sums, d, c);
    matmul(sums, Accum::Add, x.transpose(), u, scale, Par::Seq);
}

/// `1/‖r‖` where `‖r‖ > λ`, else 0.
#[inline(always)]
pub(super) fn invert_outside(norm: &mut [f64], lambda: f64) {
    for norm in norm {
        *norm = if *norm > lambda { 1.0 / *norm } else { 0.0 };
    }
}
