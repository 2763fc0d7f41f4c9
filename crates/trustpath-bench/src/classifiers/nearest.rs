//! Nearest neighbours.
//!
//! The `k` training instances nearest to an instance in Euclidean distance vote on its label; the probabilities are their
//! shares of the votes. Of two training instances at the same distance, the one with the smaller row number is nearer.
//!
//! On the unit sphere `‖x − z‖² = 2 − 2 xᵀz`, so neighbours are found by inner products. Where these differ by less than
//! rounding errors, the distances themselves decide: otherwise copies of one instance would be ranked arbitrarily.

use trustpath::classify::{Classify, Samples, TrainedModel, Trainer, shares_gram};
use trustpath::{Error, Instances, Matrix, Result};
use trustpath_path::linalg::simd;
use trustpath_path::linalg::vector::fused;

/// Inner products of unit vectors closer than this are compared by exact differences.
const ROUNDING: f64 = 1e-12;

/// Parameters of nearest neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NearestParams {
    /// Neighbours that vote (1).
    pub neighbors: usize,
}

impl Default for NearestParams {
    fn default() -> Self {
        Self { neighbors: 1 }
    }
}

impl NearestParams {
    /// Checks the parameters.
    ///
    /// # Errors
    /// [`Error::Parameter`].
    pub fn check(self) -> Result<Nearest> {
        match self.neighbors {
            0 => Err(Error::parameter("neighbors", 0, "at least one must vote")),
            _ => Ok(Nearest(self)),
        }
    }
}

/// Nearest neighbours, the parameters checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Nearest(NearestParams);

impl Classify for Nearest {
    fn name(&self) -> &'static str {
        "knn"
    }

    fn trainer<'a>(&self, instances: &'a Instances, classes: usize) -> Box<dyn Trainer + 'a> {
        let samples = Samples::default();
        Box::new(NearestTrainer { neighbors: self.0.neighbors, instances, classes, samples })
    }
}

#[derive(Debug)]
struct NearestTrainer<'a> {
    neighbors: usize,
    instances: &'a Instances,
    classes: usize,
    samples: Samples,
}

impl Trainer for NearestTrainer<'_> {
    fn train(&mut self, rows: &[usize], labels: &[usize]) -> Result<()> {
        self.samples = Samples::default();
        let samples = Samples::new(rows, labels, self.instances, self.classes)?;
        if samples.len() < self.neighbors {
            let neighbors = self.neighbors;
            return Err(Error::TooFewForNeighbors { rows: samples.len(), neighbors });
        }
        self.samples = samples;
        Ok(())
    }

    fn probabilities(&self, rows: &[usize]) -> Matrix {
        let x = self.instances.unit();
        let samples = &self.samples;
        let mut voting = Voting { neighbors: self.neighbors, ..Voting::default() };
        let mut shares = Matrix::zeros(rows.len(), self.classes);
        let sample = |i: usize| x.row(samples.rows[i]);
        for (i, &row) in rows.iter().enumerate() {
            if shares_gram(self.instances) {
                let gram = self.instances.gram().row(row);
                voting.similarity.extend(samples.rows.iter().map(|&row| gram[row]));
            } else {
                voting.compare(x.row(row), samples.len(), sample);
            }
            voting.vote(x.row(row), sample, &samples.labels, shares.row_mut(i));
        }
        shares
    }

    fn model(&self) -> Box<dyn TrainedModel> {
        Box::new(NearestModel {
            samples: self.samples.features(self.instances),
            labels: self.samples.labels.clone(),
            neighbors: self.neighbors,
            classes: self.classes,
        })
    }
}

/// Training instances that vote on new ones.
#[derive(Debug, Clone, PartialEq)]
pub struct NearestModel {
    /// The training instances, on the unit sphere.
    pub samples: Matrix,
    /// Their labels.
    pub labels: Vec<usize>,
    /// How many of them vote.
    pub neighbors: usize,
    /// Number of classes.
    pub classes: usize,
}

impl NearestModel {
    pub(super) fn probabilities(&self, x: &Matrix) -> Matrix {
        let mut voting = Voting { neighbors: self.neighbors, ..Voting::default() };
        let mut shares = Matrix::zeros(x.rows(), self.classes);
        let sample = |i: usize| self.samples.row(i);
        for (i, query) in x.iter_rows().enumerate() {
            voting.compare(query, self.samples.rows(), sample);
            voting.vote(query, sample, &self.labels, shares.row_mut(i));
        }
        shares
    }
}

/// Votes on one query after another.
#[derive(Debug, Default)]
struct Voting {
    neighbors: usize,
    /// Inner product of the query with every sample; emptied by the vote.
    similarity: Vec<f64>,
    sorted: Vec<f64>,
    /// Squared distance and index of all samples that may be among the nearest.
    near: Vec<(f64, usize)>,
}

impl Voting {
    fn compare<'x>(&mut self, query: &[f64], samples: usize, sample: impl Fn(usize) -> &'x [f64]) {
        simd::dispatch(
            (&mut self.similarity, query),
            #[inline(always)]
            |(to, query)| to.extend((0..samples).map(|i| fused::dot(query, sample(i)))),
        );
    }

    fn vote<'x>(&mut self, query: &[f64], sample: impl Fn(usize) -> &'x [f64], labels: &[usize], shares: &mut [f64]) {
        let Self { similarity, sorted, near, .. } = self;
        if similarity.is_empty() {
            shares.fill(1.0 / shares.len() as f64);
            return;
        }
        sorted.clone_from(similarity);
        let (_, &mut last, _) = sorted.select_nth_unstable_by(self.neighbors - 1, |a, b| b.total_cmp(a));
        near.clear();
        let candidates = similarity.drain(..).enumerate().filter(|s| s.1 >= last - ROUNDING);
        near.extend(candidates.map(|(i, _)| (0.0, i)));
        if near.len() > self.neighbors {
            for (distance, i) in near.iter_mut() {
                *distance = query.iter().zip(sample(*i)).map(|(x, z)| (x - z) * (x - z)).sum();
            }
            near.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        }
        for &(_, i) in &near[..self.neighbors] {
            shares[labels[i]] += 1.0 / self.neighbors as f64;
        }
    }
}

impl TrainedModel for NearestModel {
    fn dims(&self) -> usize {
        self.samples.cols()
    }

    fn classes(&self) -> usize {
        self.classes
    }

    fn of_rows(&self, x: &Matrix) -> Matrix {
        self.probabilities(x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trustpath::Features;

    fn circle(angles: &[f64]) -> Instances {
        let values: Vec<f64> = angles.iter().flat_map(|a| [a.cos(), a.sin()]).collect();
        Features::new(&values[..], angles.len(), 2).unwrap().normalize().unwrap()
    }

    #[test]
    fn votes_are_shared_and_ties_go_to_the_smaller_row() {
        let x = circle(&[0.0, 0.2, 0.2, 1.0, 0.25]);
        let nearest = |neighbors| NearestParams { neighbors }.check().unwrap();
        for (rows, labels) in [([0, 1, 2, 3], [0, 1, 0, 1]), ([3, 2, 1, 0], [1, 0, 1, 0])] {
            let mut one = nearest(1).trainer(&x, 2);
            one.train(&rows, &labels).unwrap();
            assert_eq!(one.probabilities(&[4, 0]).as_slice(), [0.0, 1.0, 1.0, 0.0]);
            let mut three = nearest(3).trainer(&x, 2);
            three.train(&rows, &labels).unwrap();
            let p = three.probabilities(&[4]);
            assert!((p[(0, 0)] - 2.0 / 3.0).abs() < 1e-15 && (p[(0, 1)] - 1.0 / 3.0).abs() < 1e-15);
            let probabilities = three.model().probabilities(&x).unwrap();
            assert_eq!(probabilities.row(4), p.row(0));
        }
    }

    #[test]
    fn more_neighbors_than_samples_are_refused() {
        let x = circle(&[0.0, 1.0]);
        assert!(NearestParams { neighbors: 0 }.check().is_err());
        let mut trainer = NearestParams { neighbors: 3 }.check().unwrap().trainer(&x, 2);
        assert_eq!(trainer.train(&[0, 1], &[0, 1]), Err(Error::TooFewForNeighbors { rows: 2, neighbors: 3 }));
        assert_eq!(trainer.probabilities(&[0]).as_slice(), [0.5, 0.5]);
    }
}
