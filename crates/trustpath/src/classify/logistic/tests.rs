//! The solution is the minimum, by several independent criteria.

use proptest::prelude::*;

use super::*;
use crate::testing::{Problem, problems};
use crate::{Error, Features};

fn model(c: f64, x: &Instances, problem: &Problem) -> LogisticModel {
    let logistic = LogisticParams { c, ..LogisticParams::default() }.check().unwrap();
    let mut trainer = logistic.trainer(x, problem.classes);
    trainer.train(&problem.rows, &problem.labels).unwrap();
    trainer.model().as_logistic().expect("a logistic model").clone()
}

/// Norms of the gradient of the objective with respect to weights and intercept, by the textbook formula.
fn gradient_norms(c: f64, x: &Instances, problem: &Problem, model: &LogisticModel) -> (f64, f64) {
    let mut by_weights = model.weights.clone();
    let mut by_intercept = vec![0.0; problem.classes];
    for (&row, &label) in problem.rows.iter().zip(&problem.labels) {
        let x = x.unit().row(row);
        let score = |k: usize| model.intercept[k] + model.weights.row(k).iter().zip(x).map(|(w, x)| w * x).sum::<f64>();
        let total: f64 = (0..problem.classes).map(|k| score(k).exp()).sum();
        for (k, by_intercept) in by_intercept.iter_mut().enumerate() {
            let error = score(k).exp() / total - f64::from(u8::from(k == label));
            *by_intercept += c * error;
            by_weights.row_mut(k).iter_mut().zip(x).for_each(|(g, x)| *g += c * error * x);
        }
    }
    let norm = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>().sqrt();
    (norm(by_weights.as_slice()), norm(&by_intercept))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_gradient_vanishes(problem in problems(), exponent in -2.0f64..4.0) {
        let (x, c) = (problem.instances(), 10f64.powf(exponent));
        let model = model(c, &x, &problem);
        let (by_weights, by_intercept) = gradient_norms(c, &x, &problem, &model);
        // Scores are sums over samples of coordinates up to `C`, and errors in them count `C` times in the gradient.
        let rounding = 8.0 * f64::EPSILON * c * c * problem.rows.len() as f64;
        prop_assert!(by_weights <= 1e-10 * c + rounding, "{by_weights:e}");
        prop_assert!(by_intercept <= 1e-10 * c + rounding, "{by_intercept:e}");
        prop_assert!(model.intercept.iter().sum::<f64>().abs() < 1e-12);
    }

    #[test]
    fn span_and_primal_are_the_same(problem in problems()) {
        let x = problem.instances();
        let samples = Samples::new(&problem.rows, &problem.labels, &x, problem.classes).unwrap();
        let params = LogisticParams::default();
        let mut span = LogisticTrainer::new(params, &x, problem.classes);
        span.train_in_span(&samples).unwrap();
        let mut primal = LogisticTrainer::new(params, &x, problem.classes);
        primal.train_in_primal(&samples).unwrap();
        let (a, b) = (span.linear_weights(), primal.linear_weights());
        for (a, b) in a.as_slice().iter().zip(b.as_slice()) {
            prop_assert!((a - b).abs() < 2e-9, "{a} {b}");
        }
        for (a, b) in span.newton.intercept.iter().zip(&primal.newton.intercept) {
            prop_assert!((a - b).abs() < 1e-8, "{a} {b}");
        }
    }

    #[test]
    fn every_sample_twice_is_twice_the_loss(problem in problems()) {
        let x = problem.instances();
        let mut twice = problem.clone();
        twice.rows.extend(&problem.rows);
        twice.labels.extend(&problem.labels);
        let (once, twice) = (model(10.0, &x, &problem), model(5.0, &x, &twice));
        for (a, b) in once.weights.as_slice().iter().zip(twice.weights.as_slice()) {
            prop_assert!((a - b).abs() < 2e-9, "{a} {b}");
        }
    }
}

#[test]
fn separable_and_contradictory_labels_are_solved() {
    let values = [1.0, 0.0, 0.0, 1.0, 1.0, 1e-9];
    let x = Features::new(&values[..], 3, 2).unwrap().normalize().unwrap();
    for labels in [vec![0, 1], vec![1, 0], vec![0, 1, 1], vec![0, 0, 1]] {
        let rows: Vec<usize> = (0..labels.len()).collect();
        let problem = Problem { values: values.to_vec(), dims: 2, classes: 2, rows, labels };
        for c in [1e-6, 1.0, 1e6] {
            let model = model(c, &x, &problem);
            let (by_weights, by_intercept) = gradient_norms(c, &x, &problem, &model);
            assert!(by_weights <= 1e-10 * c + 1e-14, "{c}: {by_weights:e}");
            assert!(by_intercept <= 1e-10 * c + 1e-14, "{c}: {by_intercept:e}");
        }
    }
}

#[test]
fn too_few_iterations_are_an_error() {
    let values = [1.0, 0.0, 0.0, 1.0];
    let x = Features::new(&values[..], 2, 2).unwrap().normalize().unwrap();
    let params = LogisticParams { iterations: 1, ..LogisticParams::default() };
    let mut trainer = params.check().unwrap().trainer(&x, 2);
    let error = trainer.train(&[0, 1], &[0, 1]).unwrap_err();
    assert!(matches!(error, Error::NotConverged { iterations: 1, .. }), "{error}");
}
