//! Isomap (Tenenbaum, de Silva and Langford 2000): multidimensional scaling of distances along the graph.
//!
//! ```text
//! D = shortest paths in the graph of k nearest neighbours,   Z = classical scaling of −½ D²
//! ```
//!
//! An edge goes both ways if it goes one way. Pieces of a disconnected graph are connected as scikit-learn does it: each
//! two of them by one edge between their nearest points.

use super::neighbors::{Neighbors, squared_distance};
use super::{
    DEFAULT_D, DEFAULT_NEIGHBORS, Embedding, Reduce, check_dimensions, check_instances,
    check_positive, classical,
};
use crate::{Instances, Matrix, Result};

/// Parameters of [`Isomap`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IsomapParams {
    /// Number of dimensions (5).
    pub d: usize,
    /// Number of neighbours (5).
    pub neighbors: usize,
}

impl Default for IsomapParams {
    fn default() -> Self {
        Self { d: DEFAULT_D, neighbors: DEFAULT_NEIGHBORS }
    }
}

impl IsomapParams {
    /// Checks what can be checked without data.
    ///
    /// # Errors
    /// [`crate::Error::Parameter`].
    pub fn check(self) -> Result<Isomap> {
        check_positive("d", self.d)?;
        check_positive("neighbors", self.neighbors)?;
        Ok(Isomap(self))
    }
}

/// Isomap.
#[derive(Debug, Clone)]
pub struct Isomap(IsomapParams);

impl Reduce for Isomap {
    fn name(&self) -> &'static str {
        "isomap"
    }

    fn reduce(&self, instances: &Instances, n: usize) -> Result<Embedding> {
        check_instances(instances, n)?;
        let graph = Neighbors::of(instances, n, self.0.neighbors)?;
        check_dimensions(self.0.d, n - 1)?;
        let mut paths = edges(&graph);
        connect(instances, &mut paths, &pieces(&graph));
        shortest_paths(&mut paths);
        paths.as_mut_slice().iter_mut().for_each(|d| *d *= -0.5 * *d);
        Ok(Embedding { x: classical::coordinates(paths, self.0.d)?, nullity: None })
    }
}

/// Lengths of the edges, infinite where there is none.
fn edges(graph: &Neighbors) -> Matrix {
    let n = graph.len();
    let mut lengths = Matrix::from_fn(n, n, |i, j| if i == j { 0.0 } else { f64::INFINITY });
    for i in 0..n {
        for (&j, squared) in graph.index(i).iter().zip(graph.squared_distances(i)) {
            lengths[(i, j)] = squared.sqrt();
            lengths[(j, i)] = squared.sqrt();
        }
    }
    lengths
}

/// The connected pieces of the graph, each in ascending order, themselves in order of their first member.
fn pieces(graph: &Neighbors) -> Vec<Vec<usize>> {
    let n = graph.len();
    let mut root: Vec<usize> = (0..n).collect();
    fn find(root: &mut [usize], mut i: usize) -> usize {
        while root[i] != i {
            root[i] = root[root[i]];
            i = root[i];
        }
        i
    }
    for i in 0..n {
        for &j in graph.index(i) {
            let (a, b) = (find(&mut root, i), find(&mut root, j));
            root[a.max(b)] = a.min(b);
        }
    }
    let mut pieces: Vec<Vec<usize>> = vec![Vec::new(); n];
    for i in 0..n {
        pieces[find(&mut root, i)].push(i);
    }
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

/// Joins each two pieces at their nearest points; of equally near ones, the first.
fn connect(instances: &Instances, lengths: &mut Matrix, pieces: &[Vec<usize>]) {
    for (number, piece) in pieces.iter().enumerate() {
        for other in &pieces[..number] {
            let mut nearest = (f64::INFINITY, piece[0], other[0]);
            for &i in piece {
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

/// Floyd–Warshall: at a few hundred instances its plain sweeps beat one search per instance.
fn shortest_paths(lengths: &mut Matrix) {
    let n = lengths.rows();
    let mut through = vec![0.0; n];
    pulp::Arch::new().dispatch(
        #[inline(always)]
        || {
            for k in 0..n {
                through.copy_from_slice(lengths.row(k));
                for i in 0..n {
                    let to_k = through[i];
                    for (d, &from_k) in lengths.row_mut(i).iter_mut().zip(&through) {
                        let detour = to_k + from_k;
                        *d = if detour < *d { detour } else { *d };
                    }
                }
            }
        },
    );
}
