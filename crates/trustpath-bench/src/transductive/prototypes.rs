//! Prototypes that follow the instances assigned to them, which soft k-means, PT-MAP, protoLP, PADDLE and UNEM share.

use super::transport::Transport;
use trustpath::Matrix;
use trustpath::task::CheckedTask;
use trustpath_path::linalg::geometry::{Distances, class_means, class_sums, product};

/// A prototype of each class of a pool, at first the mean of its labelled rows.
pub(super) struct Prototypes<'a> {
    /// One row per class.
    pub places: Matrix,
    /// The number of unlabeled rows of each class at the last move.
    pub weights: Vec<f64>,
    unlabeled: Distances<'a>,
    /// Sum and number of the labelled rows of each class.
    support: (Matrix, Vec<f64>),
    sums: Matrix,
}

impl<'a> Prototypes<'a> {
    pub fn new(x: &'a Matrix, task: &CheckedTask<'_>) -> Self {
        Self {
            places: class_means(x, task.labels, task.classes),
            weights: vec![0.0; task.classes],
            unlabeled: Distances::new(x, task.labelled..task.pool),
            support: class_sums(x, task.labels, task.classes),
            sums: Matrix::zeros(task.classes, x.cols()),
        }
    }

    /// Number of unlabeled rows.
    pub fn unlabeled(&self) -> usize {
        self.unlabeled.len()
    }

    /// Number of labelled rows of each class.
    pub fn shots(&self) -> &[f64] {
        &self.support.1
    }

    /// Squared distances of the unlabeled rows to the prototypes.
    pub fn distances(&self, out: &mut Matrix) {
        self.unlabeled.to(&self.places, out);
    }

    /// Replaces the entries of `p` by the probabilities of the unlabeled rows, with equally frequent classes or
    /// without that constraint.
    pub fn assign(&self, transport: &mut Transport, balanced: bool, p: &mut Matrix) {
        self.distances(p);
        if balanced { transport.plan(p) } else { transport.assign(p) }
    }

    /// Moves every coordinate, given the mean of its class: labelled rows counted once, unlabeled ones by their
    /// probabilities.
    pub fn follow(&mut self, p: &Matrix, mut place: impl FnMut(&mut f64, f64)) {
        product(&mut self.sums, p.view().transpose(), self.unlabeled.instances(), 1.0);
        let (support, shots) = &self.support;
        for (k, weight) in self.weights.iter_mut().enumerate() {
            *weight = p.iter_rows().map(|row| row[k]).sum();
            let count = shots[k] + *weight;
            let parts = self.sums.row(k).iter().zip(support.row(k));
            for (mu, (sum, labelled)) in self.places.row_mut(k).iter_mut().zip(parts) {
                place(mu, (sum + labelled) / count);
            }
        }
    }
}
