//! From the solver's state to the [`Path`] the caller sees.

use super::Penalty;
use super::certificate::{Solution, certify};
use super::design::Design;
use super::penalty::mean;
use super::solve::Solver;
use crate::Matrix;
use crate::incidental::{Keep, Path};

/// The classes that have instances, which are the only ones the model is fitted to.
#[derive(Debug)]
pub(super) struct Present {
    /// Number of classes asked for.
    pub given: usize,
    /// The classes present, ascending.
    pub classes: Vec<usize>,
    /// The position of each instance's label among them.
    pub labels: Vec<usize>,
}

impl Present {
    pub fn new(labels: &[usize], given: usize) -> Self {
        let mut position = vec![usize::MAX; given];
        for &label in labels {
            position[label] = 0;
        }
        let classes: Vec<usize> = (0..given).filter(|&k| position[k] == 0).collect();
        for (at, &class) in classes.iter().enumerate() {
            position[class] = at;
        }
        Self { given, classes, labels: labels.iter().map(|&label| position[label]).collect() }
    }
}

/// A path under construction.
#[derive(Debug)]
pub(super) struct Record {
    pub path: Path,
    was_free: Vec<bool>,
    gamma: Matrix,
}

impl Record {
    pub fn new(lambda: Vec<f64>, x: &Matrix, present: &Present, keep: Keep) -> Self {
        let (rows, points) = (x.rows(), lambda.len());
        let path = Path {
            vanish: vec![lambda[0]; rows],
            vanish_grid: vec![lambda[0]; rows],
            reenters: vec![false; rows],
            certificate: vec![0.0; points],
            gamma_norm: keep.gamma.then(|| Matrix::zeros(points, rows)),
            gamma_last: keep.gamma.then(|| Matrix::zeros(rows, present.given)),
            beta: keep.beta.then(|| vec![Matrix::zeros(x.cols(), present.given); points]),
            intercept: keep
                .beta
                .then(|| Matrix::from_fn(points, present.given, |_, _| f64::NEG_INFINITY)),
            lambda,
        };
        Self {
            path,
            was_free: vec![false; rows],
            gamma: Matrix::zeros(rows, present.classes.len()),
        }
    }

    /// Adds grid point `k` from the solver's state.
    pub fn add(
        &mut self,
        k: usize,
        x: &Matrix,
        design: &Design,
        solver: &Solver<'_>,
        present: &Present,
    ) {
        let lambda = self.path.lambda[k];
        let (penalty, tau) = (solver.penalty, solver.tau(lambda));
        for i in 0..design.rows {
            solver.rows.gamma(i, tau, self.gamma.row_mut(i));
            if solver.rows.is_free(i) {
                self.was_free[i] = true;
            } else {
                self.path.vanish_grid[i] = lambda;
                self.path.reenters[i] |= self.was_free[i];
            }
            if let Some(norms) = &mut self.path.gamma_norm {
                norms[(k, i)] = match penalty {
                    Penalty::Ungrouped => self.gamma.row(i).iter().map(|g| g.abs()).sum(),
                    Penalty::Grouped => self.gamma.row(i).iter().map(|g| g * g).sum::<f64>().sqrt(),
                };
            }
        }
        let mut theta = solver.theta.clone();
        if penalty == Penalty::Grouped {
            for row in theta.chunks_exact_mut(solver.classes) {
                centre(row);
            }
        }
        let (beta, mut intercept) = design.original(&theta, solver.classes);
        centre(&mut intercept);
        let solution = Solution { intercept: &intercept, beta: &beta, gamma: &self.gamma };
        self.path.certificate[k] = certify(x, &present.labels, design, penalty, lambda, &solution);
        if let Some(betas) = &mut self.path.beta {
            for (at, &class) in present.classes.iter().enumerate() {
                for j in 0..x.cols() {
                    betas[k][(j, class)] = beta[(j, at)];
                }
            }
        }
        if let Some(intercepts) = &mut self.path.intercept {
            for (at, &class) in present.classes.iter().enumerate() {
                intercepts[(k, class)] = intercept[at];
            }
        }
    }

    /// The finished path, given the vanishing points found on the way.
    pub fn finish(mut self, vanish: Vec<f64>, present: &Present) -> Path {
        self.path.vanish = vanish;
        if let Some(last) = &mut self.path.gamma_last {
            for i in 0..self.gamma.rows() {
                for (at, &class) in present.classes.iter().enumerate() {
                    last[(i, class)] = self.gamma[(i, at)];
                }
            }
        }
        self.path
    }
}

fn centre(row: &mut [f64]) {
    let mean = mean(row);
    for value in row {
        *value -= mean;
    }
}
