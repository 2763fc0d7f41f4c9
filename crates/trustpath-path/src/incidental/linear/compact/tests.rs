use super::*;
use crate::incidental::{Grid, Incidental};
use crate::testing::many_classes;

const KEEP: Keep = Keep { beta: true, gamma: true, certificate: false };

fn params(roots: Roots, tolerance: f64) -> IciRParams {
    IciRParams { grid: Grid { points: 12, ratio: 0.02 }, tolerance, roots, ..Default::default() }
}

#[test]
fn coefficients_and_norms_are_those_of_the_general_solver() {
    let ((x, labels), c) = (many_classes(700), 40);
    assert!(applies(&params(Roots::Skipped, 1e-10), 12, c, KEEP));
    let [exact, compact] = [Roots::Interpolated, Roots::Skipped].map(|roots| {
        let model = params(roots, 1e-10).check().unwrap();
        model.path(&x, &labels, c, KEEP).unwrap()
    });
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
    let ((x, labels), c) = (many_classes(700), 40);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| path(&params(Roots::Skipped, 1e-4), &x, &labels, c, KEEP).unwrap().beta)
    };
    assert_eq!(with(1), with(3));
}

#[test]
fn coordinates_that_fit_every_label_have_the_least_squares_fit_everywhere() {
    let x = Matrix::from_fn(30, 30, |i, j| f64::from(u8::from(i == j)) + 0.01 * ((i + j) as f64).sin());
    let labels: Vec<usize> = (0..30).map(|i| i % 25).collect();
    let path = path(&params(Roots::Skipped, 1e-4), &x, &labels, 25, KEEP).unwrap();
    assert!(path.lambda.iter().all(|&lambda| lambda == 0.0));
    let beta = path.beta.unwrap();
    assert!(beta.iter().all(|b| b == &beta[0]));
}
