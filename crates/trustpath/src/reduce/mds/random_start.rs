//! The start and the end of the iteration in scikit-learn up to version 1.1, which the paper's code called.
//!
//! Four times, coordinates are drawn uniformly from `[0, 1)`, and a round fits `f` before it moves the points. The rounds
//! end as soon as
//!
//! ```text
//! σ/Σᵢ‖zᵢ‖   falls by less than 10⁻³
//! ```
//!
//! from one round to the next, and the start with the smallest `σ` counts. This stops while `σ` is still falling, so
//! that the coordinates keep much of the random start. `f` has `√2` times the size it has there, and so have the coordinates
//! and the bound.

use std::f64::consts::SQRT_2;

use super::Majorisation;
use crate::random::Random;
use crate::{Instances, Matrix};

/// Number of starts.
const STARTS: u64 = 4;
/// The fall of `σ/Σᵢ‖zᵢ‖` that ends the rounds.
const FALL: f64 = 1e-3 * SQRT_2;

/// The first `n` instances from the best of the random starts, which depend on the places of the instances alone.
pub(super) fn scale(instances: &Instances, n: usize, d: usize, rounds: usize) -> Majorisation {
    let mut scaling = Majorisation::at(instances, draw(n, d, 0));
    let mut best = (f64::INFINITY, scaling.z.clone());
    for start in 0..STARTS {
        scaling.z = draw(n, d, start);
        scaling.measure();
        let stress = run(&mut scaling, rounds);
        if stress < best.0 {
            best = (stress, scaling.z.clone());
        }
    }
    scaling.z = best.1;
    scaling.measure();
    scaling.fit_order();
    scaling
}

fn draw(n: usize, d: usize, start: u64) -> Matrix {
    let mut random = Random::stream(start, 0);
    Matrix::from_fn(n, d, |_, _| SQRT_2 * random.uniform())
}

/// Rounds until `σ` falls slowly; returns `σ` before the last move.
fn run(scaling: &mut Majorisation, rounds: usize) -> f64 {
    let (mut stress, mut before) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..rounds {
        scaling.fit_order();
        stress = scaling.stress();
        scaling.move_points();
        let size: f64 =
            scaling.z.iter_rows().map(|z| z.iter().map(|v| v * v).sum::<f64>().sqrt()).sum();
        if before - stress / size < FALL {
            break;
        }
        before = stress / size;
    }
    stress
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduce::mds::{Mds, Start};
    use crate::reduce::testing::{clusters, coordinates};

    #[test]
    fn a_random_start_ends_above_the_stress_of_the_fixed_one() {
        let x = clusters(4, 15, 10, 1.0);
        let fixed = Mds { d: 2, ..Default::default() }.scale(&x, 60).unwrap();
        let mut early = scale(&x, 60, 2, 300);
        assert!(early.stress() > 1.05 * fixed.stress());
        // It can be improved: it stopped by the rule, not at a minimum.
        let (after, _) = early.move_points();
        early.fit_order();
        assert!(early.stress() < after);
        // The best of four starts, not the first.
        let mut first = Majorisation::at(&x, draw(60, 2, 0));
        let first = run(&mut first, 300);
        let starts: Vec<f64> =
            (0..STARTS).map(|s| run(&mut Majorisation::at(&x, draw(60, 2, s)), 300)).collect();
        assert_eq!(starts[0], first);
        assert!(starts.iter().any(|s| *s != first));
    }

    #[test]
    fn the_same_instances_have_the_same_coordinates() {
        let x = clusters(3, 10, 8, 1.0);
        let mds = Mds { d: 3, start: Start::Random, ..Default::default() };
        assert_eq!(coordinates(&mds, &x), coordinates(&mds, &x));
    }
}
