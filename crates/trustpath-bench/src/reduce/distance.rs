//! Distances of instances of unit length from their Gram matrix: `‖xᵢ − xⱼ‖² = 2 − 2 Kᵢⱼ`, measured where that cancels.

use trustpath::Instances;
use trustpath::limits::GRAM_ROWS;
use trustpath::neighbors::{Neighbors, measured};

/// Below this squared distance `2 − 2K` has lost more than three of its sixteen digits.
const CLOSE: f64 = 1e-3;
/// Squared distance of vectors that differ only by rounding.
const ROUNDING: f64 = (16.0 * f64::EPSILON) * (16.0 * f64::EPSILON);

/// `‖xᵢ − xⱼ‖²`.
pub(crate) fn squared_distance(instances: &Instances, i: usize, j: usize) -> f64 {
    if instances.len() > GRAM_ROWS {
        return measured(instances, i, j);
    }
    let distance = 2.0 - 2.0 * instances.gram()[(i, j)];
    if distance < CLOSE { measured(instances, i, j) } else { distance }
}

/// Whether two instances are the same point up to rounding.
pub(crate) fn coincide(instances: &Instances, i: usize, j: usize) -> bool {
    let close = instances.len() > GRAM_ROWS || instances.gram()[(i, j)] > 1.0 - CLOSE;
    close && measured(instances, i, j) <= ROUNDING
}

/// Whether inner products of differences to the neighbours of `i` can be had from the Gram matrix without cancelling.
pub(crate) fn well_apart(instances: &Instances, graph: &Neighbors, i: usize) -> bool {
    instances.len() <= GRAM_ROWS && graph.squared_distances(i)[0] >= CLOSE
}
