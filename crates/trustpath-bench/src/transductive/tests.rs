//! Properties that every method must have, and pools to test them on.

use trustpath::labeller::AdaptiveParams;
use trustpath::{Error, Matrix};

use super::*;
use crate::testing::{TestPool, awkward_pools, overlapping_pools, pool};

fn all() -> impl Iterator<Item = Box<dyn Transductive>> {
    TransductiveKind::ALL.into_iter().map(|method| method.build().unwrap())
}

fn assert_close(left: &Matrix, right: &Matrix, method: &dyn Transductive) {
    assert_eq!(left.rows(), right.rows());
    for (a, b) in left.as_slice().iter().zip(right.as_slice()) {
        assert!((a - b).abs() < 1e-7, "{method:?}: {a} {b}");
    }
}

fn assert_probabilities(p: &Matrix, method: &dyn Transductive) {
    for row in p.iter_rows() {
        assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{method:?}: {row:?}");
        assert!(row.iter().all(|p| (0.0..=1.0).contains(p)), "{method:?}: {row:?}");
    }
}

#[test]
fn separate_clusters_are_found() {
    for shots in [1, 5] {
        let pool = pool(shots, &[15; 4], 0.4);
        for method in all() {
            let p = method.label(&pool.task()).unwrap();
            assert_eq!(p.query_labels(), pool.truth, "{method:?}");
            assert_probabilities(&p.unlabeled, &*method);
        }
    }
}

#[test]
fn the_order_of_the_instances_does_not_matter() {
    for pool in overlapping_pools() {
        let n = pool.truth.len();
        let order: Vec<usize> = (0..n).map(|i| (i * 7 + 3) % n).collect();
        let mut rows = pool.labelled_rows();
        rows.extend(order.iter().map(|&i| pool.rows[pool.labels.len() + i].clone()));
        let shuffled = TestPool::new(rows, pool.labels.clone(), pool.truth.clone());
        for method in all() {
            let before = method.label(&pool.task()).unwrap().unlabeled;
            let after = method.label(&shuffled.task()).unwrap().unlabeled;
            let expected = Matrix::from_fn(n, 3, |i, k| before[(order[i], k)]);
            assert_close(&expected, &after, &*method);
        }
    }
}

#[test]
fn the_numbering_of_the_classes_does_not_matter() {
    for pool in overlapping_pools() {
        let number = [2, 0, 1];
        let labels: Vec<usize> = pool.labels.iter().map(|&l| number[l]).collect();
        for method in all() {
            let before = method.label(&pool.task()).unwrap().unlabeled;
            let after = method.label(&Task { labels: &labels, ..pool.task() }).unwrap().unlabeled;
            let back = Matrix::from_fn(after.rows(), 3, |i, k| after[(i, number[k])]);
            assert_close(&before, &back, &*method);
        }
    }
}

#[test]
fn each_query_is_classified_by_itself_and_changes_nothing() {
    // The last two of every class are the query.
    let pool = pool(2, &[10; 3], 0.5);
    let (query, others): (Vec<_>, Vec<_>) = pool.rows[6..].iter().cloned().enumerate().partition(|(i, _)| i % 10 >= 8);
    let rows_of = |part: Vec<(usize, Vec<f64>)>| part.into_iter().map(|(_, row)| row).collect();
    let (query, others): (Vec<Vec<f64>>, Vec<Vec<f64>>) = (rows_of(query), rows_of(others));
    let label = |query: &[Vec<f64>], unlabeled: usize, method: &dyn Transductive| {
        let rows = [&pool.labelled_rows(), &others[..unlabeled], query].concat();
        let separate = TestPool::new(rows, pool.labels.clone(), Vec::new());
        method.label(&separate.task_with(unlabeled)).unwrap()
    };
    for method in all() {
        let without = label(&[], others.len(), &*method);
        assert!(without.query.is_none());
        for unlabeled in [others.len(), 0] {
            let together = label(&query, unlabeled, &*method);
            assert_eq!(together.unlabeled.rows(), unlabeled);
            if unlabeled > 0 {
                assert_close(&together.unlabeled, &without.unlabeled, &*method);
            }
            assert_eq!(together.query_labels(), [0, 0, 1, 1, 2, 2], "{method:?}");
            let together = together.query.unwrap();
            for i in 0..6 {
                let alone = label(&query[i..=i], unlabeled, &*method).query.unwrap();
                assert_close(&alone, &Matrix::from_fn(1, 3, |_, k| together[(i, k)]), &*method);
            }
        }
    }
}

#[test]
fn awkward_pools_still_give_probabilities() {
    for pool in awkward_pools() {
        for method in all() {
            for unlabeled in [pool.rows.len() - pool.labels.len(), 0] {
                let p = method.label(&pool.task_with(unlabeled)).unwrap();
                assert_probabilities(&p.unlabeled, &*method);
                p.query.iter().for_each(|query| assert_probabilities(query, &*method));
            }
        }
    }
}

/// As `label` meets them: many classes with one label, of very different sizes, with duplicates.
#[test]
fn pools_of_many_unequal_classes_give_probabilities() {
    let sizes: Vec<usize> = (0..30).map(|class| 2 + 600 / (3 + class * class)).collect();
    let base = pool(1, &sizes, 0.5);
    let mut rows = base.rows.clone();
    let mut truth = base.truth.clone();
    for i in (0..base.truth.len()).step_by(7) {
        rows.push(base.rows[base.labels.len() + i].clone());
        truth.push(base.truth[i]);
    }
    let pool = TestPool::new(rows, base.labels.clone(), truth);
    for kind in TransductiveKind::ALL {
        // These take a thousand steps, whatever the pool.
        if matches!(kind, TransductiveKind::Tim | TransductiveKind::AlphaTim) {
            continue;
        }
        let method = kind.build().unwrap();
        let p = method.label(&pool.task()).unwrap();
        assert_probabilities(&p.unlabeled, &*method);
        let right = p.query_labels().iter().zip(&pool.truth).filter(|(a, b)| a == b).count();
        println!("{kind}: {right} of {}", pool.truth.len());
    }
}

#[test]
fn invalid_tasks_are_refused() {
    let pool = pool(1, &[4; 3], 0.5);
    for method in all() {
        let task = Task { labels: &[0, 1, 1], ..pool.task() };
        assert!(matches!(method.label(&task), Err(Error::ClassWithoutSupport { class: 2 })));
        let task = Task { labels: &[0, 1, 3], ..pool.task() };
        assert!(matches!(method.label(&task), Err(Error::LabelOutOfRange { .. })));
        assert!(method.label(&pool.task_with(99)).is_err());
    }
}

#[test]
fn parameters_of_the_adaptive_mode_out_of_range_are_refused() {
    let base = AdaptiveParams::default();
    for params in [AdaptiveParams { signed: 2.0, ..base }, AdaptiveParams { balance: f64::NAN, ..base }] {
        assert!(matches!(params.check(), Err(Error::Parameter { .. })));
    }
}
