//! Shortest paths from one instance to all others.
//!
//! Edges have no direction, and each two components of the graph are joined by one edge. Since comparing all pairs of very
//! many instances would take too long, its ends are found from a sample: the nearest pair of at most [`BRIDGE_SAMPLE`]
//! members of each component, spread evenly, and from there to the nearest point of the other component, in turns, until
//! the distance no longer falls.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rayon::prelude::*;

use crate::Instances;
use crate::limits::BRIDGE_SAMPLE;
use crate::linalg::sparse::Csr;
use crate::neighbors::{Neighbors, squared_distance};
use crate::reduce::components::ConnectedComponents;
use crate::reduce::landmarks::spread;

/// The edges of each instance, with their lengths: those to its neighbours, and those from instances whose neighbour it is.
pub(super) struct PathGraph {
    to: Csr,
    from: Csr,
}

impl PathGraph {
    pub fn new(instances: &Instances, graph: &Neighbors) -> Self {
        let n = graph.len();
        let mut bridges = bridges(instances, &ConnectedComponents::of(graph).members());
        bridges.sort_unstable_by_key(|&(i, ..)| i);
        let mut bridges = bridges.into_iter().peekable();
        let mut to = Csr::new(n);
        for i in 0..n {
            let own = graph.indices(i).zip(graph.squared_distances(i)).map(|(j, s)| (j, s.sqrt()));
            let joined = std::iter::from_fn(|| bridges.next_if(|&(from, ..)| from == i));
            to.push_row(own.chain(joined.map(|(_, j, length)| (j, length))));
        }
        Self { from: to.transpose(), to }
    }

    /// Dijkstra's search. Ties do not matter: only the lengths of the paths are kept.
    pub fn lengths_from(&self, source: usize) -> Vec<f64> {
        let mut lengths = vec![f64::INFINITY; self.to.rows()];
        let mut heap = BinaryHeap::new();
        lengths[source] = 0.0;
        heap.push(Reverse((0, source as u32)));
        while let Some(Reverse((bits, at))) = heap.pop() {
            let length = f64::from_bits(bits);
            if length > lengths[at as usize] {
                continue;
            }
            let edges = [&self.to, &self.from].map(|edges| edges.row(at as usize));
            for (&to, &edge) in edges.into_iter().flat_map(|(to, edge)| to.iter().zip(edge)) {
                let detour = length + edge;
                if detour < lengths[to as usize] {
                    lengths[to as usize] = detour;
                    // Bits of lengths, none of which is negative, are in the order of the lengths.
                    heap.push(Reverse((detour.to_bits(), to)));
                }
            }
        }
        lengths
    }
}

/// An edge between each two components.
fn bridges(instances: &Instances, components: &[Vec<usize>]) -> Vec<(usize, usize, f64)> {
    let samples: Vec<Vec<usize>> = components
        .iter()
        .map(|all| spread(all.len(), BRIDGE_SAMPLE).into_iter().map(|at| all[at]).collect())
        .collect();
    let pairs: Vec<(usize, usize)> =
        (0..components.len()).flat_map(|p| (0..p).map(move |q| (p, q))).collect();
    let bridge = |&(p, q): &(usize, usize)| {
        let nearest = |i: usize, among: &[usize]| -> (f64, usize) {
            let to = |&j: &usize| (squared_distance(instances, i, j), j);
            among.iter().map(to).fold((f64::INFINITY, among[0]), |best, next| {
                if next.0 < best.0 { next } else { best }
            })
        };
        let (mut squared, mut i) = (f64::INFINITY, components[p][0]);
        for &from in &samples[p] {
            let (distance, _) = nearest(from, &samples[q]);
            if distance < squared {
                (squared, i) = (distance, from);
            }
        }
        loop {
            let before = squared;
            let (_, j) = nearest(i, &components[q]);
            (squared, i) = nearest(j, &components[p]);
            if squared >= before {
                return (i, j, squared.sqrt());
            }
        }
    };
    pairs.par_iter().map(bridge).collect()
}
