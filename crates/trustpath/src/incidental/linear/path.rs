//! The path of rows in this process, with all that is asked to be kept of it.

use super::IciR;
use super::descent::Descent;
use super::local::Local;
use super::strips::Strips;
use crate::incidental::{Keep, Path, certificate};
use crate::linalg::basis::Basis;
use crate::{Matrix, Result};

/// A descent over rows in this process, whose labels may change.
#[derive(Debug, Clone)]
pub(super) struct Walk<'a>(pub Descent<'a, Local>);

impl<'a> Walk<'a> {
    pub fn new(settings: &'a IciR, x: &Matrix, classes: usize) -> Self {
        let Basis { q, back } = Basis::new(x);
        Self(Descent::over(settings, Local::orthonormal(&q), back, classes))
    }

    /// Goes to `λ_max` under these labels.
    pub fn start(&mut self, labels: &[usize]) -> Result<f64> {
        self.0.rows.relabel(labels);
        self.0.start()
    }

    /// The whole path.
    pub fn path(&mut self, labels: &[usize], keep: Keep) -> Result<Path> {
        self.0.rows.relabel(labels);
        let n = self.0.rows.len();
        let points = self.0.settings.grid.points;
        let q = keep.certificate.then(|| self.0.rows.coordinates());
        let mut certificate = Vec::new();
        let mut gamma_norm = keep.gamma.then(|| Matrix::zeros(points, n));
        let mut beta = keep.beta.then(Vec::new);
        let lambda = self.0.walk(|walk, k, lambda| {
            if let Some(norms) = &mut gamma_norm {
                gamma_norms(walk, lambda, norms.row_mut(k));
            }
            if let Some(beta) = &mut beta {
                beta.push(walk.beta());
            }
            if let Some(q) = &q {
                let groups = walk.groups.iter().map(|g| (g.classes.clone(), &g.b[..]));
                certificate.push(certificate::relative_gap(q, labels, groups, lambda));
            }
        })?;
        let last = lambda[lambda.len() - 1];
        let vanished = self.0.rows.vanished(last);
        Ok(Path {
            vanish: vanished.vanish,
            vanish_grid: vanished.vanish_grid,
            reenters: vanished.reenters,
            certificate,
            gamma_norm,
            gamma_last: keep.gamma.then(|| self.gamma(last)),
            beta,
            intercept: None,
            lambda,
        })
    }

    /// Whether `γᵢ = 0` at `lambda`, which the groups have solved.
    pub fn is_zero(&self, i: usize, lambda: f64) -> bool {
        (0..self.0.groups.len()).all(|g| self.0.rows.norms(g)[i] <= lambda)
    }

    /// `γᵢ = (1 − λ/‖rᵢ‖)₊ rᵢ`, group by group.
    fn gamma(&mut self, lambda: f64) -> Matrix {
        let Descent { rows, groups, .. } = &mut self.0;
        let d = rows.dims();
        let classes = groups.iter().map(|g| g.classes.end).max().unwrap_or(0);
        let mut gamma = Matrix::zeros(rows.len(), classes);
        for (g, group) in groups.iter().enumerate() {
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

/// `R(γᵢ) = Σ over groups of (‖rᵢ‖ − λ)₊`.
fn gamma_norms(walk: &Descent<'_, Local>, lambda: f64, out: &mut [f64]) {
    for g in 0..walk.groups.len() {
        for (out, norm) in out.iter_mut().zip(walk.rows.norms(g)) {
            *out += (norm - lambda).max(0.0);
        }
    }
}
