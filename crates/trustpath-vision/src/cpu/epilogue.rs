//! What a convolution does to its sums before they are stored.
//!
//! ```text
//! y = φ(sum + bias + residual),    φ(x) = min(max(x, slope · x), ceiling)
//! ```

use pulp::Simd;

use super::block::Block16;

/// `φ`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rectifier {
    /// The slope below zero; 1 where there is no rectifier.
    pub slope: f32,
    /// The largest value; infinite where there is no limit.
    pub ceiling: f32,
}

impl Rectifier {
    pub const NONE: Self = Self { slope: 1.0, ceiling: f32::INFINITY };
    pub const RELU6: Self = Self { slope: 0.0, ceiling: 6.0 };

    pub fn leaky(slope: f32) -> Self {
        Self { slope, ..Self::NONE }
    }

    #[inline(always)]
    pub fn apply<S: Simd>(&self, simd: S, x: S::f32s) -> S::f32s {
        let x = simd.max_f32s(x, simd.mul_f32s(x, simd.splat_f32s(self.slope)));
        simd.min_f32s(x, simd.splat_f32s(self.ceiling))
    }
}

/// Bias, residual and rectifier of one block of channels.
#[derive(Clone, Copy)]
pub(super) struct Epilogue<'a> {
    pub bias: &'a Block16,
    /// The block of the map that is added, if one is.
    pub residual: Option<&'a [Block16]>,
    pub rectifier: Rectifier,
}

impl Epilogue<'_> {
    /// The `v`-th vector at a position.
    #[inline(always)]
    pub fn apply<S: Simd>(&self, simd: S, position: usize, v: usize, sum: S::f32s) -> S::f32s {
        let mut y = simd.add_f32s(sum, self.bias.load::<S>(v));
        if let Some(residual) = self.residual {
            y = simd.add_f32s(y, residual[position].load::<S>(v));
        }
        self.rectifier.apply(simd, y)
    }
}
