//! Local tangent space alignment (Zhang and Zha 2004).
//!
//! The `k` neighbours `Nᵢ` of each instance span a tangent space, with orthonormal coordinates `vᵢ₁ … vᵢ_d` (the leading
//! eigenvectors of their centred Gram matrix). Global coordinates are sought that are affine in all of them:
//!
//! ```text
//! min tr Zᵀ M Z,   M = Σᵢ Sᵢ (I − 11ᵀ/k − Σ_l vᵢ_l vᵢ_lᵀ) Sᵢᵀ,   ZᵀZ = I,  Zᵀ1 = 0
//! ```
//!
//! where `Sᵢ` picks the rows of `Nᵢ`. As in scikit-learn the instance itself is no part of `Nᵢ`. Null vectors are treated
//! as in [`lle`](super::lle): the constant one is deflated, all others are kept.
//!
//! `k` centred points span `k − 1` dimensions, so that the method needs `d ≤ k − 2`: at `d = k − 1` nothing is left to
//! minimise. The paper's code asks for `d = k = 5`. scikit-learn then counts the constant direction twice, `Σ_l v v ᵀ = I`,
//! and what is left is `M = −(1/k) Σᵢ Sᵢ 11ᵀ Sᵢᵀ`: not tangent spaces any more, but how many neighbourhoods two instances
//! share. Its lowest `d + 1` eigenvectors but the first are the coordinates, which is what `d = k` gives here too.

use faer::linalg::solvers::SelfAdjointEigen;
use faer::{Mat, Side};
use rayon::prelude::*;

use super::lle::{NULL, deflate_constant, norm};
use super::neighbors::Neighbors;
use super::order::Order;
use super::pieces::Pieces;
use super::{
    DEFAULT_D, DEFAULT_NEIGHBORS, DENSE_ROWS, Embedding, Reduce, check_dimensions, check_graph,
    check_instances, check_positive, columns, sparse,
};
use crate::linalg::operator::Square;
use crate::linalg::sparse::Csr;
use crate::linalg::{Tridiagonal, chebyshev};
use crate::{Error, Instances, Matrix, Result};

/// Parameters of [`Ltsa`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LtsaParams {
    /// Number of dimensions (5).
    pub d: usize,
    /// Number of neighbours (5).
    pub neighbors: usize,
}

impl Default for LtsaParams {
    fn default() -> Self {
        Self { d: DEFAULT_D, neighbors: DEFAULT_NEIGHBORS }
    }
}

impl LtsaParams {
    /// Checks what can be checked without data.
    ///
    /// # Errors
    /// [`Error::Parameter`].
    pub fn check(self) -> Result<Ltsa> {
        check_positive("d", self.d)?;
        check_positive("neighbors", self.neighbors)?;
        if self.d != self.neighbors && self.d + 2 > self.neighbors {
            return Err(Error::parameter(
                "d",
                self.d,
                "ltsa needs at least d + 2 neighbours (or exactly d, as the paper's code has it)",
            ));
        }
        Ok(Ltsa(self))
    }
}

/// Local tangent space alignment.
#[derive(Debug, Clone)]
pub struct Ltsa(LtsaParams);

impl Reduce for Ltsa {
    fn name(&self) -> &'static str {
        "ltsa"
    }

    fn neighbors(&self, _: usize) -> Option<usize> {
        Some(self.0.neighbors)
    }

    fn reduce_on(
        &self,
        instances: &Instances,
        n: usize,
        graph: Option<&Neighbors>,
    ) -> Result<Embedding> {
        let LtsaParams { d, neighbors } = self.0;
        check_instances(instances, n)?;
        let graph = check_graph(graph, n, neighbors)?;
        check_dimensions(d, n - 1)?;
        match (d == neighbors, n <= DENSE_ROWS) {
            (true, true) => shared(graph, d),
            (true, false) => shared_sparse(graph, d),
            (false, true) => aligned(instances, graph, d),
            (false, false) => aligned_sparse(instances, graph, d),
        }
    }
}

/// `d = k`: by the neighbourhoods that instances share.
fn shared(graph: &Neighbors, d: usize) -> Result<Embedding> {
    let m = alignment(graph, |_, local| {
        local.as_mut_slice().fill(-1.0 / d as f64);
        Ok(())
    })?;
    let vectors = Tridiagonal::of(&m).lowest(d + 1)?.vectors;
    Ok(Embedding::plain(columns(&vectors, 1)))
}

/// The same, with `M = −(1/k) GᵀG` and `G` the 0/1 graph.
fn shared_sparse(graph: &Neighbors, d: usize) -> Result<Embedding> {
    let n = graph.len();
    let mut b = Csr::new(n);
    for i in 0..n {
        b.push_row(graph.indices(i).iter().map(|&j| (j, 1.0)));
    }
    let mut m = Square::new(b, -1.0 / d as f64);
    let found = chebyshev::lowest(&mut m, &Matrix::zeros(n, 0), d + 1)?;
    let x = Matrix::from_fn(n, d, |i, j| found.vectors[(i, j + 1)]);
    Ok(Embedding { x, nullity: None, iteration: Some(found.iteration()) })
}

/// By tangent spaces.
fn aligned(instances: &Instances, graph: &Neighbors, d: usize) -> Result<Embedding> {
    let mut m = alignment(graph, |i, local| off_tangent(instances, graph.indices(i), d, local))?;
    let norm = norm(&m);
    deflate_constant(&mut m, norm);
    let tridiagonal = Tridiagonal::of(&m);
    let nullity = Some(tridiagonal.count_below(NULL * norm) + 1);
    let x = columns(&tridiagonal.lowest(d)?.vectors, 0);
    Ok(Embedding { x, nullity, iteration: None })
}

/// The same with `M = BᵀB`: each neighbourhood adds `k − 1 − d` rows to `B`, an orthonormal basis of what its tangent
/// coordinates cannot reach.
///
/// An instance that is in no neighbourhood is free to go anywhere: alone it is a null vector. Among many instances there
/// always are some, so here it goes to the mean of its neighbours.
fn aligned_sparse(instances: &Instances, graph: &Neighbors, d: usize) -> Result<Embedding> {
    let n = graph.len();
    let bases = (0..n)
        .into_par_iter()
        .map(|i| unreached(instances, graph.indices(i), d))
        .collect::<Result<Vec<Matrix>>>()?;
    let mut seen = vec![false; n];
    (0..n).flat_map(|i| graph.indices(i)).for_each(|&j| seen[j] = true);
    let order = Order::of(graph);
    let bound: Vec<usize> = order.at.iter().copied().filter(|&i| seen[i]).collect();
    let mut place = vec![0; n];
    bound.iter().enumerate().for_each(|(at, &i)| place[i] = at);
    let groups: Vec<usize> =
        order.at.iter().flat_map(|&i| graph.indices(i)).map(|&j| place[j]).collect();
    let groups = groups.chunks_exact(graph.indices(0).len());
    let mut b = Csr::new(bound.len());
    for (group, &i) in groups.clone().zip(&order.at) {
        for row in bases[i].iter_rows() {
            b.push_row(group.iter().copied().zip(row.iter().copied()));
        }
    }
    let pieces = Pieces::new(bound.len(), groups.map(|group| (group[0], group)));
    let found = sparse::coordinates(&mut Square::new(b, 1.0), &pieces, &vec![1.0; bound.len()], d)?;
    let at = |i: usize, c: usize| found.x[(place[i], c)];
    let x = Matrix::from_fn(n, d, |i, c| {
        if seen[i] {
            return at(i, c);
        }
        let index = graph.indices(i);
        index.iter().map(|&j| at(j, c)).sum::<f64>() / index.len() as f64
    });
    let nullity = found.nullity.map(|nullity| nullity + n - bound.len());
    Ok(Embedding { x, nullity, iteration: found.iteration })
}

/// `Σᵢ Sᵢ Lᵢ Sᵢᵀ` of the local matrices that `local` writes.
fn alignment(
    graph: &Neighbors,
    mut local: impl FnMut(usize, &mut Matrix) -> Result<()>,
) -> Result<Matrix> {
    let (n, k) = (graph.len(), graph.indices(0).len());
    let mut m = Matrix::zeros(n, n);
    let mut l = Matrix::zeros(k, k);
    for i in 0..n {
        local(i, &mut l)?;
        let index = graph.indices(i);
        for (a, &ja) in index.iter().enumerate() {
            for (b, &jb) in index.iter().enumerate() {
                m[(ja, jb)] += l[(a, b)];
            }
        }
    }
    Ok(m)
}

/// `I − 11ᵀ/k − Σ_l v_l v_lᵀ`: the projector on what an affine function of `d` tangent coordinates cannot reach.
fn off_tangent(instances: &Instances, index: &[usize], d: usize, local: &mut Matrix) -> Result<()> {
    let (k, u) = (index.len(), unreached(instances, index, d)?);
    *local = Matrix::from_fn(k, k, |a, b| (0..k - 1 - d).map(|l| u[(l, a)] * u[(l, b)]).sum());
    Ok(())
}

/// An orthonormal basis of it, one row each.
fn unreached(instances: &Instances, index: &[usize], d: usize) -> Result<Matrix> {
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
    let eigen =
        SelfAdjointEigen::new(gram.as_ref(), Side::Lower).map_err(|_| Error::NotConverged {
            what: "the eigenvalue solver of a tangent space",
            iterations: 0,
            reached: f64::NAN,
            tolerance: f64::EPSILON,
        })?;
    let u = eigen.U();
    // Ascending eigenvalues: the constant is column 0, the tangent space the last d columns.
    Ok(Matrix::from_fn(k - 1 - d, k, |l, a| u[(a, l + 1)]))
}

fn center(gram: &mut Mat<f64>) {
    let k = gram.nrows();
    let means: Vec<f64> =
        (0..k).map(|a| (0..k).map(|b| gram[(a, b)]).sum::<f64>() / k as f64).collect();
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
    use crate::reduce::testing::{classes, clusters, instances, max_difference, projector};

    #[test]
    fn energy_is_what_tangent_coordinates_leave_unexplained() {
        let (n, k, d) = (25, 7, 3);
        let x = clusters(1, n, 9, 1.0);
        let graph = Neighbors::of(&x, n, k).unwrap();
        let m = alignment(&graph, |i, l| off_tangent(&x, graph.indices(i), d, l)).unwrap();
        let z: Vec<f64> = (0..n).map(|i| (i as f64 * 1.7).sin()).collect();
        let energy: f64 =
            (0..n).map(|i| (0..n).map(|j| z[i] * m[(i, j)] * z[j]).sum::<f64>()).sum();
        // Least squares of z on (1, coordinates) in every neighbourhood, the coordinates by classical scaling.
        let mut expected = 0.0;
        for i in 0..n {
            let index = graph.indices(i);
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
    fn products_lead_to_the_same_coordinates_as_the_matrix() {
        // Where every instance is in some neighbourhood: the dense way leaves others at a place of their own.
        for (x, d, neighbors) in
            [(classes(2000, 1, 6, 3, 0.2), 3, 14), (classes(800, 1, 6, 3, 0.2), 3, 14)]
        {
            let graph = Neighbors::of(&x, x.len(), neighbors).unwrap();
            let dense = aligned(&x, &graph, d).unwrap();
            let sparse = aligned_sparse(&x, &graph, d).unwrap();
            assert_eq!(dense.nullity, sparse.nullity);
            let difference = max_difference(&projector(&dense.x), &projector(&sparse.x));
            assert!(difference < 1e-6, "{difference:e} {:?}", sparse.iteration);
        }
        let x = clusters(4, 100, 6, 2.0);
        let graph = Neighbors::of(&x, 400, 5).unwrap();
        let (dense, sparse) = (shared(&graph, 5).unwrap(), shared_sparse(&graph, 5).unwrap());
        let difference = max_difference(&projector(&dense.x), &projector(&sparse.x));
        assert!(difference < 1e-6, "{difference:e} {:?}", sparse.iteration);
    }

    #[test]
    fn whoever_is_in_no_neighbourhood_goes_to_the_mean_of_its_own() {
        // A hub, and a point far out that is nobody's neighbour.
        let x = instances(120, 4, |i, j| {
            let far = if i == 7 { 2.0 } else { 0.3 };
            1.0 + far * ((i * 13 + j * 7 + i * j) as f64 * 0.7).sin()
        });
        let graph = Neighbors::of(&x, 120, 6).unwrap();
        assert!((0..120).all(|i| !graph.indices(i).contains(&7)));
        let sparse = aligned_sparse(&x, &graph, 2).unwrap();
        let unseen = (0..120).filter(|j| (0..120).all(|i| !graph.indices(i).contains(j))).count();
        assert!(sparse.nullity.unwrap() > unseen);
        for c in 0..2 {
            let mean = graph.indices(7).iter().map(|&j| sparse.x[(j, c)]).sum::<f64>() / 6.0;
            assert!((sparse.x[(7, c)] - mean).abs() < 1e-15);
        }
    }

    #[test]
    fn unrolls_a_curve() {
        let angle = |i: usize| 0.03 * i as f64 + 0.01 * (i as f64 * 2.1).sin();
        let x = instances(40, 3, |i, j| [angle(i).cos(), angle(i).sin(), 0.0][j]);
        let ltsa = LtsaParams { d: 1, neighbors: 5 }.check().unwrap();
        let embedding = ltsa.reduce(&x, 40).unwrap();
        assert_eq!(embedding.nullity, Some(1));
        let z = &embedding.x;
        let direction = (z[(39, 0)] - z[(0, 0)]).signum();
        assert!((1..40).all(|i| direction * (z[(i, 0)] - z[(i - 1, 0)]) > 0.0));
    }

    #[test]
    fn pieces_are_counted_and_duplicates_no_harm() {
        let x = clusters(4, 12, 8, 30.0);
        let ltsa = LtsaParams { d: 3, neighbors: 8 }.check().unwrap();
        // Every piece adds its constant, and what is affine in its tangent coordinates may come on top.
        assert!(ltsa.reduce(&x, 48).unwrap().nullity.unwrap() >= 4);
        let x = instances(30, 6, |i, j| {
            let i = if i < 12 { 0 } else { i };
            ((i * 13 + j * 7 + i * j) as f64 * 0.7).sin()
        });
        for params in [LtsaParams { d: 3, neighbors: 8 }, LtsaParams::default()] {
            let z = params.check().unwrap().reduce(&x, 30).unwrap().x;
            assert!(z.as_slice().iter().all(|z| z.is_finite()));
        }
    }

    #[test]
    fn refuses_a_tangent_space_that_fills_the_neighbourhood() {
        for (d, neighbors) in [(4, 5), (6, 5), (0, 5), (1, 0), (1, 2)] {
            let params = LtsaParams { d, neighbors };
            assert!(matches!(params.check(), Err(Error::Parameter { .. })), "{params:?}");
        }
        assert!(LtsaParams { d: 3, neighbors: 5 }.check().is_ok());
    }
}
