//! `A = Q T Qᵀ`: a symmetric matrix to tridiagonal form by Householder reflections.
//!
//! Row `m` (from the last up) is brought to two entries by `H = I − τ v vᵀ`, and the leading rows become
//!
//! ```text
//! A ← A + v wᵀ + w vᵀ,   p = τ A v,   w = (τ/2)(pᵀv) v − p.
//! ```
//!
//! The matrix outgrows the first-level cache, so what costs is to move it, not to compute on it. Updates are therefore
//! held back, [`PENDING`] of them at a time: a step reads the lower triangle once, for `A v`, and accounts for the
//! pending updates by `v` and `w` alone; once there are that many, they are applied in the same pass, while a group of rows
//! is in cache. Working upwards keeps every row's active part at its beginning, so that vectors need no special first part:
//! rows are padded to a multiple of [`BLOCK`], and `v`, `w` are zero in the padding.

use pulp::{Arch, Simd, WithSimd};

use crate::Matrix;

/// Rows and columns of a diagonal block, which is stored completely; a multiple of every SIMD width.
const BLOCK: usize = 8;
/// Rows swept together, so that `v`, `w` and the product are loaded once for all of them.
const GROUP: usize = 4;
/// Updates held back.
const PENDING: usize = 2;

/// The tridiagonal form of a symmetric matrix, with what is needed to turn its vectors back.
#[derive(Debug)]
pub struct Tridiagonal {
    /// Diagonal of `T`.
    pub(super) diagonal: Vec<f64>,
    /// Off-diagonal of `T`: entry `i` couples `i` and `i + 1`.
    pub(super) off: Vec<f64>,
    /// Row `m` holds the `v` that reduced row `m`, in columns `0..m`.
    reflectors: Aligned,
    stride: usize,
    tau: Vec<f64>,
}

impl Tridiagonal {
    /// Reduces a symmetric matrix, of which only the lower triangle is read.
    pub fn of(a: &Matrix) -> Self {
        let n = a.rows();
        let stride = n.next_multiple_of(BLOCK);
        let mut reflectors = Aligned::zeros(stride * stride);
        let data = reflectors.as_mut_slice();
        for i in 0..n {
            data[i * stride..i * stride + i + 1].copy_from_slice(&a.row(i)[..=i]);
            for j in i / BLOCK * BLOCK..i {
                data[j * stride + i] = a[(i, j)];
            }
        }
        let mut tridiagonal =
            Self { diagonal: vec![0.0; n], off: vec![0.0; n.saturating_sub(1)], reflectors, stride, tau: vec![0.0; n] };
        Arch::new().dispatch(Reduction(&mut tridiagonal));
        tridiagonal
    }

    /// `x ← Q x` for every row `x`: from eigenvectors of `T` to eigenvectors of `A`.
    pub(super) fn turn_back(&self, rows: &mut Matrix) {
        Arch::new().dispatch(TurnBack { of: self, rows });
    }
}

/// Values that begin on a cache line, so that no SIMD load straddles two: worth a quarter of the time.
#[derive(Debug)]
struct Aligned {
    data: Vec<f64>,
    from: usize,
    len: usize,
}

impl Aligned {
    const LINE: usize = 64;

    fn zeros(len: usize) -> Self {
        let data = vec![0.0; len + Self::LINE / size_of::<f64>()];
        let from = data.as_ptr().align_offset(Self::LINE).min(data.len() - len);
        Self { data, from, len }
    }

    fn as_slice(&self) -> &[f64] {
        &self.data[self.from..self.from + self.len]
    }

    fn as_mut_slice(&mut self) -> &mut [f64] {
        &mut self.data[self.from..self.from + self.len]
    }
}

struct Reduction<'a>(&'a mut Tridiagonal);

impl WithSimd for Reduction<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Tridiagonal { diagonal, off, reflectors, stride, tau } = self.0;
        let (a, stride) = (reflectors.as_mut_slice(), *stride);
        // Padding is zero throughout: a product with it changes nothing.
        let mut workspace = Aligned::zeros(2 * (PENDING + 1) * stride);
        let (v, w) = workspace.as_mut_slice().split_at_mut(PENDING * stride);
        let (w, x) = w.split_at_mut(PENDING * stride);
        let (x, p) = x.split_at_mut(stride);
        let mut pending = 0;
        for m in (0..diagonal.len()).rev() {
            let active = (m + 1).next_multiple_of(BLOCK);
            let row = &mut a[m * stride..m * stride + active];
            let updates = v.chunks_exact_mut(stride).zip(w.chunks_exact_mut(stride));
            for (v, w) in updates.take(pending) {
                axpy(simd, v[m], &w[..active], row);
                axpy(simd, w[m], &v[..active], row);
                (v[m], w[m]) = (0.0, 0.0);
            }
            diagonal[m] = row[m];
            if m == 0 {
                break;
            }
            let (beta, t) = reflect(simd, &mut row[..m]);
            (off[m - 1], tau[m]) = (beta, t);
            x[..m].copy_from_slice(&row[..m]);
            x[m..].fill(0.0);

            let full = pending == PENDING;
            let apply = if full { PENDING * stride } else { 0 };
            sweep(simd, a, stride, m, (&v[..apply], &w[..apply]), x, p);
            if full {
                pending = 0;
            }
            p[m..].fill(0.0);
            let (x, p) = (&x[..active], &mut p[..active]);
            let updates = v.chunks_exact(stride).zip(w.chunks_exact(stride));
            for (v, w) in updates.take(pending) {
                axpy(simd, dot(simd, &w[..active], x), &v[..active], p);
                axpy(simd, dot(simd, &v[..active], x), &w[..active], p);
            }
            let half = 0.5 * t * t * dot(simd, p, x);
            let slot = pending * stride..(pending + 1) * stride;
            let (v, w) = (&mut v[slot.clone()], &mut w[slot]);
            v[..active].copy_from_slice(x);
            v[active..].fill(0.0);
            w.fill(0.0);
            axpy(simd, -t, p, &mut w[..active]);
            axpy(simd, half, x, &mut w[..active]);
            pending += 1;
        }
    }
}

/// The reflection that maps `x` to `β e_last`: `x` becomes its vector `v` with `v_last = 1`; gives `(β, τ)`.
#[inline(always)]
fn reflect<S: Simd>(simd: S, x: &mut [f64]) -> (f64, f64) {
    let (alpha, head) = x.split_last_mut().expect("a row to reduce has at least one entry");
    let norm2 = dot(simd, head, head);
    if norm2 == 0.0 {
        let beta = std::mem::replace(alpha, 1.0);
        return (beta, 0.0);
    }
    let beta = -(norm2 + *alpha * *alpha).sqrt().copysign(*alpha);
    let scale = 1.0 / (*alpha - beta);
    let tau = (beta - *alpha) / beta;
    head.iter_mut().for_each(|x| *x *= scale);
    *alpha = 1.0;
    (beta, tau)
}

/// On the leading `m` rows: `A ← A + Σ v wᵀ + w vᵀ` over the updates given, then `p = A x`.
#[inline(always)]
fn sweep<S: Simd>(simd: S, a: &mut [f64], stride: usize, m: usize, (v, w): (&[f64], &[f64]), x: &[f64], p: &mut [f64]) {
    p.fill(0.0);
    for first in (0..m).step_by(GROUP) {
        let block = first / BLOCK * BLOCK;
        let [a0, a1, a2, a3] = group::<S>(a, stride, first, block + BLOCK);
        for (v, w) in v.chunks_exact(stride).zip(w.chunks_exact(stride)) {
            let [v0, v1, v2, v3] = splats(simd, &v[first..first + GROUP]);
            let [w0, w1, w2, w3] = splats(simd, &w[first..first + GROUP]);
            let columns = S::as_simd_f64s(v).0.iter().zip(S::as_simd_f64s(w).0);
            let rows = a0.iter_mut().zip(&mut *a1).zip(&mut *a2).zip(&mut *a3);
            for ((((a0, a1), a2), a3), (&v, &w)) in rows.zip(columns) {
                *a0 = simd.mul_add_f64s(v0, w, simd.mul_add_f64s(w0, v, *a0));
                *a1 = simd.mul_add_f64s(v1, w, simd.mul_add_f64s(w1, v, *a1));
                *a2 = simd.mul_add_f64s(v2, w, simd.mul_add_f64s(w2, v, *a2));
                *a3 = simd.mul_add_f64s(v3, w, simd.mul_add_f64s(w3, v, *a3));
            }
        }

        let xs = &S::as_simd_f64s(x).0[..a0.len()];
        let [x0, x1, x2, x3] = splats(simd, &x[first..first + GROUP]);
        let zero = simd.splat_f64s(0.0);
        let (mut s0, mut s1, mut s2, mut s3) = (zero, zero, zero, zero);
        // Below the diagonal block an entry counts twice: for its own row and, mirrored, for its column's.
        let below = block / S::F64_LANES;
        let ps = S::as_mut_simd_f64s(p).0;
        let rows = a0[..below].iter().zip(&a1[..below]).zip(&a2[..below]).zip(&a3[..below]);
        for ((((&a0, &a1), &a2), &a3), (p, &x)) in rows.zip(ps.iter_mut().zip(xs)) {
            s0 = simd.mul_add_f64s(a0, x, s0);
            s1 = simd.mul_add_f64s(a1, x, s1);
            s2 = simd.mul_add_f64s(a2, x, s2);
            s3 = simd.mul_add_f64s(a3, x, s3);
            let even = simd.mul_add_f64s(a0, x0, simd.mul_add_f64s(a2, x2, *p));
            let odd = simd.mul_add_f64s(a1, x1, simd.mul_f64s(a3, x3));
            *p = simd.add_f64s(even, odd);
        }
        // The diagonal block has both triangles.
        for c in below..xs.len() {
            s0 = simd.mul_add_f64s(a0[c], xs[c], s0);
            s1 = simd.mul_add_f64s(a1[c], xs[c], s1);
            s2 = simd.mul_add_f64s(a2[c], xs[c], s2);
            s3 = simd.mul_add_f64s(a3[c], xs[c], s3);
        }
        for (p, sum) in p[first..].iter_mut().zip([s0, s1, s2, s3]) {
            *p += simd.reduce_sum_f64s(sum);
        }
    }
}

#[inline(always)]
fn splats<S: Simd>(simd: S, values: &[f64]) -> [S::f64s; GROUP] {
    [simd.splat_f64s(values[0]), simd.splat_f64s(values[1]), simd.splat_f64s(values[2]), simd.splat_f64s(values[3])]
}

/// Columns `..end` of the [`GROUP`] rows from `first`.
#[inline(always)]
fn group<S: Simd>(a: &mut [f64], stride: usize, first: usize, end: usize) -> [&mut [S::f64s]; GROUP] {
    let rows = &mut a[first * stride..(first + GROUP) * stride];
    let (r0, rows) = rows.split_at_mut(stride);
    let (r1, rows) = rows.split_at_mut(stride);
    let (r2, r3) = rows.split_at_mut(stride);
    let count = end / S::F64_LANES;
    [
        &mut S::as_mut_simd_f64s(r0).0[..count],
        &mut S::as_mut_simd_f64s(r1).0[..count],
        &mut S::as_mut_simd_f64s(r2).0[..count],
        &mut S::as_mut_simd_f64s(r3).0[..count],
    ]
}

/// `y ← y + factor x`.
#[inline(always)]
fn axpy<S: Simd>(simd: S, factor: f64, x: &[f64], y: &mut [f64]) {
    let (x, x_rest) = S::as_simd_f64s(x);
    let (y, y_rest) = S::as_mut_simd_f64s(y);
    let factors = simd.splat_f64s(factor);
    for (y, &x) in y.iter_mut().zip(x) {
        *y = simd.mul_add_f64s(factors, x, *y);
    }
    for (y, &x) in y_rest.iter_mut().zip(x_rest) {
        *y += factor * x;
    }
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
        let reflectors = reflectors.as_slice();
        // Reflection by reflection, not row by row: the rows do not wait for each other.
        for (m, &tau) in tau.iter().enumerate() {
            let v = &reflectors[m * stride..m * stride + m];
            for x in self.rows.as_mut_slice().chunks_exact_mut(self.of.tau.len()) {
                let x = &mut x[..m];
                axpy(simd, -tau * dot(simd, v, x), v, x);
            }
        }
    }
}
