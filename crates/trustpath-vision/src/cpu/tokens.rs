//! What only the tokens of a transformer need: their beginning, their attention and their end. A map of tokens has one
//! position per token, so that everything else is done as for other maps.

use super::attention::{Attention, AttentionScratch};
use super::block::{Block16, LANES, MapShape, blocked, blocks};
use super::pointwise::LayerNorm;

/// From the map of an image to tokens.
pub(super) struct Tokens {
    /// `[channels / 16][token]` of those that come first.
    leading: Vec<Block16>,
    /// `[channels / 16][position]` of what is added.
    positions: Vec<Block16>,
    depth: usize,
}

impl Tokens {
    /// `leading` and `positions` hold `channels` numbers for each token.
    pub fn new(leading: &[f32], positions: &[f32], channels: usize) -> Self {
        let turned = |rows: &[f32]| {
            let count = rows.len() / channels;
            let mut all = vec![Block16::ZERO; blocks(channels) * count];
            for (r, row) in rows.chunks_exact(channels).enumerate() {
                for (k, block) in blocked(row).into_iter().enumerate() {
                    all[k * count + r] = block;
                }
            }
            all
        };
        Self { leading: turned(leading), positions: turned(positions), depth: blocks(channels) }
    }

    /// Makes the tokens of some images.
    pub fn run(&self, input: &[Block16], output: &mut [Block16]) {
        let (first, positions) = (self.leading.len() / self.depth, self.positions.len() / self.depth);
        let columns = input.chunks_exact(positions);
        for (i, (column, out)) in columns.zip(output.chunks_exact_mut(first + positions)).enumerate() {
            let k = i % self.depth;
            out[..first].copy_from_slice(&self.leading[k * first..][..first]);
            let learned = &self.positions[k * positions..][..positions];
            for ((out, x), place) in out[first..].iter_mut().zip(column).zip(learned) {
                *out = Block16(std::array::from_fn(|lane| x.0[lane] + place.0[lane]));
            }
        }
    }
}

/// Normalises the tokens of some images.
pub(super) fn normalise(norm: &LayerNorm, shape: MapShape, input: &[Block16], output: &mut [Block16]) {
    output.copy_from_slice(input);
    output.chunks_exact_mut(shape.blocks()).for_each(|map| norm.run(map, shape.positions()));
}

/// The attention of the tokens of each image.
pub(super) fn attend(
    attention: Attention,
    shape: MapShape,
    input: &[Block16],
    output: &mut [Block16],
    scratch: &mut AttentionScratch,
) {
    let (count, each) = (shape.positions(), shape.blocks());
    for (map, out) in input.chunks_exact(each).zip(output.chunks_exact_mut(each / 3)) {
        attention.run(map, count, &[count], out, scratch);
    }
}

/// What a learned query gathers from the tokens of each image.
pub(super) struct Pooling {
    attention: Attention,
    query: Vec<Block16>,
}

impl Pooling {
    pub fn new(attention: Attention, query: &[f32]) -> Self {
        Self { attention, query: blocked(query) }
    }

    pub fn run(&self, shape: MapShape, input: &[Block16], output: &mut [Block16], scratch: &mut AttentionScratch) {
        let maps = input.chunks_exact(shape.blocks());
        for (map, out) in maps.zip(output.chunks_exact_mut(self.query.len())) {
            self.attention.pool(&self.query, map, out, scratch);
        }
    }
}

/// The first token of each image.
pub(super) fn first(shape: MapShape, input: &[Block16], output: &mut [Block16]) {
    for (column, out) in input.chunks_exact(shape.positions()).zip(output) {
        *out = column[0];
    }
}

/// The attention of some heads over this many numbers, if the heads fill whole blocks.
pub(super) fn attention(heads: usize, channels: usize) -> Option<Attention> {
    let head = channels.checked_div(heads)?;
    let whole = head * heads == channels && head > 0 && head.is_multiple_of(LANES);
    whole.then_some(Attention { heads, depth: head / LANES })
}
