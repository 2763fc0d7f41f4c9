//! Isomap (Tenenbaum, de Silva and Langford 2000): multidimensional scaling of distances along the graph.
//!
//! ```text
//! D = shortest paths in the graph of k nearest neighbours,   Z = classical scaling of −½ D²
//! ```
//!
//! Edges have no direction. The components of a graph that is not connected are joined as in scikit-learn: each two of them
//! by one edge between their nearest points.

use super::{Embedding, Reduce, classical, squared_distance};
use trustpath::neighbors::Neighbors;
use trustpath::{Instances, Matrix, Result};

#[derive(Debug)]
pub(super) struct Isomap {
    pub d: usize,
    pub neighbors: usize,
}

impl Reduce for Isomap {
    fn dimensions(&self) -> Option<usize> {
        Some(self.d)
    }

    fn neighbors(&self, _: usize) -> Option<usize> {
        Some(self.neighbors)
    }

    fn embed(&self, instances: &Instances, _: usize, graph: &Neighbors) -> Result<Embedding> {
        let mut paths = all_paths(instances, graph);
        paths.as_mut_slice().iter_mut().for_each(|d| *d = -0.5 * (*d * *d));
        Ok(Embedding::plain(classical::coordinates(paths, self.d)?))
    }
}

/// Lengths of the edges, infinite where there is none.
fn edges(graph: &Neighbors) -> Matrix {
    let n = graph.len();
    let mut lengths = Matrix::from_fn(n, n, |i, j| if i == j { 0.0 } else { f64::INFINITY });
    for i in 0..n {
        for (j, squared) in graph.indices(i).zip(graph.squared_distances(i)) {
            lengths[(i, j)] = squared.sqrt();
            lengths[(j, i)] = squared.sqrt();
        }
    }
    lengths
}

/// The connected components of `n` instances with these edges, which have no direction: their members in ascending
/// order, and the components in order of their first member.
fn components(n: usize, edges: impl IntoIterator<Item = (usize, usize)>) -> Vec<Vec<usize>> {
    fn first_of(first: &mut [usize], mut i: usize) -> usize {
        while first[i] != i {
            first[i] = first[first[i]];
            i = first[i];
        }
        i
    }
    let mut first: Vec<usize> = (0..n).collect();
    for (i, j) in edges {
        let (a, b) = (first_of(&mut first, i), first_of(&mut first, j));
        first[a.max(b)] = a.min(b);
    }
    let mut members = vec![Vec::new(); n];
    (0..n).for_each(|i| members[first_of(&mut first, i)].push(i));
    members.retain(|members| !members.is_empty());
    members
}

fn components_of(graph: &Neighbors) -> Vec<Vec<usize>> {
    components(graph.len(), (0..graph.len()).flat_map(|i| graph.indices(i).map(move |j| (i, j))))
}

/// Joins each two components at their nearest points; of equally near ones, the first.
fn connect(instances: &Instances, lengths: &mut Matrix, components: &[Vec<usize>]) {
    for (number, component) in components.iter().enumerate() {
        for other in &components[..number] {
            let mut nearest = (f64::INFINITY, component[0], other[0]);
            for &i in component {
                for &j in other {
                    let squared = squared_distance(instances, i, j);
                    if squared < nearest.0 {
                        nearest = (squared, i, j);
                    }
                }
            }
            let (squared, i, j) = nearest;
            lengths[(i, j)] = squared.sqrt();
            lengths[(j, i)] = squared.sqrt();
        }
    }
}

/// Shortest paths between all instances.
fn all_paths(instances: &Instances, graph: &Neighbors) -> Matrix {
    let mut paths = edges(graph);
    connect(instances, &mut paths, &components_of(graph));
    shortest_paths(&mut paths);
    paths
}

/// Floyd–Warshall: at a few hundred instances its plain sweeps beat one search per instance. Distances are symmetric,
/// so that the sweeps go over one triangle.
fn shortest_paths(lengths: &mut Matrix) {
    let n = lengths.rows();
    let mut through = vec![0.0; n];
    pulp::Arch::new().dispatch(
        #[inline(always)]
        || {
            for k in 0..n {
                for (j, via) in through.iter_mut().enumerate() {
                    *via = lengths[(k.max(j), k.min(j))];
                }
                for i in 0..n {
                    let to_k = through[i];
                    for (d, &from_k) in lengths.row_mut(i)[..=i].iter_mut().zip(&through) {
                        let detour = to_k + from_k;
                        *d = if detour < *d { detour } else { *d };
                    }
                }
            }
        },
    );
    for i in 0..n {
        for j in i + 1..n {
            lengths[(i, j)] = lengths[(j, i)];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduce::testing::{clusters, coordinates, duplicates, instances};

    #[test]
    fn components_and_their_members_are_in_order() {
        let edges = [(0, 4), (0, 2), (1, 5), (5, 6), (5, 8), (5, 1), (3, 3)];
        assert_eq!(components(9, edges), [vec![0, 2, 4], vec![1, 5, 6, 8], vec![3], vec![7]]);
    }

    #[test]
    fn shortest_paths_leave_no_detour_and_are_made_of_edges() {
        let x = clusters(2, 15, 5, 1.0);
        let graph = Neighbors::of(&x, 30, 4).unwrap();
        let mut direct = edges(&graph);
        connect(&x, &mut direct, &components_of(&graph));
        let paths = all_paths(&x, &graph);
        for i in 0..30 {
            for j in 0..30 {
                assert!(paths[(i, j)] <= direct[(i, j)]);
                assert_eq!(paths[(i, j)], paths[(j, i)]);
                // Bellman's equation: the last edge of a shortest path leaves a shortest path.
                let best =
                    (0..30).filter(|&k| k != j).map(|k| paths[(i, k)] + direct[(k, j)]).fold(f64::INFINITY, f64::min);
                assert!(i == j || (paths[(i, j)] - best).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn unrolls_an_arc_to_its_length() {
        let step = 0.05f64;
        let x = instances(50, 2, |i, j| {
            let angle = step * i as f64;
            if j == 0 { angle.cos() } else { angle.sin() }
        });
        let z = coordinates(&Isomap { d: 1, neighbors: 2 }, &x);
        let chord = 2.0 * (step / 2.0).sin();
        // Not exactly: each end has its second neighbour on the same side, a shortcut of about step³/8.
        for i in 0..49 {
            assert!(((z[(i + 1, 0)] - z[(i, 0)]).abs() - chord).abs() < step.powi(3) / 4.0);
        }
    }

    #[test]
    fn each_two_components_are_joined_at_their_nearest_points() {
        let x = clusters(3, 10, 8, 30.0);
        let graph = Neighbors::of(&x, 30, 5).unwrap();
        let components = components_of(&graph);
        assert_eq!(components, [0, 10, 20].map(|first| (first..first + 10).collect::<Vec<_>>()));
        let before = edges(&graph);
        let mut after = before.clone();
        connect(&x, &mut after, &components);
        let mut joined: Vec<(usize, usize)> = Vec::new();
        for i in 0..30 {
            for j in 0..i {
                if before[(i, j)].is_infinite() && after[(i, j)].is_finite() {
                    joined.push((i / 10, j / 10));
                    let nearest = (0..10)
                        .flat_map(|a| (0..10).map(move |b| (i / 10 * 10 + a, j / 10 * 10 + b)))
                        .map(|(a, b)| squared_distance(&x, a, b))
                        .fold(f64::INFINITY, f64::min);
                    assert_eq!(after[(i, j)], nearest.sqrt());
                }
            }
        }
        joined.sort_unstable();
        assert_eq!(joined, [(1, 0), (2, 0), (2, 1)]);
        let z = coordinates(&Isomap { d: 5, neighbors: 5 }, &x);
        assert!(z.as_slice().iter().all(|z| z.is_finite()));
    }

    #[test]
    fn duplicates_stay_together() {
        let z = coordinates(&Isomap { d: 5, neighbors: 5 }, &duplicates(30, 7));
        for i in 1..7 {
            assert!(z.row(i).iter().zip(z.row(0)).all(|(a, b)| (a - b).abs() < 1e-7));
        }
    }
}
