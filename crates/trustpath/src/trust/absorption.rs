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
//! instance that resembles nothing. The matrix is sparse and diagonally dominant: conjugate gradients need a few dozen
//! products with it.

use rayon::prelude::*;

use crate::neighbors::SimilarityGraph;

/// The rate of the leak, relative to the median degree.
const LEAK: f64 = 0.03;
/// Residual of the solution, relative to the right-hand side.
const TOLERANCE: f64 = 1e-6;
/// Products at most. The condition number is bounded by the largest degree over the leak, so some hundred are enough.
const ITERATIONS: usize = 1000;
/// Points that are summed up together, so that sums do not depend on the number of threads.
const STRIP: usize = 4096;

/// The score of every point; zero at the labelled ones. `start` is a guess, such as the solution for other labels.
pub(crate) fn absorption(
    graph: &SimilarityGraph,
    labelled: &[bool],
    start: Option<&[f64]>,
) -> Vec<f64> {
    let n = graph.len();
    let mut degrees = graph.degree().to_vec();
    degrees.sort_by(f64::total_cmp);
    let median = degrees.get(n / 2).copied().filter(|d| *d > 0.0).unwrap_or(1.0);
    let leak = LEAK * median;
    let apply = |x: &[f64], out: &mut [f64]| {
        out.par_iter_mut().enumerate().for_each(|(i, out)| {
            *out = match labelled[i] {
                true => 0.0,
                false => {
                    let around: f64 = graph.edges(i).map(|(j, w)| w * x[j]).sum();
                    (graph.degree()[i] + leak) * x[i] - around
                }
            };
        });
    };
    let open = |i: usize, value: f64| if labelled[i] { 0.0 } else { value };
    let precondition = |r: &[f64]| -> Vec<f64> {
        r.par_iter().enumerate().map(|(i, r)| r / (graph.degree()[i] + leak)).collect()
    };
    let mut h: Vec<f64> = match start {
        Some(start) => (0..n).map(|i| open(i, start[i])).collect(),
        None => vec![0.0; n],
    };
    let mut product = vec![0.0; n];
    apply(&h, &mut product);
    let mut residual: Vec<f64> = (0..n).map(|i| open(i, leak - product[i])).collect();
    let enough = TOLERANCE * leak * (n as f64).sqrt();
    let mut z = precondition(&residual);
    let mut direction = z.clone();
    let mut rho = inner(&residual, &z);
    for _ in 0..ITERATIONS {
        if inner(&residual, &residual).sqrt() <= enough {
            break;
        }
        apply(&direction, &mut product);
        let step = rho / inner(&direction, &product);
        h.par_iter_mut().zip(&direction).for_each(|(h, d)| *h += step * d);
        residual.par_iter_mut().zip(&product).for_each(|(r, p)| *r -= step * p);
        z = precondition(&residual);
        let next = inner(&residual, &z);
        let momentum = next / rho;
        rho = next;
        direction.par_iter_mut().zip(&z).for_each(|(d, z)| *d = z + momentum * *d);
    }
    h.iter_mut().for_each(|h| *h = h.clamp(0.0, 1.0));
    h
}

fn inner(a: &[f64], b: &[f64]) -> f64 {
    let strips = a.par_chunks(STRIP).zip(b.par_chunks(STRIP));
    let sums: Vec<f64> =
        strips.map(|(a, b)| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>()).collect();
    sums.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::neighbors::Neighbors;
    use crate::reduce::testing::clusters;

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
