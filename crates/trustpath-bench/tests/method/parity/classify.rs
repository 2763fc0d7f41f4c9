//! The classifiers against scikit-learn's exact solutions on the nine golden cases.

use crate::common::{CASES, Case, max_diff};
use trustpath::classify::Trainer;
use trustpath::{Features, Instances, Matrix};
use trustpath_bench::classifiers::ClassifierKind;

fn open(name: &str) -> (Case, Instances) {
    let case = Case::open(name);
    let (data, rows, dims) = case.raw_rows();
    let instances = Features::new(&data[..], rows, dims).unwrap().normalize().unwrap();
    (case, instances)
}

/// Rows of the unlabeled and of the query instances; these are the same in the transductive cases.
fn unlabeled_and_query(case: &Case, instances: &Instances) -> (Vec<usize>, Vec<usize>) {
    let (support, n) = (case.number("n_support"), case.number("n"));
    let query = if case.has("ux") { n..instances.len() } else { support..n };
    ((support..n).collect(), query.collect())
}

fn train_on_support(trainer: &mut dyn Trainer, case: &Case) {
    let labels = case.array("sy").indices();
    let rows: Vec<usize> = (0..labels.len()).collect();
    trainer.train(&rows, &labels).unwrap();
}

fn train_on_all(trainer: &mut dyn Trainer, case: &Case) {
    let rows: Vec<usize> = (0..case.number("n")).collect();
    trainer.train(&rows, &case.first_labels()).unwrap();
}

fn argmax(p: &Matrix) -> Vec<usize> {
    let largest = |row: &[f64]| (1..row.len()).fold(0, |b, k| if row[k] > row[b] { k } else { b });
    p.iter_rows().map(largest).collect()
}

#[test]
fn logistic_probabilities_agree() {
    for name in CASES {
        let (case, x) = open(name);
        let (unlabeled, query) = unlabeled_and_query(&case, &x);
        let mut trainer = ClassifierKind::Logistic.build().trainer(&x, 5);
        train_on_support(&mut *trainer, &case);
        let p = trainer.probabilities(&unlabeled);
        assert!(max_diff(p.as_slice(), &case.array("lr0_prob_unlabel").values) < 1e-9, "{name}");
        assert_eq!(argmax(&p), case.array("pseudo0").indices(), "{name}");
        let p = trainer.probabilities(&query);
        assert!(max_diff(p.as_slice(), &case.array("lr0_prob_query").values) < 1e-9, "{name}");
    }
}

#[test]
fn logistic_coefficients_agree() {
    for name in CASES {
        let (case, x) = open(name);
        let mut trainer = ClassifierKind::Logistic.build().trainer(&x, 5);
        for (which, train) in [("lr0", train_on_support as fn(&mut dyn Trainer, &Case)), ("lr_all", train_on_all)] {
            train(&mut *trainer, &case);
            let model = trainer.model();
            let model = model.as_logistic().expect("a logistic model");
            let weights = case.array(&format!("{which}_coef")).values;
            assert!(max_diff(model.weights.as_slice(), &weights) < 1e-9, "{name} {which}");
            let intercept = case.array(&format!("{which}_intercept")).values;
            assert!(max_diff(&model.intercept, &intercept) < 1e-9, "{name} {which}");
        }
    }
}

#[test]
fn svm_and_nearest_neighbour_predict_the_same() {
    for name in CASES {
        let (case, x) = open(name);
        let (unlabeled, query) = unlabeled_and_query(&case, &x);
        for method in [ClassifierKind::Svm, ClassifierKind::Nearest] {
            let mut trainer = method.build().trainer(&x, 5);
            train_on_support(&mut *trainer, &case);
            let predicted = argmax(&trainer.probabilities(&unlabeled));
            let expected = case.array(&format!("{method}0_pred_unlabel")).indices();
            assert_eq!(predicted, expected, "{name} {method}");
            train_on_all(&mut *trainer, &case);
            let expected = case.array(&format!("{method}_all_pred_query")).indices();
            assert_eq!(argmax(&trainer.probabilities(&query)), expected, "{name} {method}");
            let p = trainer.model().probabilities(&x).unwrap();
            let predicted: Vec<usize> = query.iter().map(|&row| argmax(&p)[row]).collect();
            assert_eq!(predicted, expected, "{name} {method}");
        }
    }
}
