//! How feature maps lie in memory.
//!
//! Sixteen channels of one position are a [`Block16`]; a map is `[channels / 16][height · width]`
//! blocks, and the maps of a group of images follow one another. Channels that fill no block are
//! followed by zeros. So neighbouring positions of the same channels lie side by side, which is what
//! the products of [`gemm`](super::gemm) read, and each block is a cache line.

use pulp::Simd;

/// Channels of a block.
pub(super) const LANES: usize = 16;

/// Sixteen channels of one position.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(64))]
pub(super) struct Block16(pub [f32; LANES]);

impl Block16 {
    pub const ZERO: Self = Self([0.0; LANES]);

    /// The `v`-th vector of the block.
    #[inline(always)]
    pub fn load<S: Simd>(&self, v: usize) -> S::f32s {
        S::as_simd_f32s(&self.0).0[v]
    }

    /// Sets the `v`-th vector of the block.
    #[inline(always)]
    pub fn store<S: Simd>(&mut self, v: usize, x: S::f32s) {
        S::as_mut_simd_f32s(&mut self.0).0[v] = x;
    }
}

/// Blocks that hold that many channels.
pub(super) fn blocks(channels: usize) -> usize {
    channels.div_ceil(LANES)
}

/// Values in blocks, the last filled up with zeros.
pub(super) fn blocked(values: &[f32]) -> Vec<Block16> {
    let block = |chunk: &[f32]| {
        let mut block = Block16::ZERO;
        block.0[..chunk.len()].copy_from_slice(chunk);
        block
    };
    values.chunks(LANES).map(block).collect()
}

/// The square of a map that a convolution or a pool reads, and how it moves.
#[derive(Debug, Clone, Copy)]
pub(super) struct KernelWindow {
    pub kernel: usize,
    pub stride: usize,
    /// Zeros above and left of the map.
    pub padding: usize,
}

/// The shape of a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MapShape {
    pub channels: usize,
    pub height: usize,
    pub width: usize,
}

impl MapShape {
    /// Positions.
    pub fn positions(&self) -> usize {
        self.height * self.width
    }

    /// Blocks of one position.
    pub fn depth(&self) -> usize {
        blocks(self.channels)
    }

    /// Blocks of the whole map.
    pub fn blocks(&self) -> usize {
        self.depth() * self.positions()
    }
}
