//! Balls around labelled instances that contain as many others as possible: ProbCover (Yehuda et al., 2022).
//!
//! Two instances whose distance is below `δ` cover each other. The next instance is the one that covers most of what no labelled
//! or chosen instance covers. `δ` is the largest radius at which at least 95 % of all balls lie within one cluster, with as many clusters as
//! classes.

use rayon::prelude::*;

use super::Candidates;
use super::kmeans::clusters;
use crate::linalg::vector::dot;
use crate::task::arg_max;

/// Share of the balls that must lie within one cluster, as published.
const PURITY: f64 = 0.95;

pub(super) fn choose(pool: &Candidates<'_>, batch: usize) -> Vec<usize> {
    let open = pool.sample(batch);
    let cosine = purest_cosine(pool, &open);
    let near = within(pool, &open, cosine);
    let is_covered_by_label = |row: usize, radius: f64| {
        pool.given.iter().any(|&j| dot(pool.u.row(row), pool.u.row(j)) > radius)
    };
    let mut covered: Vec<bool> =
        open.par_iter().map(|&row| is_covered_by_label(row, cosine)).collect();
    let mut is_chosen = vec![false; open.len()];
    let mut chosen = Vec::new();
    while chosen.len() < batch {
        cover_again(&mut covered, &is_chosen);
        let degree: Vec<f64> = near
            .par_iter()
            .zip(&is_chosen)
            .map(|(of, &chosen)| match chosen {
                true => -1.0,
                false => of.iter().filter(|&&i| !covered[i]).count() as f64,
            })
            .collect();
        let at = arg_max(&degree);
        is_chosen[at] = true;
        near[at].iter().for_each(|&i| covered[i] = true);
        chosen.push(open[at]);
    }
    chosen
}

/// Once everything is covered, it is to be covered once more.
pub(super) fn cover_again(covered: &mut [bool], is_chosen: &[bool]) {
    if covered.iter().zip(is_chosen).all(|(&covered, &chosen)| covered || chosen) {
        covered.copy_from_slice(is_chosen);
    }
}

/// The cosines of an open instance with all of them.
fn cosines(pool: &Candidates<'_>, open: &[usize], at: usize) -> Vec<f64> {
    open.iter().map(|&other| dot(pool.u.row(open[at]), pool.u.row(other))).collect()
}

/// The cosine that belongs to `δ`: above it instances cover each other.
pub(super) fn purest_cosine(pool: &Candidates<'_>, open: &[usize]) -> f64 {
    let cluster = clusters(pool.u, open, pool.classes);
    let places: Vec<usize> = (0..open.len()).collect();
    // The nearest instance of another cluster; a ball that excludes it lies within one cluster.
    let mut nearest_other: Vec<f64> = places
        .par_iter()
        .map(|&at| {
            let cosines = cosines(pool, open, at);
            let others = cosines.iter().zip(&cluster).filter(|(_, other)| **other != cluster[at]);
            others.map(|(&cosine, _)| cosine).fold(-1.0, f64::max)
        })
        .collect();
    nearest_other.sort_by(|a, b| b.total_cmp(a));
    let allowed = ((1.0 - PURITY) * open.len() as f64) as usize;
    nearest_other[allowed.min(open.len() - 1)]
}

/// For each open instance the places of those whose cosine with it is larger, itself included.
pub(super) fn within(pool: &Candidates<'_>, open: &[usize], cosine: f64) -> Vec<Vec<usize>> {
    let of = |at: usize| {
        let cosines = cosines(pool, open, at);
        (0..open.len()).filter(|&i| cosines[i] > cosine || i == at).collect()
    };
    (0..open.len()).into_par_iter().map(of).collect()
}
