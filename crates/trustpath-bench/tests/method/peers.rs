//! Methods of other authors against a second version of them, `scripts/peers_restated.py`, on two small pools.
//!
//! The script shares no code with the library: it forms dense matrices, solves and inverts them, and balances by many sweeps
//! where the library has sparse graphs, conjugate gradients and Newton's method.

use serde_json::Value;
use trustpath::{Features, Instances, Task};
use trustpath_bench::transductive::TransductiveKind;

/// Plans are balanced to 1e-7 of a class's share, and that repeatedly.
const TOLERANCE: f64 = 2e-5;

fn numbers(value: &Value) -> Vec<f64> {
    let rows = value.as_array().unwrap().iter();
    rows.flat_map(|row| row.as_array().unwrap()).map(|v| v.as_f64().unwrap()).collect()
}

fn indices(value: &Value) -> Vec<usize> {
    value.as_array().unwrap().iter().map(|v| v.as_u64().unwrap() as usize).collect()
}

fn instances(value: &Value) -> Instances {
    let values = numbers(value);
    let rows = value.as_array().unwrap().len();
    let features = Features::new(&values[..], rows, values.len() / rows).unwrap();
    features.normalize().unwrap()
}

#[test]
fn probabilities_are_those_of_the_restatement() {
    let golden = include_str!("peers.json");
    let pools: Vec<Value> = serde_json::from_str(golden).unwrap();
    let mut compared = 0;
    for pool in &pools {
        let labels = indices(&pool["labels"]);
        let instances = instances(&pool["features"]);
        let classes = labels.iter().max().unwrap() + 1;
        let unlabeled = instances.len() - labels.len();
        let task = Task { instances: &instances, labels: &labels, unlabeled, classes, truth: None };
        for (name, expected) in pool["posterior"].as_object().unwrap() {
            let method = name.parse::<TransductiveKind>().unwrap().build().unwrap();
            let posterior = method.label(&task).unwrap().unlabeled;
            let expected = numbers(expected);
            assert_eq!(posterior.as_slice().len(), expected.len());
            for (at, (p, expected)) in posterior.as_slice().iter().zip(&expected).enumerate() {
                let (row, class) = (at / classes, at % classes);
                assert!(
                    (p - expected).abs() < TOLERANCE,
                    "{name}, {classes} classes, row {row}, class {class}: {p} {expected}"
                );
            }
            compared += 1;
        }
    }
    assert!(compared >= 14, "{compared}");
}
