//! Data and comparisons for tests.

use super::{Embedding, Reduce};
use crate::linalg::noise;
use crate::neighbors::squared_difference;
use crate::{Features, Instances, Matrix};

/// `groups` clusters of `each` points in `dims` dimensions, the further apart the larger `spread`.
pub(crate) fn clusters(groups: usize, each: usize, dims: usize, spread: f64) -> Instances {
    instances(groups * each, dims, |i, j| {
        let group = i / each;
        let center = ((group * 7 + j * 3 + group * j) as f64 * 1.3).sin();
        spread * center + ((i * 131 + j * 71 + i * j * 17) as f64 * 0.61).sin()
    })
}

/// `count` points of `classes` classes in turn, each class along `directions` of its own and with noise in all `dims`;
/// the further apart the larger `spread`.
pub(crate) fn classes(
    count: usize,
    classes: usize,
    dims: usize,
    directions: usize,
    spread: f64,
) -> Instances {
    let mut state = 3;
    let mut draw = |many: usize| -> Vec<f64> { (0..many).map(|_| noise(&mut state)).collect() };
    let (centres, axes) = (draw(classes * dims), draw(classes * directions * dims));
    let (along, jitter) = (draw(count * directions), draw(count * dims));
    instances(count, dims, |i, j| {
        let class = i % classes;
        let tangent: f64 = (0..directions)
            .map(|l| along[i * directions + l] * axes[(class * directions + l) * dims + j])
            .sum();
        let tangent = 3.0 * tangent / (directions as f64).sqrt();
        spread * centres[class * dims + j] + tangent + 0.6 * jitter[i * dims + j]
    })
}

/// Correlation of the distances between rows in two matrices, over pairs of every seventh row.
pub(crate) fn correlation(a: &Matrix, b: &Matrix) -> f64 {
    let distances = |x: &Matrix| -> Vec<f64> {
        let rows = (0..x.rows()).step_by(7);
        rows.flat_map(|i| (0..i).step_by(7).map(move |j| (i, j)))
            .map(|(i, j)| squared_difference(x.row(i), x.row(j)).sqrt())
            .collect()
    };
    let (a, b) = (distances(a), distances(b));
    let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
    let (ma, mb) = (mean(&a), mean(&b));
    let product = |x: &[f64], mx: f64, y: &[f64], my: f64| -> f64 {
        x.iter().zip(y).map(|(x, y)| (x - mx) * (y - my)).sum()
    };
    product(&a, ma, &b, mb) / (product(&a, ma, &a, ma) * product(&b, mb, &b, mb)).sqrt()
}

pub(crate) fn instances(
    rows: usize,
    dims: usize,
    entry: impl FnMut(usize, usize) -> f64,
) -> Instances {
    let matrix = Matrix::from_fn(rows, dims, entry);
    Features::new(matrix.as_slice(), rows, dims).unwrap().normalize().unwrap()
}

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

/// Fails unless both span the same subspace, with as many null vectors.
pub(crate) fn assert_same_subspace(dense: &Embedding, sparse: &Embedding) {
    assert_eq!(dense.nullity, sparse.nullity);
    let difference = max_difference(&projector(&dense.x), &projector(&sparse.x));
    assert!(difference < 1e-6, "{difference:e} {:?}", sparse.iteration);
}
