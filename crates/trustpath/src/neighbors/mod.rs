//! Nearest neighbours: one type of graph, [`Neighbors`], and the searches that build it.
//!
//! Instances have unit length, so distances come from their Gram matrix: `‖xᵢ − xⱼ‖² = 2 − 2 Kᵢⱼ`. For near-duplicates
//! that difference cancels; they are measured on the features themselves. Neighbours are in ascending distance,
//! equal distances in ascending index, and no instance is its own neighbour: it is left out by index, not by distance,
//! so that duplicates are neighbours like any others.
//!
//! Up to [`GRAM_ROWS`] instances the Gram matrix is used. Beyond, it would need more memory than the features, and the
//! graph is found block by block (`exact.rs`). [`Points`] are for vectors of any length in single precision; all pairs of
//! them are compared. Rows that come later are compared with those of the cells around them (`targets.rs`).

mod exact;
mod leaky_walk;
mod pairs;
mod partition;
mod points;
mod scan;
mod similarity;
mod targets;

#[doc(hidden)]
pub use exact::nearest_among;
pub(crate) use leaky_walk::LeakyWalk;
pub use points::Points;
pub(crate) use similarity::{SimilarityGraph, edge_weight};
pub(crate) use targets::{NearestTargets, Targets};

use self::points::CentredPoints;
pub(crate) use self::scan::NONE;
use crate::limits::GRAM_ROWS;
use crate::{Error, Instances, Matrix, Result};

/// Below this squared distance `2 − 2K` has lost more than three of its sixteen digits.
const CLOSE: f64 = 1e-3;

/// The nearest neighbours of each of `n` points, nearest first.
///
/// Every point has `k` neighbours, or fewer where there were not `k` candidates.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Neighbors {
    k: usize,
    /// `k` entries for each point; a list that is shorter ends with [`NONE`].
    index: Vec<u32>,
    /// Squared distances in the same places; empty where they were not kept.
    squared: Vec<f64>,
}

impl Neighbors {
    /// The `k` nearest neighbours of each of the first `n` instances, among these.
    ///
    /// # Errors
    /// [`Error::TooFewForNeighbors`] unless `k < n`; [`Error::Parameter`] for `k = 0` or more than there are instances.
    pub fn of(instances: &Instances, n: usize, k: usize) -> Result<Self> {
        if n > instances.len() {
            return Err(Error::parameter("n", n, "there are fewer instances than that"));
        }
        check_size(n, k)?;
        let lists = if instances.len() > GRAM_ROWS {
            exact::by_blocks(instances, n, k)
        } else {
            exact::by_gram(instances, n, k)
        };
        Ok(Self::from_lists(k, &lists))
    }

    /// The `k` nearest neighbours of each of many rows of `x` among candidates that are found in a projection of them: see
    /// [`exact::by_projection`].
    pub(crate) fn of_projected(x: &Matrix, u: &[f32], square: &[f64], k: usize) -> Result<Self> {
        check_size(x.rows(), k)?;
        Ok(Self::from_lists(k, &exact::by_projection(x, u, square, k)))
    }

    /// The `k` nearest neighbours of each of the points, measured in single precision.
    ///
    /// Candidates come from inner products of that precision, so that a neighbour may be missed only where
    /// squared distances agree to about six digits of squared lengths.
    ///
    /// # Errors
    /// [`Error::TooFewForNeighbors`] unless there are more than `k` points, [`Error::Parameter`] for `k = 0`.
    pub fn search(points: Points<'_>, k: usize) -> Result<Self> {
        let n = points.len();
        check_size(n, k)?;
        let points = CentredPoints::of(points, &points.centre(), |i| i);
        let all: Vec<usize> = (0..n).collect();
        Ok(Self::from_lists(k, &exact::among_all(&points, &all, k)))
    }

    fn from_lists<D: Copy + Into<f64>>(k: usize, lists: &[(D, u32)]) -> Self {
        let index = lists.iter().map(|&(_, j)| j).collect();
        Self { k, index, squared: lists.iter().map(|&(far, _)| far.into()).collect() }
    }

    /// Lists that were found elsewhere: `k` neighbours of each point, nearest first, and their squared distances, which are empty where
    /// they are not needed.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there are `k` of each for every point.
    pub fn from_parts(k: usize, ends: Vec<u32>, squared: &[f32]) -> Result<Self> {
        let fits = squared.is_empty() || squared.len() == ends.len();
        if k == 0 || !ends.len().is_multiple_of(k) || !fits {
            let (rows, given) = (ends.len() / k.max(1), squared.len());
            return Err(Error::Shape { rows, dims: k, expected: ends.len(), given });
        }
        let squared = squared.iter().map(|&squared| f64::from(squared)).collect();
        Ok(Self { k, index: ends, squared })
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.index.len() / self.k.max(1)
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// Number of neighbours of each point.
    pub fn k(&self) -> usize {
        self.k
    }

    /// The neighbours of point `i`, nearest first.
    pub fn indices(&self, i: usize) -> impl ExactSizeIterator<Item = usize> + Clone {
        self.list(i).iter().map(|&j| j as usize)
    }

    /// The neighbours of point `i`, as they are stored.
    pub(crate) fn list(&self, i: usize) -> &[u32] {
        let list = &self.index[i * self.k..(i + 1) * self.k];
        &list[..list.partition_point(|&j| j != NONE)]
    }

    /// The squared distances of the neighbours of point `i`; empty where they were not kept.
    pub fn squared_distances(&self, i: usize) -> &[f64] {
        self.squared.get(i * self.k..(i + 1) * self.k).unwrap_or_default()
    }
}

fn check_size(n: usize, k: usize) -> Result<()> {
    match k {
        0 => Err(Error::parameter("neighbors", k, "it must be at least 1")),
        _ if n <= k => Err(Error::TooFewForNeighbors { rows: n, neighbors: k }),
        _ => Ok(()),
    }
}

/// The same, measured on the features themselves.
#[doc(hidden)]
pub fn measured(instances: &Instances, i: usize, j: usize) -> f64 {
    squared_difference(instances.unit().row(i), instances.unit().row(j))
}

/// `‖a − b‖²`, summed in order.
#[doc(hidden)]
pub fn squared_difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{clusters, instances};

    fn list(graph: &Neighbors, i: usize) -> Vec<usize> {
        graph.indices(i).collect()
    }

    #[test]
    fn agrees_with_sorting_all_distances() {
        let x = clusters(4, 11, 6, 1.0);
        let n = 41;
        let graph = Neighbors::of(&x, n, 7).unwrap();
        for i in 0..n {
            let mut all: Vec<(f64, usize)> = (0..n).filter(|&j| j != i).map(|j| (measured(&x, i, j), j)).collect();
            all.sort_by(|a, b| a.partial_cmp(b).unwrap());
            assert!(graph.indices(i).eq(all[..7].iter().map(|&(_, j)| j)));
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
        assert_eq!(list(&graph, 0), [1, 2, 3]);
        assert_eq!(list(&graph, 1), [0, 2, 3]);
        assert_eq!(list(&graph, 5), [0, 1, 2]);
        assert_eq!(graph.squared_distances(5), [0.0; 3]);
    }

    #[test]
    fn near_duplicates_keep_their_digits() {
        // On a circle, at angles that differ by 1e-9 and 3e-9: 2 − 2K would be zero or noise.
        let angles = [0.0, 3e-9, -1e-9, 1.0, 2.0];
        let x = instances(5, 2, |i, j| if j == 0 { f64::cos(angles[i]) } else { f64::sin(angles[i]) });
        let graph = Neighbors::of(&x, 5, 2).unwrap();
        assert_eq!(list(&graph, 0), [2, 1]);
        assert!((graph.squared_distances(0)[0] / 1e-18 - 1.0).abs() < 1e-6);
        assert!((graph.squared_distances(1)[1] / 16e-18 - 1.0).abs() < 1e-6);
    }

    #[test]
    fn blocks_find_the_same_neighbours_as_the_gram_matrix() {
        let x = clusters(5, 240, 24, 1.0);
        let (gram, blocks) = (exact::by_gram(&x, 1190, 6), exact::by_blocks(&x, 1190, 6));
        for (a, b) in gram.iter().zip(blocks) {
            assert!(a.1 == b.1 && (a.0 - b.0).abs() < 1e-13);
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
