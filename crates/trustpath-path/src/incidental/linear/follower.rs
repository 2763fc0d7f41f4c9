//! Following the path from `λ_max`, where every parameter is zero, down; wherever the rows are stored.

use super::huber::HuberSolver;
use super::row_source::{Knot, RowSource};
use super::segment::Segment;
use super::{IciRParams, Penalty, Roots};
use crate::limits::{EXACT_ROOTS, EXACT_ROOTS_MANY_UNKNOWNS};
use crate::linalg::vector::dot_in_order;
use crate::{Matrix, Result};

/// Below this fraction of the size of `Y`, residuals are rounding errors: the coordinates fit every label.
const NO_RESIDUAL: f64 = 1e-10;

/// The solver's side of a path: one minimisation for every group of responses under one norm.
#[derive(Debug, Clone)]
pub(super) struct LinearFollower<'a> {
    pub params: &'a IciRParams,
    pub groups: Vec<HuberSolver>,
    /// Maps coefficients on orthonormal coordinates to coefficients on the given ones.
    back: Matrix,
    /// For roots, a second minimisation for every group.
    probes: Vec<Option<HuberSolver>>,
}

impl<'a> LinearFollower<'a> {
    /// For rows whose coordinates are orthonormal; `back` as in [`Basis`](crate::linalg::basis::Basis).
    pub fn new(params: &'a IciRParams, back: Matrix, classes: usize) -> Self {
        let d = back.cols();
        let groups: Vec<HuberSolver> = match params.penalty {
            Penalty::Group => vec![HuberSolver::new(d, 0..classes, 0)],
            Penalty::Elementwise => (0..classes).map(|k| HuberSolver::new(d, k..k + 1, k)).collect(),
        };
        let probes = vec![None; groups.len()];
        Self { params, groups, back, probes }
    }

    /// Goes to `λ_max`, and returns it: the largest residual norm of the least-squares fit.
    pub fn start(&mut self, rows: &mut impl RowSource) -> Result<f64> {
        let mut lambda_max: f64 = 0.0;
        for group in &mut self.groups {
            group.least_squares(rows)?;
            lambda_max = lambda_max.max(rows.largest(group.point())?);
        }
        self.probes.fill(None);
        Ok(if lambda_max > NO_RESIDUAL { lambda_max } else { 0.0 })
    }

    /// Solves at the next `λ`, and computes the curvature there so that the tangent is that of the solution.
    pub fn advance(&mut self, rows: &mut impl RowSource, lambda: f64, tolerance: f64) -> Result<()> {
        for group in &mut self.groups {
            group.advance(rows, lambda, tolerance)?;
            // Where only coefficients are read, the next `λ` starts from this solution: with many unknowns a tangent costs as
            // much as a step, and on a coarse grid it does not save one.
            if self.params.roots != Roots::Skipped || !group.is_wide() {
                group.factor(rows, tolerance)?;
            }
        }
        Ok(())
    }

    /// Goes over all of the grid, and returns it; calls `visit` with the index of each of its `λ`, solved.
    pub fn follow<R: RowSource>(
        &mut self,
        rows: &mut R,
        mut visit: impl FnMut(&Self, &R, usize, f64),
    ) -> Result<Vec<f64>> {
        let lambda_max = self.start(rows)?;
        let grid = self.params.grid.lambdas(lambda_max);
        let mut high = self.knots(lambda_max);
        for (k, &lambda) in grid.iter().enumerate() {
            // At λ_max, and where nothing is left to explain, the least-squares fit is the solution.
            if k > 0 && lambda_max > 0.0 {
                self.advance(rows, lambda, self.params.tolerance)?;
                let low = self.knots(lambda);
                self.cross(rows, &low, &high)?;
                high = low;
            }
            visit(self, rows, k, lambda);
        }
        Ok(grid)
    }

    /// The solution of every group as a knot of the path.
    pub fn knots(&self, lambda: f64) -> Vec<Knot> {
        self.groups.iter().map(|group| group.knot(lambda)).collect()
    }

    /// Records which instances leave zero between two knots, and where.
    fn cross(&mut self, rows: &mut impl RowSource, low: &[Knot], high: &[Knot]) -> Result<()> {
        let most = match self.params.roots {
            Roots::Skipped => return Ok(()),
            Roots::Interpolated => 0,
            Roots::Exact if self.groups.iter().any(HuberSolver::is_wide) => EXACT_ROOTS_MANY_UNKNOWNS,
            Roots::Exact => EXACT_ROOTS,
        };
        for i in rows.cross(low, high, rows.len() <= most)? {
            let root = self.root(rows, i, low, high)?;
            rows.settle(i, root)?;
        }
        Ok(())
    }

    /// The `λ` between two knots at which the last of instance `i`'s groups vanishes.
    fn root(&mut self, rows: &mut impl RowSource, i: usize, low: &[Knot], high: &[Knot]) -> Result<f64> {
        let lambda = low[0].lambda;
        let mut root = lambda;
        for (g, group) in self.groups.iter().enumerate() {
            if rows.norm(group.point(), i)? > lambda {
                let segment = Segment { low: &low[g], high: &high[g] };
                let slot = self.groups.len() + g;
                let probe = self.probes[g].get_or_insert_with(|| group.probe(slot));
                root = root.max(probe.vanish(rows, i, &segment, self.params.tolerance)?);
            }
        }
        Ok(root)
    }

    /// `β`, `d × c`, on the given coordinates.
    pub fn beta(&self) -> Matrix {
        let back = &self.back;
        let mut beta = Matrix::zeros(back.rows(), self.classes());
        for group in &self.groups {
            for (b, class) in group.b.chunks_exact(back.cols().max(1)).zip(group.classes.clone()) {
                for a in 0..back.rows() {
                    beta[(a, class)] = dot_in_order(back.row(a), b);
                }
            }
        }
        beta
    }

    /// Number of classes.
    pub fn classes(&self) -> usize {
        self.groups.iter().map(|group| group.classes.end).max().unwrap_or(0)
    }
}
