//! Fits of one-hot labels, read for single labels, and where a label vanishes on a path of them.
//!
//! With `f = βᵀx`, the distance of `f` from the corner of label `k` is `‖e_k − f‖² = ‖f‖² − 2f_k + 1`, so `‖f‖²` and single
//! entries of `f` are all that is needed.

use crate::Matrix;
use crate::linalg::block::multiply;

/// Coefficients turned for more classes than coordinates: `‖f‖² = xᵀ(ββᵀ)x` and a few `f_k` cost less than all of `f`.
pub(crate) struct Turned {
    /// `βᵀ`, one row per class.
    pub beta: Matrix,
    /// `ββᵀ`.
    pub gram: Matrix,
}

impl Turned {
    /// Of `β`, `d × c`; nothing where there are no more classes than coordinates.
    pub fn of(beta: &Matrix) -> Option<Self> {
        let d = beta.rows();
        (beta.cols() > d).then(|| {
            let mut gram = Matrix::zeros(d, d);
            multiply(beta.as_slice(), d, beta.view().transpose(), gram.as_mut_slice());
            Self { beta: Matrix::from_view(beta.view().transpose()), gram }
        })
    }
}

/// A pair of instance and label on its way down a grid of `λ`, until it leaves.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LabelDescent {
    /// The smallest `λ` so far at which it is in, or where it left.
    pub vanish: f64,
    /// The excess `‖r‖ − λ` at the `λ` above, while it is in; not a number once it has left.
    above: f64,
}

impl Default for LabelDescent {
    fn default() -> Self {
        Self { vanish: 0.0, above: f64::NEG_INFINITY }
    }
}

impl LabelDescent {
    /// Goes from the `λ` before, if there is one, to `lambda`, where the squared residual is `square`.
    #[inline(always)]
    pub fn down(&mut self, before: Option<f64>, lambda: f64, square: f64) {
        if self.above.is_nan() {
            return;
        }
        let residual = square.max(0.0).sqrt();
        let excess = residual - lambda;
        if excess <= 0.0 {
            (self.vanish, self.above) = (lambda, excess);
            return;
        }
        // Between the two points of the grid the excess is taken to be straight.
        self.vanish = match before {
            None => residual,
            Some(before) => lambda + (before - lambda) * excess / (excess - self.above),
        };
        self.above = f64::NAN;
    }
}
