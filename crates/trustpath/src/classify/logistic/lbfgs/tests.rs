//! The L-BFGS minimum is the minimum of the exact solver.

use super::*;
use crate::classify::Classify;
use crate::classify::logistic::{LogisticParams, most_probable};
use crate::linalg::vector::arg_max;
use crate::random::mix;
use crate::{Features, Instances};

/// A number between −½ and ½, determined by the stream and the index.
fn uniform(stream: u64, at: usize) -> f64 {
    (mix(mix(stream) ^ at as u64) >> 11) as f64 / (1u64 << 53) as f64 - 0.5
}

struct Data {
    instances: Instances,
    single: Vec<f32>,
    labels: Vec<usize>,
    classes: usize,
}

impl Data {
    /// Classes around centres, which overlap more with a larger `width`; `class` assigns samples to classes.
    fn new(n: usize, dims: usize, classes: usize, width: f64, class: impl Fn(usize) -> usize) -> Self {
        let labels: Vec<usize> = (0..n).map(class).collect();
        let values: Vec<f64> = (0..n * dims)
            .map(|at| {
                let (i, j) = (at / dims, at % dims);
                // All samples are shifted to one side, so that the intercept matters.
                let shift = if j == 0 { 0.7 } else { 0.0 };
                shift + uniform(1, labels[i] * dims + j) + width * uniform(2, at)
            })
            .collect();
        let instances = Features::new(&values[..], n, dims).unwrap().normalize().unwrap();
        let single: Vec<f32> = instances.unit().as_slice().iter().map(|&v| v as f32).collect();
        Self { instances, single, labels, classes }
    }

    fn small_labels(&self) -> Vec<u32> {
        self.labels.iter().map(|&label| label as u32).collect()
    }

    fn dims(&self) -> usize {
        self.instances.dims()
    }

    fn lbfgs(&self, c: f64) -> LogisticModel {
        let mut lbfgs = LbfgsLogistic::new(c, self.classes, self.dims());
        lbfgs.train(&self.single, &self.small_labels()).unwrap();
        lbfgs.model().clone()
    }

    fn exact(&self, c: f64) -> LogisticModel {
        let logistic = LogisticParams { c, ..LogisticParams::default() }.check().unwrap();
        let mut trainer = logistic.trainer(&self.instances, self.classes);
        let rows: Vec<usize> = (0..self.labels.len()).collect();
        trainer.train(&rows, &self.labels).unwrap();
        trainer.model().as_logistic().expect("a logistic model").clone()
    }

    /// Checks that the weights are within the gradient tolerance, and that labels differ only where two classes are nearly tied.
    fn assert_same(&self, c: f64, lbfgs: &LogisticModel, exact: &LogisticModel) {
        let apart = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
        let goal = goal(c, self.labels.len(), self.classes);
        let weights = apart(lbfgs.weights.as_slice(), exact.weights.as_slice());
        let intercept = apart(&lbfgs.intercept, &exact.intercept);
        assert!(weights <= goal, "{weights:e} {goal:e}");
        assert!(intercept <= goal, "{intercept:e} {goal:e}");
        assert!(lbfgs.intercept.iter().sum::<f64>().abs() < 1e-9);
        let p = exact.probabilities(self.instances.unit());
        let rows: Vec<usize> = (0..self.labels.len()).collect();
        let (labels, probability) = most_probable(lbfgs, self.instances.unit(), &rows);
        for (i, p) in p.iter_rows().enumerate() {
            let highest = p.iter().fold(0.0, |most: f64, &p| most.max(p));
            // Scores that are off by the bound on the weights and on the intercept move the ratio of two
            // probabilities by twice as much.
            assert!((p[labels[i]] / highest).ln() >= -2.0 * (weights + intercept));
            assert!((probability[i] / p[labels[i]]).ln().abs() <= 2.0 * (weights + intercept));
        }
    }
}

#[test]
fn the_minimum_is_the_exact_one() {
    let data = Data::new(3000, 24, 7, 1.5, |i| i % 7);
    for c in [0.1, 10.0, 100.0] {
        data.assert_same(c, &data.lbfgs(c), &data.exact(c));
    }
}

#[test]
fn rare_and_separable_classes_have_the_exact_minimum() {
    let rare = Data::new(2500, 16, 5, 1.0, |i| if i % 500 == 3 { 4 } else { i % 4 });
    rare.assert_same(10.0, &rare.lbfgs(10.0), &rare.exact(10.0));
    let separable = Data::new(2000, 20, 6, 0.1, |i| i % 6);
    separable.assert_same(10.0, &separable.lbfgs(10.0), &separable.exact(10.0));
}

#[test]
fn a_warm_start_ends_at_the_same_minimum_and_sooner() {
    let data = Data::new(3000, 24, 9, 1.2, |i| i % 9);
    let mut labels = data.small_labels();
    let mut lbfgs = LbfgsLogistic::new(10.0, 9, 24);
    for i in (0..3000).step_by(50) {
        labels[i] = (labels[i] + 1) % 9;
    }
    lbfgs.train(&data.single, &labels).unwrap();
    let cold = lbfgs.steps;
    lbfgs.train(&data.single, &data.small_labels()).unwrap();
    assert!(lbfgs.steps < cold, "{} {cold}", lbfgs.steps);
    data.assert_same(10.0, lbfgs.model(), &data.exact(10.0));
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let data = Data::new(5000, 12, 20, 1.0, |i| i % 20);
    let rows: Vec<usize> = (0..5000).collect();
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let model = data.lbfgs(10.0);
            let labels = most_probable(&model, data.instances.unit(), &rows);
            (model, labels)
        })
    };
    assert_eq!(with(1), with(3));
}

#[test]
fn most_probable_is_the_first_of_the_largest() {
    let data = Data::new(700, 6, 4, 2.0, |i| i % 4);
    let mut model = data.exact(1.0);
    // Two classes with the same score.
    let first = model.weights.row(1).to_vec();
    model.weights.row_mut(3).copy_from_slice(&first);
    model.intercept[3] = model.intercept[1];
    let rows: Vec<usize> = (0..700).rev().collect();
    let (labels, probability) = most_probable(&model, data.instances.unit(), &rows);
    let p = model.probabilities(data.instances.unit());
    for (at, &row) in rows.iter().enumerate() {
        assert_eq!(labels[at], arg_max(p.row(row)));
        assert!((probability[at] - p[(row, labels[at])]).abs() < 1e-12);
    }
    assert!(labels.contains(&1) && !labels.contains(&3));
}

#[test]
fn invalid_training_data_are_refused() {
    let mut lbfgs = LbfgsLogistic::new(10.0, 3, 2);
    assert!(matches!(lbfgs.train(&[1.0; 3], &[0, 1]), Err(Error::Shape { .. })));
    assert!(matches!(lbfgs.train(&[f32::NAN; 2], &[0]), Err(Error::NotFinite { .. })));
    assert!(matches!(lbfgs.train(&[1.0; 2], &[3]), Err(Error::LabelOutOfRange { .. })));
    let error = lbfgs.train(&[1.0; 4], &[0, 2]).unwrap_err();
    assert_eq!(error, Error::ClassWithoutSupport { class: 1 });
    assert!(matches!(LbfgsLogistic::new(1.0, 1, 2).train(&[], &[]), Err(Error::OneClass { .. })));
}
