//! From the solver's state to the [`Path`] that is returned.

use std::collections::BTreeSet;

use super::Penalty;
use super::certificate::{Solution, certify};
use super::penalty::centre;
use super::solve::ReducedProblem;
use crate::Matrix;
use crate::incidental::{Keep, Path, Record, Vanished};

/// The classes that have instances, which are the only ones the model is fitted to.
#[derive(Debug)]
pub(super) struct Present {
    /// Number of classes, including those without instances.
    pub given: usize,
    /// The classes present, ascending.
    pub classes: Vec<usize>,
    /// The position of each instance's label among them.
    pub labels: Vec<usize>,
}

impl Present {
    pub fn new(labels: &[usize], given: usize) -> Self {
        let classes: Vec<usize> = BTreeSet::from_iter(labels.iter().copied()).into_iter().collect();
        let labels = labels.iter().map(|&label| classes.partition_point(|&class| class < label)).collect();
        Self { given, classes, labels }
    }

    /// Copies the columns of the classes present to their places among all classes.
    fn spread(&self, from: &Matrix, to: &mut Matrix) {
        for i in 0..from.rows() {
            for (at, &class) in self.classes.iter().enumerate() {
                to[(i, class)] = from[(i, at)];
            }
        }
    }
}

/// A path under construction.
#[derive(Debug)]
pub(super) struct PathBuilder<'a> {
    pub path: Path,
    present: &'a Present,
    record: Record,
    gamma: Matrix,
}

impl<'a> PathBuilder<'a> {
    pub fn new(lambda: Vec<f64>, x: &Matrix, present: &'a Present, keep: Keep) -> Self {
        let (rows, points, classes) = (x.rows(), lambda.len(), present.given);
        let path = Path {
            certificate: vec![0.0; points],
            gamma_norm: keep.gamma.then(|| Matrix::zeros(points, rows)),
            gamma_last: keep.gamma.then(|| Matrix::zeros(rows, classes)),
            beta: keep.beta.then(|| vec![Matrix::zeros(x.cols(), classes); points]),
            intercept: keep.beta.then(|| Matrix::from_fn(points, classes, |_, _| f64::NEG_INFINITY)),
            lambda,
            ..Path::default()
        };
        let gamma = Matrix::zeros(rows, present.classes.len());
        Self { path, present, record: Record::new(rows), gamma }
    }

    /// Adds grid point `k` from the solver's state.
    pub fn add(&mut self, k: usize, x: &Matrix, solver: &ReducedProblem<'_>) {
        let Self { path, present, record, gamma } = self;
        let (lambda, design, penalty) = (path.lambda[k], solver.design, solver.penalty);
        let tau = solver.tau(lambda);
        record.cross(lambda, path.lambda[0], |i| !solver.rows.is_free(i));
        for i in 0..design.rows {
            solver.rows.gamma(i, tau, gamma.row_mut(i));
            if let Some(norms) = &mut path.gamma_norm {
                norms[(k, i)] = penalty.value(gamma.row(i));
            }
        }
        let mut theta = solver.theta.clone();
        if penalty == Penalty::Group {
            theta.chunks_exact_mut(solver.classes).for_each(centre);
        }
        let (beta, mut intercept) = design.original(&theta, solver.classes);
        centre(&mut intercept);
        let solution = Solution { intercept: &intercept, beta: &beta, gamma };
        path.certificate[k] = certify(x, &present.labels, design, penalty, lambda, &solution);
        if let Some(betas) = &mut path.beta {
            present.spread(&beta, &mut betas[k]);
        }
        if let Some(intercepts) = &mut path.intercept {
            for (&class, value) in present.classes.iter().zip(intercept) {
                intercepts[(k, class)] = value;
            }
        }
    }

    /// The finished path, given the vanishing points passed on the way.
    pub fn finish(mut self, vanish: Vec<f64>) -> Path {
        let Vanished { vanish_grid, reenters, .. } = self.record.finish(0.0);
        if let Some(last) = &mut self.path.gamma_last {
            self.present.spread(&self.gamma, last);
        }
        Path { vanish, vanish_grid, reenters, ..self.path }
    }
}
