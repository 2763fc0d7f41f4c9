//! `A = Q T Qᵀ`: a symmetric matrix to tridiagonal form by Householder reflections.
//!
//! Row `m` (from the last up) is brought to two entries by `H = I − τ v vᵀ`, and the leading rows become
//!
//! ```text
//! A ← A − v wᵀ − w vᵀ,   p = τ A v,   w = p − (τ/2)(pᵀv) v.
//! ```
//!
//! The update of one step and the product `A v` of the next are one sweep over the lower triangle, which is thus read
//! and written once per step. Working upwards keeps every row's active part at its beginning, so that vectors need no
//! ragged heads: rows are padded to a multiple of [`BLOCK`], and `v`, `w` are zero in the padding.

use pulp::{Arch, Simd, WithSimd};

use crate::Matrix;

/// Rows and columns of a diagonal block, which is kept whole; a multiple of every SIMD width.
const BLOCK: usize = 8;
/// Rows swept together, so that `v`, `w` and the product are loaded once for all of them.
const GROUP: usize = 4;

/// The tridiagonal form of a symmetric matrix, with what is needed to turn its vectors back.
#[derive(Debug, Clone)]
pub(crate) struct Tridiagonal {
    /// Diagonal of `T`.
    pub(super) diagonal: Vec<f64>,
    /// Off-diagonal of `T`: entry `i` couples `i` and `i + 1`.
    pub(super) off: Vec<f64>,
    /// Row `m` holds the `v` that reduced row `m`, in columns `0..m`.
    reflectors: Vec<f64>,
    stride: usize,
    tau: Vec<f64>,
}

impl Tridiagonal {
    /// Reduces a symmetric matrix, of which only the lower triangle is read.
    pub(crate) fn of(a: &Matrix) -> Self {
        let n = a.rows();
        let stride = n.next_multiple_of(BLOCK);
        let mut data = vec![0.0; stride * stride];
        for i in 0..n {
            data[i * stride..i * stride + i + 1].copy_from_slice(&a.row(i)[..=i]);
            for j in i / BLOCK * BLOCK..i {
                data[j * stride + i] = a[(i, j)];
            }
        }
        let mut tridiagonal = Self {
            diagonal: vec![0.0; n],
            off: vec![0.0; n.saturating_sub(1)],
            reflectors: data,
            stride,
            tau: vec![0.0; n],
        };
        Arch::new().dispatch(Reduction(&mut tridiagonal));
        tridiagonal
    }

    /// `x ← Q x` for every row `x`: from eigenvectors of `T` to eigenvectors of `A`.
    pub(super) fn turn_back(&self, rows: &mut Matrix) {
        Arch::new().dispatch(TurnBack { of: self, rows });
    }
}

struct Reduction<'a>(&'a mut Tridiagonal);

impl WithSimd for Reduction<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Tridiagonal { diagonal, off, reflectors: a, stride, tau } = self.0;
        let stride = *stride;
        // Padding is zero throughout: a product with it changes nothing.
        let (mut v, mut w) = (vec![0.0; stride], vec![0.0; stride]);
        let (mut x, mut p) = (vec![0.0; stride], vec![0.0; stride]);
        for m in (1..diagonal.len()).rev() {
            let active = (m + 1).next_multiple_of(BLOCK).min(stride);
            let row = &mut a[m * stride..m * stride + active];
            update_row(simd, row, v[m], w[m], &v[..active], &w[..active]);
            diagonal[m] = row[m];
            (v[m], w[m]) = (0.0, 0.0);
            let (beta, t) = reflect(&mut row[..m]);
            off[m - 1] = beta;
            tau[m] = t;
            x[..m].copy_from_slice(&row[..m]);
            x[m..].fill(0.0);
            if m == 1 {
                break;
            }

            sweep(simd, a, stride, m, [&v, &w, &x], &mut p);
            p[m..].fill(0.0);
            let half = 0.5 * t * t * dot(simd, &p, &x);
            for ((w, &p), &x) in w.iter_mut().zip(&p).zip(&x) {
                *w = t * p - half * x;
            }
            std::mem::swap(&mut v, &mut x);
        }
        // The corner: its last update is still pending after the last row but one.
        if let Some(first) = diagonal.first_mut() {
            *first = a[0] - 2.0 * v[0] * w[0];
        }
    }
}

/// The reflection that maps `x` to `β e_last`: `x` becomes its vector `v` with `v_last = 1`; gives `(β, τ)`.
#[inline(always)]
fn reflect(x: &mut [f64]) -> (f64, f64) {
    let (alpha, head) = x.split_last_mut().expect("a row to reduce has at least one entry");
    let norm2: f64 = head.iter().map(|x| x * x).sum();
    if norm2 == 0.0 {
        let beta = std::mem::replace(alpha, 1.0);
        return (beta, 0.0);
    }
    let beta = -norm2.sqrt().hypot(*alpha).copysign(*alpha);
    let scale = 1.0 / (*alpha - beta);
    let tau = (beta - *alpha) / beta;
    head.iter_mut().for_each(|x| *x *= scale);
    *alpha = 1.0;
    (beta, tau)
}

/// `row ← row − vᵢ w − wᵢ v`.
#[inline(always)]
fn update_row<S: Simd>(simd: S, row: &mut [f64], vi: f64, wi: f64, v: &[f64], w: &[f64]) {
    let (vi, wi) = (simd.splat_f64s(-vi), simd.splat_f64s(-wi));
    let (v, w) = (S::as_simd_f64s(v).0, S::as_simd_f64s(w).0);
    for ((a, &v), &w) in S::as_mut_simd_f64s(row).0.iter_mut().zip(v).zip(w) {
        *a = simd.mul_add_f64s(vi, w, simd.mul_add_f64s(wi, v, *a));
    }
}

/// One sweep over the leading `m` rows: `A ← A − v wᵀ − w vᵀ`, then `p = A x`.
#[inline(always)]
fn sweep<S: Simd>(
    simd: S,
    a: &mut [f64],
    stride: usize,
    m: usize,
    [v, w, x]: [&[f64]; 3],
    p: &mut [f64],
) {
    p.fill(0.0);
    for first in (0..m).step_by(GROUP) {
        let block = first / BLOCK * BLOCK;
        let rows = &mut a[first * stride..(first + GROUP) * stride];
        let (r0, rows) = rows.split_at_mut(stride);
        let (r1, rows) = rows.split_at_mut(stride);
        let (r2, r3) = rows.split_at_mut(stride);
        let end = block + BLOCK;
        let (a0, b0) = split(S::as_mut_simd_f64s(&mut r0[..end]).0, block / S::F64_LANES);
        let (a1, b1) = split(S::as_mut_simd_f64s(&mut r1[..end]).0, block / S::F64_LANES);
        let (a2, b2) = split(S::as_mut_simd_f64s(&mut r2[..end]).0, block / S::F64_LANES);
        let (a3, b3) = split(S::as_mut_simd_f64s(&mut r3[..end]).0, block / S::F64_LANES);
        let minus = |u: &[f64]| [0, 1, 2, 3].map(|r| simd.splat_f64s(-u[first + r]));
        let (vi, wi) = (minus(v), minus(w));
        let xi = [0, 1, 2, 3].map(|r| simd.splat_f64s(x[first + r]));
        let (vs, ws, xs) = (
            S::as_simd_f64s(&v[..end]).0,
            S::as_simd_f64s(&w[..end]).0,
            S::as_simd_f64s(&x[..end]).0,
        );
        let mut sum = [simd.splat_f64s(0.0); GROUP];

        // Below the diagonal block an entry counts twice: for its own row and, mirrored, for its column's.
        let below = a0.len();
        let ps = &mut S::as_mut_simd_f64s(p).0[..below];
        let (vb, wb, xb) = (&vs[..below], &ws[..below], &xs[..below]);
        let (a1, a2, a3) = (&mut a1[..below], &mut a2[..below], &mut a3[..below]);
        for c in 0..below {
            let mut column = ps[c];
            for (r, a) in [&mut a0[c], &mut a1[c], &mut a2[c], &mut a3[c]].into_iter().enumerate() {
                let t = simd.mul_add_f64s(vi[r], wb[c], simd.mul_add_f64s(wi[r], vb[c], *a));
                *a = t;
                sum[r] = simd.mul_add_f64s(t, xb[c], sum[r]);
                column = simd.mul_add_f64s(t, xi[r], column);
            }
            ps[c] = column;
        }
        // The diagonal block is whole.
        let (vb, wb, xb) = (&vs[below..], &ws[below..], &xs[below..]);
        for c in 0..vb.len() {
            for (r, a) in [&mut b0[c], &mut b1[c], &mut b2[c], &mut b3[c]].into_iter().enumerate() {
                let t = simd.mul_add_f64s(vi[r], wb[c], simd.mul_add_f64s(wi[r], vb[c], *a));
                *a = t;
                sum[r] = simd.mul_add_f64s(t, xb[c], sum[r]);
            }
        }
        for (r, sum) in sum.into_iter().enumerate() {
            p[first + r] += simd.reduce_sum_f64s(sum);
        }
    }
}

#[inline(always)]
fn split<T>(row: &mut [T], at: usize) -> (&mut [T], &mut [T]) {
    row.split_at_mut(at)
}

/// `aᵀb`, in four independent sums.
#[inline(always)]
fn dot<S: Simd>(simd: S, a: &[f64], b: &[f64]) -> f64 {
    let (a, a_rest) = S::as_simd_f64s(a);
    let (b, b_rest) = S::as_simd_f64s(b);
    let mut sums = [simd.splat_f64s(0.0); 4];
    let (a4, a1) = a.as_chunks::<4>();
    let (b4, b1) = b.as_chunks::<4>();
    for (a, b) in a4.iter().zip(b4) {
        for k in 0..4 {
            sums[k] = simd.mul_add_f64s(a[k], b[k], sums[k]);
        }
    }
    for (&a, &b) in a1.iter().zip(b1) {
        sums[0] = simd.mul_add_f64s(a, b, sums[0]);
    }
    let sum = simd.add_f64s(simd.add_f64s(sums[0], sums[1]), simd.add_f64s(sums[2], sums[3]));
    a_rest.iter().zip(b_rest).fold(simd.reduce_sum_f64s(sum), |s, (a, b)| s + a * b)
}

struct TurnBack<'a> {
    of: &'a Tridiagonal,
    rows: &'a mut Matrix,
}

impl WithSimd for TurnBack<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Tridiagonal { reflectors, stride, tau, .. } = self.of;
        for x in self.rows.as_mut_slice().chunks_exact_mut(tau.len()) {
            for m in 1..tau.len() {
                let v = &reflectors[m * stride..m * stride + m];
                let factor = -tau[m] * dot(simd, v, &x[..m]);
                let (v, v_rest) = S::as_simd_f64s(v);
                let (x, x_rest) = S::as_mut_simd_f64s(&mut x[..m]);
                let factors = simd.splat_f64s(factor);
                for (x, &v) in x.iter_mut().zip(v) {
                    *x = simd.mul_add_f64s(factors, v, *x);
                }
                for (x, &v) in x_rest.iter_mut().zip(v_rest) {
                    *x += factor * v;
                }
            }
        }
    }
}
