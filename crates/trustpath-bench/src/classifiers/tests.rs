//! Properties of every classifier.

use proptest::prelude::*;
use rayon::prelude::*;

use trustpath::classify::{Classify, LogisticParams, Trainer};
use trustpath::limits::GRAM_ROWS;
use trustpath::{Error, Features, Instances, Matrix};

use super::ClassifierKind;
use crate::testing::{Problem, problems};

fn trained<'a>(method: ClassifierKind, x: &'a Instances, problem: &Problem) -> Box<dyn Trainer + 'a> {
    let mut trainer = method.build().trainer(x, problem.classes);
    trainer.train(&problem.rows, &problem.labels).unwrap();
    trainer
}

/// Features that do not repeat for a long time.
fn waves(rows: usize, dims: usize) -> Vec<f64> {
    (0..rows * dims).map(|i| ((i * i % 1009) as f64 * 0.37 + i as f64).sin()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn probabilities_are_probabilities_and_the_model_agrees(problem in problems()) {
        let x = problem.instances();
        let all: Vec<usize> = (0..x.len()).collect();
        for method in ClassifierKind::ALL {
            let trainer = trained(method, &x, &problem);
            let p = trainer.probabilities(&all);
            for row in p.iter_rows() {
                prop_assert!(row.iter().all(|&p| (0.0..=1.0).contains(&p)));
                prop_assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            }
            let model = trainer.model();
            prop_assert_eq!(model.classes(), problem.classes);
            let q = model.probabilities(&x).unwrap();
            for (p, q) in p.as_slice().iter().zip(q.as_slice()) {
                // A support vector machine's vote may depend on the last bit of a decision that should be zero.
                prop_assert!((p - q).abs() < 1e-9 || method == ClassifierKind::Svm, "{method}: {p} {q}");
            }
        }
    }

    #[test]
    fn the_order_of_the_samples_does_not_matter(problem in problems(), turn in 0usize..50) {
        let x = problem.instances();
        let all: Vec<usize> = (0..x.len()).collect();
        let mut turned = problem.clone();
        let turn = turn % problem.rows.len();
        turned.rows.rotate_left(turn);
        turned.labels.rotate_left(turn);
        for method in ClassifierKind::ALL {
            let straight = trained(method, &x, &problem).probabilities(&all);
            prop_assert_eq!(straight, trained(method, &x, &turned).probabilities(&all));
        }
    }

    #[test]
    fn a_warm_start_only_saves_time(problem in problems()) {
        let x = problem.instances();
        let all: Vec<usize> = (0..x.len()).collect();
        let half = problem.classes.max(problem.rows.len() / 2);
        let mut trainer = ClassifierKind::Logistic.build().trainer(&x, problem.classes);
        trainer.train(&problem.rows[..half], &problem.labels[..half]).unwrap();
        trainer.train(&problem.rows, &problem.labels).unwrap();
        let warm = trainer.probabilities(&all);
        let cold = trained(ClassifierKind::Logistic, &x, &problem).probabilities(&all);
        for (warm, cold) in warm.as_slice().iter().zip(cold.as_slice()) {
            prop_assert!((warm - cold).abs() < 2e-9, "{warm} {cold}");
        }
    }
}

#[test]
fn each_misuse_has_its_own_error() {
    let values = waves(6, 4);
    let x = Features::new(&values[..], 6, 4).unwrap().normalize().unwrap();
    for method in ClassifierKind::ALL {
        let train = |classes, rows: &[usize], labels: &[usize]| {
            let mut trainer = method.build().trainer(&x, classes);
            let error = trainer.train(rows, labels).unwrap_err();
            let uniform = vec![1.0 / classes as f64; classes];
            assert_eq!(trainer.probabilities(&[0]).as_slice(), uniform, "{method}");
            error
        };
        assert_eq!(train(1, &[0, 1], &[0, 0]), Error::OneClass { classes: 1 });
        assert_eq!(train(2, &[0, 1, 2], &[0, 1]), Error::LabelCount { labels: 2, rows: 3 });
        let out_of_range = Error::LabelOutOfRange { row: 1, label: 2, classes: 2 };
        assert_eq!(train(2, &[0, 1], &[0, 2]), out_of_range);
        assert_eq!(train(2, &[0, 6], &[0, 1]), Error::RowOutOfRange { row: 6, rows: 6 });
        assert_eq!(train(3, &[0, 1], &[0, 2]), Error::ClassWithoutSupport { class: 1 });
        assert_eq!(train(2, &[], &[]), Error::ClassWithoutSupport { class: 0 });

        let mut trainer = method.build().trainer(&x, 2);
        trainer.train(&[0, 1], &[0, 1]).unwrap();
        let other = Features::new(&[1.0, 2.0, 3.0][..], 1, 3).unwrap().normalize().unwrap();
        let wrong = trainer.model().probabilities(&other);
        assert_eq!(wrong, Err(Error::Dimensions { expected: 4, given: 3 }));
        // A failed training discards the one before.
        assert!(trainer.train(&[0], &[0]).is_err());
        assert_eq!(trainer.probabilities(&[3]).as_slice(), [0.5, 0.5]);
    }
}

#[test]
fn many_instances_need_no_gram_matrix() {
    let (rows, dims, classes) = (GRAM_ROWS + 20, 24, 3);
    let values = waves(rows, dims);
    let many = Features::new(&values[..], rows, dims).unwrap().normalize().unwrap();
    let few = Features::new(&values[..60 * dims], 60, dims).unwrap().normalize().unwrap();
    let query: Vec<usize> = (0..60).collect();
    let labels: Vec<usize> = (0..60).map(|i| i % classes).collect();
    // 20 samples are fewer than the features, 60 are more.
    for samples in [20, 60] {
        for method in ClassifierKind::ALL {
            let probabilities = |x: &Instances| {
                let mut trainer = method.build().trainer(x, classes);
                trainer.train(&query[..samples], &labels[..samples]).unwrap();
                trainer.probabilities(&query)
            };
            let (p, q) = (probabilities(&many), probabilities(&few));
            for (p, q) in p.as_slice().iter().zip(q.as_slice()) {
                assert!((p - q).abs() < 1e-7, "{method}: {p} {q}");
            }
        }
    }
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let episodes: Vec<(Vec<f64>, usize)> = (20..36).map(|rows| (waves(rows, 50), rows)).collect();
    let run = |threads| -> Vec<Matrix> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let episode = |(values, rows): &(Vec<f64>, usize)| {
                let x = Features::new(&values[..], *rows, 50).unwrap().normalize().unwrap();
                let all: Vec<usize> = (0..*rows).collect();
                let labels: Vec<usize> = all.iter().map(|i| i % 5).collect();
                ClassifierKind::ALL.map(|method| {
                    let mut trainer = method.build().trainer(&x, 5);
                    trainer.train(&all[..10], &labels[..10]).unwrap();
                    trainer.train(&all, &labels).unwrap();
                    trainer.probabilities(&all)
                })
            };
            episodes.par_iter().flat_map_iter(episode).collect()
        })
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(8));
}

#[test]
fn parameters_are_checked() {
    let valid = LogisticParams::default();
    assert_eq!(valid.check().unwrap().name(), "lr");
    for wrong in [
        LogisticParams { c: 0.0, ..valid },
        LogisticParams { c: f64::NAN, ..valid },
        LogisticParams { tolerance: 0.0, ..valid },
        LogisticParams { iterations: 0, ..valid },
    ] {
        assert!(matches!(wrong.check(), Err(Error::Parameter { .. })));
    }
}
