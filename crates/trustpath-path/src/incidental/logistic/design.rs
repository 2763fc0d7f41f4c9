//! The instances as the solver sees them: centred columns in units of their price, in blocks.
//!
//! With `zᵢⱼ = (xᵢⱼ − x̄ⱼ)/wⱼ` and `bⱼ = wⱼ βⱼ` every row of `b` costs the same `λ`; the shift goes to the free intercept.

use pulp::Simd;

use super::{IciCParams, Scaling};
use crate::linalg::lanes::{Layout, View};
use crate::{Error, Matrix, Result};

/// Standardised instances.
#[derive(Debug)]
pub(super) struct Design {
    /// Number of instances.
    pub rows: usize,
    /// How the instances lie side by side.
    pub layout: Layout,
    /// Number of columns that vary; the others take no part.
    pub dims: usize,
    /// `z̃ = (1, z)`, one kind per varying column after the ones; spare lanes are zero.
    pub z: Vec<f64>,
    /// `Σᵢ z̃ᵢⱼ²` of every column of `z̃`.
    pub squares: Vec<f64>,
    /// `w_γ`.
    pub incidental_weight: f64,
    /// Number of columns given.
    pub given: usize,
    /// Where each varying column was.
    pub columns: Vec<usize>,
    /// `x̄ⱼ` of each varying column.
    pub mean: Vec<f64>,
    /// `wⱼ` of each varying column.
    pub weight: Vec<f64>,
}

impl Design {
    /// Standardises `x` according to the scaling. A constant column is left out: the intercept takes its place.
    pub fn new(x: &Matrix, params: &IciCParams) -> Result<Self> {
        let (rows, given) = (x.rows(), x.cols());
        if rows == 0 || given == 0 {
            return Err(Error::Empty { rows, dims: given });
        }
        if let Some(at) = x.as_slice().iter().position(|v| !v.is_finite()) {
            let value = x.as_slice()[at];
            return Err(Error::NotFinite { row: at / given, column: at % given, value });
        }
        let n = rows as f64;
        let alpha = params.alpha;
        // glmnet rescales the penalty factors, α for β and 1 for γ, so that they sum to the number of columns.
        let factor = (given as f64 + n) / (alpha * given as f64 + n);
        let incidental_weight = match params.scaling {
            Scaling::Paper => 1.0,
            Scaling::Glmnet => factor * ((1.0 / n) * (1.0 - 1.0 / n)).sqrt(),
        };
        let (mut columns, mut mean, mut weight) = (Vec::new(), Vec::new(), Vec::new());
        for j in 0..given {
            let column = || (0..rows).map(|i| x[(i, j)]);
            let size = column().fold(0.0, |m: f64, v| m.max(v.abs()));
            let centre = column().map(|v| v / n).sum::<f64>();
            let spread = column().fold(0.0, |m: f64, v| m.max((v - centre).abs()));
            if spread <= 1e-13 * size {
                continue;
            }
            let deviation = spread * (column().map(|v| ((v - centre) / spread).powi(2)).sum::<f64>() / n).sqrt();
            columns.push(j);
            mean.push(centre);
            weight.push(match params.scaling {
                Scaling::Paper => alpha,
                Scaling::Glmnet => factor * alpha * deviation,
            });
        }
        let (layout, dims) = (Layout::new(rows), columns.len());
        let at = |i: usize, j: usize| layout.at(i, dims + 1, j);
        let mut z = layout.room(dims + 1);
        for i in 0..rows {
            z[at(i, 0)] = 1.0;
            for (j, &column) in columns.iter().enumerate() {
                z[at(i, j + 1)] = (x[(i, column)] - mean[j]) / weight[j];
            }
        }
        let squares = (0..=dims).map(|j| (0..rows).map(|i| z[at(i, j)] * z[at(i, j)]).sum()).collect();
        Ok(Self { rows, layout, dims, z, squares, incidental_weight, given, columns, mean, weight })
    }

    /// Number of columns of `z̃`.
    pub fn features(&self) -> usize {
        self.dims + 1
    }

    /// `z̃`, group by group.
    #[inline(always)]
    pub fn view<S: Simd>(&self, simd: S) -> View<'_, S> {
        View::new(simd, &self.z, self.features())
    }

    /// `β` (a row for every column given) and the intercept, from `b` and its intercept in row 0.
    pub fn original(&self, theta: &[f64], classes: usize) -> (Matrix, Vec<f64>) {
        let mut beta = Matrix::zeros(self.given, classes);
        let mut intercept = theta[..classes].to_vec();
        for (j, &column) in self.columns.iter().enumerate() {
            for k in 0..classes {
                let value = theta[(j + 1) * classes + k] / self.weight[j];
                beta[(column, k)] = value;
                intercept[k] -= value * self.mean[j];
            }
        }
        (beta, intercept)
    }
}
