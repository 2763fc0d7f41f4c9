//! Attention of several heads, one sequence at a time, for texts and images alike.
//!
//! ```text
//! pᵢⱼ = softmaxⱼ(qᵢ·kⱼ),    yᵢ = Σⱼ pᵢⱼ vⱼ
//! ```
//!
//! The scale of the scores is part of the queries. The scores of one head are a product of blocked matrices whose layout is
//! already that of the left factor of the second product.

use pulp::{Arch, Simd, WithSimd};

use super::block::{Block16, LANES, blocks};
use super::gemm::{self, GemmRows};
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
pub(super) struct AttentionScratch {
    keys: Vec<Block16>,
    values: Vec<Block16>,
    scores: Vec<Block16>,
}

/// Consecutive rows of a blocked matrix.
#[derive(Clone, Copy)]
struct TokenRows<'a> {
    blocks: &'a [Block16],
    first: usize,
    length: usize,
    /// TokenRows of the whole matrix.
    count: usize,
}

impl<'a> TokenRows<'a> {
    /// Sixteen columns of the rows.
    #[inline(always)]
    fn column(&self, block: usize) -> &'a [Block16] {
        &self.blocks[block * self.count + self.first..][..self.length]
    }
}

impl Attention {
    /// Writes what the rows of each sequence gather from each other.
    pub fn run(
        &self,
        rows: &[Block16],
        count: usize,
        lengths: &[usize],
        output: &mut [Block16],
        scratch: &mut AttentionScratch,
    ) {
        let mut first = 0;
        for &length in lengths {
            let rows = TokenRows { blocks: rows, first, length, count };
            let keys = self.heads * self.depth;
            self.gather((rows, rows, keys), output, scratch);
            first += length;
        }
    }

    /// Writes what one query gathers from rows that hold keys and values side by side.
    pub fn pool(&self, query: &[Block16], rows: &[Block16], output: &mut [Block16], scratch: &mut AttentionScratch) {
        let count = rows.len() / (2 * self.heads * self.depth);
        let query = TokenRows { blocks: query, first: 0, length: 1, count: 1 };
        let rows = TokenRows { blocks: rows, first: 0, length: count, count };
        self.gather((query, rows, 0), output, scratch);
    }

    fn gather(
        &self,
        (queries, rows, keys): (TokenRows, TokenRows, usize),
        output: &mut [Block16],
        scratch: &mut AttentionScratch,
    ) {
        Arch::new().dispatch(RunAttention { attention: *self, queries, rows, keys, output, scratch });
    }
}

struct RunAttention<'a> {
    attention: Attention,
    queries: TokenRows<'a>,
    rows: TokenRows<'a>,
    /// The block of the rows where keys begin; values follow them.
    keys: usize,
    output: &'a mut [Block16],
    scratch: &'a mut AttentionScratch,
}

impl WithSimd for RunAttention<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { attention: Attention { heads, depth }, queries, rows, output, scratch, .. } = self;
        let (length, asked) = (rows.length, queries.length);
        let across = blocks(length);
        let AttentionScratch { keys, values, scores } = scratch;
        keys.resize(across * depth * LANES, Block16::ZERO);
        values.resize(across * LANES, Block16::ZERO);
        scores.resize(across * asked, Block16::ZERO);
        for head in 0..heads {
            // Keys as the right factor: [key / 16][number], one key per lane.
            for k in 0..depth {
                let part = rows.column(self.keys + head * depth + k);
                for (j, key) in part.iter().enumerate() {
                    let at = (j / LANES * depth + k) * LANES;
                    for (d, &x) in key.0.iter().enumerate() {
                        keys[at + d].0[j % LANES] = x;
                    }
                }
            }
            let at = head * depth * queries.count + queries.first;
            let left = GemmRows { a: &queries.blocks[at..], stride: queries.count, count: asked };
            let each = keys.chunks_exact(depth * LANES);
            for (keys, scores) in each.zip(scores.chunks_exact_mut(asked)) {
                gemm::columns(
                    simd,
                    left,
                    keys,
                    #[inline(always)]
                    |i: usize, v: usize, x: S::f32s| scores[i].store::<S>(v, x),
                );
            }
            softmax(scores, asked, length);
            let weights = GemmRows { a: scores, stride: asked, count: asked };
            for k in 0..depth {
                let part = rows.column(self.keys + (heads + head) * depth + k);
                values[..length].copy_from_slice(part);
                values[length..].fill(Block16::ZERO);
                let at = (head * depth + k) * queries.count + queries.first;
                let out = &mut output[at..][..asked];
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
