//! Improves a graph of near neighbours: the neighbours of a neighbour are likely to be neighbours too.
//!
//! Each sweep reads the graph as it was before, so that the result does not depend on the order of work. The candidates of
//! a point are the neighbours of its neighbours and of those points whose neighbour it is, the closest of these first and
//! at most as many as it has neighbours itself. A candidate that is two old edges away was compared in the sweep before, and
//! is left out; at first every edge is new.
//!
//! Where points are spread over several machines, each improves the lists of its own points and knows some others (a [`Halo`]) with their
//! lists; what it does not know is no candidate.

use rayon::prelude::*;

use super::exact::insert;
use super::points::CentredPoints;
use super::scan::NONE;

/// Points that are worked on together.
const STRIP: usize = 256;

/// Points that follow those whose lists are improved: the ends of their lists, [`NONE`] beyond the last, and which are new.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Halo<'a> {
    pub ends: &'a [u32],
    pub new: &'a [bool],
}

/// A graph that is improved sweep by sweep.
#[derive(Debug)]
pub(super) struct Refinement<'a> {
    points: &'a CentredPoints,
    k: usize,
    /// The lists of the points, each in ascending distance.
    pub lists: Vec<(f32, u32)>,
    /// Which entries of the lists are new since the last sweep but one.
    pub new: Vec<bool>,
}

/// Edges from every point: `k` ends each, [`NONE`] beyond the last, and which edges are new.
#[derive(Debug, Clone, Copy)]
struct Edges<'a> {
    k: usize,
    ends: &'a [u32],
    new: &'a [bool],
}

impl Edges<'_> {
    fn of(&self, i: u32) -> impl Iterator<Item = (u32, bool)> {
        let of = i as usize * self.k..(i as usize + 1) * self.k;
        let ends = self.ends[of.clone()].iter().copied().zip(self.new[of].iter().copied());
        ends.take_while(|(j, _)| *j != NONE)
    }
}

impl<'a> Refinement<'a> {
    /// Of lists of `k` neighbours.
    pub fn new(points: &'a CentredPoints, k: usize, lists: Vec<(f32, u32)>) -> Self {
        let new = vec![true; lists.len()];
        Self { points, k, lists, new }
    }

    /// One sweep, with what is known of the points that follow those of the lists.
    pub fn sweep(&mut self, halo: &Halo<'_>) {
        let Self { points, k, lists, new } = self;
        let (points, k) = (*points, *k);
        let mut ends: Vec<u32> = lists.iter().map(|&(_, j)| j).collect();
        ends.extend_from_slice(halo.ends);
        let mut was_new = std::mem::take(new);
        was_new.extend_from_slice(halo.new);
        let forward = Edges { k, ends: &ends, new: &was_new };
        let (back, back_new) = reversed(forward);
        let backward = Edges { k, ends: &back, new: &back_new };
        *new = vec![false; lists.len()];
        let strips = lists.par_chunks_mut(STRIP * k).zip(new.par_chunks_mut(STRIP * k));
        strips.enumerate().for_each_init(
            || (Vec::new(), Vec::new()),
            |(candidates, measured), (strip, (lists, new))| {
                let of_points = lists.chunks_exact_mut(k).zip(new.chunks_exact_mut(k));
                for (at, (list, new)) in of_points.enumerate() {
                    let i = strip * STRIP + at;
                    gather(i as u32, forward, backward, candidates);
                    measured.clear();
                    measured.extend(candidates.iter().map(|&j| (0.0, j)));
                    points.measure(i, measured);
                    measured.iter().for_each(|&(distance, j)| insert(list, distance, j));
                    let before = &ends[i * k..(i + 1) * k];
                    let is_new = |(_, j): &(f32, u32)| !before.contains(j);
                    new.iter_mut().zip(list.iter()).for_each(|(new, end)| *new = is_new(end));
                }
            },
        );
    }
}

/// For every point up to `k` of those that it is a neighbour of, the closest ranks first.
fn reversed(edges: Edges<'_>) -> (Vec<u32>, Vec<bool>) {
    let Edges { k, ends, new } = edges;
    let (mut back, mut back_new) = (vec![NONE; ends.len()], vec![false; ends.len()]);
    let mut held = vec![0u32; ends.len() / k];
    for rank in 0..k {
        for (i, (ends, new)) in ends.chunks_exact(k).zip(new.chunks_exact(k)).enumerate() {
            let j = ends[rank] as usize;
            if ends[rank] != NONE && (held[j] as usize) < k {
                let to = j * k + held[j] as usize;
                (back[to], back_new[to]) = (i as u32, new[rank]);
                held[j] += 1;
            }
        }
    }
    (back, back_new)
}

/// The candidates of point `i`, in ascending order, without itself and its neighbours.
fn gather(i: u32, forward: Edges<'_>, backward: Edges<'_>, candidates: &mut Vec<u32>) {
    candidates.clear();
    candidates.extend(backward.of(i).filter(|(_, new)| *new).map(|(j, _)| j));
    let mut join = |j: u32, new: bool, edges: Edges<'_>| {
        candidates.extend(edges.of(j).filter(|(_, other)| new || *other).map(|(c, _)| c));
    };
    for (j, new) in forward.of(i) {
        join(j, new, forward);
        join(j, new, backward);
    }
    backward.of(i).for_each(|(j, new)| join(j, new, forward));
    candidates.sort_unstable();
    candidates.dedup();
    let own = &forward.ends[i as usize * forward.k..(i as usize + 1) * forward.k];
    candidates.retain(|j| *j != i && !own.contains(j));
}
