//! Fully connected layers: `y = x Wᵀ + b`.

use pulp::{Arch, Simd, WithSimd};

use super::super::block::{Block, LANES, blocked, blocks};
use super::super::conv::{CHUNK, FEWEST_ROWS, matrix};
use super::super::gemm::{self, GemmRows};

/// A fully connected layer that is ready to run.
pub(super) struct Dense {
    /// `[outputs / 16][inputs]`.
    filters: Vec<Block>,
    bias: Vec<Block>,
    /// Blocks of inputs.
    depth: usize,
}

impl Dense {
    /// `weight` is outputs × inputs.
    pub fn new(inputs: usize, weight: &[f32], bias: &[f32]) -> Self {
        let value = |o: usize, k: usize| Some(f64::from(weight[o * inputs + k]));
        let filters = matrix(bias.len(), inputs, value);
        Self { filters, bias: blocked(bias), depth: blocks(inputs) }
    }

    /// Writes the outputs of all rows, `then` done to some of them at a time while they are in cache.
    pub fn run(&self, input: &[Block], count: usize, then: Option<fn(&mut [Block])>, output: &mut [Block]) {
        Arch::new().dispatch(RunDense { dense: self, input, count, add: false, output });
        if let Some(then) = then {
            then(output);
        }
    }

    /// Adds the outputs of all rows to what is there.
    pub fn add(&self, input: &[Block], count: usize, output: &mut [Block]) {
        Arch::new().dispatch(RunDense { dense: self, input, count, add: true, output });
    }
}

struct RunDense<'a> {
    dense: &'a Dense,
    input: &'a [Block],
    count: usize,
    add: bool,
    output: &'a mut [Block],
}

impl WithSimd for RunDense<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { dense, input, count, add, output } = self;
        let chunk = (CHUNK / dense.depth).max(FEWEST_ROWS);
        let each = dense.depth * LANES;
        for first in (0..count).step_by(chunk) {
            let rows = GemmRows { a: &input[first..], stride: count, count: chunk.min(count - first) };
            for (n, filters) in dense.filters.chunks_exact(each).enumerate() {
                let bias = &dense.bias[n];
                let out = &mut output[n * count + first..][..rows.count];
                gemm::columns(
                    simd,
                    rows,
                    filters,
                    #[inline(always)]
                    |row: usize, v: usize, sum: S::f32s| {
                        let mut y = simd.add_f32s(sum, bias.load::<S>(v));
                        if add {
                            y = simd.add_f32s(y, out[row].load::<S>(v));
                        }
                        out[row].store::<S>(v, y);
                    },
                );
            }
        }
    }
}
