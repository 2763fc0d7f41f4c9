//! Depthwise convolutions: every channel with a small filter of its own.
//!
//! ```text
//! y[c][p] = φ(Σ_t w[c][t] x[c][p·stride + t − padding] + b[c])
//! ```
//!
//! Sixteen channels of a position are a block, so one filter tap of sixteen channels is one vector. Within the map a few
//! neighbouring positions are computed together, which share the taps.

use pulp::{Arch, Simd, WithSimd};

use super::block::{Block, LANES, Shape, blocked, blocks};
use super::epilogue::{Epilogue, Rectifier};

/// Positions that are computed together.
const TOGETHER: usize = 4;

/// A depthwise convolution that is ready to run.
pub(super) struct Depthwise {
    input: Shape,
    output: Shape,
    kernel: usize,
    stride: usize,
    /// Zeros above and left of the map.
    padding: usize,
    /// `[channels / 16][tap]`.
    taps: Vec<Block>,
    bias: Vec<Block>,
    pub rectifier: Rectifier,
}

impl Depthwise {
    /// `weight` is channels × kernel × kernel, already scaled by the batch normalisation behind it, and `bias` what that adds.
    pub fn new(
        (kernel, stride, padding): (usize, usize, usize),
        weight: &[f64],
        bias: &[f32],
        (input, output): (Shape, Shape),
    ) -> Self {
        let each = kernel * kernel;
        let mut taps = vec![Block::ZERO; blocks(input.channels) * each];
        for (c, filter) in weight.chunks_exact(each).enumerate() {
            for (tap, &w) in filter.iter().enumerate() {
                taps[c / LANES * each + tap].0[c % LANES] = w as f32;
            }
        }
        let rectifier = Rectifier::NONE;
        Self { input, output, kernel, stride, padding, taps, bias: blocked(bias), rectifier }
    }

    /// Convolves the maps of some images.
    pub fn run(&self, input: &[Block], output: &mut [Block]) {
        Arch::new().dispatch(RunDepthwise { conv: self, input, output });
    }
}

struct RunDepthwise<'a> {
    conv: &'a Depthwise,
    input: &'a [Block],
    output: &'a mut [Block],
}

impl WithSimd for RunDepthwise<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { conv, input, output } = self;
        let maps = input.chunks_exact(conv.input.positions());
        let outs = output.chunks_exact_mut(conv.output.positions());
        for (i, (map, out)) in maps.zip(outs).enumerate() {
            let n = i % conv.input.depth();
            match conv.kernel {
                3 => conv.map::<S, 3>(simd, n, map, out),
                5 => conv.map::<S, 5>(simd, n, map, out),
                _ => conv.map::<S, 0>(simd, n, map, out),
            }
        }
    }
}

impl Depthwise {
    /// One block of channels of one image. `K` is the kernel where that is known in advance, else 0.
    #[inline(always)]
    fn map<S: Simd, const K: usize>(&self, simd: S, n: usize, map: &[Block], out: &mut [Block]) {
        let (kernel, stride, padding) =
            (if K > 0 { K } else { self.kernel }, self.stride, self.padding);
        let (before, after) = (self.input, self.output);
        let taps = &self.taps[n * kernel * kernel..][..kernel * kernel];
        let epilogue = Epilogue { bias: &self.bias[n], residual: None, rectifier: self.rectifier };
        // The columns whose windows lie within the map.
        let left = padding.div_ceil(stride).min(after.width);
        let fits = (before.width + padding).checked_sub(kernel).map_or(0, |n| n / stride + 1);
        let right = fits.clamp(left, after.width);
        for y in 0..after.height {
            let top = y * stride;
            let rows = padding.saturating_sub(top)..kernel.min(before.height + padding - top);
            let out = &mut out[y * after.width..][..after.width];
            let row = |ky: usize| &map[(top + ky - padding) * before.width..][..before.width];
            let mut edge = |x: usize| {
                let from = x * stride;
                let columns =
                    padding.saturating_sub(from)..kernel.min(before.width + padding - from);
                for v in 0..LANES / S::F32_LANES {
                    let mut sum = simd.splat_f32s(0.0);
                    for ky in rows.clone() {
                        for kx in columns.clone() {
                            let x = row(ky)[from + kx - padding].load::<S>(v);
                            sum = simd.mul_add_e_f32s(x, taps[ky * kernel + kx].load::<S>(v), sum);
                        }
                    }
                    out[x].store::<S>(v, epilogue.apply(simd, x, v, sum));
                }
            };
            (0..left).chain(right..after.width).for_each(&mut edge);
            let mut x = left;
            while x + TOGETHER <= right {
                let from = x * stride - padding;
                for v in 0..LANES / S::F32_LANES {
                    let mut sums = [simd.splat_f32s(0.0); TOGETHER];
                    for ky in rows.clone() {
                        let row = &row(ky)[from..][..(TOGETHER - 1) * stride + kernel];
                        for kx in 0..kernel {
                            let tap = taps[ky * kernel + kx].load::<S>(v);
                            for (i, sum) in sums.iter_mut().enumerate() {
                                let x = row[i * stride + kx].load::<S>(v);
                                *sum = simd.mul_add_e_f32s(x, tap, *sum);
                            }
                        }
                    }
                    for (i, sum) in sums.into_iter().enumerate() {
                        out[x + i].store::<S>(v, epilogue.apply(simd, x + i, v, sum));
                    }
                }
                x += TOGETHER;
            }
            (x..right).for_each(|x| {
                let from = x * stride - padding;
                for v in 0..LANES / S::F32_LANES {
                    let mut sum = simd.splat_f32s(0.0);
                    for ky in rows.clone() {
                        let row = &row(ky)[from..][..kernel];
                        for (kx, x) in row.iter().enumerate() {
                            let tap = taps[ky * kernel + kx].load::<S>(v);
                            sum = simd.mul_add_e_f32s(x.load::<S>(v), tap, sum);
                        }
                    }
                    out[x].store::<S>(v, epilogue.apply(simd, x, v, sum));
                }
            });
        }
    }
}
