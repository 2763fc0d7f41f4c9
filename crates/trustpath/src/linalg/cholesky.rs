//! Cholesky factorisation of a small symmetric positive definite matrix, in place and without allocation.

use super::simd;
use super::vector::{add_scaled, dot};

/// Factors `A = L Lᵀ` in place. `a` is row-major `n × n`, of which the upper triangle is read; afterwards row `j` holds
/// column `j` of `L` from the diagonal on (that is, `Lᵀ`), the diagonal inverted. Returns `false`, leaving `a` unusable, when a pivot is not
/// above `floor`.
pub(crate) fn factor(a: &mut [f64], n: usize, floor: f64) -> bool {
    simd::dispatch(
        a,
        #[inline(always)]
        |a| factor_in_place(a, n, floor),
    )
}

#[inline(always)]
fn factor_in_place(a: &mut [f64], n: usize, floor: f64) -> bool {
    for j in 0..n {
        let (head, below) = a.split_at_mut((j + 1) * n);
        let row = &mut head[j * n..];
        let pivot = row[j];
        if pivot.is_nan() || pivot <= floor {
            return false;
        }
        let inverse = 1.0 / pivot.sqrt();
        for v in &mut row[j + 1..] {
            *v *= inverse;
        }
        row[j] = inverse;
        for (i, target) in (j + 1..n).zip(below.chunks_exact_mut(n)) {
            add_scaled(&mut target[i..], -row[i], &row[i..]);
        }
    }
    true
}

/// Solves `A x = b` in place, given the factor.
pub(crate) fn solve(l: &[f64], n: usize, b: &mut [f64]) {
    simd::dispatch(
        b,
        #[inline(always)]
        |b| solve_in_place(l, n, b),
    );
}

#[inline(always)]
fn solve_in_place(l: &[f64], n: usize, b: &mut [f64]) {
    for j in 0..n {
        let row = &l[j * n..(j + 1) * n];
        b[j] *= row[j];
        let s = b[j];
        add_scaled(&mut b[j + 1..], -s, &row[j + 1..]);
    }
    for j in (0..n).rev() {
        let row = &l[j * n..(j + 1) * n];
        b[j] = (b[j] - dot(&row[j + 1..], &b[j + 1..])) * row[j];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_and_refuses() {
        let n = 7;
        let entry = |i: usize, j: usize| {
            1.0 / (1.0 + i.abs_diff(j) as f64) + if i == j { 2.0 } else { 0.0 }
        };
        let mut a: Vec<f64> = (0..n * n).map(|k| entry(k / n, k % n)).collect();
        let x: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
        let mut b: Vec<f64> = (0..n).map(|i| (0..n).map(|j| entry(i, j) * x[j]).sum()).collect();
        assert!(factor(&mut a, n, 0.0));
        solve(&a, n, &mut b);
        assert!(b.iter().zip(&x).all(|(p, q)| (p - q).abs() < 1e-13));
        assert!(!factor(&mut [1.0, 2.0, 2.0, 1.0], 2, 0.0));
    }
}
