//! The sums behind curvatures that are too large to form.

use super::rows::{At, Block, Scratch, residuals};
use crate::linalg::simd;
use crate::linalg::vector::{add_scaled, dot};

/// Adds `Σ wᵢ xᵢxᵢᵀ` (upper triangle, row by row), then `Σ_{‖rᵢ‖ > λ} xᵢ r̂ᵢᵀ`.
pub(super) fn gram_strip(
    d: usize,
    blocks: &[Block],
    at: At<'_>,
    sums: &mut [f64],
    scratch: &mut Scratch,
) {
    let (gram, tangent) = sums.split_at_mut(d * (d + 1) / 2);
    simd::dispatch(
        (gram, tangent, scratch),
        #[inline(always)]
        |(gram, tangent, scratch)| {
            for block in blocks {
                residuals(d, block, at, scratch);
                let s = block.stride;
                let (weight, norm) = (&scratch.weight[..s], &mut scratch.norm[..s]);
                let mut ab = 0;
                for a in 0..d {
                    let weighted = &mut scratch.fit[..s];
                    for ((to, x), w) in
                        weighted.iter_mut().zip(&block.x[a * s..(a + 1) * s]).zip(weight)
                    {
                        *to = x * w;
                    }
                    for b in a..d {
                        gram[ab] += dot(weighted, &block.x[b * s..(b + 1) * s]);
                        ab += 1;
                    }
                }
                invert_outside(norm, at.lambda);
                for k in 0..at.responses {
                    let direction = &mut scratch.r[k * s..(k + 1) * s];
                    for (r, inverse) in direction.iter_mut().zip(norm.iter()) {
                        *r *= inverse;
                    }
                    for a in 0..d {
                        tangent[k * d + a] += dot(direction, &block.x[a * s..(a + 1) * s]);
                    }
                }
            }
        },
    );
}

/// Adds the product of the curvature with `v`, laid out as `B`: `Σ wᵢ xᵢ (uᵢ − r̂ᵢ r̂ᵢᵀuᵢ)ᵀ` with `uᵢ = vᵀxᵢ`, where the
/// second term counts for `‖rᵢ‖ > λ` alone.
pub(super) fn product_strip(
    d: usize,
    blocks: &[Block],
    at: At<'_>,
    v: &[f64],
    sums: &mut [f64],
    scratch: &mut Scratch,
) {
    simd::dispatch(
        (sums, scratch),
        #[inline(always)]
        |(sums, scratch)| {
            for block in blocks {
                residuals(d, block, at, scratch);
                let s = block.stride;
                let (weight, norm) = (&mut scratch.weight[..s], &mut scratch.norm[..s]);
                // r̂ᵀu/‖r‖, one response after the other: norm holds 1/‖r‖² outside, and 0 inside.
                invert_outside(norm, at.lambda);
                for inverse in norm.iter_mut() {
                    *inverse *= *inverse;
                }
                let along = &mut [0.0; super::rows::BLOCK][..s];
                for k in 0..at.responses {
                    let u = &mut scratch.fit[k * s..(k + 1) * s];
                    u.fill(0.0);
                    for (a, v) in v[k * d..(k + 1) * d].iter().enumerate() {
                        add_scaled(u, *v, &block.x[a * s..(a + 1) * s]);
                    }
                    for ((along, u), r) in
                        along.iter_mut().zip(u).zip(&scratch.r[k * s..(k + 1) * s])
                    {
                        *along += *u * r;
                    }
                }
                for (along, inverse) in along.iter_mut().zip(norm.iter()) {
                    *along *= inverse;
                }
                for k in 0..at.responses {
                    let u = &mut scratch.fit[k * s..(k + 1) * s];
                    let r = &scratch.r[k * s..(k + 1) * s];
                    for (((u, r), along), w) in
                        u.iter_mut().zip(r).zip(along.iter()).zip(weight.iter())
                    {
                        *u = w * (*u - r * along);
                    }
                    for a in 0..d {
                        sums[k * d + a] += dot(u, &block.x[a * s..(a + 1) * s]);
                    }
                }
            }
        },
    );
}

/// `1/‖r‖` where `‖r‖ > λ`, else 0.
#[inline(always)]
fn invert_outside(norm: &mut [f64], lambda: f64) {
    for norm in norm {
        *norm = if *norm > lambda { 1.0 / *norm } else { 0.0 };
    }
}
