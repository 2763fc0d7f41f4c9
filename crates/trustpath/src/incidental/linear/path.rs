//! Walking the regularisation path from `λ_max`, where every parameter is zero, down.

use super::newton::Newton;
use super::rows::Rows;
use super::segment::{Knot, Segment};
use super::{IciR, Penalty, Roots};
use crate::incidental::{Keep, Path, certificate};
use crate::linalg::basis::Basis;
use crate::{Matrix, Result};

/// Up to this many instances each vanishing `λ` is root-found with the regression solved at every trial; above, it is
/// read off the interpolated path, whose kinks (of relative size 1/n) are then far below its precision.
const EXACT_ROWS: usize = 5000;
/// The same where the curvature is too large to form, and a trial dear.
const EXACT_ROWS_WIDE: usize = 500;
/// Below this fraction of the size of `Y`, residuals are rounding: the coordinates fit every label.
const NO_RESIDUAL: f64 = 1e-10;

/// Everything needed to walk: coordinates, and one minimisation for every group of responses under one norm.
#[derive(Debug, Clone)]
pub(super) struct Walk<'a> {
    pub settings: &'a IciR,
    basis: Basis,
    pub rows: Rows,
    pub groups: Vec<Newton>,
}

impl<'a> Walk<'a> {
    pub fn new(settings: &'a IciR, x: &Matrix, classes: usize) -> Self {
        let basis = Basis::new(x);
        let rows = Rows::new(&basis.q);
        let groups = match settings.penalty {
            Penalty::Group => vec![Newton::new(&rows, 0..classes)],
            Penalty::Elementwise => (0..classes).map(|k| Newton::new(&rows, k..k + 1)).collect(),
        };
        Self { settings, basis, rows, groups }
    }

    /// Goes to `λ_max` under these labels, and returns it: the largest residual norm of the least-squares fit.
    pub fn start(&mut self, labels: &[usize]) -> f64 {
        self.rows.relabel(labels);
        let mut lambda_max: f64 = 0.0;
        for group in &mut self.groups {
            group.least_squares(&self.rows);
            lambda_max = group.norms.iter().copied().fold(lambda_max, f64::max);
        }
        if lambda_max > NO_RESIDUAL { lambda_max } else { 0.0 }
    }

    /// Solves at the next `λ`, and factors there so that the tangent is the solution's own.
    pub fn advance(&mut self, lambda: f64, tolerance: f64) -> Result<()> {
        for group in &mut self.groups {
            group.advance(&self.rows, lambda, tolerance)?;
            group.factor(&self.rows);
        }
        Ok(())
    }

    /// The whole path.
    pub fn path(&mut self, labels: &[usize], keep: Keep) -> Result<Path> {
        let n = self.rows.len();
        let lambda_max = self.start(labels);
        let lambda = self.settings.grid.lambdas(lambda_max);
        let mut record = Record::new(n, self.groups.len(), lambda_max);
        let mut out = Path {
            vanish: Vec::new(),
            vanish_grid: Vec::new(),
            reenters: Vec::new(),
            certificate: Vec::new(),
            gamma_norm: keep.gamma.then(|| Matrix::zeros(lambda.len(), n)),
            gamma_last: None,
            beta: keep.beta.then(Vec::new),
            intercept: None,
            lambda,
        };
        let mut high: Vec<Knot> = self.groups.iter().map(|g| g.knot(lambda_max)).collect();
        for (k, &lambda) in out.lambda.iter().enumerate() {
            // At λ_max, and where nothing is left to explain, the least-squares fit stands.
            if k > 0 && lambda_max > 0.0 {
                self.advance(lambda, self.settings.tolerance)?;
                let low: Vec<Knot> = self.groups.iter().map(|g| g.knot(lambda)).collect();
                record.cross(self, lambda, &low, &high)?;
                high = low;
            }
            if let Some(norms) = &mut out.gamma_norm {
                self.gamma_norms(lambda, norms.row_mut(k));
            }
            if let Some(beta) = &mut out.beta {
                beta.push(self.beta());
            }
            if keep.certificate {
                out.certificate.push(certificate::relative_gap(
                    &self.basis.q,
                    labels,
                    self.groups.iter().map(|g| (g.classes.clone(), &g.b[..])),
                    lambda,
                ));
            }
        }
        let last = out.lambda[out.lambda.len() - 1];
        if keep.gamma {
            out.gamma_last = Some(self.gamma(last));
        }
        (out.vanish, out.vanish_grid, out.reenters) = record.finish(last);
        Ok(out)
    }

    /// `R(γᵢ) = Σ over groups of (‖rᵢ‖ − λ)₊`.
    fn gamma_norms(&self, lambda: f64, out: &mut [f64]) {
        for group in &self.groups {
            for (out, norm) in out.iter_mut().zip(&group.norms) {
                *out += (norm - lambda).max(0.0);
            }
        }
    }

    /// `γᵢ = (1 − λ/‖rᵢ‖)₊ rᵢ`, group by group.
    fn gamma(&self, lambda: f64) -> Matrix {
        let d = self.rows.dims();
        let classes = self.groups.iter().map(|g| g.classes.end).max().unwrap_or(0);
        let mut gamma = Matrix::zeros(self.rows.len(), classes);
        for group in &self.groups {
            for i in 0..self.rows.len() {
                let shrink = (1.0 - lambda / group.norms[i]).max(0.0);
                for (k, class) in group.classes.clone().enumerate() {
                    let target = f64::from(self.rows.label(i) == class);
                    let fit = self.rows.fit(i, &group.b[k * d..(k + 1) * d]);
                    // Written as a choice: where λ = 0 and r = 0 the factor is not a number.
                    gamma[(i, class)] = if shrink > 0.0 { shrink * (target - fit) } else { 0.0 };
                }
            }
        }
        gamma
    }

    /// `β`, `d × c`, on the coordinates that were given.
    fn beta(&self) -> Matrix {
        let back = &self.basis.back;
        let classes = self.groups.iter().map(|g| g.classes.end).max().unwrap_or(0);
        let mut beta = Matrix::zeros(back.rows(), classes);
        for group in &self.groups {
            for (b, class) in group.b.chunks_exact(back.cols().max(1)).zip(group.classes.clone()) {
                for a in 0..back.rows() {
                    beta[(a, class)] = back.row(a).iter().zip(b).map(|(t, b)| t * b).sum();
                }
            }
        }
        beta
    }
}

/// Whether `γᵢ = 0` at `lambda`, which the groups have solved.
pub(super) fn is_zero(groups: &[Newton], i: usize, lambda: f64) -> bool {
    groups.iter().all(|group| group.norms[i] <= lambda)
}

/// Who is zero where, and when each instance vanished, as the walk goes down.
struct Record {
    zero: Vec<bool>,
    ever_nonzero: Vec<bool>,
    vanish: Vec<f64>,
    vanish_grid: Vec<f64>,
    reenters: Vec<bool>,
    probes: Vec<Option<Newton>>,
}

impl Record {
    fn new(n: usize, groups: usize, lambda_max: f64) -> Self {
        Self {
            zero: vec![true; n],
            ever_nonzero: vec![false; n],
            vanish: vec![lambda_max; n],
            vanish_grid: vec![lambda_max; n],
            reenters: vec![false; n],
            probes: vec![None; groups],
        }
    }

    /// Notes who crossed between the last `λ` and this one.
    fn cross(&mut self, walk: &Walk<'_>, lambda: f64, low: &[Knot], high: &[Knot]) -> Result<()> {
        for i in 0..self.zero.len() {
            let zero = is_zero(&walk.groups, i, lambda);
            if zero {
                self.vanish_grid[i] = lambda;
                self.reenters[i] |= self.ever_nonzero[i];
            } else {
                self.ever_nonzero[i] = true;
                if self.zero[i] {
                    self.vanish[i] = self.root(walk, i, lambda, low, high)?;
                }
            }
            self.zero[i] = zero;
        }
        Ok(())
    }

    /// The `λ` between two knots at which the last of instance `i`'s groups vanishes.
    fn root(
        &mut self,
        walk: &Walk<'_>,
        i: usize,
        lambda: f64,
        low: &[Knot],
        high: &[Knot],
    ) -> Result<f64> {
        let mut root = lambda;
        for (g, group) in walk.groups.iter().enumerate() {
            if group.norms[i] > lambda {
                let segment = Segment { low: &low[g], high: &high[g] };
                let exact = match walk.settings.roots {
                    Roots::Interpolated => 0,
                    Roots::Exact if group.is_wide() => EXACT_ROWS_WIDE,
                    Roots::Exact => EXACT_ROWS,
                };
                let at = if walk.rows.len() <= exact {
                    let probe = self.probes[g].get_or_insert_with(|| group.clone());
                    probe.vanish(&walk.rows, i, &segment, walk.settings.tolerance)?
                } else {
                    segment.vanish(&walk.rows, i, &group.classes)
                };
                root = root.max(at);
            }
        }
        Ok(root)
    }

    /// Continuous and grid vanishing `λ`, and who comes back. What is zero at the bottom has the bottom's `λ`.
    fn finish(mut self, last: f64) -> (Vec<f64>, Vec<f64>, Vec<bool>) {
        for (vanish, zero) in self.vanish.iter_mut().zip(&self.zero) {
            if *zero {
                *vanish = last;
            }
        }
        (self.vanish, self.vanish_grid, self.reenters)
    }
}
