//! protoLP: Zhu and Koniusz, "Transductive Few-Shot Learning with Prototype-Based Label Propagation by Iterative Graph
//! Refinement" (2023).
//!
//! Prototypes are the anchors of a graph: rows `i` and `j` are linked through the prototypes that both are near to,
//! `W = Z Λ^(−1) Zᵀ` with the assignment `Z` of rows to prototypes and its column sums `Λ`. Labels spread over that graph in a
//! problem with `K × K` unknowns, and the prototypes move to what both say. 100 times:
//!
//! ```text
//! assign      zᵢₖ ∝ exp(−λ ‖xᵢ − μₖ‖²) with Σᵢ zᵢₖ = n/K;          labelled rows one-hot
//! propagate   Y = Z (Zₗᵀ Zₗ + γ (I − Λ^(−½) Zᵀ Z Λ^(−½)))^(−1) Zₗᵀ Yₗ,      scaled to rows of sum one and columns of sum n/K
//! move        μₖ ← μₖ + α (mean of x weighted by β yᵢₖ + (1 − β) zᵢₖ − μₖ)
//! ```
//!
//! on power-transformed features in the 40 leading singular directions of the pool (as many as there are classes, if they are
//! more), centred together and put back on the sphere. `λ = 10`, `γ = 1`, `β = 0.6`, `α = 0.2`, all from the authors' code, where
//! `Λ` has equal entries. `O(nK²)` per iteration.
//!
//! The paper reports balanced and imbalanced pools. The published script for imbalanced pools draws balanced ones and keeps
//! both constraints `n/K`, so that there are two readings: with these constraints (what the script does),
//! and without, rows scaled to one only (`protolp-free`).
//!
//! A separate query is projected and centred like the pool, and gets `p ∝ vₖ exp(−λ ‖x − μₖ‖²)` with the scaling `v` of the
//! last assignment, which is one without the constraint.

use super::prototypes::Prototypes;
use super::softmax::normalise;
use super::transport::Transport;
use super::{Posterior, Transductive};
use trustpath::power::{SIGNED_FROM, is_signed, power};
use trustpath::task::CheckedTask;
use trustpath::{Matrix, Result, Task};
use trustpath_path::linalg::geometry::{centre, mean, product, scaled_distances, unit_rows};
use trustpath_path::linalg::{block::inner, cholesky, gram, pca, vector};

/// A singular direction with less than this share of the largest squared singular value is rounding.
const ROUNDING: f64 = 1e-14;
/// Stop when no coordinate of a prototype moves by more than this.
const UNCHANGED: f64 = 1e-9;

/// Sharpness `λ` of the assignment.
const LAMBDA: f64 = 10.0;
/// Smoothness `γ` over the graph.
const SMOOTHNESS: f64 = 1.0;
/// Weight `β` of the propagated labels.
const MIX: f64 = 0.6;
/// How far prototypes move per iteration, `α`.
const STEP: f64 = 0.2;
/// Number of iterations.
const EPOCHS: usize = 100;
/// Number of leading singular directions, but at least one for every class.
const COMPONENTS: usize = 40;

#[derive(Debug)]
pub(super) struct ProtoLp {
    /// Require equally frequent classes.
    pub balanced: bool,
}

impl Transductive for ProtoLp {
    fn label(&self, task: &Task<'_>) -> Result<Posterior> {
        let task = CheckedTask::new(task)?;
        let x = prepare(&task, COMPONENTS.max(task.classes))?;
        let mut transport = Transport::new(LAMBDA, task.unlabeled.len(), task.classes);
        let mut prototypes = Prototypes::new(&x, &task);
        unit_rows(&mut prototypes.places);
        let unlabeled = self.refine(&mut prototypes, &mut transport);
        Ok(Posterior::with_query(&task, unlabeled, |_, rows| {
            let mut p = scaled_distances(&x, rows, &prototypes.places, 1.0);
            transport.assign(&mut p);
            p
        }))
    }
}

impl ProtoLp {
    /// Moves the prototypes, and returns the last assignment of the unlabeled rows.
    fn refine(&self, prototypes: &mut Prototypes<'_>, transport: &mut Transport) -> Matrix {
        let (n, classes) = (prototypes.unlabeled(), prototypes.places.rows());
        let mut z = Matrix::zeros(n, classes);
        if n == 0 {
            return z;
        }
        let mut scaling = Transport::new(1.0, n, classes);
        for _ in 0..EPOCHS {
            prototypes.assign(transport, self.balanced, &mut z);
            let mut y = propagate(&z, prototypes.shots(), SMOOTHNESS);
            if self.balanced {
                // The constraints are those of a plan whose costs are −log y.
                let cost = |y: &mut f64| *y = -y.max(f64::MIN_POSITIVE).ln();
                y.as_mut_slice().iter_mut().for_each(cost);
                scaling.plan(&mut y);
            } else {
                normalise(&mut y);
            }
            let pairs = y.as_mut_slice().iter_mut().zip(z.as_slice());
            pairs.for_each(|(y, z)| *y = MIX * *y + (1.0 - MIX) * z);
            let mut furthest = 0.0f64;
            prototypes.follow(&y, |mu, mean| {
                let moved = STEP * (mean - *mu);
                *mu += moved;
                furthest = furthest.max(moved.abs());
            });
            if furthest <= UNCHANGED {
                break;
            }
        }
        prototypes.assign(transport, self.balanced, &mut z);
        z
    }
}

/// Labels of the unlabeled rows, whose assignment to the prototypes is `z`, after propagation from `shots` labelled rows of
/// each class. They are not negative: the inverse is that of a matrix without positive entries off its diagonal.
fn propagate(z: &Matrix, shots: &[f64], smoothness: f64) -> Matrix {
    let classes = shots.len();
    let mut overlap = Matrix::zeros(classes, classes);
    product(&mut overlap, z.view().transpose(), z.view(), 1.0);
    // Rows of Z sum to one, so that rows of ZᵀZ sum to the column sums of Z.
    let mut sums = vec![0.0; classes];
    for k in 0..classes {
        overlap[(k, k)] += shots[k];
        sums[k] = overlap.row(k).iter().sum();
    }
    let mut system =
        Matrix::from_fn(classes, classes, |k, l| -smoothness * overlap[(k, l)] / (sums[k] * sums[l]).sqrt());
    for k in 0..classes {
        system[(k, k)] += shots[k] + smoothness;
    }
    // Always succeeds: every class has a labelled row, and the other term has no negative eigenvalue.
    cholesky::factor(system.as_mut_slice(), classes, 0.0);
    let mut spread = Matrix::zeros(classes, classes);
    for k in 0..classes {
        // Column k of the symmetric inverse, times the shots of the class: a row of the transpose.
        let row = spread.row_mut(k);
        row[k] = shots[k];
        cholesky::solve(system.as_slice(), classes, row);
    }
    let mut y = Matrix::zeros(z.rows(), classes);
    product(&mut y, z.view(), spread.view().transpose(), 1.0);
    y.as_mut_slice().iter_mut().for_each(|v| *v = v.max(0.0));
    y
}

/// Power-transformed rows in the leading singular directions of the pool, centred by its mean.
fn prepare(task: &CheckedTask<'_>, components: usize) -> Result<Matrix> {
    let mut x = task.instances.unit().clone();
    let signed = is_signed(&x, task.pool, SIGNED_FROM);
    power(&mut x, signed);
    let axes = singular_directions(&x, task.pool, components)?;
    let mut reduced = Matrix::zeros(x.rows(), axes.rows());
    product(&mut reduced, x.view(), axes.view().transpose(), 1.0);
    let (middle, rows) = (mean(&reduced, 0..task.pool), reduced.rows());
    centre(&mut reduced, 0..rows, &middle);
    Ok(reduced)
}

/// The leading right singular vectors of the first `pool` rows, one row each.
fn singular_directions(x: &Matrix, pool: usize, most: usize) -> Result<Matrix> {
    let dims = x.cols();
    let seen = Matrix::from_vec(pool, dims, x.as_slice()[..pool * dims].to_vec())?;
    let wanted = most.min(pool).min(dims);
    let floor = |largest: f64| ROUNDING * largest;
    if dims <= pool {
        return pca::leading(&inner(&seen, &seen, -1.0), wanted, floor);
    }
    let mut negated = gram(&seen);
    negated.as_mut_slice().iter_mut().for_each(|v| *v = -*v);
    let vectors = pca::leading(&negated, wanted, floor)?;
    let mut axes = Matrix::zeros(vectors.rows(), dims);
    product(&mut axes, vectors.view(), seen.view(), 1.0);
    (0..axes.rows()).for_each(|k| vector::to_unit(axes.row_mut(k)));
    Ok(axes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::pool;

    /// The same labels by the definition on the graph of all rows, instead of that of the prototypes: with `Y = Z A`,
    /// `min over A of Σ_labelled ‖zᵢᵀA − yᵢ‖² + γ tr Aᵀ (I − Λ^(−½) ZᵀZ Λ^(−½)) A`.
    #[test]
    fn propagated_labels_minimise_their_objective() {
        let mut z = Matrix::from_fn(8, 3, |i, k| 1.0 + ((i * 3 + k) as f64).sin());
        normalise(&mut z);
        let shots = [1.0, 2.0, 1.0];
        let y = propagate(&z, &shots, 0.7);
        assert!(y.as_slice().iter().all(|y| *y >= 0.0));
        // All rows: the labelled ones first.
        let labels = [0, 1, 1, 2];
        let all = Matrix::from_fn(12, 3, |i, k| match labels.get(i) {
            Some(&label) => f64::from(u8::from(label == k)),
            None => z[(i - 4, k)],
        });
        let sums: Vec<f64> = (0..3).map(|k| all.iter_rows().map(|row| row[k]).sum()).collect();
        let value = |a: &Matrix| {
            let entry = |i: usize, k: usize| (0..3).map(|l| all[(i, l)] * a[(l, k)]).sum::<f64>();
            let mut value = 0.0;
            for k in 0..3 {
                for i in 0..4 {
                    value += (entry(i, k) - all[(i, k)]).powi(2);
                }
                let scaled = |i: usize| (0..3).map(|l| all[(i, l)] * a[(l, k)] / f64::sqrt(sums[l])).sum::<f64>();
                let squares: f64 = (0..3).map(|l| a[(l, k)].powi(2)).sum();
                value += 0.7 * (squares - (0..12).map(|i| scaled(i).powi(2)).sum::<f64>());
            }
            value
        };
        // Recover A from Y = Z A on three of the rows, by Cramer's rule through the normal equations.
        let mut normal = Matrix::zeros(3, 3);
        product(&mut normal, z.view().transpose(), z.view(), 1.0);
        let mut right = Matrix::zeros(3, 3);
        product(&mut right, y.view().transpose(), z.view(), 1.0);
        cholesky::factor(normal.as_mut_slice(), 3, 0.0);
        let mut a = Matrix::zeros(3, 3);
        for k in 0..3 {
            let mut column = right.row(k).to_vec();
            cholesky::solve(normal.as_slice(), 3, &mut column);
            (0..3).for_each(|l| a[(l, k)] = column[l]);
        }
        let least = value(&a);
        for at in [(0, 0), (0, 2), (1, 1), (2, 0)] {
            for shift in [1e-3, -1e-3] {
                a[at] += shift;
                assert!(value(&a) > least + 1e-9, "{at:?} {shift}");
                a[at] -= shift;
            }
        }
    }

    #[test]
    fn the_constraint_shares_the_pool_equally() {
        let pool = pool(1, &[18, 9, 3], 0.8);
        let sums = |balanced| {
            let p = ProtoLp { balanced }.label(&pool.task()).unwrap().unlabeled;
            (0..3).map(|k| p.iter_rows().map(|row| row[k]).sum()).collect::<Vec<f64>>()
        };
        let equal = sums(true);
        assert!(equal.iter().all(|sum| (sum - 10.0).abs() < 1e-4), "{equal:?}");
        let free = sums(false);
        assert!(free[0] > free[2] + 4.0, "{free:?}");
    }
}
