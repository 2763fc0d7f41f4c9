//! Depthwise convolutions: every channel with a small filter for it alone.
//!
//! ```text
//! y[c][p] = φ(Σ_t w[c][t] x[c][p·stride + t − padding] + b[c])
//! ```
//!
//! Sixteen channels of a position are a block, so one filter tap of sixteen channels is one vector. Within the map a few
//! neighbouring positions are computed together, which share the taps.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

use super::block::{Block16, KernelWindow, LANES, MapShape, blocked, blocks};
use super::epilogue::{Epilogue, Rectifier};

/// Positions that are computed together.
const TOGETHER: usize = 4;

/// A depthwise convolution that is ready to run.
pub(super) struct Depthwise {
    input: MapShape,
    output: MapShape,
    window: KernelWindow,
    /// `[channels / 16][tap]`.
    taps: Vec<Block16>,
    bias: Vec<Block16>,
    pub rectifier: Rectifier,
}

impl Depthwise {
    /// `weight` is channels × kernel × kernel, already scaled by the batch normalisation behind it, and `bias` what that adds.
    pub fn new(window: KernelWindow, weight: &[f64], bias: &[f32], (input, output): (MapShape, MapShape)) -> Self {
        let each = window.kernel * window.kernel;
        let mut taps = vec![Block16::ZERO; blocks(input.channels) * each];
        for (c, filter) in weight.chunks_exact(each).enumerate() {
            for (tap, &w) in filter.iter().enumerate() {
                taps[c / LANES * each + tap].0[c % LANES] = w as f32;
            }
        }
        Self { input, output, window, taps, bias: blocked(bias), rectifier: Rectifier::NONE }
    }

    /// Convolves the maps of some images.
    pub fn run(&self, input: &[Block16], output: &mut [Block16]) {
        Arch::new().dispatch(RunDepthwise { conv: self, input, output });
    }
}

struct RunDepthwise<'a> {
    conv: &'a Depthwise,
    input: &'a [Block16],
    output: &'a mut [Block16],
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
            match conv.window.kernel {
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
    fn map<S: Simd, const K: usize>(&self, simd: S, n: usize, map: &[Block16], out: &mut [Block16]) {
        let KernelWindow { kernel, stride, padding } = self.window;
        let kernel = if K > 0 { K } else { kernel };
        let (before, after) = (self.input, self.output);
        // The columns whose windows lie within the map.
        let left = padding.div_ceil(stride).min(after.width);
        let fits = (before.width + padding).checked_sub(kernel).map_or(0, |n| n / stride + 1);
        let right = fits.clamp(left, after.width);
        let together = left + (right - left) / TOGETHER * TOGETHER;
        let window = Window {
            kernel,
            stride,
            width: before.width,
            padding,
            map,
            taps: &self.taps[n * kernel * kernel..][..kernel * kernel],
            epilogue: Epilogue { bias: &self.bias[n], residual: None, rectifier: self.rectifier },
        };
        for (y, out) in out.chunks_exact_mut(after.width).enumerate() {
            let top = y * stride;
            let rows = padding.saturating_sub(top)..kernel.min(before.height + padding - top);
            for x in 0..left {
                window.alone(simd, (top, x), &rows, out);
            }
            for x in (left..together).step_by(TOGETHER) {
                window.together(simd, (top, x), &rows, out);
            }
            for x in together..after.width {
                window.alone(simd, (top, x), &rows, out);
            }
        }
    }
}

/// The window of a block of channels, which moves over its map. Methods rather than closures, which might not be compiled for the
/// instruction set.
struct Window<'a> {
    kernel: usize,
    stride: usize,
    padding: usize,
    /// Of the map.
    width: usize,
    map: &'a [Block16],
    taps: &'a [Block16],
    epilogue: Epilogue<'a>,
}

impl Window<'_> {
    /// A row of the map, by the row of the window that lies on it when the window begins at `top`.
    #[inline(always)]
    fn row(&self, top: usize, ky: usize) -> &[Block16] {
        &self.map[(top + ky - self.padding) * self.width..][..self.width]
    }

    /// One position, of which some columns of the window may lie outside the map.
    #[inline(always)]
    fn alone<S: Simd>(&self, simd: S, (top, x): (usize, usize), rows: &Range<usize>, out: &mut [Block16]) {
        let from = x * self.stride;
        let first = self.padding.saturating_sub(from);
        let columns = self.kernel.min(self.width + self.padding - from) - first;
        for v in 0..LANES / S::F32_LANES {
            let mut sum = simd.splat_f32s(0.0);
            for ky in rows.start..rows.end {
                let row = &self.row(top, ky)[from + first - self.padding..][..columns];
                let taps = &self.taps[ky * self.kernel + first..][..columns];
                for kx in 0..columns {
                    let (x, tap) = (row[kx].load::<S>(v), taps[kx].load::<S>(v));
                    sum = simd.mul_add_e_f32s(x, tap, sum);
                }
            }
            out[x].store::<S>(v, self.epilogue.apply(simd, x, v, sum));
        }
    }

    /// A few positions from `x` on, whose windows lie within the columns of the map.
    #[inline(always)]
    fn together<S: Simd>(&self, simd: S, (top, x): (usize, usize), rows: &Range<usize>, out: &mut [Block16]) {
        let (from, stride) = (x * self.stride - self.padding, self.stride);
        let out = &mut out[x..][..TOGETHER];
        for v in 0..LANES / S::F32_LANES {
            let mut sums = [simd.splat_f32s(0.0); TOGETHER];
            for ky in rows.start..rows.end {
                let row = &self.row(top, ky)[from..][..(TOGETHER - 1) * stride + self.kernel];
                let taps = &self.taps[ky * self.kernel..][..self.kernel];
                for kx in 0..self.kernel {
                    let tap = taps[kx].load::<S>(v);
                    for i in 0..TOGETHER {
                        sums[i] = simd.mul_add_e_f32s(row[i * stride + kx].load::<S>(v), tap, sums[i]);
                    }
                }
            }
            for i in 0..TOGETHER {
                out[i].store::<S>(v, self.epilogue.apply(simd, x + i, v, sums[i]));
            }
        }
    }
}
