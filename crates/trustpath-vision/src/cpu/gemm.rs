//! Products of blocked matrices, which is where a network's time goes.
//!
//! ```text
//! C[n][r] = Σ_k A[k][r] · B[n][k]
//! ```
//!
//! `A` has `k` in blocks: `A[k / 16][r]` holds sixteen of them for row `r`. `B[n / 16][k]` and
//! `C[n / 16][r]` hold sixteen columns. A kernel keeps a few rows of one block of columns
//! in registers, reads `B` in order and every value of `A` from a place that is fixed relative to
//! one address. Every number is summed over `k` in the same order, in whichever rows and beside
//! whatever else it is computed; so the bits of a result depend on nothing but its input.

use pulp::Simd;

use super::block::{Block16, LANES};

/// What rows, and where they lie.
#[derive(Clone, Copy)]
pub(super) struct GemmRows<'a> {
    /// Blocks of `A`, from the first row on.
    pub a: &'a [Block16],
    /// Blocks from one `k / 16` to the next.
    pub stride: usize,
    /// How many rows.
    pub count: usize,
}

/// Computes all rows of one block of columns, `b` being its `B[n / 16]`. `finish(r, v, x)` takes the
/// `v`-th vector of row `r`.
#[inline(always)]
pub(super) fn columns<S: Simd>(simd: S, rows: GemmRows, b: &[Block16], finish: impl FnMut(usize, usize, S::f32s)) {
    // As many sums as the registers hold: 16 of 8 lanes, 32 of 16 or of 4.
    match S::F32_LANES {
        16 => all_rows::<S, 12, 1>(simd, rows, b, finish),
        8 => all_rows::<S, 6, 2>(simd, rows, b, finish),
        4 => all_rows::<S, 6, 4>(simd, rows, b, finish),
        2 => all_rows::<S, 1, 8>(simd, rows, b, finish),
        _ => all_rows::<S, 1, 16>(simd, rows, b, finish),
    }
}

#[inline(always)]
fn all_rows<S: Simd, const M: usize, const V: usize>(
    simd: S,
    rows: GemmRows,
    b: &[Block16],
    mut finish: impl FnMut(usize, usize, S::f32s),
) {
    let mut r = 0;
    while r + M <= rows.count {
        kernel::<S, M, V>(simd, rows, r, b, &mut finish);
        r += M;
    }
    if M > 4 && r + 4 <= rows.count {
        kernel::<S, 4, V>(simd, rows, r, b, &mut finish);
        r += 4;
    }
    while r + 2 <= rows.count {
        kernel::<S, 2, V>(simd, rows, r, b, &mut finish);
        r += 2;
    }
    if r < rows.count {
        kernel::<S, 1, V>(simd, rows, r, b, &mut finish);
    }
}

/// `M` rows from row `r` on.
#[inline(always)]
fn kernel<S: Simd, const M: usize, const V: usize>(
    simd: S,
    rows: GemmRows,
    r: usize,
    b: &[Block16],
    finish: &mut impl FnMut(usize, usize, S::f32s),
) {
    let mut sums = [[simd.splat_f32s(0.0); V]; M];
    for (k, b) in b.as_chunks::<LANES>().0.iter().enumerate() {
        let a: &[Block16] = &rows.a[k * rows.stride + r..][..M];
        for (lane, b) in b.iter().enumerate() {
            let mut vectors = [simd.splat_f32s(0.0); V];
            for v in 0..V {
                vectors[v] = b.load::<S>(v);
            }
            for m in 0..M {
                let x = simd.splat_f32s(a[m].0[lane]);
                for v in 0..V {
                    sums[m][v] = simd.mul_add_e_f32s(x, vectors[v], sums[m][v]);
                }
            }
        }
    }
    for m in 0..M {
        for v in 0..V {
            finish(r + m, v, sums[m][v]);
        }
    }
}
