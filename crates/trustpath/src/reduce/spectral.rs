//! Spectral embedding (Laplacian eigenmaps, Belkin and Niyogi 2003).
//!
//! Coordinates under which instances that are neighbours stay together:
//!
//! ```text
//! min Σᵢⱼ aᵢⱼ ‖zᵢ − zⱼ‖²,   Zᵀ D Z = I,  Zᵀ D 1 = 0;   A = (G + Gᵀ)/2,  D = diag(A 1)
//! ```
//!
//! with `G` the 0/1 graph of the nearest neighbours. `Z = D^(−½) V`, `V` the lowest eigenvectors of the normalised
//! Laplacian `L = I − D^(−½) A D^(−½)` except `D^½ 1`, which always is a null vector. When the graph is not connected it
//! is still this one that is deflated; the others are kept, for they tell the connected components apart.
//!
//! As in scikit-learn a neighbourhood has `n / 10` members, one of which is the instance itself, and self-loops do not
//! count. Below 20 instances that would leave no edge at all, so a neighbourhood here has at least two members; beyond 2,000
//! instances a tenth of them is not local any more, and too many to store, so it has `200 √(2000/n)`.

use super::components::ConnectedComponents;
use super::order::CommunityOrder;
use super::{DEFAULT_D, DENSE_ROWS, Embedding, Reduce, alignment};
use crate::linalg::operator::IdentityMinus;
use crate::linalg::sparse::Csr;
use crate::neighbors::Neighbors;
use crate::{Error, Instances, Matrix, Result};

/// The spectrum of a normalised Laplacian ends at 2.
const BEYOND: f64 = 2.0;

/// Spectral embedding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spectral {
    /// Number of dimensions (5).
    pub d: usize,
    /// Members of a neighbourhood, the instance itself counted (a tenth of up to 2,000 instances, then fewer).
    pub members: Option<usize>,
}

impl Default for Spectral {
    fn default() -> Self {
        Self { d: DEFAULT_D, members: None }
    }
}

impl Reduce for Spectral {
    fn dimensions(&self) -> Option<usize> {
        Some(self.d)
    }

    fn neighbors(&self, n: usize) -> Option<usize> {
        let most = if n <= DENSE_ROWS {
            n / 10
        } else {
            (DENSE_ROWS as f64 / 10.0 * (DENSE_ROWS as f64 / n as f64).sqrt()) as usize
        };
        Some(self.members.unwrap_or(most.max(2)).saturating_sub(1))
    }

    fn check_own_parameters(&self) -> Result<()> {
        match self.members {
            Some(members @ 0..2) => {
                Err(Error::parameter("members", members, "it must be at least 2"))
            }
            _ => Ok(()),
        }
    }

    fn embed(&self, _: &Instances, n: usize, graph: &Neighbors) -> Result<Embedding> {
        if n <= DENSE_ROWS { dense(graph, self.d) } else { from_products(graph, self.d) }
    }
}

fn dense(graph: &Neighbors, d: usize) -> Result<Embedding> {
    let n = graph.len();
    let mut laplacian = affinity(graph);
    let root: Vec<f64> = laplacian.iter_rows().map(|row| row.iter().sum::<f64>().sqrt()).collect();
    let total: f64 = root.iter().map(|r| r * r).sum();
    for i in 0..n {
        for (j, l) in laplacian.row_mut(i).iter_mut().enumerate() {
            *l = BEYOND * root[i] * root[j] / total - *l / (root[i] * root[j]);
        }
        laplacian[(i, i)] += 1.0;
    }
    Ok(unweighted(alignment::deflated(&laplacian, BEYOND, d)?, &root))
}

/// The same from products with `D^(−½) A D^(−½)`.
fn from_products(graph: &Neighbors, d: usize) -> Result<Embedding> {
    let n = graph.len();
    let order = CommunityOrder::of(graph);
    let mut to = Csr::new(n);
    for &i in &order.at {
        to.push_row(graph.indices(i).map(|j| (order.place[j], 0.5)));
    }
    let from = to.transpose();
    let degree = |i: usize| 0.5 * (to.row(i).0.len() + from.row(i).0.len()) as f64;
    let root: Vec<f64> = (0..n).map(|i| degree(i).sqrt()).collect();
    let mut s = Csr::new(n);
    let mut row: Vec<u32> = Vec::new();
    for i in 0..n {
        row.clear();
        row.extend(to.row(i).0.iter().chain(from.row(i).0));
        row.sort_unstable();
        // Instances that are neighbours of each other are in the row twice.
        s.push_row(row.chunk_by(|a, b| a == b).map(|same| {
            let j = same[0] as usize;
            (j, 0.5 * same.len() as f64 / (root[i] * root[j]))
        }));
    }
    let components = ConnectedComponents::of(graph).reordered(&order);
    let found = alignment::sparse(&mut IdentityMinus(s), &components, &root, d)?;
    let mut found = unweighted(found, &root);
    found.x = order.undo(&found.x);
    Ok(found)
}

/// `Z = D^(−½) V`.
fn unweighted(mut embedding: Embedding, root: &[f64]) -> Embedding {
    for (i, root) in root.iter().enumerate() {
        embedding.x.row_mut(i).iter_mut().for_each(|x| *x /= root);
    }
    embedding
}

/// `(G + Gᵀ)/2` without self-loops. Every instance has a neighbour, so no row is zero.
fn affinity(graph: &Neighbors) -> Matrix {
    let n = graph.len();
    let mut a = Matrix::zeros(n, n);
    for i in 0..n {
        for j in graph.indices(i) {
            a[(i, j)] += 0.5;
            a[(j, i)] += 0.5;
        }
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduce::testing::{
        assert_same_subspace, classes, clusters, coordinates, duplicates,
    };

    #[test]
    fn coordinates_are_orthonormal_in_the_degrees_and_free_of_the_constant() {
        let x = clusters(3, 20, 7, 1.0);
        let n = 60;
        let z = coordinates(&Spectral { d: 4, members: None }, &x);
        let a = affinity(&Neighbors::of(&x, n, 5).unwrap());
        let degree: Vec<f64> = a.iter_rows().map(|row| row.iter().sum()).collect();
        for p in 0..4 {
            assert!((0..n).map(|i| degree[i] * z[(i, p)]).sum::<f64>().abs() < 1e-12);
            for q in 0..4 {
                let inner: f64 = (0..n).map(|i| degree[i] * z[(i, p)] * z[(i, q)]).sum();
                assert!((inner - f64::from(u8::from(p == q))).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn products_lead_to_the_same_coordinates_as_the_matrix() {
        for (x, d, k) in [
            (classes(2000, 20, 64, 15, 0.3), 19, 199),
            (classes(1200, 8, 32, 6, 0.3), 7, 10),
            (clusters(3, 80, 8, 30.0), 5, 6),
        ] {
            let graph = Neighbors::of(&x, x.len(), k).unwrap();
            let sparse = from_products(&graph, d).unwrap();
            assert_same_subspace(&dense(&graph, d).unwrap(), &sparse);
        }
    }

    #[test]
    fn neighbourhoods_stop_growing() {
        let members = |n: usize| Spectral::default().neighbors(n).unwrap() + 1;
        assert_eq!([30, 2000, 2001, 8000, 200_000].map(members), [3, 200, 199, 100, 20]);
    }

    #[test]
    fn components_are_counted_and_told_apart() {
        let x = clusters(3, 20, 8, 30.0);
        let embedding = Spectral { d: 2, members: None }.reduce(&x, 60).unwrap();
        assert_eq!(embedding.nullity, Some(3));
        for i in 0..60 {
            let pair = embedding.x.row(i).iter().zip(embedding.x.row(i / 20 * 20));
            assert!(pair.into_iter().all(|(a, b)| (a - b).abs() < 1e-12));
        }
    }

    #[test]
    fn few_instances_and_duplicates_still_have_edges() {
        let x = clusters(2, 6, 5, 1.0);
        assert_eq!(coordinates(&Spectral::default(), &x).rows(), 12);
        let z = coordinates(&Spectral::default(), &duplicates(30, 7));
        assert!(z.as_slice().iter().all(|z| z.is_finite()));
    }
}
