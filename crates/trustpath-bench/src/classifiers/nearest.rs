//! The nearest neighbour.
//!
//! An instance has the label of the training instance nearest to it in Euclidean distance; of several at the same
//! distance, the one with the smallest row number.
//!
//! On the unit sphere `‖x − z‖² = 2 − 2 xᵀz`, so neighbours are found by inner products. Where these differ by less than
//! rounding errors, the distances themselves decide: otherwise copies of one instance would be ranked arbitrarily.

use trustpath::classify::{Classify, Samples, TrainedModel, Trainer, shares_gram};
use trustpath::neighbors::squared_difference;
use trustpath::{Instances, Matrix, Result};
use trustpath_path::linalg::simd;
use trustpath_path::linalg::vector::fused;

/// Inner products of unit vectors closer than this are compared by exact differences.
const ROUNDING: f64 = 1e-12;

#[derive(Debug)]
pub(super) struct NearestNeighbor;

impl Classify for NearestNeighbor {
    fn name(&self) -> &'static str {
        "knn"
    }

    fn trainer<'a>(&self, instances: &'a Instances, classes: usize) -> Box<dyn Trainer + 'a> {
        Box::new(NearestTrainer { instances, classes, samples: Samples::default() })
    }
}

#[derive(Debug)]
struct NearestTrainer<'a> {
    instances: &'a Instances,
    classes: usize,
    samples: Samples,
}

impl Trainer for NearestTrainer<'_> {
    fn train(&mut self, rows: &[usize], labels: &[usize]) -> Result<()> {
        self.samples = Samples::default();
        self.samples = Samples::new(rows, labels, self.instances, self.classes)?;
        Ok(())
    }

    fn probabilities(&self, rows: &[usize]) -> Matrix {
        let (x, samples) = (self.instances.unit(), &self.samples);
        let sample = |i: usize| x.row(samples.rows[i]);
        let mut p = Matrix::zeros(rows.len(), self.classes);
        let mut similarity = Vec::with_capacity(samples.rows.len());
        for (i, &row) in rows.iter().enumerate() {
            similarity.clear();
            if shares_gram(self.instances) {
                let gram = self.instances.gram().row(row);
                similarity.extend(samples.rows.iter().map(|&row| gram[row]));
            } else {
                compare(&mut similarity, x.row(row), samples.rows.len(), sample);
            }
            vote(&similarity, x.row(row), sample, &samples.labels, p.row_mut(i));
        }
        p
    }

    fn model(&self) -> Box<dyn TrainedModel> {
        let samples = self.samples.features(self.instances);
        Box::new(NearestModel { samples, labels: self.samples.labels.clone(), classes: self.classes })
    }
}

/// Training instances on the unit sphere, and their labels.
#[derive(Debug)]
struct NearestModel {
    samples: Matrix,
    labels: Vec<usize>,
    classes: usize,
}

impl TrainedModel for NearestModel {
    fn dims(&self) -> usize {
        self.samples.cols()
    }

    fn classes(&self) -> usize {
        self.classes
    }

    fn of_rows(&self, x: &Matrix) -> Matrix {
        let mut p = Matrix::zeros(x.rows(), self.classes);
        let sample = |i: usize| self.samples.row(i);
        let mut similarity = Vec::with_capacity(self.samples.rows());
        for (i, query) in x.iter_rows().enumerate() {
            similarity.clear();
            compare(&mut similarity, query, self.samples.rows(), sample);
            vote(&similarity, query, sample, &self.labels, p.row_mut(i));
        }
        p
    }
}

/// Inner products of the query with every sample.
fn compare<'x>(similarity: &mut Vec<f64>, query: &[f64], samples: usize, sample: impl Fn(usize) -> &'x [f64]) {
    simd::dispatch(
        (similarity, query),
        #[inline(always)]
        |(to, query)| to.extend((0..samples).map(|i| fused::dot(query, sample(i)))),
    );
}

/// Gives all probability to the label of the nearest sample; without any sample, the same to all labels.
fn vote<'x>(similarity: &[f64], query: &[f64], sample: impl Fn(usize) -> &'x [f64], labels: &[usize], p: &mut [f64]) {
    let largest = similarity.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let near = (0..similarity.len()).filter(|&i| similarity[i] >= largest - ROUNDING);
    let distance = |i: usize| squared_difference(query, sample(i));
    // Of equal distances the first counts.
    match near.map(|i| (distance(i), i)).min_by(|a, b| a.0.total_cmp(&b.0)) {
        Some((_, nearest)) => p[labels[nearest]] = 1.0,
        None => p.fill(1.0 / p.len() as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trustpath::Features;

    #[test]
    fn ties_go_to_the_smaller_row() {
        let values: Vec<f64> = [0.0f64, 0.2, 0.2, 1.0, 0.25].iter().flat_map(|a| [a.cos(), a.sin()]).collect();
        let x = Features::new(&values[..], 5, 2).unwrap().normalize().unwrap();
        for (rows, labels) in [([0, 1, 2, 3], [0, 1, 0, 1]), ([3, 2, 1, 0], [1, 0, 1, 0])] {
            let mut trainer = NearestNeighbor.trainer(&x, 2);
            trainer.train(&rows, &labels).unwrap();
            assert_eq!(trainer.probabilities(&[4, 0]).as_slice(), [0.0, 1.0, 1.0, 0.0]);
            assert_eq!(trainer.model().probabilities(&x).unwrap().row(4), [0.0, 1.0]);
        }
    }
}
