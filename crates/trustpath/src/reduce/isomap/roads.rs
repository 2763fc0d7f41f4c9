//! Shortest paths from one instance to all others.
//!
//! The graph goes both ways, and its pieces are joined, each two by one edge. Where that would take all pairs of a great
//! many instances, the edge goes between points that are nearest to each other, found from a sample: the nearest pair of
//! at most [`SAMPLE`] members of each piece, spread evenly, and from there to the nearest point of the other piece, in
//! turns, until nothing comes nearer.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rayon::prelude::*;

use crate::Instances;
use crate::reduce::landmarks::spread;
use crate::reduce::neighbors::{Neighbors, squared_distance};
use crate::reduce::pieces::Pieces;

/// Members of a piece among which the nearest to another piece is sought first.
const SAMPLE: usize = 100;

/// The edges of each instance.
pub(super) struct Roads {
    /// Where the edges of each instance begin, and where the last ones end.
    start: Vec<usize>,
    /// Where an edge goes, and its length.
    edges: Vec<(u32, f64)>,
}

impl Roads {
    pub fn new(instances: &Instances, graph: &Neighbors) -> Self {
        let n = graph.len();
        let mut all: Vec<(usize, usize, f64)> = Vec::new();
        for i in 0..n {
            for (&j, squared) in graph.indices(i).iter().zip(graph.squared_distances(i)) {
                all.push((i, j, squared.sqrt()));
            }
        }
        all.extend(bridges(instances, &Pieces::of(graph).members()));
        let mut start = vec![0; n + 1];
        for &(i, j, _) in &all {
            start[i + 1] += 1;
            start[j + 1] += 1;
        }
        for i in 0..n {
            start[i + 1] += start[i];
        }
        let mut next = start.clone();
        let mut edges = vec![(0, 0.0); 2 * all.len()];
        for (i, j, length) in all {
            for (from, to) in [(i, j), (j, i)] {
                edges[next[from]] = (to as u32, length);
                next[from] += 1;
            }
        }
        Self { start, edges }
    }

    /// Dijkstra's search. A path has the length of its edges whichever is found first, so that ties are no matter.
    pub fn lengths_from(&self, source: usize) -> Vec<f64> {
        let mut lengths = vec![f64::INFINITY; self.start.len() - 1];
        let mut heap = BinaryHeap::new();
        lengths[source] = 0.0;
        heap.push(Reverse((0, source as u32)));
        while let Some(Reverse((bits, at))) = heap.pop() {
            let length = f64::from_bits(bits);
            if length > lengths[at as usize] {
                continue;
            }
            let edges = self.start[at as usize]..self.start[at as usize + 1];
            for &(to, edge) in &self.edges[edges] {
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

/// An edge between each two pieces.
fn bridges(instances: &Instances, pieces: &[Vec<usize>]) -> Vec<(usize, usize, f64)> {
    let samples: Vec<Vec<usize>> = pieces
        .iter()
        .map(|piece| spread(piece.len(), SAMPLE).into_iter().map(|at| piece[at]).collect())
        .collect();
    let pairs: Vec<(usize, usize)> =
        (0..pieces.len()).flat_map(|p| (0..p).map(move |q| (p, q))).collect();
    let bridge = |&(p, q): &(usize, usize)| {
        let nearest = |i: usize, among: &[usize]| -> (f64, usize) {
            let to = |&j: &usize| (squared_distance(instances, i, j), j);
            among.iter().map(to).fold((f64::INFINITY, among[0]), |best, next| {
                if next.0 < best.0 { next } else { best }
            })
        };
        let (mut squared, mut i) = (f64::INFINITY, pieces[p][0]);
        for &from in &samples[p] {
            let (distance, _) = nearest(from, &samples[q]);
            if distance < squared {
                (squared, i) = (distance, from);
            }
        }
        loop {
            let before = squared;
            let (_, j) = nearest(i, &pieces[q]);
            (squared, i) = nearest(j, &pieces[p]);
            if squared >= before {
                return (i, j, squared.sqrt());
            }
        }
    };
    pairs.par_iter().map(bridge).collect()
}
