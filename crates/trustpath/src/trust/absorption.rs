//! How far an instance is from every label, on the similarity graph of the pool.
//!
//! A random walk starts at an instance, moves along the edges of the graph, stops where it meets a labelled instance, and
//! leaks out of the graph at a constant rate `κ`. The score is the probability that it leaks before it meets a label:
//!
//! ```text
//! (D + κI − W) h = κ 1  over the instances without a label,    h = 0 at labelled ones,    κ = 0.03 × the median degree
//! ```
//!
//! It is near 0 in the middle of a labelled class, and near 1 in a group of instances none of which is labelled, and at an
//! instance that resembles nothing ([`LeakyWalk`]).

use crate::neighbors::{LeakyWalk, SimilarityGraph};

/// The rate of the leak, relative to the median degree.
const LEAK: f64 = 0.03;
/// Residual of the solution, relative to the right-hand side.
const TOLERANCE: f64 = 1e-6;

/// The score of every point; zero at the labelled ones. `start` is a guess, such as the solution for other labels.
pub(crate) fn absorption(graph: &SimilarityGraph, labelled: &[bool], start: Option<&[f64]>) -> Vec<f64> {
    let n = graph.len();
    let walk = LeakyWalk::new(graph, labelled, LEAK);
    let start = start.map_or_else(|| vec![[0.0]; n], |start| start.iter().map(|&h| [h]).collect());
    let enough = TOLERANCE * walk.leak() * (n as f64).sqrt();
    let h = walk.solve(&vec![[walk.leak()]; n], start, [enough]);
    h.into_iter().map(|[h]| h.clamp(0.0, 1.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::neighbors::Neighbors;
    use crate::testing::clusters;

    fn graph() -> SimilarityGraph {
        let x = clusters(4, 25, 8, 0.6);
        let neighbors = Neighbors::of(&x, 100, 6).unwrap();
        SimilarityGraph::of(&neighbors, |i, k| neighbors.squared_distances(i)[k])
    }

    #[test]
    fn conjugate_gradients_solve_the_dense_system() {
        let (graph, labelled) = (graph(), (0..100).map(|i| i % 20 == 3).collect::<Vec<bool>>());
        let mut degrees = graph.degree().to_vec();
        degrees.sort_by(f64::total_cmp);
        let leak = LEAK * degrees[50];
        let h = absorption(&graph, &labelled, None);
        for i in 0..100 {
            let around: f64 = graph.edges(i).map(|(j, w)| w * h[j]).sum();
            let residual = (graph.degree()[i] + leak) * h[i] - around - leak;
            assert!(labelled[i] && h[i] == 0.0 || residual.abs() < 1e-5 * leak, "{i}: {residual}");
        }
        let warm = absorption(&graph, &labelled, Some(&vec![0.3; 100]));
        assert!(h.iter().zip(&warm).all(|(a, b)| (a - b).abs() < 1e-4));
    }

    #[test]
    fn instances_of_a_group_without_a_label_score_higher() {
        let x = clusters(4, 25, 8, 4.0);
        let neighbors = Neighbors::of(&x, 100, 6).unwrap();
        let graph = SimilarityGraph::of(&neighbors, |i, k| neighbors.squared_distances(i)[k]);
        // One label in each group but the last.
        let labelled: Vec<bool> = (0..100).map(|i| i % 25 == 0 && i < 75).collect();
        let h = absorption(&graph, &labelled, None);
        let lowest = h[75..].iter().copied().fold(1.0, f64::min);
        let highest = h[..75].iter().copied().fold(0.0, f64::max);
        assert!(lowest > 0.9 && highest < lowest, "{highest} {lowest}");
    }
}
