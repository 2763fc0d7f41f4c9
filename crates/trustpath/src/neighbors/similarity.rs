//! The similarity graph: neighbours made symmetric, with a weight for every edge.
//!
//! ```text
//! wᵢⱼ = max(0, cos(xᵢ, xⱼ))⁴   if j is among the neighbours of i, or i among those of j;   0 otherwise
//! ```

use rayon::prelude::*;

use super::Neighbors;
use super::scan::NONE;

/// The weight of an edge of this squared length between points of unit length, where `cos = 1 − d²/2`.
pub(crate) fn edge_weight(squared: f64) -> f64 {
    (1.0 - 0.5 * squared).max(0.0).powi(4)
}

/// A symmetric graph with weights, in compressed rows.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct SimilarityGraph {
    start: Vec<usize>,
    index: Vec<u32>,
    /// In single precision: a graph of a million points has tens of millions of edges.
    weight: Vec<f32>,
    degree: Vec<f64>,
}

impl SimilarityGraph {
    /// The symmetric graph of these neighbours; `squared(i, k)` is the squared distance of point `i` to the `k`-th of
    /// them.
    pub fn of(neighbors: &Neighbors, squared: impl Fn(usize, usize) -> f64 + Sync) -> Self {
        let n = neighbors.len();
        let weights: Vec<f32> = (0..n)
            .into_par_iter()
            .flat_map_iter(|i| (0..neighbors.list(i).len()).map(move |k| (i, k)))
            .map(|(i, k)| edge_weight(squared(i, k)) as f32)
            .collect();
        // Room in every row for its own neighbours and for those that have it as a neighbour.
        let mut room = vec![0usize; n + 1];
        for i in 0..n {
            room[i + 1] += neighbors.list(i).len();
            neighbors.list(i).iter().for_each(|&j| room[j as usize + 1] += 1);
        }
        (0..n).for_each(|i| room[i + 1] += room[i]);
        let mut edges = vec![(NONE, 0.0f32); room[n]];
        let mut next = room.clone();
        let mut weights = weights.into_iter();
        for i in 0..n {
            for (&j, weight) in neighbors.list(i).iter().zip(&mut weights) {
                for (from, to) in [(i, j), (j as usize, i as u32)] {
                    edges[next[from]] = (to, weight);
                    next[from] += 1;
                }
            }
        }
        let mut graph = Self { start: vec![0], ..Self::default() };
        for i in 0..n {
            let row = &mut edges[room[i]..room[i + 1]];
            // An edge found from both ends appears twice; the larger weight is kept.
            row.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
            let mut last = NONE;
            for &(to, weight) in row.iter() {
                if to != last && weight > 0.0 {
                    graph.index.push(to);
                    graph.weight.push(weight);
                }
                last = to;
            }
            graph.start.push(graph.index.len());
        }
        graph.with_degrees()
    }

    fn with_degrees(mut self) -> Self {
        let rows = 0..self.start.len() - 1;
        self.degree = rows.map(|i| self.edges(i).map(|(_, w)| w).sum()).collect();
        self
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.degree.len()
    }

    /// The neighbours of point `i` and the weights of the edges to them, by ascending index.
    pub fn edges(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + Clone {
        let row = self.start[i]..self.start[i + 1];
        let weight = self.weight[row.clone()].iter().map(|&w| f64::from(w));
        self.index[row].iter().map(|&j| j as usize).zip(weight)
    }

    /// The sum of the weights at each point.
    pub fn degree(&self) -> &[f64] {
        &self.degree
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::clusters;

    #[test]
    fn edges_are_symmetric_and_weighted_by_the_cosine() {
        let x = clusters(3, 20, 5, 1.0);
        let neighbors = Neighbors::of(&x, 60, 4).unwrap();
        let graph = SimilarityGraph::of(&neighbors, |i, k| neighbors.squared_distances(i)[k]);
        assert_eq!(graph.len(), 60);
        for i in 0..60 {
            for (j, weight) in graph.edges(i) {
                assert_ne!(i, j);
                assert!(neighbors.list(i).contains(&(j as u32)) || neighbors.list(j).contains(&(i as u32)));
                let back = graph.edges(j).find(|&(other, _)| other == i).unwrap().1;
                assert_eq!(back.to_bits(), weight.to_bits());
                let cos = x.gram()[(i, j)].max(0.0);
                assert!((weight - cos.powi(4)).abs() < 1e-6);
            }
            for &j in neighbors.list(i) {
                let cos = x.gram()[(i, j as usize)];
                assert!(cos <= 0.0 || graph.edges(i).any(|(other, _)| other == j as usize));
            }
            let degree: f64 = graph.edges(i).map(|(_, w)| w).sum();
            assert_eq!(graph.degree()[i], degree);
        }
    }
}
