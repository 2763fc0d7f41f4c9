//! Locally linear embedding (Roweis and Saul 2000): the paper's reduction.
//!
//! Each instance is written as a combination of its `k` neighbours, and coordinates are wanted that fulfil the same
//! combinations:
//!
//! ```text
//! wᵢ = argmin ‖xᵢ − Σⱼ wᵢⱼ xⱼ‖² + R‖wᵢ‖²,  Σⱼ wᵢⱼ = 1:   (Cᵢ + R I) wᵢ ∝ 1,   Cᵢ = ((xₐ − xᵢ)ᵀ(x_b − xᵢ))ₐb
//! min Σᵢ ‖zᵢ − Σⱼ wᵢⱼ zⱼ‖² = tr Zᵀ M Z,   M = (I − W)ᵀ(I − W),   ZᵀZ = I,  Zᵀ1 = 0
//! ```
//!
//! with `R = 10⁻³ · tr Cᵢ`, or `10⁻³` itself where all neighbours are duplicates of `xᵢ`. `Z` are the lowest
//! eigenvectors of `M` except the constant one.
//!
//! `M 1 = 0` always. When several groups of instances have all of their neighbours inside the group, as when the graph is
//! not connected, `M` has other null vectors too, and which of them a solver returns first is rounding noise. Here exactly the constant vector is deflated, `M + c 11ᵀ/n`, and the rest of the
//! null space stays: it tells the connected components apart.
//!
//! scikit-learn drops the first of the lowest `d + 1` eigenvectors, whatever it is. Where the nullity is one, that is the
//! constant. Where it is `m`, LAPACK's first vector is in effect a random direction of the null space (its squared
//! overlap with the constant averages `1/m` over real episodes), which other rounding turns elsewhere. [`Lle::compat`] does
//! the same with the vectors that a plain decomposition of `M` returns.

mod weights;

use faer::Side;

use self::weights::weights;
use super::alignment::{self, NULL, norm};
use super::{DEFAULT_D, DEFAULT_NEIGHBORS, Embedding, Reduce};
use trustpath::neighbors::Neighbors;
use trustpath::{Error, Instances, Matrix, Result};

/// Locally linear embedding.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lle {
    /// Number of dimensions (5).
    pub d: usize,
    /// Number of neighbours (5).
    pub neighbors: usize,
    /// Drop what scikit-learn would, instead of the constant vector (no).
    pub compat: bool,
}

impl Default for Lle {
    fn default() -> Self {
        Self { d: DEFAULT_D, neighbors: DEFAULT_NEIGHBORS, compat: false }
    }
}

impl Reduce for Lle {
    fn dimensions(&self) -> Option<usize> {
        Some(self.d)
    }

    fn neighbors(&self, _: usize) -> Option<usize> {
        Some(self.neighbors)
    }

    fn embed(&self, instances: &Instances, _: usize, graph: &Neighbors) -> Result<Embedding> {
        let m = alignment_matrix(graph, &weights(instances, graph));
        if !self.compat {
            return alignment::constant_deflated(m, self.d);
        }
        let eigen = m.view().self_adjoint_eigen(Side::Lower).map_err(|_| Error::NotConverged {
            what: "the eigen-decomposition of lle",
            iterations: 1,
            reached: f64::INFINITY,
            tolerance: 0.0,
        })?;
        let (values, vectors) = (eigen.S().column_vector(), eigen.U());
        let null = NULL * norm(&m);
        let nullity = values.iter().filter(|value| **value < null).count();
        let x = Matrix::from_fn(m.rows(), self.d, |i, j| vectors[(i, j + 1)]);
        Ok(Embedding { x, nullity: Some(nullity) })
    }
}

/// `M = (I − W)ᵀ(I − W)`, summed over the instances.
fn alignment_matrix(graph: &Neighbors, weights: &Matrix) -> Matrix {
    let n = graph.len();
    let mut m = Matrix::zeros(n, n);
    for (i, w) in weights.iter_rows().enumerate() {
        m[(i, i)] += 1.0;
        for (a, &wa) in graph.indices(i).zip(w) {
            m[(i, a)] -= wa;
            m[(a, i)] -= wa;
            for (b, &wb) in graph.indices(i).zip(w) {
                m[(a, b)] += wa * wb;
            }
        }
    }
    m
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduce::testing::{clusters, coordinates, duplicates, instances, max_difference, projector};

    fn lle(d: usize, compat: bool) -> Lle {
        Lle { d, compat, ..Default::default() }
    }

    /// The spectra below have ‖M‖ ≈ 30 and gaps ≈ 1e-6, so that a vector is determined to ε‖M‖/gap ≈ 6e-9.
    const CONDITIONED: f64 = 5e-8;

    #[test]
    fn both_variants_agree_where_the_graph_is_connected() {
        let x = clusters(3, 14, 8, 0.7);
        let [ours, compat] = [false, true].map(|compat| lle(4, compat).reduce(&x, 42).unwrap());
        assert_eq!((ours.nullity, compat.nullity), (Some(1), Some(1)));
        assert!(max_difference(&projector(&ours.x), &projector(&compat.x)) < CONDITIONED);
    }

    #[test]
    fn components_of_the_graph_are_counted_and_told_apart() {
        let x = clusters(5, 12, 8, 30.0);
        for compat in [false, true] {
            assert_eq!(lle(4, compat).reduce(&x, 60).unwrap().nullity, Some(5));
        }
        // Five components have exactly four contrasts other than the constant.
        let z = coordinates(&lle(4, false), &x);
        for i in 0..60 {
            let first = z.row(i / 12 * 12);
            assert!(z.row(i).iter().zip(first).all(|(a, b)| (a - b).abs() < CONDITIONED));
        }
        let expected = Matrix::from_fn(60, 60, |i, j| f64::from(i / 12 == j / 12) / 12.0 - 1.0 / 60.0);
        assert!(max_difference(&projector(&z), &expected) < CONDITIONED);
        for dimension in 0..4 {
            assert!((0..60).map(|i| z[(i, dimension)]).sum::<f64>().abs() < 1e-12);
        }
    }

    #[test]
    fn more_components_than_dimensions_still_give_coordinates_without_the_constant() {
        let x = clusters(9, 8, 16, 40.0);
        let embedding = lle(3, false).reduce(&x, 72).unwrap();
        assert_eq!(embedding.nullity, Some(9));
        for dimension in 0..3 {
            assert!((0..72).map(|i| embedding.x[(i, dimension)]).sum::<f64>().abs() < 1e-12);
        }
    }

    #[test]
    fn duplicates_do_no_harm() {
        // Instances 0 to 6 coincide, so that all neighbours of each are at distance zero.
        for compat in [false, true] {
            let z = coordinates(&lle(5, compat), &duplicates(30, 7));
            assert!(z.as_slice().iter().all(|z| z.is_finite()));
        }
    }

    #[test]
    fn only_the_first_n_count() {
        let (all, head) = (clusters(4, 10, 6, 1.0), 30);
        let alone = instances(head, 6, |i, j| all.unit()[(i, j)]);
        let (a, b) = (lle(3, false).reduce(&all, head), lle(3, false).reduce(&alone, head));
        assert!(max_difference(&projector(&a.unwrap().x), &projector(&b.unwrap().x)) < 1e-9);
    }
}
