//! The exact graph of nearest neighbours that the reductions share.
//!
//! Instances have unit length, so distances come from their Gram matrix: `‖xᵢ − xⱼ‖² = 2 − 2 Kᵢⱼ`. For near-duplicates
//! that difference cancels; they are measured on the features themselves. Neighbours are in ascending distance,
//! equal distances in ascending index, and no instance is its own neighbour: it is left out by index, not by distance,
//! so that duplicates are neighbours like any others.
//!
//! Up to 2048 instances the Gram matrix is at hand. Beyond, it would outgrow the features, and the graph is found
//! block by block (`blocked.rs`).
//!
//! A [`Graph`] is for points of any length in single precision, and for very many of them: there it compares each with
//! those in the cells around it alone (`cells.rs`), and says which share of the neighbours that found.

mod blocked;
mod cells;
mod graph;
mod partition;
mod points;
mod refine;

pub use graph::{EXACT_POINTS, Graph, Search};
pub use points::Points;

use super::check_positive;
use crate::{Error, Instances, Result};

/// Below this squared distance `2 − 2K` has lost more than three of its sixteen digits.
const CLOSE: f64 = 1e-3;
/// Instances up to which their Gram matrix is taken.
pub(super) const GRAM_ROWS: usize = 2048;
/// Candidates looked at together.
const CHUNK: usize = 16;
/// Squared distance of vectors that differ by rounding alone.
const ROUNDING: f64 = (16.0 * f64::EPSILON) * (16.0 * f64::EPSILON);

/// The `k` nearest neighbours of each of `n` instances.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbors {
    k: usize,
    index: Vec<usize>,
    squared: Vec<f64>,
}

impl Neighbors {
    /// The `k` nearest neighbours of each of the first `n` instances, among these.
    ///
    /// # Errors
    /// [`Error::TooFewForNeighbors`] unless `k < n`; [`Error::Parameter`] for `k = 0` or an `n` that is not there.
    pub fn of(instances: &Instances, n: usize, k: usize) -> Result<Self> {
        check_positive("neighbors", k)?;
        if n > instances.len() {
            return Err(Error::parameter("n", n, "there are fewer instances than that"));
        }
        if n <= k {
            return Err(Error::TooFewForNeighbors { rows: n, neighbors: k });
        }
        let mut graph = Self { k, index: vec![0; n * k], squared: vec![0.0; n * k] };
        if instances.len() > GRAM_ROWS {
            blocked::search(instances, n, k, &mut graph.index, &mut graph.squared);
            return Ok(graph);
        }
        for i in 0..n {
            let to = i * k..(i + 1) * k;
            nearest(instances, i, n, &mut graph.index[to.clone()], &mut graph.squared[to]);
        }
        Ok(graph)
    }

    /// Number of instances.
    pub fn len(&self) -> usize {
        self.index.len() / self.k
    }

    /// Never true: a graph without instances cannot be built.
    pub fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// The neighbours of instance `i`, nearest first.
    pub fn indices(&self, i: usize) -> &[usize] {
        &self.index[i * self.k..(i + 1) * self.k]
    }

    /// Their squared distances.
    pub fn squared_distances(&self, i: usize) -> &[f64] {
        &self.squared[i * self.k..(i + 1) * self.k]
    }
}

/// Insertion into a short sorted list. Candidates come in ascending index, so strict comparison keeps ties in order.
fn nearest(instances: &Instances, i: usize, n: usize, index: &mut [usize], squared: &mut [f64]) {
    squared.fill(f64::INFINITY);
    let last = squared.len() - 1;
    let gram = &instances.gram().row(i)[..n];
    for (chunk, inners) in gram.chunks(CHUNK).enumerate() {
        // Most instances are far from most others: whole chunks of them are passed over at a glance.
        let any = inners.iter().fold(false, |any, &k| any | (2.0 - 2.0 * k < squared[last]));
        if !any {
            continue;
        }
        for (offset, &inner) in inners.iter().enumerate() {
            let j = chunk * CHUNK + offset;
            let mut distance = 2.0 - 2.0 * inner;
            if distance >= squared[last] || j == i {
                continue;
            }
            if distance < CLOSE {
                distance = measured(instances, i, j);
            }
            let mut at = last;
            while at > 0 && distance < squared[at - 1] {
                squared[at] = squared[at - 1];
                index[at] = index[at - 1];
                at -= 1;
            }
            if distance < squared[at] {
                squared[at] = distance;
                index[at] = j;
            }
        }
    }
}

/// `‖xᵢ − xⱼ‖²`.
pub(super) fn squared_distance(instances: &Instances, i: usize, j: usize) -> f64 {
    if instances.len() > GRAM_ROWS {
        return measured(instances, i, j);
    }
    let distance = 2.0 - 2.0 * instances.gram()[(i, j)];
    if distance < CLOSE { measured(instances, i, j) } else { distance }
}

/// Whether two instances are the same point up to rounding.
pub(super) fn coincide(instances: &Instances, i: usize, j: usize) -> bool {
    let close = instances.len() > GRAM_ROWS || instances.gram()[(i, j)] > 1.0 - CLOSE;
    close && measured(instances, i, j) <= ROUNDING
}

/// Whether inner products of differences to the neighbours of `i` can be had from the Gram matrix without cancelling.
pub(super) fn well_apart(instances: &Instances, graph: &Neighbors, i: usize) -> bool {
    instances.len() <= GRAM_ROWS && graph.squared_distances(i)[0] >= CLOSE
}

fn measured(instances: &Instances, i: usize, j: usize) -> f64 {
    let (a, b) = (instances.unit().row(i), instances.unit().row(j));
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduce::testing::{clusters, instances};

    #[test]
    fn agrees_with_sorting_all_distances() {
        let x = clusters(4, 11, 6, 1.0);
        let n = 41;
        let graph = Neighbors::of(&x, n, 7).unwrap();
        for i in 0..n {
            let mut all: Vec<(f64, usize)> =
                (0..n).filter(|&j| j != i).map(|j| (measured(&x, i, j), j)).collect();
            all.sort_by(|a, b| a.partial_cmp(b).unwrap());
            let expected: Vec<usize> = all[..7].iter().map(|&(_, j)| j).collect();
            assert_eq!(graph.indices(i), expected);
            for (squared, (distance, _)) in graph.squared_distances(i).iter().zip(all) {
                assert!((squared - distance).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn duplicates_are_neighbours_in_order_of_index() {
        // Six copies of one point, then others.
        let x = instances(10, 3, |i, j| if i < 6 { j as f64 } else { (i * 5 + j * 3) as f64 });
        let graph = Neighbors::of(&x, 10, 3).unwrap();
        assert_eq!(graph.indices(0), [1, 2, 3]);
        assert_eq!(graph.indices(1), [0, 2, 3]);
        assert_eq!(graph.indices(5), [0, 1, 2]);
        assert_eq!(graph.squared_distances(5), [0.0; 3]);
    }

    #[test]
    fn near_duplicates_keep_their_digits() {
        // On a circle, at angles that differ by 1e-9 and 3e-9: 2 − 2K would be zero or noise.
        let angles = [0.0, 3e-9, -1e-9, 1.0, 2.0];
        let x =
            instances(5, 2, |i, j| if j == 0 { f64::cos(angles[i]) } else { f64::sin(angles[i]) });
        let graph = Neighbors::of(&x, 5, 2).unwrap();
        assert_eq!(graph.indices(0), [2, 1]);
        assert!((graph.squared_distances(0)[0] / 1e-18 - 1.0).abs() < 1e-6);
        assert!((graph.squared_distances(1)[1] / 16e-18 - 1.0).abs() < 1e-6);
    }

    #[test]
    fn blocks_find_the_same_neighbours_as_the_gram_matrix() {
        let x = clusters(5, 240, 24, 1.0);
        let n = 1190;
        let graph = Neighbors::of(&x, n, 6).unwrap();
        let (mut index, mut squared) = (vec![0; n * 6], vec![0.0; n * 6]);
        blocked::search(&x, n, 6, &mut index, &mut squared);
        assert_eq!(graph.index, index);
        for (a, b) in graph.squared.iter().zip(squared) {
            assert!((a - b).abs() < 1e-13);
        }
    }

    #[test]
    fn refuses_too_few_instances() {
        let x = clusters(2, 3, 4, 1.0);
        let error = Neighbors::of(&x, 5, 5).unwrap_err();
        assert_eq!(error, Error::TooFewForNeighbors { rows: 5, neighbors: 5 });
        assert!(Neighbors::of(&x, 6, 5).is_ok());
        assert!(matches!(Neighbors::of(&x, 6, 0), Err(Error::Parameter { name: "neighbors", .. })));
        assert!(matches!(Neighbors::of(&x, 7, 5), Err(Error::Parameter { name: "n", .. })));
    }
}
