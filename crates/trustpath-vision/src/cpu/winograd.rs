//! 3×3 convolutions by Winograd's minimal filtering, F(4×4, 3×3).
//!
//! A map is cut into tiles of 4×4 results, each of which needs 6×6 inputs `d`. With the filter `g`,
//!
//! ```text
//! Y = Aᵀ [ (G g Gᵀ) ⊙ (Bᵀ d B) ] A
//! ```
//!
//! so that 36 products stand for 144. Summed over the input channels they are 36 matrix products,
//! tiles × inputs by inputs × outputs. The points are 0, ±1, ±2 and ∞; filters are transformed in
//! double precision.

use pulp::Simd;

use super::block::{Block16, LANES, MapShape, blocks};
use super::epilogue::Epilogue;
use super::gemm::{self, GemmRows};

/// Edge of the results of a tile.
pub(super) const TILE: usize = 4;
/// Edge of the inputs of a tile.
const EDGE: usize = 6;
/// Products of a tile.
pub(super) const POINTS: usize = EDGE * EDGE;

/// `G`.
const FILTER: [[f64; 3]; EDGE] = [
    [1.0 / 4.0, 0.0, 0.0],
    [-1.0 / 6.0, -1.0 / 6.0, -1.0 / 6.0],
    [-1.0 / 6.0, 1.0 / 6.0, -1.0 / 6.0],
    [1.0 / 24.0, 1.0 / 12.0, 1.0 / 6.0],
    [1.0 / 24.0, -1.0 / 12.0, 1.0 / 6.0],
    [0.0, 0.0, 1.0],
];

/// Tiles of a map, row by row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tiles {
    pub across: usize,
    pub down: usize,
}

impl Tiles {
    pub fn of(shape: MapShape) -> Self {
        Self { across: shape.width.div_ceil(TILE), down: shape.height.div_ceil(TILE) }
    }

    pub fn count(&self) -> usize {
        self.across * self.down
    }

    /// Where the results of a tile begin: row and column.
    #[inline(always)]
    fn origin(&self, tile: usize) -> (usize, usize) {
        (tile / self.across * TILE, tile % self.across * TILE)
    }
}

/// `G g Gᵀ` of all filters, as `[point][outputs / 16][inputs]`. `weight(o, i)` is a 3×3 filter.
pub(super) fn filters(inputs: usize, outputs: usize, weight: impl Fn(usize, usize) -> [f64; 9]) -> Vec<Block16> {
    let depth = blocks(inputs) * LANES;
    let mut all = vec![Block16::ZERO; POINTS * blocks(outputs) * depth];
    for o in 0..outputs {
        for i in 0..inputs {
            let g = weight(o, i);
            for (p, row) in FILTER.iter().enumerate() {
                let half: [f64; 3] = std::array::from_fn(|x| (0..3).map(|y| row[y] * g[3 * y + x]).sum());
                for (q, column) in FILTER.iter().enumerate() {
                    let value: f64 = (0..3).map(|x| half[x] * column[x]).sum();
                    let at = ((p * EDGE + q) * blocks(outputs) + o / LANES) * depth + i;
                    all[at].0[o % LANES] = value as f32;
                }
            }
        }
    }
    all
}

/// `Bᵀ d B` of one tile of one block of channels, written to `out[point · stride]`.
#[inline(always)]
pub(super) fn transform_input<S: Simd>(
    simd: S,
    map: &[Block16],
    shape: MapShape,
    tiles: Tiles,
    tile: usize,
    out: &mut [Block16],
    stride: usize,
) {
    let (top, left) = tiles.origin(tile);
    let (h, w) = (shape.height, shape.width);
    if top > 0 && left > 0 && top + EDGE - 1 <= h && left + EDGE - 1 <= w {
        let row = |y: usize| &map[(top - 1 + y) * w + left - 1..][..EDGE];
        transform_patch(simd, std::array::from_fn(row), out, stride);
        return;
    }
    let mut patch = [[Block16::ZERO; EDGE]; EDGE];
    let columns = left.saturating_sub(1)..(left + EDGE - 1).min(w);
    let first = columns.start + 1 - left;
    for y in top.saturating_sub(1)..(top + EDGE - 1).min(h) {
        let row = &map[y * w..][columns.clone()];
        patch[y + 1 - top][first..first + row.len()].copy_from_slice(row);
    }
    transform_patch(simd, std::array::from_fn(|y| &patch[y][..]), out, stride);
}

#[inline(always)]
fn transform_patch<S: Simd>(simd: S, d: [&[Block16]; EDGE], out: &mut [Block16], stride: usize) {
    for v in 0..LANES / S::F32_LANES {
        let mut half = [[simd.splat_f32s(0.0); EDGE]; EDGE];
        for x in 0..EDGE {
            let column = input(simd, std::array::from_fn(|y| d[y][x].load::<S>(v)));
            for p in 0..EDGE {
                half[p][x] = column[p];
            }
        }
        for p in 0..EDGE {
            let row = input(simd, half[p]);
            for q in 0..EDGE {
                out[(p * EDGE + q) * stride].store::<S>(v, row[q]);
            }
        }
    }
}

/// `Bᵀ d`.
#[inline(always)]
fn input<S: Simd>(simd: S, d: [S::f32s; EDGE]) -> [S::f32s; EDGE] {
    let (two, four, five) = (simd.splat_f32s(2.0), simd.splat_f32s(4.0), simd.splat_f32s(-5.0));
    let minus_four = simd.splat_f32s(-4.0);
    let even = simd.mul_add_e_f32s(minus_four, d[2], d[4]);
    let odd = simd.mul_add_e_f32s(minus_four, d[1], d[3]);
    let near = simd.sub_f32s(d[4], d[2]);
    let far = simd.mul_f32s(two, simd.sub_f32s(d[3], d[1]));
    [
        simd.mul_add_e_f32s(four, d[0], simd.mul_add_e_f32s(five, d[2], d[4])),
        simd.add_f32s(even, odd),
        simd.sub_f32s(even, odd),
        simd.add_f32s(near, far),
        simd.sub_f32s(near, far),
        simd.mul_add_e_f32s(four, d[1], simd.mul_add_e_f32s(five, d[3], d[5])),
    ]
}

/// `Aᵀ m`.
#[inline(always)]
fn output<S: Simd>(simd: S, m: [S::f32s; EDGE]) -> [S::f32s; TILE] {
    let (two, four, eight) = (simd.splat_f32s(2.0), simd.splat_f32s(4.0), simd.splat_f32s(8.0));
    let (sum, difference) = (simd.add_f32s(m[1], m[2]), simd.sub_f32s(m[1], m[2]));
    let (far_sum, far) = (simd.add_f32s(m[3], m[4]), simd.sub_f32s(m[3], m[4]));
    [
        simd.add_f32s(simd.add_f32s(m[0], sum), far_sum),
        simd.mul_add_e_f32s(two, far, difference),
        simd.mul_add_e_f32s(four, far_sum, sum),
        simd.mul_add_e_f32s(eight, far, simd.add_f32s(difference, m[5])),
    ]
}

/// The sums over the inputs for one point and one block of outputs, `rows` being tiles.
#[inline(always)]
pub(super) fn multiply<S: Simd>(simd: S, rows: GemmRows, u: &[Block16], out: &mut [Block16]) {
    gemm::columns(
        simd,
        rows,
        u,
        #[inline(always)]
        |tile: usize, v: usize, x: S::f32s| out[tile].store::<S>(v, x),
    );
}

/// `Aᵀ m A` of one tile of one block of channels, finished and put into the map; `m[point · stride]`
/// are its sums.
#[inline(always)]
pub(super) fn transform_output<S: Simd>(
    simd: S,
    m: &[Block16],
    stride: usize,
    (shape, tiles, tile): (MapShape, Tiles, usize),
    epilogue: Epilogue,
    map: &mut [Block16],
) {
    let (top, left) = tiles.origin(tile);
    let (rows, columns) = (TILE.min(shape.height - top), TILE.min(shape.width - left));
    for v in 0..LANES / S::F32_LANES {
        let mut half = [[simd.splat_f32s(0.0); EDGE]; TILE];
        for q in 0..EDGE {
            let column = output(simd, std::array::from_fn(|p| m[(p * EDGE + q) * stride].load::<S>(v)));
            for y in 0..TILE {
                half[y][q] = column[y];
            }
        }
        for y in 0..rows {
            let row = output(simd, half[y]);
            for x in 0..columns {
                let at = (top + y) * shape.width + left + x;
                map[at].store::<S>(v, epilogue.apply(simd, at, v, row[x]));
            }
        }
    }
}
