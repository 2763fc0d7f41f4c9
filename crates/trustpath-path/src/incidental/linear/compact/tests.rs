use super::*;
use crate::incidental::{Grid, Incidental};

/// 40 classes on 12 coordinates, one label in nine wrong.
fn data() -> (Matrix, Vec<usize>, usize) {
    let (n, d, c) = (700, 12, 40);
    let x = Matrix::from_fn(n, d, |i, j| {
        let centre = ((i % c * 37 + j * 11) as f64).sin();
        centre + 0.5 * ((i * 13 + j * 7 + i * j) as f64).sin()
    });
    (x, (0..n).map(|i| if i % 9 == 0 { (i + 1) % c } else { i % c }).collect(), c)
}

fn params(roots: Roots, tolerance: f64) -> IciRParams {
    IciRParams { grid: Grid { points: 12, ratio: 0.02 }, tolerance, roots, ..Default::default() }
}

#[test]
fn coefficients_and_norms_are_those_of_the_general_solver() {
    let (x, labels, c) = data();
    let keep = Keep { beta: true, gamma: true, certificate: false };
    let exact = params(Roots::Interpolated, 1e-10).check().unwrap();
    let exact = exact.path(&x, &labels, c, keep).unwrap();
    let compact = params(Roots::Skipped, 1e-10);
    assert!(applies(&compact, 12, c, keep));
    let compact = compact.check().unwrap().path(&x, &labels, c, keep).unwrap();
    assert!((exact.lambda[0] - compact.lambda[0]).abs() < 1e-9);
    let largest = |m: &Matrix| m.as_slice().iter().fold(0.0f64, |most, v| most.max(v.abs()));
    let (ours, theirs) = (compact.beta.unwrap(), exact.beta.unwrap());
    for (ours, theirs) in ours.iter().zip(&theirs) {
        let apart = Matrix::from_fn(12, c, |a, k| ours[(a, k)] - theirs[(a, k)]);
        assert!(largest(&apart) < 2e-3 * largest(theirs), "{} {}", largest(&apart), largest(theirs));
    }
    let (ours, theirs) = (compact.gamma_norm.unwrap(), exact.gamma_norm.unwrap());
    let apart = Matrix::from_fn(12, 700, |k, i| ours[(k, i)] - theirs[(k, i)]);
    assert!(largest(&apart) < 2e-3, "{}", largest(&apart));
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let (x, labels, c) = data();
    let keep = Keep { beta: true, gamma: true, certificate: false };
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| path(&params(Roots::Skipped, 1e-4), &x, &labels, c, keep).unwrap().beta)
    };
    assert_eq!(with(1), with(3));
}

#[test]
fn coordinates_that_fit_every_label_have_the_least_squares_fit_everywhere() {
    let x = Matrix::from_fn(30, 30, |i, j| f64::from(u8::from(i == j)) + 0.01 * ((i + j) as f64).sin());
    let labels: Vec<usize> = (0..30).map(|i| i % 25).collect();
    let keep = Keep { beta: true, ..Keep::default() };
    let path = path(&params(Roots::Skipped, 1e-4), &x, &labels, 25, keep).unwrap();
    assert!(path.lambda.iter().all(|&lambda| lambda == 0.0));
    let beta = path.beta.unwrap();
    assert!(beta.iter().all(|b| b == &beta[0]));
}
