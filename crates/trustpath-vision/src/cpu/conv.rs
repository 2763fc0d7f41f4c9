//! A convolution, its batch normalisation folded in, lowered to products of blocked matrices.
//!
//! Three ways lead there: the map itself is the matrix (1×1), the inputs of every position are
//! gathered, a few positions at a time so that they stay in cache (im2col), or 3×3 filters go by
//! tiles ([`winograd`]).

use pulp::{Arch, Simd, WithSimd};

use super::block::{Block16, KernelWindow, LANES, MapShape, blocked, blocks};
use super::epilogue::{Epilogue, Rectifier};
use super::gemm::{self, GemmRows};
use super::winograd::{self, POINTS, Tiles};

/// Blocks of inputs that are gathered or transformed at a time: half a level-2 cache.
const CHUNK: usize = 8192;
/// Fewer rows at a time would read the filters too often.
const FEWEST_ROWS: usize = 48;

/// A convolution that is ready to run.
pub(super) struct Convolution {
    input: MapShape,
    output: MapShape,
    lowering: Lowering,
    /// `[outputs / 16][k]`, or that for every point of a tile.
    filters: Vec<Block16>,
    bias: Vec<Block16>,
    pub rectifier: Rectifier,
}

enum Lowering {
    /// 1×1: the map is the matrix.
    Map,
    /// The inputs of every position, gathered.
    Gathered(KernelWindow),
    /// The same for so few channels that many positions share a block.
    Packed(KernelWindow),
    /// 3×3 by tiles.
    Tiles(Tiles),
}

/// Memory that convolutions share, one after another.
#[derive(Default)]
pub(super) struct ConvScratch {
    inputs: Vec<Block16>,
    sums: Vec<Block16>,
}

/// The first so many blocks. What is in them is left from before: only memory that is new is filled.
fn at_least(memory: &mut Vec<Block16>, blocks: usize) -> &mut [Block16] {
    if memory.len() < blocks {
        memory.resize(blocks, Block16::ZERO);
    }
    &mut memory[..blocks]
}

impl Convolution {
    /// `weight` is out × in × kernel × kernel, already scaled by the batch normalisation behind it, and `bias` what that
    /// adds. Beyond the map and the padding before it are zeros, as many as the output's shape needs.
    pub fn new(window: KernelWindow, weight: &[f64], bias: &[f32], (input, output): (MapShape, MapShape)) -> Self {
        let (inputs, outputs) = (input.channels, output.channels);
        let KernelWindow { kernel, stride, padding } = window;
        let taps = kernel * kernel;
        let at = |o: usize, i: usize, tap: usize| weight[(o * inputs + i) * taps + tap];
        let tiles = Tiles::of(output);
        let by_tiles = (kernel, stride, padding) == (3, 1, 1)
            && (input.height, input.width) == (output.height, output.width)
            && tiles.count() * POINTS < output.positions() * taps;
        let lowering = match kernel {
            1 if stride == 1 && padding == 0 => Lowering::Map,
            _ if inputs < LANES => Lowering::Packed(window),
            _ if by_tiles => Lowering::Tiles(tiles),
            _ => Lowering::Gathered(window),
        };
        let padded = blocks(inputs) * LANES;
        let filters = match lowering {
            Lowering::Tiles(_) => winograd::filters(inputs, outputs, |o, i| std::array::from_fn(|tap| at(o, i, tap))),
            Lowering::Packed(_) => matrix(outputs, inputs * taps, |o, k| Some(at(o, k % inputs, k / inputs))),
            Lowering::Map | Lowering::Gathered(_) => {
                matrix(outputs, padded * taps, |o, k| (k % padded < inputs).then(|| at(o, k % padded, k / padded)))
            }
        };
        Self { input, output, lowering, filters, bias: blocked(bias), rectifier: Rectifier::NONE }
    }

    /// A fully connected layer of any number of rows; `weight` is outputs × inputs.
    pub fn dense(inputs: usize, weight: &[f32], bias: &[f32]) -> Self {
        let one = |channels: usize| MapShape { channels, height: 1, width: 1 };
        let window = KernelWindow { kernel: 1, stride: 1, padding: 0 };
        let weight: Vec<f64> = weight.iter().map(|&w| w.into()).collect();
        Self::new(window, &weight, bias, (one(inputs), one(bias.len())))
    }

    /// Convolves the maps of some images, and adds `residual` before the rectifier.
    pub fn run(
        &self,
        input: &[Block16],
        residual: Option<&[Block16]>,
        output: &mut [Block16],
        scratch: &mut ConvScratch,
    ) {
        let positions = self.output.positions();
        Arch::new().dispatch(RunConvolution { conv: self, positions, input, residual, output, scratch });
    }

    /// Writes the outputs of a fully connected layer for all rows, and adds `residual`.
    pub fn rows(&self, input: &[Block16], residual: Option<&[Block16]>, output: &mut [Block16]) {
        let (positions, scratch) = (input.len() / self.input.depth(), &mut ConvScratch::default());
        Arch::new().dispatch(RunConvolution { conv: self, positions, input, residual, output, scratch });
    }
}

/// `[outputs / 16][k]`, `k` filled up to whole blocks.
fn matrix(outputs: usize, k: usize, value: impl Fn(usize, usize) -> Option<f64>) -> Vec<Block16> {
    let padded = blocks(k) * LANES;
    let mut all = vec![Block16::ZERO; blocks(outputs) * padded];
    for o in 0..outputs {
        for k in 0..k {
            all[o / LANES * padded + k].0[o % LANES] = value(o, k).unwrap_or(0.0) as f32;
        }
    }
    all
}

struct RunConvolution<'a> {
    conv: &'a Convolution,
    /// Positions of a map that comes out.
    positions: usize,
    input: &'a [Block16],
    residual: Option<&'a [Block16]>,
    output: &'a mut [Block16],
    scratch: &'a mut ConvScratch,
}

impl WithSimd for RunConvolution<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        match self.conv.lowering {
            Lowering::Map => self.map(simd),
            Lowering::Gathered(window) => self.gathered(simd, window, false),
            Lowering::Packed(window) => self.gathered(simd, window, true),
            Lowering::Tiles(tiles) => self.tiles(simd, tiles),
        }
    }
}

/// What to do to the sums of block `n` of an image.
#[inline(always)]
fn epilogue<'a>(
    conv: &'a Convolution,
    positions: usize,
    residual: Option<&'a [Block16]>,
    (image, n): (usize, usize),
) -> Epilogue<'a> {
    let at = (image * conv.output.depth() + n) * positions;
    let residual = residual.map(|map| &map[at..][..positions]);
    Epilogue { bias: &conv.bias[n], residual, rectifier: conv.rectifier }
}

/// Multiplies some rows of an image, `first` being the position of the first, by all filters.
#[inline(always)]
fn multiply<S: Simd>(
    simd: S,
    conv: &Convolution,
    positions: usize,
    rows: GemmRows,
    (image, first): (usize, usize),
    residual: Option<&[Block16]>,
    output: &mut [Block16],
) {
    let depth = conv.output.depth();
    let k = conv.filters.len() / depth;
    for n in 0..depth {
        let epilogue = epilogue(conv, positions, residual, (image, n));
        let map = &mut output[(image * depth + n) * positions..][..positions];
        let filters = &conv.filters[n * k..][..k];
        gemm::columns(
            simd,
            rows,
            filters,
            #[inline(always)]
            |row: usize, v: usize, sum: S::f32s| {
                let at = first + row;
                map[at].store::<S>(v, epilogue.apply(simd, at, v, sum));
            },
        );
    }
}

impl RunConvolution<'_> {
    #[inline(always)]
    fn map<S: Simd>(self, simd: S) {
        let (positions, depth) = (self.positions, self.conv.input.depth());
        let chunk = (CHUNK / depth).max(FEWEST_ROWS);
        for (image, map) in self.input.chunks_exact(depth * positions).enumerate() {
            for first in (0..positions).step_by(chunk) {
                let count = chunk.min(positions - first);
                let rows = GemmRows { a: &map[first..], stride: positions, count };
                multiply(simd, self.conv, positions, rows, (image, first), self.residual, self.output);
            }
        }
    }

    #[inline(always)]
    fn gathered<S: Simd>(self, simd: S, window: KernelWindow, packed: bool) {
        let (conv, positions) = (self.conv, self.positions);
        let depth = conv.filters.len() / conv.output.depth() / LANES;
        let chunk = (CHUNK / depth).max(FEWEST_ROWS).min(positions);
        let inputs = at_least(&mut self.scratch.inputs, depth * chunk);
        for (image, map) in self.input.chunks_exact(conv.input.blocks()).enumerate() {
            for first in (0..positions).step_by(chunk) {
                let count = chunk.min(positions - first);
                let gathered = &mut inputs[..depth * count];
                if packed {
                    window.pack(map, conv, first, gathered);
                } else {
                    window.gather(map, conv, first, gathered);
                }
                let rows = GemmRows { a: gathered, stride: count, count };
                multiply(simd, conv, positions, rows, (image, first), self.residual, self.output);
            }
        }
    }

    #[inline(always)]
    fn tiles<S: Simd>(self, simd: S, tiles: Tiles) {
        let Self { conv, positions, input, residual, output, scratch } = self;
        let (shape, each) = (conv.output, tiles.count());
        let (depth, outputs) = (conv.input.depth(), conv.output.depth());
        let all = input.len() / conv.input.blocks() * each;
        let chunk = (CHUNK / (POINTS * depth)).max(FEWEST_ROWS).min(all);
        let columns = (CHUNK / (POINTS * chunk)).clamp(1, outputs);
        let inputs = at_least(&mut scratch.inputs, POINTS * spread(depth * spread(chunk)));
        let sums = at_least(&mut scratch.sums, POINTS * spread(columns * chunk));
        for first in (0..all).step_by(chunk) {
            let count = chunk.min(all - first);
            let row = spread(count);
            let point = spread(depth * row);
            for k in 0..depth {
                for t in 0..count {
                    let (image, tile) = ((first + t) / each, (first + t) % each);
                    let map = &input[(image * depth + k) * positions..][..positions];
                    let out = &mut inputs[k * row + t..];
                    winograd::transform_input(simd, map, shape, tiles, tile, out, point);
                }
            }
            for n in (0..outputs).step_by(columns) {
                let columns = columns.min(outputs - n);
                let stride = spread(columns * count);
                for i in 0..POINTS * columns {
                    let (p, i) = (i / columns, i % columns);
                    let rows = GemmRows { a: &inputs[p * point..], stride: row, count };
                    let u = &conv.filters[(p * outputs + n + i) * depth * LANES..];
                    let m = &mut sums[p * stride + i * count..][..count];
                    winograd::multiply(simd, rows, &u[..depth * LANES], m);
                }
                for i in 0..columns {
                    for t in 0..count {
                        let (image, tile) = ((first + t) / each, (first + t) % each);
                        let epilogue = epilogue(conv, positions, residual, (image, n + i));
                        let at = (image * outputs + n + i) * positions;
                        winograd::transform_output(
                            simd,
                            &sums[i * count + t..],
                            stride,
                            (shape, tiles, tile),
                            epilogue,
                            &mut output[at..][..positions],
                        );
                    }
                }
            }
        }
    }
}

/// A distance between blocks that is at least `n` and odd, so that those read together lie in
/// different sets of a cache.
fn spread(n: usize) -> usize {
    n | 1
}

impl KernelWindow {
    /// The input that a tap of a position reads, if it lies within the map.
    #[inline(always)]
    fn input(&self, shape: MapShape, (y, x): (usize, usize), tap: usize) -> Option<usize> {
        let y = (y * self.stride + tap / self.kernel).checked_sub(self.padding)?;
        let x = (x * self.stride + tap % self.kernel).checked_sub(self.padding)?;
        (y < shape.height && x < shape.width).then_some(y * shape.width + x)
    }

    /// `[tap][channels / 16][row]` of the positions from `first` on.
    #[inline(always)]
    fn gather(&self, map: &[Block16], conv: &Convolution, first: usize, out: &mut [Block16]) {
        let (shape, depth, width) = (conv.input, conv.input.depth(), conv.output.width);
        let count = out.len() / (self.kernel * self.kernel * depth);
        for (i, rows) in out.chunks_exact_mut(count).enumerate() {
            let (tap, k) = (i / depth, i % depth);
            let map = &map[k * shape.positions()..];
            for (r, block) in rows.iter_mut().enumerate() {
                let at = ((first + r) / width, (first + r) % width);
                *block = self.input(shape, at, tap).map_or(Block16::ZERO, |i| map[i]);
            }
        }
    }

    /// `[(tap, channel) / 16][row]` of the positions from `first` on.
    #[inline(always)]
    fn pack(&self, map: &[Block16], conv: &Convolution, first: usize, out: &mut [Block16]) {
        let (shape, width) = (conv.input, conv.output.width);
        let values = self.kernel * self.kernel * shape.channels;
        let count = out.len() / blocks(values);
        for r in 0..count {
            // The last block may not be filled.
            out[(blocks(values) - 1) * count + r] = Block16::ZERO;
            let at = ((first + r) / width, (first + r) % width);
            for tap in 0..self.kernel * self.kernel {
                let from = self.input(shape, at, tap).map_or(&Block16::ZERO, |i| &map[i]);
                for channel in 0..shape.channels {
                    let k = tap * shape.channels + channel;
                    out[k / LANES * count + r].0[k % LANES] = from.0[channel];
                }
            }
        }
    }
}
