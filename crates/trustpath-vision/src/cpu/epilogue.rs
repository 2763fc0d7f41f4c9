//! What a convolution does to its sums before they are stored.
//!
//! ```text
//! y = φ(sum + bias + residual),    φ(x) = max(x, slope · x)
//! ```

use pulp::Simd;

use super::block::Block;

/// Bias, residual and rectifier of one block of channels.
#[derive(Clone, Copy)]
pub(super) struct Epilogue<'a> {
    pub bias: &'a Block,
    /// The block of the map that is added, if one is.
    pub residual: Option<&'a [Block]>,
    /// 1 where there is no rectifier.
    pub slope: f32,
}

impl Epilogue<'_> {
    /// The `v`-th vector at a position.
    #[inline(always)]
    pub fn apply<S: Simd>(&self, simd: S, position: usize, v: usize, sum: S::f32s) -> S::f32s {
        let mut y = simd.add_f32s(sum, self.bias.load::<S>(v));
        if let Some(residual) = self.residual {
            y = simd.add_f32s(y, residual[position].load::<S>(v));
        }
        rectify(simd, y, self.slope)
    }
}

/// `max(x, slope · x)`.
#[inline(always)]
pub(super) fn rectify<S: Simd>(simd: S, x: S::f32s, slope: f32) -> S::f32s {
    simd.max_f32s(x, simd.mul_f32s(x, simd.splat_f32s(slope)))
}
