//! Sums over the rows. All are added over strips that depend on the number of rows alone, or class by class in the order of the
//! rows: the same to the bit for any number of threads.

use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::traits::ComplexField;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

use crate::Matrix;
use crate::linalg::block::{inner, times};
use crate::linalg::simd;
use crate::linalg::vector::{add_scaled, dot};

/// Rows that are multiplied together.
const BLOCK: usize = 256;
/// Largest number of strips, each with its own sums.
const STRIPS: usize = 32;

/// Rows with orthonormal coordinates, and their labels.
#[derive(Debug)]
pub(super) struct CompactRows {
    x: Matrix,
    /// The same in single precision.
    single: Vec<f32>,
    labels: Vec<usize>,
    /// Rows class by class, in ascending order within each.
    order: Vec<usize>,
    /// Where each class starts in the order, and the end of the last.
    start: Vec<usize>,
}

/// The sums at one point.
#[derive(Debug, Clone, Default)]
pub(super) struct Sums {
    pub value: f64,
    /// One row per class.
    pub gradient: Matrix,
    /// `A(w)`.
    pub gram: Matrix,
    /// `‖rᵢ‖`.
    pub norms: Vec<f64>,
}

impl CompactRows {
    pub fn new(x: Matrix, labels: &[usize], classes: usize) -> Self {
        let mut order: Vec<usize> = (0..labels.len()).collect();
        order.sort_by_key(|&row| labels[row]);
        let start = (0..=classes).map(|k| order.partition_point(|&row| labels[row] < k)).collect();
        Self { single: single(&x), x, labels: labels.to_vec(), order, start }
    }

    pub fn len(&self) -> usize {
        self.labels.len()
    }

    pub fn dims(&self) -> usize {
        self.x.cols()
    }

    pub fn classes(&self) -> usize {
        self.start.len() - 1
    }

    /// `T(w)`, one row per class.
    pub fn class_sums(&self, weight: impl Fn(usize) -> f64 + Sync) -> Matrix {
        let d = self.dims();
        let mut sums = Matrix::zeros(self.classes(), d);
        sums.as_mut_slice().par_chunks_exact_mut(d.max(1)).enumerate().for_each(|(k, to)| {
            for &row in &self.order[self.start[k]..self.start[k + 1]] {
                add_scaled(to, weight(row), self.x.row(row));
            }
        });
        sums
    }

    /// Rows in a strip.
    fn strip(&self) -> usize {
        self.len().div_ceil(STRIPS).next_multiple_of(BLOCK)
    }

    /// Value, gradient, `A(w)` and norms at `b`, one row per class; the products over all rows in the precision asked for.
    pub fn evaluate(&self, b: &Matrix, lambda: f64, precision: Precision) -> Sums {
        let square = inner(b, b, 1.0);
        let mut norms = vec![0.0; self.len()];
        // The norm of a row, and its weight, from xᵀ(BᵀB)x.
        let each = |row: usize, bent: f64| {
            let fit = dot(self.x.row(row), b.row(self.labels[row]));
            let norm = (1.0 - 2.0 * fit + bent).max(0.0).sqrt();
            (norm, weight(norm, lambda))
        };
        let gram = match precision {
            Precision::Single => self.weighted_gram(&self.single, &single(&square), &mut norms, each),
            Precision::Double => self.weighted_gram(self.x.as_slice(), square.as_slice(), &mut norms, each),
        };
        let value = norms.iter().fold(0.0, |sum, &norm| {
            // Both pieces of ρ are w‖r‖ (‖r‖ − ½ w‖r‖).
            let clipped = norm * weight(norm, lambda);
            sum + clipped * (norm - 0.5 * clipped)
        });
        let mut gradient = times(b, gram.view());
        let sums = self.class_sums(|row| weight(norms[row], lambda));
        add_scaled(gradient.as_mut_slice(), -1.0, sums.as_slice());
        Sums { value, gradient, gram, norms }
    }

    /// The product of the curvature at `b`, where the sums are known, with `v`, in single precision:
    /// `V A(w) − T(s) + B A(s)` with `sᵢ = wᵢ (r̂ᵢᵀVxᵢ)/‖rᵢ‖` where `‖rᵢ‖ > λ`, else 0.
    pub fn product(&self, b: &Matrix, lambda: f64, at: &Sums, v: &Matrix) -> Matrix {
        let mut along = vec![0.0; self.len()];
        let each = |row: usize, bent: f64| {
            let norm = at.norms[row];
            if norm <= lambda {
                return (0.0, 0.0);
            }
            let fit = dot(self.x.row(row), v.row(self.labels[row]));
            let along = weight(norm, lambda) * (fit - bent) / (norm * norm);
            (along, along)
        };
        let cross = single(&inner(b, v, 1.0));
        let gram = self.weighted_gram(&self.single, &cross, &mut along, each);
        let mut product = times(v, at.gram.view());
        let bent = times(b, gram.view());
        add_scaled(product.as_mut_slice(), 1.0, bent.as_slice());
        let sums = self.class_sums(|row| along[row]);
        add_scaled(product.as_mut_slice(), -1.0, sums.as_slice());
        product
    }

    /// `Σᵢ sᵢ xᵢxᵢᵀ`, where `each(i, xᵢᵀMxᵢ)` says what to write for row `i`, and `sᵢ`.
    fn weighted_gram<T: Real>(
        &self,
        x: &[T],
        m: &[T],
        written: &mut [f64],
        each: impl Fn(usize, f64) -> (f64, f64) + Sync,
    ) -> Matrix {
        let (d, strip) = (self.dims(), self.strip());
        let strips: Vec<Vec<T>> = written
            .par_chunks_mut(strip)
            .enumerate()
            .map(|(at, written)| {
                let (mut gram, mut bent) = (vec![T::from(0); d * d], vec![T::from(0); BLOCK * d]);
                for (block, written) in written.chunks_mut(BLOCK).enumerate() {
                    let (first, count) = (at * strip + block * BLOCK, written.len());
                    let x = &x[first * d..(first + count) * d];
                    let bent = &mut bent[..x.len()];
                    matmul(
                        MatMut::from_row_major_slice_mut(&mut *bent, count, d),
                        Accum::Replace,
                        MatRef::from_row_major_slice(x, count, d),
                        MatRef::from_row_major_slice(m, d, d),
                        T::from(1),
                        Par::Seq,
                    );
                    simd::dispatch(
                        (x, &mut *bent, written, &each),
                        #[inline(always)]
                        |(x, bent, written, each)| {
                            let rows = x.chunks_exact(d).zip(bent.chunks_exact_mut(d));
                            for (at, ((x, bent), to)) in rows.zip(written).enumerate() {
                                let (value, scale) = each(first + at, T::dot(x, bent));
                                *to = value;
                                T::scale(x, scale, bent);
                            }
                        },
                    );
                    triangular::matmul(
                        MatMut::from_row_major_slice_mut(&mut gram, d, d),
                        BlockStructure::TriangularLower,
                        Accum::Add,
                        MatRef::from_row_major_slice(&*bent, count, d).transpose(),
                        BlockStructure::Rectangular,
                        MatRef::from_row_major_slice(x, count, d),
                        BlockStructure::Rectangular,
                        T::from(1),
                        Par::Seq,
                    );
                }
                gram
            })
            .collect();
        let mut gram = Matrix::zeros(d, d);
        for part in &strips {
            gram.as_mut_slice().iter_mut().zip(part).for_each(|(to, &v)| *to += v.into());
        }
        for i in 0..d {
            for j in i + 1..d {
                gram[(i, j)] = gram[(j, i)];
            }
        }
        gram
    }
}

/// The precision of the products over all rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Precision {
    Single,
    Double,
}

/// A number in one of the two precisions.
trait Real: ComplexField + Copy + From<u8> + Into<f64> + Send + Sync {
    /// `Σ aᵢ bᵢ` in a fixed order of lanes.
    fn dot(a: &[Self], b: &[Self]) -> f64;

    /// `to = s x`.
    fn scale(x: &[Self], s: f64, to: &mut [Self]);
}

impl Real for f64 {
    #[inline(always)]
    fn dot(a: &[Self], b: &[Self]) -> f64 {
        dot(a, b)
    }

    #[inline(always)]
    fn scale(x: &[Self], s: f64, to: &mut [Self]) {
        to.iter_mut().zip(x).for_each(|(to, x)| *to = s * x);
    }
}

impl Real for f32 {
    #[inline(always)]
    fn dot(a: &[Self], b: &[Self]) -> f64 {
        const LANES: usize = 16;
        let (a16, b16) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
        let tail = a16.remainder().iter().zip(b16.remainder()).fold(0.0, |sum, (a, b)| sum + a * b);
        let mut lanes = [0.0f32; LANES];
        for (a, b) in a16.zip(b16) {
            for l in 0..LANES {
                lanes[l] = a[l].mul_add(b[l], lanes[l]);
            }
        }
        f64::from(lanes.iter().sum::<f32>() + tail)
    }

    #[inline(always)]
    fn scale(x: &[Self], s: f64, to: &mut [Self]) {
        let s = s as Self;
        to.iter_mut().zip(x).for_each(|(to, x)| *to = s * x);
    }
}

fn single(m: &Matrix) -> Vec<f32> {
    m.as_slice().iter().map(|&v| v as f32).collect()
}

/// `w = min(1, λ/‖r‖)`.
#[inline(always)]
fn weight(norm: f64, lambda: f64) -> f64 {
    if norm > lambda { lambda / norm } else { 1.0 }
}
