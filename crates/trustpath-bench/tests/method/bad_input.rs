//! Every kind of invalid input has an error with a message of its kind.

use trustpath::incidental::{Grid, IciCParams, IciRParams, Incidental, Keep};
use trustpath::judge::Confidence;
use trustpath::{Error, Features, Instances, Matrix, Quota, SelfTraining, Task};
use trustpath_bench::SelfTrainer;
use trustpath_bench::classifiers::ClassifierKind;
use trustpath_bench::reduce::ReductionKind;

fn instances(rows: usize) -> Instances {
    let raw: Vec<f64> = (0..rows * 6).map(|i| 1.5 + ((i * i) as f64).sin()).collect();
    Features::new(&raw[..], rows, 6).unwrap().normalize().unwrap()
}

fn learner(quota: Quota) -> Result<SelfTrainer, Error> {
    let labeller = SelfTraining::new(ClassifierKind::Logistic.build(), Box::new(Confidence), quota)?;
    Ok(SelfTrainer::new(labeller, ReductionKind::Lle.build(2, 5)?))
}

fn run(instances: &Instances, labels: &[usize], unlabeled: usize, classes: usize) -> Error {
    let task = Task { instances, labels, unlabeled, classes, truth: None };
    learner(Quota::default()).unwrap().run(&task).unwrap_err()
}

#[test]
fn tasks() {
    let x = instances(12);
    assert_eq!(run(&x, &[0, 0], 10, 1), Error::OneClass { classes: 1 });
    assert_eq!(run(&x, &[0, 2], 10, 3), Error::ClassWithoutSupport { class: 1 });
    let out_of_range = Error::LabelOutOfRange { row: 1, label: 7, classes: 2 };
    assert_eq!(run(&x, &[0, 7], 10, 2), out_of_range);
    assert_eq!(run(&x, &[0, 1], 11, 2), Error::LabelCount { labels: 13, rows: 12 });
    let learner = learner(Quota::default()).unwrap();
    let short: &[usize] = &[0, 1];
    let task = Task { instances: &x, labels: &[0, 1], unlabeled: 10, classes: 2, truth: Some(short) };
    assert_eq!(learner.run(&task).unwrap_err(), Error::LabelCount { labels: 2, rows: 10 });
}

#[test]
fn parameters() {
    for (step, cap) in [(0, None), (5, Some(0))] {
        let quota = Quota::PerRound { step, cap };
        assert!(matches!(learner(quota), Err(Error::Parameter { .. })));
    }
    let grid = |points, ratio| IciRParams { grid: Grid { points, ratio }, ..Default::default() };
    for bad in [grid(1, 0.1), grid(10, 0.0), grid(10, 1.0), grid(10, f64::NAN)] {
        assert!(matches!(bad.check(), Err(Error::Parameter { .. })));
    }
    let tolerance = IciRParams { tolerance: 0.0, ..Default::default() };
    assert!(matches!(tolerance.check(), Err(Error::Parameter { .. })));
    let alpha = IciCParams { alpha: -1.0, ..Default::default() };
    assert!(matches!(alpha.check(), Err(Error::Parameter { .. })));
}

#[test]
fn duplicates_are_labelled() {
    let raw: Vec<f64> = (0..24 * 6).map(|at| 1.5 + ((at % (8 * 6)) as f64 * 1.7).sin()).collect();
    let x = Features::new(&raw[..], 24, 6).unwrap().normalize().unwrap();
    let task = Task { instances: &x, labels: &[0, 1], unlabeled: 22, classes: 2, truth: None };
    let outcome = learner(Quota::default()).unwrap().run(&task).unwrap();
    assert!(outcome.probabilities.as_slice().iter().all(|p| p.is_finite()));
}

#[test]
fn paths() {
    let x = Matrix::from_fn(6, 2, |i, j| ((i * 2 + j) as f64).sin());
    let models: [Box<dyn Incidental>; 2] =
        [Box::new(IciRParams::default().check().unwrap()), Box::new(IciCParams::default().check().unwrap())];
    for model in models {
        let path = |labels: &[usize], classes| model.path(&x, labels, classes, Keep::default());
        let error = path(&[0, 1], 2).unwrap_err();
        assert_eq!(error, Error::LabelCount { labels: 2, rows: 6 });
        assert_eq!(path(&[0; 6], 1).unwrap_err(), Error::OneClass { classes: 1 });
        let error = path(&[0, 1, 2, 0, 1, 0], 2).unwrap_err();
        assert_eq!(error, Error::LabelOutOfRange { row: 2, label: 2, classes: 2 });
        // A class without an instance is not an error here: pseudo-labels may leave one empty.
        assert!(path(&[0, 1, 0, 1, 0, 1], 3).is_ok());
    }
}

#[test]
fn coordinates_that_fit_every_label_leave_nothing_to_explain() {
    let x = Matrix::from_fn(4, 4, |i, j| f64::from(i == j));
    let model = IciRParams::default().check().unwrap();
    let path = model.path(&x, &[0, 1, 0, 1], 2, Keep::ALL).unwrap();
    assert!(path.vanish.iter().chain(&path.vanish_grid).all(|&v| v == 0.0));
    assert!(path.gamma_norm.unwrap().as_slice().iter().all(|&norm| norm == 0.0));
    assert!(path.certificate.iter().all(|&gap| gap == 0.0));
}

#[test]
fn messages_name_the_input_and_the_remedy() {
    let error = Features::new(&[1.0f32, f32::NAN][..], 1, 2).unwrap_err();
    assert_eq!(
        error.to_string(),
        "feature 1 of instance 0 is NaN: every feature must be a finite number; drop or impute that instance"
    );
    assert!(run(&instances(12), &[0, 2], 10, 3).to_string().contains("label at least one"));
}
