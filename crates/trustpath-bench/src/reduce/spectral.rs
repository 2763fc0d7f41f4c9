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
//! is still this one alone that is deflated: the others tell the connected components apart.
//!
//! As in scikit-learn a neighbourhood has `n / 10` members, one of which is the instance itself, and self-loops do not
//! count. Below 20 instances that would leave no edge at all, so a neighbourhood here has at least two members.

use super::{Embedding, Reduce, alignment};
use trustpath::neighbors::Neighbors;
use trustpath::{Instances, Matrix, Result};

/// The spectrum of a normalised Laplacian ends at 2.
const BEYOND: f64 = 2.0;

#[derive(Debug)]
pub(super) struct Spectral {
    pub d: usize,
}

impl Reduce for Spectral {
    fn dimensions(&self) -> Option<usize> {
        Some(self.d)
    }

    fn neighbors(&self, n: usize) -> Option<usize> {
        Some((n / 10).max(2) - 1)
    }

    fn embed(&self, _: &Instances, n: usize, graph: &Neighbors) -> Result<Embedding> {
        let mut laplacian = affinity(graph);
        let root: Vec<f64> = laplacian.iter_rows().map(|row| row.iter().sum::<f64>().sqrt()).collect();
        let total: f64 = root.iter().map(|r| r * r).sum();
        for i in 0..n {
            for (j, l) in laplacian.row_mut(i).iter_mut().enumerate() {
                *l = BEYOND * root[i] * root[j] / total - *l / (root[i] * root[j]);
            }
            laplacian[(i, i)] += 1.0;
        }
        let mut embedding = alignment::deflated(&laplacian, BEYOND, self.d)?;
        for (i, root) in root.iter().enumerate() {
            embedding.x.row_mut(i).iter_mut().for_each(|x| *x /= root);
        }
        Ok(embedding)
    }
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
    use crate::reduce::testing::{clusters, coordinates, duplicates};

    #[test]
    fn coordinates_are_orthonormal_in_the_degrees_and_free_of_the_constant() {
        let x = clusters(3, 20, 7, 1.0);
        let n = 60;
        let z = coordinates(&Spectral { d: 4 }, &x);
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
    fn components_are_counted_and_told_apart() {
        let x = clusters(3, 20, 8, 30.0);
        let embedding = Spectral { d: 2 }.reduce(&x, 60).unwrap();
        assert_eq!(embedding.nullity, Some(3));
        for i in 0..60 {
            let pair = embedding.x.row(i).iter().zip(embedding.x.row(i / 20 * 20));
            assert!(pair.into_iter().all(|(a, b)| (a - b).abs() < 1e-12));
        }
    }

    #[test]
    fn few_instances_and_duplicates_still_have_edges() {
        let x = clusters(2, 6, 5, 1.0);
        assert_eq!(coordinates(&Spectral { d: 5 }, &x).rows(), 12);
        let z = coordinates(&Spectral { d: 5 }, &duplicates(30, 7));
        assert!(z.as_slice().iter().all(|z| z.is_finite()));
    }
}
