//! Attention of several heads, one sequence at a time.
//!
//! ```text
//! pᵢⱼ = softmaxⱼ(qᵢ·kⱼ),    yᵢ = Σⱼ pᵢⱼ vⱼ
//! ```
//!
//! The scale of the scores is part of the queries. The scores of one head are a product of blocked matrices whose layout is
//! already that of the left factor of the second product.

use pulp::{Arch, Simd, WithSimd};

use super::super::block::{Block, LANES, blocks};
use super::super::gemm::{self, GemmRows};
use super::pointwise::softmax;

/// Attention over rows that hold queries, keys and values side by side.
#[derive(Debug, Clone, Copy)]
pub(super) struct Attention {
    pub heads: usize,
    /// Blocks of a head.
    pub depth: usize,
}

/// Memory for the scores of one head.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    keys: Vec<Block>,
    values: Vec<Block>,
    scores: Vec<Block>,
}

impl Attention {
    /// Writes what the rows of each sequence gather from each other.
    pub fn run(
        &self,
        rows: &[Block],
        count: usize,
        lengths: &[usize],
        output: &mut [Block],
        scratch: &mut Scratch,
    ) {
        let mut first = 0;
        for &length in lengths {
            let place = Place { first, length, count };
            Arch::new().dispatch(RunAttention { attention: *self, rows, place, output, scratch });
            first += length;
        }
    }
}

/// A sequence among all rows.
#[derive(Clone, Copy)]
struct Place {
    first: usize,
    length: usize,
    count: usize,
}

struct RunAttention<'a> {
    attention: Attention,
    rows: &'a [Block],
    place: Place,
    output: &'a mut [Block],
    scratch: &'a mut Scratch,
}

impl WithSimd for RunAttention<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { attention: Attention { heads, depth }, rows, place, output, scratch } = self;
        let Place { first, length, count } = place;
        let across = blocks(length);
        let Scratch { keys, values, scores } = scratch;
        keys.resize(across * depth * LANES, Block::ZERO);
        values.resize(across * LANES, Block::ZERO);
        scores.resize(across * length, Block::ZERO);
        let part = |which: usize, head: usize, k: usize| {
            &rows[((which * heads + head) * depth + k) * count + first..][..length]
        };
        for head in 0..heads {
            // Keys as the right factor: [key / 16][number], one key per lane.
            for k in 0..depth {
                for (j, key) in part(1, head, k).iter().enumerate() {
                    let at = (j / LANES * depth + k) * LANES;
                    for (d, &x) in key.0.iter().enumerate() {
                        keys[at + d].0[j % LANES] = x;
                    }
                }
            }
            let at = head * depth * count + first;
            let queries = GemmRows { a: &rows[at..], stride: count, count: length };
            let each = keys.chunks_exact(depth * LANES);
            for (keys, scores) in each.zip(scores.chunks_exact_mut(length)) {
                gemm::columns(
                    simd,
                    queries,
                    keys,
                    #[inline(always)]
                    |i: usize, v: usize, x: S::f32s| scores[i].store::<S>(v, x),
                );
            }
            softmax(scores, length);
            let weights = GemmRows { a: scores, stride: length, count: length };
            for k in 0..depth {
                values[..length].copy_from_slice(part(2, head, k));
                values[length..].fill(Block::ZERO);
                let out = &mut output[(head * depth + k) * count + first..][..length];
                gemm::columns(
                    simd,
                    weights,
                    values,
                    #[inline(always)]
                    |i: usize, v: usize, x: S::f32s| out[i].store::<S>(v, x),
                );
            }
        }
    }
}
