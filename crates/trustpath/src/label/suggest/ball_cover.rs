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
    let near = neighbours_within(pool, &open);
    let is_covered_by_label = |row: usize, radius: f64| {
        pool.given.iter().any(|&j| dot(pool.u.row(row), pool.u.row(j)) > radius)
    };
    let mut covered: Vec<bool> =
        open.par_iter().map(|&row| is_covered_by_label(row, near.cosine)).collect();
    let mut is_chosen = vec![false; open.len()];
    let mut chosen = Vec::new();
    while chosen.len() < batch {
        // Once everything is covered, it is to be covered once more.
        if covered.iter().zip(&is_chosen).all(|(&covered, &chosen)| covered || chosen) {
            covered = is_chosen.clone();
        }
        let degree: Vec<f64> = near
            .rows
            .par_iter()
            .zip(&is_chosen)
            .map(|(of, &chosen)| match chosen {
                true => -1.0,
                false => of.iter().filter(|&&i| !covered[i]).count() as f64,
            })
            .collect();
        let at = arg_max(&degree);
        is_chosen[at] = true;
        near.rows[at].iter().for_each(|&i| covered[i] = true);
        chosen.push(open[at]);
    }
    chosen
}

/// Which instances cover each other.
struct Within {
    /// Cosine above which they do.
    cosine: f64,
    /// For each instance the places of those in its ball, itself included.
    rows: Vec<Vec<usize>>,
}

fn neighbours_within(pool: &Candidates<'_>, open: &[usize]) -> Within {
    let cluster = clusters(pool.u, open, pool.classes);
    let cosines = |at: usize| -> Vec<f64> {
        open.iter().map(|&other| dot(pool.u.row(open[at]), pool.u.row(other))).collect()
    };
    let places: Vec<usize> = (0..open.len()).collect();
    // The nearest instance of another cluster; a ball that excludes it lies within one cluster.
    let mut nearest_other: Vec<f64> = places
        .par_iter()
        .map(|&at| {
            let cosines = cosines(at);
            let others = cosines.iter().zip(&cluster).filter(|(_, other)| **other != cluster[at]);
            others.map(|(&cosine, _)| cosine).fold(-1.0, f64::max)
        })
        .collect();
    nearest_other.sort_by(|a, b| b.total_cmp(a));
    let allowed = ((1.0 - PURITY) * open.len() as f64) as usize;
    let cosine = nearest_other[allowed.min(open.len() - 1)];
    let within = |&at: &usize| {
        let cosines = cosines(at);
        (0..open.len()).filter(|&i| cosines[i] > cosine || i == at).collect()
    };
    Within { cosine, rows: places.par_iter().map(within).collect() }
}
