//! The conditions against their definitions, and the theorem against simulated noise.

use faer::linalg::solvers::Solve;
use faer::{Mat, Side};

use super::*;
use crate::random::Random;

/// Two groups apart on two coordinates, with a little spread.
fn coordinates() -> Matrix {
    Matrix::from_fn(20, 2, |i, j| f64::from(i % 2 == j) + 0.05 * ((7 * i + 3 * j) as f64).sin())
}

/// `I − H` by the formula.
fn complement(x: &Matrix) -> Mat<f64> {
    let (n, d, x) = (x.rows(), x.cols(), x.view());
    let inverse = (x.transpose() * x).partial_piv_lu().solve(Mat::<f64>::identity(d, d));
    Mat::<f64>::identity(n, n) - x * inverse * x.transpose()
}

#[test]
fn nothing_wrong_satisfies_everything() {
    let truth: Vec<usize> = (0..20).map(|i| i % 2).collect();
    let conditions = identifiability(&coordinates(), &truth, &truth, 2).unwrap();
    assert_eq!((conditions.wrong, conditions.support, conditions.h), (0, 0, 0.0));
    assert!(conditions.restricted_eigenvalue && conditions.irrepresentability && conditions.large_error);
}

/// Everything from the `nc × nc` matrices of the paper, with `S` as a list of entries.
#[test]
fn agrees_with_the_definition_written_out() {
    let (n, c) = (20, 3);
    let x = Matrix::from_fn(n, 3, |i, j| f64::from(i % 3 == j) + 0.05 * ((7 * i + 3 * j) as f64).sin());
    let truth: Vec<usize> = (0..n).map(|i| i % 3).collect();
    let mut pseudo = truth.clone();
    (pseudo[3], pseudo[8]) = (1, 0);
    let conditions = identifiability(&x, &truth, &pseudo, c).unwrap();

    // I_c ⊗ (I − H), columns of a class one after the other.
    let single = complement(&x);
    let block = |a: usize, b: usize| if a / n == b / n { single[(a % n, b % n)] } else { 0.0 };
    let p = Mat::from_fn(n * c, n * c, block);
    let one_hot = |labels: &[usize], a: usize| f64::from(labels[a % n] == a / n);
    let error = |a: usize| one_hot(&pseudo, a) - one_hot(&truth, a);
    let (s, rest): (Vec<usize>, Vec<usize>) = (0..n * c).partition(|&a| error(a) != 0.0);
    assert_eq!((conditions.wrong, conditions.support), (2, s.len()));

    let gram = Mat::from_fn(s.len(), s.len(), |a, b| p[(s[a], s[b])]);
    let c_min = gram.self_adjoint_eigenvalues(Side::Lower).unwrap()[0];
    let inverse = gram.partial_piv_lu().solve(Mat::<f64>::identity(s.len(), s.len()));
    let product = Mat::from_fn(rest.len(), s.len(), |a, b| p[(rest[a], s[b])]) * &inverse;
    let row_sum = |a: usize| (0..s.len()).map(|b| product[(a, b)].abs()).sum::<f64>();
    let eta = 1.0 - (0..rest.len()).map(row_sum).fold(0.0, f64::max);
    let mu = rest.iter().map(|&a| p[(a, a)]).fold(0.0, f64::max);
    let signed = |a: usize| (0..s.len()).map(|b| inverse[(a, b)] * error(s[b])).sum::<f64>().abs();
    let sign = (0..s.len()).map(signed).fold(0.0, f64::max);
    let times = |labels: &[usize], a: usize| (0..n * c).map(|b| p[(a, b)] * one_hot(labels, b)).sum::<f64>();
    let squares: f64 = (0..n * c).map(|a| times(&truth, a).powi(2)).sum();
    let sigma = (squares / (n * c) as f64).sqrt();
    let lambda = 2.0 * sigma * mu.sqrt() / eta * ((c * n) as f64).ln().sqrt();
    let h = lambda * eta / (c_min * mu).sqrt() + lambda * sign;
    let lambda_max = (0..n * c).map(|a| times(&pseudo, a).abs()).fold(0.0, f64::max);
    for (name, ours, expected) in [
        ("C_min", conditions.c_min, c_min),
        ("η", conditions.eta, eta),
        ("μ", conditions.mu, mu),
        ("σ", conditions.sigma, sigma),
        ("λ", conditions.lambda, lambda),
        ("λ_max", conditions.lambda_max, lambda_max),
        ("h", conditions.h, h),
    ] {
        assert!((ours - expected).abs() < 1e-12 * expected, "{name}: {ours} against {expected}");
    }
    assert!(conditions.irrepresentability);
    assert_eq!(conditions.large_error, h < 1.0);
}

/// Without an intercept the noise of centred coordinates has the mean of the labels; with one it has mean zero.
#[test]
fn the_mean_of_the_noise_depends_on_the_intercept() {
    let truth: Vec<usize> = (0..20).map(|i| i % 2).collect();
    let centred = Matrix::from_fn(20, 1, |i, _| if i % 2 == 0 { 1.0 } else { -1.0 });
    let with = Matrix::from_fn(20, 2, |i, j| if j == 0 { 1.0 } else { centred[(i, 0)] });
    let mean = |x: &Matrix| {
        let conditions = identifiability(x, &truth, &truth, 2).unwrap();
        conditions.noise.as_slice().iter().sum::<f64>() / 40.0
    };
    assert!((mean(&centred) - 0.5).abs() < 1e-15);
    assert!(mean(&with).abs() < 1e-15);
}

#[test]
fn fails_where_the_coordinates_explain_everything() {
    let x = Matrix::from_fn(4, 4, |i, j| f64::from(i == j));
    let conditions = identifiability(&x, &[0, 1, 0, 1], &[0, 1, 0, 0], 2).unwrap();
    assert!(!conditions.restricted_eigenvalue && !conditions.irrepresentability && !conditions.large_error);
    assert!(conditions.h.is_infinite());
}

/// The minimum of `½‖P(y − γ)‖² + λ‖γ‖₁` for a projector `P`, by coordinate descent.
fn lasso(p: &Mat<f64>, y: &[f64], lambda: f64) -> Vec<f64> {
    let n = y.len();
    let mut gamma = vec![0.0; n];
    // P(y − γ).
    let mut left: Vec<f64> = (0..n).map(|i| (0..n).map(|j| p[(i, j)] * y[j]).sum()).collect();
    loop {
        let mut moved = 0.0f64;
        for i in 0..n {
            let pull: f64 = left[i] + p[(i, i)] * gamma[i];
            let next = pull.signum() * (pull.abs() - lambda).max(0.0) / p[(i, i)];
            let step = next - gamma[i];
            if step != 0.0 {
                (0..n).for_each(|j| left[j] -= p[(j, i)] * step);
                gamma[i] = next;
                moved = moved.max(step.abs());
            }
        }
        if moved < 1e-12 {
            return gamma;
        }
    }
}

/// Gaussian noise, drawn 2000 times: at the theorem's smallest `λ` its promises hold at least as often as it says.
#[test]
fn the_theorem_holds_in_simulation() {
    let (n, c, d, trials) = (40, 2, 2, 2000_u32);
    let mut random = Random::stream(7, 0);
    let x = Matrix::from_fn(n, d, |_, _| random.normal());
    let truth: Vec<usize> = (0..n).map(|i| i % c).collect();
    let mut pseudo = truth.clone();
    (pseudo[5], pseudo[12]) = (0, 1);
    let conditions = identifiability(&x, &truth, &pseudo, c).unwrap();
    assert!(conditions.irrepresentability, "{conditions:?}");
    // The bounds are proportional to σ: the simulated noise has another, small enough for C3.
    let sigma = 0.02;
    let (lambda, h) = (conditions.lambda * sigma / conditions.sigma, conditions.h * sigma / conditions.sigma);
    assert!(h < 1.0, "C3 must hold: {h}");
    let p = complement(&x);
    let error = |i: usize, k: usize| f64::from(pseudo[i] == k) - f64::from(truth[i] == k);
    let (mut subset, mut exact) = (0, 0);
    for _ in 0..trials {
        let (mut within, mut same) = (true, true);
        for k in 0..c {
            // Xβ* takes no part: P annihilates it.
            let y: Vec<f64> = (0..n).map(|i| error(i, k) + sigma * random.normal()).collect();
            for (i, gamma) in lasso(&p, &y, lambda).into_iter().enumerate() {
                let true_error = error(i, k);
                within &= if true_error == 0.0 { gamma == 0.0 } else { (gamma - true_error).abs() <= h };
                same &= if true_error == 0.0 { gamma == 0.0 } else { gamma * true_error > 0.0 };
            }
        }
        subset += usize::from(within);
        exact += usize::from(same);
    }
    let promised = 1.0 - 2.0 / (c * n) as f64;
    let share = |count: usize| f64::from(u32::try_from(count).unwrap()) / f64::from(trials);
    assert!(share(subset) >= promised, "no false positive: {} of {promised}", share(subset));
    assert!(share(exact) >= promised, "found exactly: {} of {promised}", share(exact));
}

/// The simulation can fail: far below the smallest `λ`, noise is taken for errors; far above, errors are missed.
#[test]
fn other_lambdas_break_the_promises() {
    let n = 40;
    let mut random = Random::stream(8, 0);
    let x = Matrix::from_fn(n, 2, |_, _| random.normal());
    let p = complement(&x);
    let error = |i: usize| f64::from(u8::from(i == 5));
    let y: Vec<f64> = (0..n).map(|i| error(i) + 0.02 * random.normal()).collect();
    assert!((0..n).any(|i| i != 5 && lasso(&p, &y, 0.005)[i] != 0.0));
    assert_eq!(lasso(&p, &y, 2.0)[5], 0.0);
}
