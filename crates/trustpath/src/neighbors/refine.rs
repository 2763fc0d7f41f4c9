//! Improves a graph of near neighbours: the neighbours of a neighbour are likely to be neighbours too.
//!
//! Each sweep reads the graph as it was before, so that the result does not depend on the order of work. The candidates of
//! a point are the neighbours of its neighbours and of those points whose neighbour it is, the closest of these first and
//! at most as many as it has neighbours itself.

use rayon::prelude::*;

use super::exact::insert;
use super::points::CentredPoints;
use super::scan::NONE;

/// Points that are worked on together.
const STRIP: usize = 256;

/// One sweep over lists of `k` neighbours, which are and stay in ascending distance.
pub(super) fn sweep(points: &CentredPoints, k: usize, lists: &mut [(f32, u32)]) {
    let before: Vec<u32> = lists.iter().map(|&(_, j)| j).collect();
    let back = reversed(&before, k);
    lists.par_chunks_mut(STRIP * k).enumerate().for_each_init(
        || (Vec::new(), Vec::new()),
        |(candidates, measured), (strip, lists)| {
            for (at, list) in lists.chunks_exact_mut(k).enumerate() {
                let i = strip * STRIP + at;
                gather(i, k, &before, &back, candidates);
                measured.clear();
                measured.extend(candidates.iter().map(|&j| (0.0, j)));
                points.measure(i, measured);
                measured.iter().for_each(|&(distance, j)| insert(list, distance, j));
            }
        },
    );
}

/// For every point up to `k` of those that it is a neighbour of, the closest ranks first; the rest is [`NONE`].
fn reversed(index: &[u32], k: usize) -> Vec<u32> {
    let mut back = vec![NONE; index.len()];
    let mut held = vec![0u32; index.len() / k];
    for rank in 0..k {
        for (i, list) in index.chunks_exact(k).enumerate() {
            let j = list[rank] as usize;
            if (held[j] as usize) < k {
                back[j * k + held[j] as usize] = i as u32;
                held[j] += 1;
            }
        }
    }
    back
}

/// The candidates of point `i`, in ascending order, without itself and its neighbours.
fn gather(i: usize, k: usize, index: &[u32], back: &[u32], candidates: &mut Vec<u32>) {
    let of = |j: u32| j as usize * k..(j as usize + 1) * k;
    candidates.clear();
    let own = &index[i * k..(i + 1) * k];
    let joined = &back[i * k..(i + 1) * k];
    let joined = &joined[..joined.partition_point(|&j| j != NONE)];
    candidates.extend_from_slice(joined);
    for &j in own.iter().chain(joined) {
        candidates.extend_from_slice(&index[of(j)]);
    }
    for &j in own {
        let joined = &back[of(j)];
        candidates.extend_from_slice(&joined[..joined.partition_point(|&j| j != NONE)]);
    }
    candidates.sort_unstable();
    candidates.dedup();
    candidates.retain(|j| *j != i as u32 && !own.contains(j));
}
