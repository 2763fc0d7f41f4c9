//! Walking from `λ_max`, where every parameter is zero, down; wherever the rows are.

use super::newton::Newton;
use super::segment::Segment;
use super::strips::{Knot, Strips};
use super::{IciR, Penalty, Roots};
use crate::linalg::basis;
use crate::{Matrix, Result};

/// Up to this many instances each vanishing `λ` is root-found with the regression solved at every trial; above, it is
/// read off the interpolated path, whose kinks (of relative size 1/n) are then far below its precision.
const EXACT_ROWS: usize = 5000;
/// The same where the curvature is too large to form, and a trial dear.
const EXACT_ROWS_WIDE: usize = 500;
/// Below this fraction of the size of `Y`, residuals are rounding: the coordinates fit every label.
const NO_RESIDUAL: f64 = 1e-10;

/// Everything needed to walk: the rows, and one minimisation for every group of responses under one norm.
#[derive(Debug, Clone)]
pub(super) struct Descent<'a, S> {
    pub settings: &'a IciR,
    pub rows: S,
    pub groups: Vec<Newton>,
    /// The way back from coefficients on orthonormal coordinates to coefficients on those that were given.
    back: Matrix,
    /// For roots, a second minimisation for every group.
    probes: Vec<Option<Newton>>,
}

impl<'a, S: Strips> Descent<'a, S> {
    /// Makes the coordinates of the rows orthonormal.
    pub fn new(settings: &'a IciR, mut rows: S, classes: usize) -> Result<Self> {
        let back = basis::way_back(rows.len(), rows.dims(), |by| rows.gram(by))?;
        rows.project(&back)?;
        Ok(Self::over(settings, rows, back, classes))
    }

    /// Over rows whose coordinates are orthonormal.
    pub fn over(settings: &'a IciR, rows: S, back: Matrix, classes: usize) -> Self {
        let d = back.cols();
        let groups: Vec<Newton> = match settings.penalty {
            Penalty::Group => vec![Newton::new(d, 0..classes, 0)],
            Penalty::Elementwise => (0..classes).map(|k| Newton::new(d, k..k + 1, k)).collect(),
        };
        let probes = vec![None; groups.len()];
        Self { settings, rows, groups, back, probes }
    }

    /// Goes to `λ_max`, and returns it: the largest residual norm of the least-squares fit.
    pub fn start(&mut self) -> Result<f64> {
        let mut lambda_max: f64 = 0.0;
        for group in &mut self.groups {
            group.least_squares(&mut self.rows)?;
            lambda_max = lambda_max.max(self.rows.largest(group.at())?);
        }
        self.probes.fill(None);
        Ok(if lambda_max > NO_RESIDUAL { lambda_max } else { 0.0 })
    }

    /// Solves at the next `λ`, and factors there so that the tangent is the solution's own.
    pub fn advance(&mut self, lambda: f64, tolerance: f64) -> Result<()> {
        for group in &mut self.groups {
            group.advance(&mut self.rows, lambda, tolerance)?;
            group.factor(&mut self.rows, tolerance)?;
        }
        Ok(())
    }

    /// Walks over the whole grid, and returns it; calls `visit` with the number of each of its `λ`, solved.
    pub fn walk(&mut self, mut visit: impl FnMut(&mut Self, usize, f64)) -> Result<Vec<f64>> {
        let lambda_max = self.start()?;
        let grid = self.settings.grid.lambdas(lambda_max);
        let mut high = self.knots(lambda_max);
        for (k, &lambda) in grid.iter().enumerate() {
            // At λ_max, and where nothing is left to explain, the least-squares fit stands.
            if k > 0 && lambda_max > 0.0 {
                self.advance(lambda, self.settings.tolerance)?;
                let low = self.knots(lambda);
                self.cross(&low, &high)?;
                high = low;
            }
            visit(self, k, lambda);
        }
        Ok(grid)
    }

    fn knots(&self, lambda: f64) -> Vec<Knot> {
        self.groups.iter().map(|group| group.knot(lambda)).collect()
    }

    /// Notes who crossed between two knots, and where.
    fn cross(&mut self, low: &[Knot], high: &[Knot]) -> Result<()> {
        let wide = self.groups.iter().any(Newton::is_wide);
        let most = match self.settings.roots {
            Roots::Interpolated => 0,
            Roots::Exact if wide => EXACT_ROWS_WIDE,
            Roots::Exact => EXACT_ROWS,
        };
        for i in self.rows.cross(low, high, self.rows.len() <= most)? {
            let root = self.root(i, low, high)?;
            self.rows.settle(i, root)?;
        }
        Ok(())
    }

    /// The `λ` between two knots at which the last of instance `i`'s groups vanishes.
    fn root(&mut self, i: usize, low: &[Knot], high: &[Knot]) -> Result<f64> {
        let lambda = low[0].lambda;
        let mut root = lambda;
        for (g, group) in self.groups.iter().enumerate() {
            if self.rows.norm(group.at(), i)? > lambda {
                let segment = Segment { low: &low[g], high: &high[g] };
                let memory = self.groups.len() + g;
                let probe = self.probes[g].get_or_insert_with(|| group.probe(memory));
                root =
                    root.max(probe.vanish(&mut self.rows, i, &segment, self.settings.tolerance)?);
            }
        }
        Ok(root)
    }

    /// `β`, `d × c`, on the coordinates that were given.
    pub fn beta(&self) -> Matrix {
        let back = &self.back;
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
