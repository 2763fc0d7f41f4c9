//! The start and the end of the iteration in scikit-learn up to version 1.1, which the paper's code called.
//!
//! Four times, coordinates are drawn uniformly from `[0, 1)`, and a round fits `f` before it moves the points. The rounds
//! end as soon as
//!
//! ```text
//! σ/Σᵢ‖zᵢ‖   falls by less than 10⁻³
//! ```
//!
//! from one round to the next, and the start with the smallest `σ` counts. `f` has `√2` times the size it has there, and so have the coordinates
//! and the bound.

use std::f64::consts::SQRT_2;

use super::Majorisation;
use trustpath::random::Random;
use trustpath::{Instances, Matrix};

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
        let size: f64 = scaling.z.iter_rows().map(|z| z.iter().map(|v| v * v).sum::<f64>().sqrt()).sum();
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
    use crate::reduce::mds::{Mds, MdsStart};
    use crate::reduce::testing::{clusters, coordinates};

    #[test]
    fn the_start_with_the_smallest_stress_counts() {
        let x = clusters(4, 15, 10, 1.0);
        let end = |start: u64, rounds: usize| {
            let mut scaling = Majorisation::at(&x, draw(60, 2, start));
            (run(&mut scaling, rounds), scaling.z)
        };
        let ends: Vec<(f64, Matrix)> = (0..STARTS).map(|start| end(start, 300)).collect();
        let best = ends.iter().min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
        assert_eq!(scale(&x, 60, 2, 300).z, best.1);
        assert!(ends.iter().any(|other| other.0 > best.0));
        assert!((0..STARTS).all(|start| end(start, 1).0 > ends[start as usize].0));
    }

    #[test]
    fn the_same_instances_have_the_same_coordinates() {
        let x = clusters(3, 10, 8, 1.0);
        let mds = Mds { d: 3, start: MdsStart::Random };
        assert_eq!(coordinates(&mds, &x), coordinates(&mds, &x));
    }
}
