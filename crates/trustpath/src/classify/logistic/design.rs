//! Two ways to represent the same weights.
//!
//! The weights `W` lie in the span of the samples. With fewer samples than features they are represented as `W = αᵀX`, and
//! all that the solver needs is the Gram matrix ([`Span`]); otherwise directly ([`Primal`]). The solver works with
//! *coordinates* `θ` (α or W, class by class), their *image*, which is the sheet of scores `X Wᵀ`, and inner products.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

use super::sheet::{SymmetricPanels, stride};
use crate::Matrix;
use crate::linalg::vector::fused;

/// Weights in some coordinates, each class a slice of equal length.
pub(super) trait LogisticRows {
    /// Length of one class of the coordinates.
    fn coordinates(&self) -> usize;

    /// Writes the image `X Wᵀ` of coordinates.
    fn image(&self, theta: &[f64], image: &mut [f64]);

    /// Adds the coordinates of `scale · hᵀX` for a sheet `h`.
    fn add_adjoint(&self, scale: f64, h: &[f64], theta: &mut [f64]);

    /// `⟨U, V⟩` from the coordinates of both and the image of `V`.
    fn inner(&self, u: &[f64], v: &[f64], image_of_v: &[f64]) -> f64;

    /// How much rounding may add to `⟨V, V⟩` when coordinates cancel in `V`.
    fn rounding(&self, v: &[f64]) -> f64;
}

/// `W = αᵀX`: the image is `K α`, and `⟨U, V⟩ = ⟨α_U, K α_V⟩`.
#[derive(Debug)]
pub(super) struct Span<'a> {
    pub gram: &'a SymmetricPanels,
    pub classes: usize,
}

impl LogisticRows for Span<'_> {
    #[inline(always)]
    fn coordinates(&self) -> usize {
        self.gram.stride()
    }

    #[inline(always)]
    fn image(&self, theta: &[f64], image: &mut [f64]) {
        self.gram.times(self.classes, theta, image);
    }

    #[inline(always)]
    fn add_adjoint(&self, scale: f64, h: &[f64], theta: &mut [f64]) {
        fused::add_scaled(theta, scale, h);
    }

    #[inline(always)]
    fn inner(&self, u: &[f64], _v: &[f64], image_of_v: &[f64]) -> f64 {
        fused::dot(u, image_of_v)
    }

    #[inline(always)]
    fn rounding(&self, v: &[f64]) -> f64 {
        f64::EPSILON * self.gram.stride() as f64 * fused::dot(v, v)
    }
}

/// `W` itself, on the features of the samples.
#[derive(Debug)]
pub(super) struct Primal {
    pub x: Matrix,
    pub classes: usize,
}

impl Primal {
    fn sheet<'v>(&self, values: &'v [f64], length: usize) -> MatRef<'v, f64> {
        let stride = stride(length);
        MatRef::from_row_major_slice_with_stride(values, self.classes, length, stride)
    }

    // As a transposed column-major view: faer 0.24.4's strided row-major constructor of mutable views swaps the strides.
    fn sheet_mut<'v>(&self, values: &'v mut [f64], length: usize) -> MatMut<'v, f64> {
        let stride = stride(length);
        MatMut::from_column_major_slice_with_stride_mut(values, length, self.classes, stride).transpose_mut()
    }
}

impl LogisticRows for Primal {
    #[inline(always)]
    fn coordinates(&self) -> usize {
        stride(self.x.cols())
    }

    #[inline(always)]
    fn image(&self, theta: &[f64], image: &mut [f64]) {
        let (image, w) = (self.sheet_mut(image, self.x.rows()), self.sheet(theta, self.x.cols()));
        matmul(image, Accum::Replace, w, self.x.view().transpose(), 1.0, Par::Seq);
    }

    #[inline(always)]
    fn add_adjoint(&self, scale: f64, h: &[f64], theta: &mut [f64]) {
        let (w, h) = (self.sheet_mut(theta, self.x.cols()), self.sheet(h, self.x.rows()));
        matmul(w, Accum::Add, h, self.x.view(), scale, Par::Seq);
    }

    #[inline(always)]
    fn inner(&self, u: &[f64], v: &[f64], _image_of_v: &[f64]) -> f64 {
        fused::dot(u, v)
    }

    #[inline(always)]
    fn rounding(&self, _v: &[f64]) -> f64 {
        0.0
    }
}
