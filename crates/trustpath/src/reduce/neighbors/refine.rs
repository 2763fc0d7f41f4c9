//! A graph of near neighbours made better: who is near to someone near to me may be near to me.
//!
//! Each sweep looks at the graph as it was before, so that no order of work shows in the result. The candidates of a
//! point are the neighbours of those it is joined with: its neighbours, and those whose neighbour it is, the
//! closest first and no more than it has neighbours itself.

use rayon::prelude::*;

use super::points::Rows;
use crate::linalg::scan::NONE;

/// Points that are worked on together.
const STRIP: usize = 256;

/// One sweep over lists of `k` neighbours, which are and stay in ascending distance.
pub(super) fn sweep(rows: &Rows, k: usize, index: &mut [u32], squared: &mut [f32]) {
    let before = index.to_vec();
    let back = reversed(&before, k);
    let strips = index.par_chunks_mut(STRIP * k).zip(squared.par_chunks_mut(STRIP * k));
    let buffers = || (Vec::new(), Vec::new());
    strips.enumerate().for_each_init(
        buffers,
        |(candidates, measured), (strip, (index, squared))| {
            let lists = index.chunks_exact_mut(k).zip(squared.chunks_exact_mut(k));
            for (at, (index, squared)) in lists.enumerate() {
                let i = strip * STRIP + at;
                gather(i, k, &before, &back, candidates);
                measured.clear();
                measured.extend(candidates.iter().map(|&j| (0.0, j)));
                rows.measure(i, measured);
                insert(measured, index, squared);
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

/// Takes candidates into a list that are nearer than those in it.
fn insert(candidates: &[(f32, u32)], index: &mut [u32], squared: &mut [f32]) {
    let last = squared.len() - 1;
    for &(distance, j) in candidates {
        if distance < squared[last] {
            let mut at = last;
            while at > 0 && distance < squared[at - 1] {
                (index[at], squared[at]) = (index[at - 1], squared[at - 1]);
                at -= 1;
            }
            (index[at], squared[at]) = (j, distance);
        }
    }
}
