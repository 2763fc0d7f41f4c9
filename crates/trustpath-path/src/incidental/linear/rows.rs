//! Sums over instances: the only place where the rows of `X` and `Y` are read.
//!
//! For coefficients `B` and a threshold `λ`, with `rᵢ = yᵢ − Bᵀxᵢ` and the multivariate Huber function
//!
//! ```text
//! ρ_λ(r) = ½‖r‖²            if ‖r‖ ≤ λ          wᵢ = 1
//!        = λ‖r‖ − ½λ²       otherwise           wᵢ = λ/‖rᵢ‖
//! ```
//!
//! a step needs the value `Σᵢ ρ_λ(rᵢ)`, the gradient `−Σᵢ wᵢ xᵢ rᵢᵀ` and the curvature
//!
//! ```text
//! ∇² = I_c ⊗ Σᵢ wᵢ xᵢxᵢᵀ − Σ_{‖rᵢ‖ > λ} wᵢ (r̂ᵢ r̂ᵢᵀ) ⊗ (xᵢxᵢᵀ),      r̂ = r/‖r‖.
//! ```
//!
//! All three are sums over instances, computed over fixed strips of rows and added strip by strip: the same to the bit for
//! any number of threads. Rows on other machines are summed there, see [`super::row_source`].

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

use super::product::{add_adjoint, gram_strip, image, invert_outside, product_strip};
use super::row_source::{EvalPoint, Sum};
use crate::Matrix;
use crate::linalg::simd;
use crate::linalg::vector::{LANES, add_scaled, block, block_mut, sum};

/// Rows in a block, the unit of vectorised work: one coordinate of them is a few kilobytes.
pub(super) const BLOCK: usize = 512;
/// Smallest number of blocks in a strip, the unit of parallel work.
const STRIP: usize = 4;
/// Largest number of strips: each has its own sums.
const STRIPS: usize = 64;
/// The label of a padding row: no class.
const NO_CLASS: u32 = u32::MAX;

/// Coordinates and labels of instances, transposed block by block so that a coordinate is contiguous over instances.
#[derive(Debug, Clone, Default)]
pub(super) struct Rows {
    n: usize,
    d: usize,
    blocks: Vec<Block>,
}

#[derive(Debug, Clone)]
pub(super) struct Block {
    /// Number of instances, without padding.
    len: usize,
    /// Number of instances, padded to a multiple of [`LANES`] with zeros, which add nothing to any sum: the distance between
    /// coordinates in `x`.
    pub stride: usize,
    /// Coordinate by coordinate.
    pub x: Vec<f64>,
    labels: Vec<u32>,
}

impl Rows {
    /// Transposes the rows of `x`. Labels are set by [`Rows::relabel`].
    pub fn new(x: &Matrix) -> Self {
        let (n, d) = (x.rows(), x.cols());
        let blocks = (0..n.div_ceil(BLOCK))
            .map(|block| {
                let from = block * BLOCK;
                let len = BLOCK.min(n - from);
                let stride = len.next_multiple_of(LANES);
                let mut transposed = vec![0.0; d * stride];
                for i in 0..len {
                    for (a, &value) in x.row(from + i).iter().enumerate() {
                        transposed[a * stride + i] = value;
                    }
                }
                Block { len, stride, x: transposed, labels: vec![NO_CLASS; stride] }
            })
            .collect();
        Self { n, d, blocks }
    }

    /// Sets the labels of all instances.
    pub fn relabel(&mut self, labels: &[usize]) {
        for (block, labels) in self.blocks.iter_mut().zip(labels.chunks(BLOCK)) {
            for (to, &label) in block.labels.iter_mut().zip(labels) {
                *to = label as u32;
            }
        }
    }

    /// Number of instances.
    pub fn len(&self) -> usize {
        self.n
    }

    /// Number of coordinates.
    pub fn dims(&self) -> usize {
        self.d
    }

    /// Blocks in a strip: depends on the number of rows alone, so that sums do not depend on the threads.
    fn strip(&self) -> usize {
        self.blocks.len().div_ceil(STRIPS).max(STRIP)
    }

    /// Adds the sums of each strip of blocks, in the order of the strips. The gradient also writes the norms `‖rᵢ‖` of all
    /// rows to `norms`, which is empty for other sums.
    pub fn sum(&self, sum: Sum<'_>, at: EvalPoint<'_>, norms: &mut [f64], sums: &mut [f64], scratch: &mut Scratch) {
        sums.fill(0.0);
        let (d, size) = (self.d, self.strip());
        let strip = |blocks: &[Block], norms: &mut [f64], sums: &mut [f64], scratch: &mut Scratch| {
            scratch.ready(at.responses);
            match sum {
                Sum::Gradient => evaluate_strip(d, blocks, at, norms, sums, scratch),
                Sum::Curvature => curvature_strip(d, blocks, at, sums, scratch),
                Sum::Gram => gram_strip(d, blocks, at, sums, scratch),
                Sum::Product(v) => product_strip(d, blocks, at, v, sums, scratch),
            }
        };
        if self.blocks.len() <= size {
            strip(&self.blocks, norms, sums, scratch);
            return;
        }
        let mut norms = norms.chunks_mut(size * BLOCK);
        let strips: Vec<_> = self.blocks.chunks(size).map(|b| (b, norms.next().unwrap_or_default())).collect();
        let strips: Vec<Vec<f64>> = strips
            .into_par_iter()
            .map_init(Scratch::default, |scratch, (blocks, norms)| {
                let mut part = vec![0.0; sums.len()];
                strip(blocks, norms, &mut part, scratch);
                part
            })
            .collect();
        for part in &strips {
            add_scaled(sums, 1.0, part);
        }
    }

    /// Coordinate `a` of instance `i`.
    pub fn coordinate(&self, i: usize, a: usize) -> f64 {
        let block = &self.blocks[i / BLOCK];
        block.x[a * block.stride + i % BLOCK]
    }
}

/// Workspace for one block.
#[derive(Debug, Clone, Default)]
pub(super) struct Scratch {
    /// Residuals, response by response.
    pub r: Vec<f64>,
    /// `wᵢ xᵢ`, coordinate by coordinate; only where the curvature is not formed.
    pub weighted: Vec<f64>,
    /// `wᵢ`.
    pub weight: Vec<f64>,
    /// `‖rᵢ‖`.
    pub norm: Vec<f64>,
    /// Fits of a direction, response by response.
    pub fit: Vec<f64>,
    /// Products of coordinates.
    xx: Vec<f64>,
    /// Weights and weighted products of residual directions.
    uu: Vec<f64>,
}

impl Scratch {
    fn ready(&mut self, c: usize) {
        self.r.resize(c * BLOCK, 0.0);
        self.weight.resize(BLOCK, 0.0);
        self.norm.resize(BLOCK, 0.0);
        self.fit.resize(c * BLOCK, 0.0);
    }
}

/// Number of unordered pairs out of `m`, with repetition.
pub(super) fn pairs(m: usize) -> usize {
    m * (m + 1) / 2
}

fn evaluate_strip(
    d: usize,
    blocks: &[Block],
    at: EvalPoint<'_>,
    norms: &mut [f64],
    sums: &mut [f64],
    scratch: &mut Scratch,
) {
    let Some((value, gradient)) = sums.split_first_mut() else { return };
    simd::dispatch(
        (blocks, norms, value, gradient, scratch),
        #[inline(always)]
        |(blocks, norms, value, gradient, scratch)| {
            for (block, norms) in blocks.iter().zip(norms.chunks_mut(BLOCK)) {
                residuals(d, block, at, scratch);
                let s = block.stride;
                let (norm, weight) = (&mut scratch.norm[..s], &scratch.weight[..s]);
                norms.copy_from_slice(&norm[..block.len]);
                for (norm, weight) in norm.iter_mut().zip(weight) {
                    // Both pieces of ρ are w‖r‖ (‖r‖ − ½ w‖r‖).
                    let clipped = *norm * weight;
                    *norm = clipped * (*norm - 0.5 * clipped);
                }
                *value += sum(norm);
                for k in 0..at.responses {
                    let r = &mut scratch.r[k * s..(k + 1) * s];
                    for (r, w) in r.iter_mut().zip(weight) {
                        *r *= w;
                    }
                    if !wide(d, at.responses) {
                        add_products(-1.0, r, &block.x, &mut gradient[k * d..(k + 1) * d]);
                    }
                }
                if wide(d, at.responses) {
                    add_adjoint(d, block, -1.0, &scratch.r, at.responses, gradient);
                }
            }
        },
    );
}

fn curvature_strip(d: usize, blocks: &[Block], at: EvalPoint<'_>, sums: &mut [f64], scratch: &mut Scratch) {
    let c = at.responses;
    let (rows, cols) = (pairs(d), 1 + pairs(c));
    let (packed, tangent) = sums.split_at_mut(rows * cols);
    scratch.xx.resize(rows * BLOCK, 0.0);
    scratch.uu.resize(cols * BLOCK, 0.0);
    for block in blocks {
        let s = block.stride;
        simd::dispatch(
            (&mut *tangent, &mut *scratch),
            #[inline(always)]
            |(tangent, scratch)| {
                residuals(d, block, at, scratch);
                products_of_coordinates(d, block, scratch);
                products_of_directions(d, c, block, at.lambda, tangent, scratch);
            },
        );
        // Column-major views: column j of either factor is contiguous over the instances of the block.
        let xx = MatRef::from_column_major_slice(&scratch.xx[..rows * s], s, rows);
        let uu = MatRef::from_column_major_slice(&scratch.uu[..cols * s], s, cols);
        let packed = MatMut::from_column_major_slice_mut(&mut *packed, rows, cols);
        matmul(packed, Accum::Add, xx.transpose(), uu, 1.0, Par::Seq);
    }
}

/// `r = y − Bᵀx`, its norm, and the weight `w = min(1, λ/‖r‖)`, one register of instances at a time.
#[inline(always)]
pub(super) fn residuals(d: usize, rows: &Block, at: EvalPoint<'_>, scratch: &mut Scratch) {
    let s = rows.stride;
    if wide(d, at.responses) {
        wide_residuals(d, rows, at, scratch);
        return;
    }
    for i in (0..s).step_by(LANES) {
        let labels = block(&rows.labels, i);
        let mut square = [0.0; LANES];
        for k in 0..at.responses {
            let class = (at.first + k) as u32;
            let mut r = labels.map(|label| if label == class { 1.0 } else { 0.0 });
            for (a, b) in at.b[k * d..(k + 1) * d].iter().enumerate() {
                let (b, x) = (-b, block(&rows.x, a * s + i));
                for l in 0..LANES {
                    r[l] = x[l].mul_add(b, r[l]);
                }
            }
            for l in 0..LANES {
                square[l] = r[l].mul_add(r[l], square[l]);
            }
            *block_mut(&mut scratch.r, k * s + i) = r;
        }
        let norm = square.map(f64::sqrt);
        *block_mut(&mut scratch.norm, i) = norm;
        *block_mut(&mut scratch.weight, i) = norm.map(|norm| if norm > at.lambda { at.lambda / norm } else { 1.0 });
    }
}

/// Coordinates whose products with one response are summed at a time: as many sums as the registers hold.
const TILE: usize = 6;

/// Adds `sign Σᵢ rᵢ xᵢₐ` for every coordinate `a` to `out`; `x` holds them one after the other.
#[inline(always)]
fn add_products(sign: f64, r: &[f64], x: &[f64], out: &mut [f64]) {
    for (x, out) in x.chunks(TILE * r.len()).zip(out.chunks_mut(TILE)) {
        match out.len() {
            1 => product_tile::<1>(sign, r, x, out),
            2 => product_tile::<2>(sign, r, x, out),
            3 => product_tile::<3>(sign, r, x, out),
            4 => product_tile::<4>(sign, r, x, out),
            5 => product_tile::<5>(sign, r, x, out),
            _ => product_tile::<TILE>(sign, r, x, out),
        }
    }
}

/// A tile of [`add_products`].
#[inline(always)]
fn product_tile<const N: usize>(sign: f64, r: &[f64], x: &[f64], out: &mut [f64]) {
    let mut sums = [[0.0; LANES]; N];
    for i in (0..r.len()).step_by(LANES) {
        let from = block(r, i);
        for (a, sums) in sums.iter_mut().enumerate() {
            let x = block(x, a * r.len() + i);
            for l in 0..LANES {
                sums[l] = from[l].mul_add(x[l], sums[l]);
            }
        }
    }
    for (out, sums) in out.iter_mut().zip(&sums) {
        *out += sign * sum(sums);
    }
}

/// [`residuals`] for many unknowns: one matrix product.
fn wide_residuals(d: usize, block: &Block, at: EvalPoint<'_>, scratch: &mut Scratch) {
    let (s, c) = (block.stride, at.responses);
    let Scratch { r, norm, weight, .. } = scratch;
    for (k, r) in r.chunks_exact_mut(s).take(c).enumerate() {
        let class = (at.first + k) as u32;
        for (r, &label) in r.iter_mut().zip(&block.labels) {
            *r = if label == class { 1.0 } else { 0.0 };
        }
    }
    image(d, block, Accum::Add, -1.0, at.b, c, r);
    let (norm, weight) = (&mut norm[..s], &mut weight[..s]);
    norm.fill(0.0);
    for r in r.chunks_exact(s).take(c) {
        for (norm, r) in norm.iter_mut().zip(r) {
            *norm += r * r;
        }
    }
    for (norm, weight) in norm.iter_mut().zip(weight) {
        *norm = norm.sqrt();
        *weight = if *norm > at.lambda { at.lambda / *norm } else { 1.0 };
    }
}

/// Whether the number of unknowns is so large that sums over a block are fastest as matrix products.
#[inline(always)]
fn wide(d: usize, responses: usize) -> bool {
    d * responses > crate::limits::DENSE_UNKNOWNS
}

/// `x_a x_b` for `a ≤ b`.
#[inline(always)]
fn products_of_coordinates(d: usize, block: &Block, scratch: &mut Scratch) {
    let s = block.stride;
    let mut columns = scratch.xx.chunks_exact_mut(s);
    for a in 0..d {
        for b in a..d {
            let (xa, xb) = (&block.x[a * s..(a + 1) * s], &block.x[b * s..(b + 1) * s]);
            let Some(column) = columns.next() else { return };
            for ((to, xa), xb) in column.iter_mut().zip(xa).zip(xb) {
                *to = xa * xb;
            }
        }
    }
}

/// The weights, `w r̂_k r̂_l` for `k ≤ l` where `‖r‖ > λ` (else zero), and `Σ x r̂ᵀ` over the same instances.
#[inline(always)]
fn products_of_directions(d: usize, c: usize, block: &Block, lambda: f64, tangent: &mut [f64], scratch: &mut Scratch) {
    let s = block.stride;
    let (norm, weight) = (&mut scratch.norm[..s], &scratch.weight[..s]);
    let mut columns = scratch.uu.chunks_exact_mut(s);
    if let Some(column) = columns.next() {
        column.copy_from_slice(weight);
    }
    invert_outside(norm, lambda);
    for k in 0..c {
        let r = &mut scratch.r[k * s..(k + 1) * s];
        for (r, inverse) in r.iter_mut().zip(norm.iter()) {
            *r *= inverse;
        }
        add_products(1.0, r, &block.x, &mut tangent[k * d..(k + 1) * d]);
    }
    for k in 0..c {
        for l in k..c {
            let (rk, rl) = (&scratch.r[k * s..(k + 1) * s], &scratch.r[l * s..(l + 1) * s]);
            let Some(column) = columns.next() else { return };
            for (((to, rk), rl), w) in column.iter_mut().zip(rk).zip(rl).zip(weight) {
                *to = w * rk * rl;
            }
        }
    }
}
