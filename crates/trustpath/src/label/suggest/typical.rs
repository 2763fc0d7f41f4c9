//! The most typical instances of clusters that have no label: TypiClust (Hacohen, Dekel and Weinshall, 2022).
//!
//! All instances form `|labelled| + batch` clusters, at most 500. Clusters of more than five instances are visited in turn, those
//! with the fewest labels first and of these the largest; each gives its most typical instance, that with the smallest mean
//! distance to its 20 nearest neighbours in the cluster (to half of the cluster if it has fewer than 40).

use rayon::prelude::*;

use super::Candidates;
use super::kmeans::clusters;
use crate::linalg::vector::dot;

/// Published parameters.
const MOST_CLUSTERS: usize = 500;
const SMALLEST: usize = 5;
const NEIGHBORS: usize = 20;

pub(super) fn choose(pool: &Candidates<'_>, batch: usize) -> Vec<usize> {
    let open = pool.sample(batch);
    let rows: Vec<usize> = open.iter().chain(pool.given).copied().collect();
    let count = (pool.given.len() + batch).min(MOST_CLUSTERS).min(rows.len());
    let cluster = clusters(pool.u, &rows, count);
    let mut members = vec![Vec::new(); count];
    cluster.iter().enumerate().for_each(|(at, &k)| members[k].push(at));
    let labels = |of: &[usize]| of.iter().filter(|&&at| at >= open.len()).count();
    members.retain(|of| of.len() > labels(of));
    // Small clusters come last rather than never, so that a batch is complete.
    members.sort_by_key(|of| (of.len() <= SMALLEST, labels(of), std::cmp::Reverse(of.len())));
    let typical: Vec<Vec<usize>> = members
        .par_iter()
        .map(|of| {
            let mut order: Vec<(f64, usize)> =
                of.iter().map(|&at| (mean_distance(pool, &rows, of, at), at)).collect();
            order.retain(|(_, at)| *at < open.len());
            order.sort_by(|a, b| a.0.total_cmp(&b.0));
            order.into_iter().map(|(_, at)| open[at]).collect()
        })
        .collect();
    let turns = (0..).map(|turn| typical.iter().filter_map(move |of| of.get(turn).copied()));
    turns.flatten().take(batch).collect()
}

/// The mean distance of a member of a cluster to its nearest neighbours there.
fn mean_distance(pool: &Candidates<'_>, rows: &[usize], of: &[usize], at: usize) -> f64 {
    let own = pool.u.row(rows[at]);
    let others = of.iter().filter(|&&other| other != at);
    let mut distance: Vec<f64> = others
        .map(|&other| (2.0 - 2.0 * dot(own, pool.u.row(rows[other]))).max(0.0).sqrt())
        .collect();
    distance.sort_by(f64::total_cmp);
    distance.truncate(NEIGHBORS.min(of.len() / 2).max(1));
    distance.iter().sum::<f64>() / distance.len().max(1) as f64
}
