//! The path of rows in this process, with everything that is asked for.

use super::follower::LinearFollower;
use super::in_memory::InMemoryRows;
use super::row_source::RowSource;
use super::{IciRParams, Roots};
use crate::incidental::{Keep, Path, Vanished, certificate};
use crate::linalg::basis::Basis;
use crate::{Matrix, Result};

/// Rows in this process, whose labels may change, and the solver of their path.
#[derive(Debug, Clone)]
pub(super) struct LinearPath<'a> {
    pub follower: LinearFollower<'a>,
    pub rows: InMemoryRows,
}

impl<'a> LinearPath<'a> {
    pub fn new(params: &'a IciRParams, x: &Matrix, classes: usize) -> Self {
        let Basis { q, back } = Basis::new(x);
        let follower = LinearFollower::new(params, back, classes);
        Self { follower, rows: InMemoryRows::orthonormal(&q) }
    }

    /// Goes to `λ_max` under these labels.
    pub fn start(&mut self, labels: &[usize]) -> Result<f64> {
        self.rows.relabel(labels);
        self.follower.start(&mut self.rows)
    }

    /// The complete path.
    pub fn path(&mut self, labels: &[usize], keep: Keep) -> Result<Path> {
        self.rows.relabel(labels);
        let points = self.follower.params.grid.points;
        let q = keep.certificate.then(|| self.rows.coordinates());
        let mut certificate = Vec::new();
        let mut gamma_norm = keep.gamma.then(|| Matrix::zeros(points, self.rows.len()));
        let mut beta = keep.beta.then(Vec::new);
        let lambda = self.follower.follow(&mut self.rows, |follower, rows, k, lambda| {
            if let Some(norms) = &mut gamma_norm {
                // R(γᵢ) = Σ over groups of (‖rᵢ‖ − λ)₊.
                for g in 0..follower.groups.len() {
                    for (to, norm) in norms.row_mut(k).iter_mut().zip(rows.norms(g)) {
                        *to += (norm - lambda).max(0.0);
                    }
                }
            }
            if let Some(beta) = &mut beta {
                beta.push(follower.beta());
            }
            if let Some(q) = &q {
                let groups = follower.groups.iter().map(|g| (g.classes.clone(), &g.b[..]));
                certificate.push(certificate::relative_gap(q, labels, groups, lambda));
            }
        })?;
        let last = lambda[lambda.len() - 1];
        let skipped = self.follower.params.roots == Roots::Skipped;
        let Vanished { vanish, vanish_grid, reenters } =
            if skipped { Vanished::default() } else { self.rows.vanished(last) };
        let gamma_last = keep.gamma.then(|| self.gamma(last));
        Ok(Path { lambda, vanish, vanish_grid, reenters, certificate, gamma_norm, gamma_last, beta, intercept: None })
    }

    /// Whether `γᵢ = 0` at `lambda`, which the groups have solved.
    pub fn is_zero(&self, i: usize, lambda: f64) -> bool {
        (0..self.follower.groups.len()).all(|g| self.rows.norms(g)[i] <= lambda)
    }

    /// `γᵢ = (1 − λ/‖rᵢ‖)₊ rᵢ`, group by group.
    fn gamma(&self, lambda: f64) -> Matrix {
        let (rows, d) = (&self.rows, self.rows.dims());
        let mut gamma = Matrix::zeros(rows.len(), self.follower.classes());
        for (g, group) in self.follower.groups.iter().enumerate() {
            for i in 0..rows.len() {
                let row = rows.get(i);
                let shrink = (1.0 - lambda / rows.norms(g)[i]).max(0.0);
                for (k, class) in group.classes.clone().enumerate() {
                    let target = f64::from(row.label == class);
                    let fit = row.fit(&group.b[k * d..(k + 1) * d]);
                    // Written as a choice: where λ = 0 and r = 0 the factor is not a number.
                    gamma[(i, class)] = if shrink > 0.0 { shrink * (target - fit) } else { 0.0 };
                }
            }
        }
        gamma
    }
}
