//! Local tangent space alignment (Zhang and Zha 2004).
//!
//! The `k` neighbours `Nᵢ` of each instance span a tangent space, with orthonormal coordinates `vᵢ₁ … vᵢ_d` (the leading
//! eigenvectors of their centred Gram matrix). Global coordinates are wanted that are affine in all of them:
//!
//! ```text
//! min tr Zᵀ M Z,   M = Σᵢ Sᵢ (I − 11ᵀ/k − Σ_l vᵢ_l vᵢ_lᵀ) Sᵢᵀ,   ZᵀZ = I,  Zᵀ1 = 0
//! ```
//!
//! where `Sᵢ` picks the rows of `Nᵢ`. As in scikit-learn the instance itself is not in `Nᵢ`. Null vectors are treated
//! as in [`lle`](super::lle): the constant one is deflated, and no other.
//!
//! `k` centred points span `k − 1` dimensions, so that the method needs `d ≤ k − 2`: at `d = k − 1` nothing is left to
//! minimise. The paper's code asks for `d = k = 5`. scikit-learn then counts the constant direction twice, `Σ_l v v ᵀ = I`,
//! and what is left is `M = −(1/k) Σᵢ Sᵢ 11ᵀ Sᵢᵀ`: not tangent spaces any more, but how many neighbourhoods two instances
//! share. Its lowest `d + 1` eigenvectors except the first are the coordinates, which is what `d = k` gives here too.

use faer::Mat;

use super::{Embedding, Reduce, alignment, check_positive, columns};
use trustpath::neighbors::Neighbors;
use trustpath::{Error, Instances, Matrix, Result};
use trustpath_path::linalg::{Tridiagonal, eigen};

#[derive(Debug)]
pub(super) struct Ltsa {
    pub d: usize,
    pub neighbors: usize,
}

impl Reduce for Ltsa {
    fn dimensions(&self) -> Option<usize> {
        Some(self.d)
    }

    fn neighbors(&self, _: usize) -> Option<usize> {
        Some(self.neighbors)
    }

    fn check_parameters(&self) -> Result<()> {
        if self.d != self.neighbors && self.d + 2 > self.neighbors {
            return Err(Error::parameter(
                "d",
                self.d,
                "ltsa needs at least d + 2 neighbours (or exactly d, as the paper's code has it)",
            ));
        }
        check_positive("d", self.d)
    }

    fn embed(&self, instances: &Instances, _: usize, graph: &Neighbors) -> Result<Embedding> {
        if self.d == self.neighbors { shared(graph, self.d) } else { aligned(instances, graph, self.d) }
    }
}

/// `d = k`: by the neighbourhoods that instances share.
fn shared(graph: &Neighbors, d: usize) -> Result<Embedding> {
    let m = aligned_sum(graph, |_| Ok(Matrix::from_fn(d, d, |_, _| -1.0 / d as f64)))?;
    let vectors = Tridiagonal::of(&m).lowest(d + 1)?.vectors;
    Ok(Embedding::plain(columns(&vectors, 1)))
}

/// By tangent spaces.
fn aligned(instances: &Instances, graph: &Neighbors, d: usize) -> Result<Embedding> {
    alignment::constant_deflated(aligned_sum(graph, |i| off_tangent(instances, graph, i, d))?, d)
}

/// `Σᵢ Sᵢ Lᵢ Sᵢᵀ` of the matrices that `local` gives.
fn aligned_sum(graph: &Neighbors, local: impl Fn(usize) -> Result<Matrix>) -> Result<Matrix> {
    let n = graph.len();
    let mut m = Matrix::zeros(n, n);
    for i in 0..n {
        let l = local(i)?;
        for (a, ja) in graph.indices(i).enumerate() {
            for (b, jb) in graph.indices(i).enumerate() {
                m[(ja, jb)] += l[(a, b)];
            }
        }
    }
    Ok(m)
}

/// `I − 11ᵀ/k − Σ_l v_l v_lᵀ`: the projector on what an affine function of `d` tangent coordinates cannot reach.
fn off_tangent(instances: &Instances, graph: &Neighbors, i: usize, d: usize) -> Result<Matrix> {
    let (k, u) = (graph.k(), unreached(instances, graph, i, d)?);
    Ok(Matrix::from_fn(k, k, |a, b| (0..k - 1 - d).map(|l| u[(l, a)] * u[(l, b)]).sum()))
}

/// An orthonormal basis of what that projector keeps, one row each.
fn unreached(instances: &Instances, graph: &Neighbors, i: usize, d: usize) -> Result<Matrix> {
    let index: Vec<usize> = graph.indices(i).collect();
    let k = index.len();
    let unit = instances.unit();
    // Differences to one of the points, not the Gram matrix, which cancels for near-duplicates.
    let origin = unit.row(index[0]);
    let differences = Mat::from_fn(k, instances.dims(), |a, j| unit[(index[a], j)] - origin[j]);
    let mut gram = &differences * differences.transpose();
    center(&mut gram);
    // The constant vector goes to the bottom of the spectrum, also where duplicates leave other zeros.
    let trace: f64 = (0..k).map(|a| gram[(a, a)]).sum();
    let below = if trace > 0.0 { trace / k as f64 } else { 1.0 };
    let gram = Mat::from_fn(k, k, |a, b| gram[(a, b)] - below);
    let eigen = eigen(gram.as_ref())?;
    let u = eigen.U();
    // Ascending eigenvalues: the constant is column 0, the tangent space the last d columns.
    Ok(Matrix::from_fn(k - 1 - d, k, |l, a| u[(a, l + 1)]))
}

fn center(gram: &mut Mat<f64>) {
    let k = gram.nrows();
    let means: Vec<f64> = (0..k).map(|a| (0..k).map(|b| gram[(a, b)]).sum::<f64>() / k as f64).collect();
    let mean = means.iter().sum::<f64>() / k as f64;
    for a in 0..k {
        for b in 0..k {
            gram[(a, b)] += mean - means[a] - means[b];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduce::classical;
    use crate::reduce::testing::{clusters, coordinates, duplicates, instances};

    #[test]
    fn energy_is_what_tangent_coordinates_leave_unexplained() {
        let (n, k, d) = (25, 7, 3);
        let x = clusters(1, n, 9, 1.0);
        let graph = Neighbors::of(&x, n, k).unwrap();
        let m = aligned_sum(&graph, |i| off_tangent(&x, &graph, i, d)).unwrap();
        let z: Vec<f64> = (0..n).map(|i| (i as f64 * 1.7).sin()).collect();
        let energy: f64 = (0..n).map(|i| (0..n).map(|j| z[i] * m[(i, j)] * z[j]).sum::<f64>()).sum();
        // Least squares of z on (1, coordinates) in every neighbourhood, the coordinates by classical scaling.
        let mut expected = 0.0;
        for i in 0..n {
            let index: Vec<usize> = graph.indices(i).collect();
            let gram = Matrix::from_fn(k, k, |a, b| x.gram()[(index[a], index[b])]);
            let coordinates = classical::coordinates(gram, d).unwrap();
            let mut rest: Vec<f64> = index.iter().map(|&j| z[j]).collect();
            let mean = rest.iter().sum::<f64>() / k as f64;
            rest.iter_mut().for_each(|r| *r -= mean);
            for c in 0..d {
                let axis: Vec<f64> = (0..k).map(|a| coordinates[(a, c)]).collect();
                let square: f64 = axis.iter().map(|a| a * a).sum();
                let along = axis.iter().zip(&rest).map(|(a, r)| a * r).sum::<f64>() / square;
                rest.iter_mut().zip(&axis).for_each(|(r, a)| *r -= along * a);
            }
            expected += rest.iter().map(|r| r * r).sum::<f64>();
        }
        assert!((energy - expected).abs() < 1e-10 * expected);
    }

    #[test]
    fn unrolls_a_curve() {
        let angle = |i: usize| 0.03 * i as f64 + 0.01 * (i as f64 * 2.1).sin();
        let x = instances(40, 3, |i, j| [angle(i).cos(), angle(i).sin(), 0.0][j]);
        let ltsa = Ltsa { d: 1, neighbors: 5 };
        let embedding = ltsa.reduce(&x, 40).unwrap();
        assert_eq!(embedding.nullity, Some(1));
        let z = &embedding.x;
        let direction = (z[(39, 0)] - z[(0, 0)]).signum();
        assert!((1..40).all(|i| direction * (z[(i, 0)] - z[(i - 1, 0)]) > 0.0));
    }

    #[test]
    fn components_are_counted_and_duplicates_do_no_harm() {
        let x = clusters(4, 12, 8, 30.0);
        let ltsa = Ltsa { d: 3, neighbors: 8 };
        // Every component adds its constant, and what is affine in its tangent coordinates may come on top.
        assert!(ltsa.reduce(&x, 48).unwrap().nullity.unwrap() >= 4);
        for ltsa in [ltsa, Ltsa { d: 5, neighbors: 5 }] {
            let z = coordinates(&ltsa, &duplicates(30, 12));
            assert!(z.as_slice().iter().all(|z| z.is_finite()));
        }
    }
}
