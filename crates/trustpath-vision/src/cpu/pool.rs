//! Pooling, and what else is done to maps between convolutions.

use pulp::{Arch, Simd, WithSimd};

use super::block::{Block16, KernelWindow, LANES, MapShape, blocked};
use super::epilogue::Rectifier;

/// A maximum or a mean over square windows.
#[derive(Debug, Clone, Copy)]
pub(super) struct WindowPool {
    pub window: KernelWindow,
    /// Whether a window may reach beyond the edge.
    pub ceil: bool,
    /// A mean; else a maximum.
    pub mean: bool,
}

impl WindowPool {
    /// The shape of what comes out.
    pub fn output(&self, input: MapShape) -> MapShape {
        let KernelWindow { kernel, stride, padding } = self.window;
        let after = |n: usize| {
            let span = (n + 2 * padding).saturating_sub(kernel);
            if !self.ceil {
                return span / stride + 1;
            }
            let count = span.div_ceil(stride) + 1;
            // No window begins beyond the map and the zeros before it.
            if (count - 1) * stride >= n + padding { count - 1 } else { count }
        };
        MapShape { height: after(input.height), width: after(input.width), ..input }
    }

    /// Pools the maps of some images.
    pub fn run(&self, shape: MapShape, input: &[Block16], output: &mut [Block16]) {
        Arch::new().dispatch(RunPool { pool: *self, shape, input, output });
    }
}

struct RunPool<'a> {
    pool: WindowPool,
    shape: MapShape,
    input: &'a [Block16],
    output: &'a mut [Block16],
}

impl WithSimd for RunPool<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let WindowPool { window: KernelWindow { kernel, stride, padding }, mean, .. } = self.pool;
        let (before, after) = (self.shape, self.pool.output(self.shape));
        let window = |at: usize, end: usize| {
            let from = at * stride;
            from.saturating_sub(padding)..(from + kernel - padding).min(end)
        };
        let maps = self.input.chunks_exact(before.positions());
        for (map, out) in maps.zip(self.output.chunks_exact_mut(after.positions())) {
            for (at, out) in out.iter_mut().enumerate() {
                let (rows, columns) = (window(at / after.width, before.height), window(at % after.width, before.width));
                let share = simd.splat_f32s(1.0 / (rows.len() * columns.len()).max(1) as f32);
                for v in 0..LANES / S::F32_LANES {
                    let first = if mean { 0.0 } else { f32::NEG_INFINITY };
                    let mut all = simd.splat_f32s(first);
                    for y in rows.clone() {
                        for block in &map[y * before.width..][columns.clone()] {
                            let x = block.load::<S>(v);
                            all = if mean { simd.add_f32s(all, x) } else { simd.max_f32s(all, x) };
                        }
                    }
                    out.store::<S>(v, if mean { simd.mul_f32s(all, share) } else { all });
                }
            }
        }
    }
}

/// `φ(scale · x + shift)`, channel by channel: a batch normalisation that follows no convolution.
pub(super) struct Affine {
    scale: Vec<Block16>,
    shift: Vec<Block16>,
    rectifier: Rectifier,
}

impl Affine {
    /// With a scale and a shift for each channel.
    pub fn new(scale: &[f32], shift: &[f32], rectifier: Rectifier) -> Self {
        Self { scale: blocked(scale), shift: blocked(shift), rectifier }
    }

    /// Maps of some images, each of `scale.len()` blocks a position.
    pub fn run(&self, positions: usize, input: &[Block16], output: &mut [Block16]) {
        Arch::new().dispatch(RunAffine { affine: self, positions, input, output });
    }
}

struct RunAffine<'a> {
    affine: &'a Affine,
    positions: usize,
    input: &'a [Block16],
    output: &'a mut [Block16],
}

impl WithSimd for RunAffine<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Affine { scale, shift, rectifier } = self.affine;
        let maps = self.input.chunks_exact(self.positions);
        let outs = self.output.chunks_exact_mut(self.positions);
        for (i, (map, out)) in maps.zip(outs).enumerate() {
            let (scale, shift) = (&scale[i % scale.len()], &shift[i % shift.len()]);
            for v in 0..LANES / S::F32_LANES {
                let (scale, shift) = (scale.load::<S>(v), shift.load::<S>(v));
                for (x, out) in map.iter().zip(out.iter_mut()) {
                    let y = simd.mul_add_e_f32s(x.load::<S>(v), scale, shift);
                    out.store::<S>(v, rectifier.apply(simd, y));
                }
            }
        }
    }
}

/// `φ(a + b)`.
pub(super) fn add(a: &[Block16], b: &[Block16], rectifier: Rectifier, output: &mut [Block16]) {
    Arch::new().dispatch(
        #[inline(always)]
        || {
            for ((a, b), out) in a.iter().zip(b).zip(output) {
                for lane in 0..LANES {
                    let sum = a.0[lane] + b.0[lane];
                    out.0[lane] = sum.max(rectifier.slope * sum).min(rectifier.ceiling);
                }
            }
        },
    );
}
