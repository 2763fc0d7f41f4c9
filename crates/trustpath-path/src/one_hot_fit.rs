//! Fits of one-hot labels, read for single labels, and where a label vanishes on a path of them.
//!
//! With `f = βᵀx`, the squared distance of `f` from the corner of label `k` is `‖f‖² − 2f_k + 1`, so that `‖f‖²` and single
//! entries of `f` are all that is needed.

use rayon::prelude::*;

use crate::Matrix;
use crate::linalg::block::multiply;
use crate::linalg::vector::dot_in_order;

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

/// Rows worked on together.
pub const ROWS: usize = 256;

/// Coefficients that are ready to be read row by row.
pub(crate) struct Fitted<'a> {
    beta: &'a Matrix,
    turned: Option<Turned>,
}

impl<'a> Fitted<'a> {
    pub fn new(beta: &'a Matrix) -> Self {
        Self { beta, turned: Turned::of(beta) }
    }

    /// `‖yᵢ − βᵀxᵢ‖` of every row, under its label.
    pub fn residuals(&self, x: &Matrix, labels: &[usize]) -> impl Iterator<Item = f64> {
        let fits = self.square_and_entry(x, labels).into_iter();
        fits.map(|(square, entry)| (square - 2.0 * entry + 1.0).max(0.0).sqrt())
    }

    /// `‖f‖²` of every row, and the entry of `f` at its label.
    fn square_and_entry(&self, x: &Matrix, labels: &[usize]) -> Vec<(f64, f64)> {
        let d = x.cols();
        let blocks = x.as_slice().par_chunks(ROWS * d).zip(labels.par_chunks(ROWS));
        blocks.flat_map_iter(|(x, labels)| self.block(x, labels)).collect()
    }

    fn block(&self, x: &[f64], labels: &[usize]) -> Vec<(f64, f64)> {
        let rows = labels.len();
        match &self.turned {
            None => {
                let c = self.beta.cols();
                let mut f = vec![0.0; rows * c];
                multiply(x, rows, self.beta.view(), &mut f);
                let rows = f.chunks_exact(c).zip(labels);
                rows.map(|(f, &label)| (dot_in_order(f, f), f[label])).collect()
            }
            Some(Turned { beta, gram }) => {
                let d = gram.rows();
                let mut bent = vec![0.0; rows * d];
                multiply(x, rows, gram.view(), &mut bent);
                let rows = x.chunks_exact(d).zip(bent.chunks_exact(d)).zip(labels);
                rows.map(|((x, bent), &label)| (dot_in_order(x, bent).max(0.0), dot_in_order(x, beta.row(label))))
                    .collect()
            }
        }
    }
}

/// `XᵀWY` for one-hot `Y`: the weighted sum of the rows of every class, `d × c`.
pub(crate) fn class_sums(x: &Matrix, labels: &[usize], weights: &[f64], classes: usize) -> Matrix {
    let mut turned = Matrix::zeros(classes, x.cols());
    for ((x, &label), w) in x.iter_rows().zip(labels).zip(weights) {
        turned.row_mut(label).iter_mut().zip(x).for_each(|(sum, x)| *sum += w * x);
    }
    Matrix::from_view(turned.view().transpose())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_agree_with_the_definition() {
        for (d, c) in [(7, 3), (4, 9)] {
            let x = Matrix::from_fn(300, d, |i, j| ((i * 5 + j * 3) as f64).sin());
            let beta = Matrix::from_fn(d, c, |i, j| ((i * 7 + j) as f64).cos());
            let labels: Vec<usize> = (0..300).map(|i| i % c).collect();
            let fits = Fitted::new(&beta).square_and_entry(&x, &labels);
            for (i, (square, at_label)) in fits.into_iter().enumerate() {
                let entry = |k: usize| (0..d).map(|j| x[(i, j)] * beta[(j, k)]).sum::<f64>();
                let expected: f64 = (0..c).map(|k| entry(k) * entry(k)).sum();
                assert!((square - expected).abs() < 1e-10 * (1.0 + expected));
                assert!((at_label - entry(labels[i])).abs() < 1e-12);
            }
        }
    }
}
