//! Data and comparisons for tests.

use super::Reduce;
use trustpath::{Instances, Matrix};

pub(crate) use crate::testing::{clusters, instances};

/// The projector `X (XᵀX)⁺ Xᵀ`, which signs and rotations of coordinates leave as it is.
pub(crate) fn projector(x: &Matrix) -> Matrix {
    let x = x.view();
    let pseudo_inverse = (x.transpose() * x).self_adjoint_eigen(faer::Side::Lower).unwrap();
    Matrix::from_view((x * pseudo_inverse.pseudoinverse() * x.transpose()).as_ref())
}

pub(crate) fn max_difference(a: &Matrix, b: &Matrix) -> f64 {
    a.as_slice().iter().zip(b.as_slice()).fold(0.0, |m, (a, b)| m.max((a - b).abs()))
}

/// `rows` points in six dimensions, the first `copies` of which are the same.
pub(crate) fn duplicates(rows: usize, copies: usize) -> Instances {
    instances(rows, 6, |i, j| {
        let i = if i < copies { 0 } else { i };
        ((i * 13 + j * 7 + i * j) as f64 * 0.7).sin()
    })
}

/// The coordinates of all instances.
pub(crate) fn coordinates(reduction: &impl Reduce, x: &Instances) -> Matrix {
    reduction.reduce(x, x.len()).unwrap().x
}
