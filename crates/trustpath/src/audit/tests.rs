use super::*;
use crate::Error;
use crate::random::Random;

/// `n` instances of `classes` classes in `d` dimensions, `spread` the noise around each centre.
fn groups(n: usize, d: usize, classes: usize, spread: f64, seed: u64) -> (Vec<f64>, Vec<usize>) {
    let mut random = Random::stream(seed, 0);
    let centres: Vec<f64> = (0..classes * d).map(|_| random.normal()).collect();
    let values = (0..n * d).map(|at| centres[at / d % classes * d + at % d]);
    let values = values.map(|centre| centre + spread * random.normal()).collect();
    (values, (0..n).map(|i| i % classes).collect())
}

/// A share of the labels made wrong, and which.
fn flipped(truth: &[usize], classes: usize, share: f64, seed: u64) -> (Vec<usize>, Vec<bool>) {
    let mut random = Random::stream(seed, 1);
    let mut rows: Vec<usize> = (0..truth.len()).collect();
    random.shuffle(&mut rows);
    let mut labels = truth.to_vec();
    for &row in &rows[..(share * truth.len() as f64).round() as usize] {
        labels[row] = (truth[row] + 1 + random.below(classes - 1)) % classes;
    }
    let wrong = labels.iter().zip(truth).map(|(a, b)| a != b).collect();
    (labels, wrong)
}

fn run(values: &[f64], d: usize, labels: &[usize], classes: usize) -> Result<Audit> {
    audit(&Features::new(values, labels.len(), d)?, labels).classes(classes).run()
}

#[test]
fn flipped_labels_come_first_with_the_right_suggestion() {
    let (n, d) = (120, 10);
    let values: Vec<f64> = (0..n * d)
        .map(|at| {
            let (i, j) = (at / d, at % d);
            if j == i % 4 { 2.0 } else { 0.6 + 0.5 * ((at * at) as f64 * 0.7).sin() }
        })
        .collect();
    let flipped = [7, 30, 61, 90, 113];
    let labels: Vec<usize> = (0..n).map(|i| if flipped.contains(&i) { (i + 1) % 4 } else { i % 4 }).collect();
    let audited = run(&values, d, &labels, 4).unwrap();
    let mut first = audited.ranking[..5].to_vec();
    first.sort_unstable();
    assert_eq!(first, flipped);
    for row in flipped {
        assert!(audited.suspect[row] && audited.probability[row] > 0.8);
        assert_eq!(audited.suggested[row], row % 4);
    }
    // At a precision of 0.8, one of six may be right.
    assert!(audited.suspect.iter().filter(|s| **s).count() <= 6);
    let wrong = audited.wrong.unwrap();
    assert!(wrong.low < 5.0 && wrong.high > 5.0 && (wrong.count - 5.0).abs() < 1.0, "{wrong:?}");
}

#[test]
fn many_small_sets_are_ranked_far_above_chance() {
    // Ten draws of 60 instances each, a tenth wrong: a path that contains the labels ranks such sets by chance.
    let (mut better, mut pairs) = (0.0, 0.0);
    for seed in 0..10 {
        let (values, truth) = groups(60, 40, 6, 1.0, seed);
        let (labels, wrong) = flipped(&truth, 6, 0.1, seed);
        let audited = run(&values, 40, &labels, 6).unwrap();
        for i in (0..60).filter(|&i| wrong[i]) {
            for j in (0..60).filter(|&j| !wrong[j]) {
                better += f64::from(u8::from(audited.score[i] > audited.score[j]));
                pairs += 1.0;
            }
        }
    }
    assert!(better / pairs > 0.95, "{}", better / pairs);
}

#[test]
fn suspects_are_as_precise_as_they_are_said_to_be() {
    for share in [0.03, 0.1, 0.2] {
        let (mut hits, mut suspects, mut estimated, mut errors) = (0, 0, 0.0, 0);
        for seed in 0..6 {
            let (values, truth) = groups(500, 24, 8, 1.3, 100 + seed);
            let (labels, wrong) = flipped(&truth, 8, share, seed);
            let audited = run(&values, 24, &labels, 8).unwrap();
            hits += (0..500).filter(|&i| audited.suspect[i] && wrong[i]).count();
            suspects += audited.suspect.iter().filter(|s| **s).count();
            errors += wrong.iter().filter(|w| **w).count();
            estimated += audited.wrong.unwrap().count;
        }
        let precision = hits as f64 / suspects as f64;
        let least = if share < 0.05 { 0.25 } else { 0.5 };
        let recall = hits as f64 / errors as f64;
        assert!(precision > 0.75 && recall > least, "{share}: {hits} of {suspects}, {errors}");
        let ratio = estimated / errors as f64;
        assert!((0.6..1.4).contains(&ratio), "{share}: {estimated} for {errors}");
    }
    // Nothing is wrong: hardly anyone is suspected.
    let (values, truth) = groups(500, 24, 8, 1.3, 100);
    let audited = run(&values, 24, &truth, 8).unwrap();
    assert!(audited.suspect.iter().filter(|s| **s).count() <= 3);
    assert!(audited.wrong.unwrap().count < 10.0);
}

#[test]
fn answers_correct_the_fit_and_the_estimates() {
    let (values, truth) = groups(300, 20, 5, 1.3, 5);
    let (labels, wrong) = flipped(&truth, 5, 0.15, 5);
    let features = Features::new(&values[..], 300, 20).unwrap();
    let before = audit(&features, &labels).run().unwrap();
    let answers: Vec<(usize, usize)> = before.ranking[..60].iter().map(|&row| (row, truth[row])).collect();
    let after = audit(&features, &labels).verified(&answers).run().unwrap();
    let confirmed_wrong = answers.iter().filter(|(row, _)| wrong[*row]).count();
    let estimate = after.wrong.unwrap();
    assert_eq!(estimate.found, confirmed_wrong);
    for (row, right) in &answers {
        assert!(!after.suspect[*row] && after.verified[*row] == Some(*right));
        assert_eq!(after.probability[*row], f64::from(u8::from(wrong[*row])));
    }
    // The checked rows come last, and the estimate is nearer than it was.
    assert!(after.ranking[240..].iter().all(|&row| after.verified[row].is_some()));
    let miss = |estimate: WrongLabels| (estimate.count - 45.0).abs();
    assert!(miss(estimate) <= miss(before.wrong.unwrap()) + 1.0, "{estimate:?}");
    assert!(estimate.high - estimate.low < before.wrong.unwrap().high - before.wrong.unwrap().low);
    let refused = audit(&features, &labels).verified(&[(300, 0)]).run();
    assert!(matches!(refused, Err(Error::RowOutOfRange { row: 300, rows: 300 })));
}

#[test]
fn degenerate_sets_are_judged_or_refused_but_never_break() {
    let finite = |audited: &Audit| {
        let numbers = audited.score.iter().chain(&audited.credibility).chain(&audited.suggested_credibility);
        assert!(numbers.chain(&audited.lambda).all(|v| v.is_finite()));
        assert!(audited.probability.iter().all(|p| p.is_nan() || (0.0..=1.0).contains(p)));
        let mut sorted = audited.ranking.clone();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..audited.score.len()));
    };
    // Two instances, each the only one of its class.
    let two = run(&[1.0, 2.0, 2.0, 1.0], 2, &[0, 1], 2).unwrap();
    finite(&two);
    assert!(two.wrong.is_none() && !two.judged.contains(&true) && !two.suspect.contains(&true));
    // One class has all but one, and rows are repeated.
    let (values, _) = groups(150, 6, 3, 0.5, 1);
    let mut labels = vec![0; 150];
    labels[40] = 1;
    let lone = run(&values, 6, &labels, 2).unwrap();
    finite(&lone);
    assert!(!lone.judged[40] && !lone.suspect[40] && lone.probability[40].is_nan());
    assert_eq!(lone.ranking[149], 40);
    let repeated: Vec<f64> = values[..60].repeat(30);
    let labels: Vec<usize> = (0..300).map(|i| i % 10 % 3).collect();
    let duplicates = run(&repeated, 6, &labels, 3).unwrap();
    finite(&duplicates);
    // The same instance under two labels.
    let labels: Vec<usize> = (0..300).map(|i| (i / 10) % 2).collect();
    finite(&run(&repeated, 6, &labels, 2).unwrap());
    // Every instance its own class, and a class that does not occur.
    let labels: Vec<usize> = (0..150).collect();
    finite(&run(&values, 6, &labels, 151).unwrap());
    // All the same.
    assert!(matches!(run(&[1.0, 2.0].repeat(9), 2, &[0, 1, 0, 1, 0, 1, 0, 1, 0], 2), Err(Error::Constant { .. })));
}

#[test]
fn many_classes_and_imbalance() {
    let (values, truth) = groups(77 * 8, 48, 77, 0.9, 3);
    let (labels, wrong) = flipped(&truth, 77, 0.1, 3);
    let audited = run(&values, 48, &labels, 77).unwrap();
    let hits = (0..616).filter(|&i| audited.suspect[i] && wrong[i]).count();
    let suspects = audited.suspect.iter().filter(|s| **s).count();
    assert!(suspects > 20 && hits * 4 > suspects * 3, "{hits} of {suspects}");
    // Of three classes one has most instances.
    let (values, truth) = groups(600, 20, 3, 1.0, 8);
    let rows: Vec<usize> = (0..600).filter(|&i| i % 3 == 0 || i < 30).collect();
    let values: Vec<f64> = rows.iter().flat_map(|&i| values[i * 20..(i + 1) * 20].to_vec()).collect();
    let mut labels: Vec<usize> = rows.iter().map(|&i| truth[i]).collect();
    let changed: Vec<usize> = (0..labels.len()).filter(|i| i % 40 == 3).collect();
    changed.iter().for_each(|&i| labels[i] = (labels[i] + 1) % 3);
    let audited = run(&values, 20, &labels, 3).unwrap();
    let first = &audited.ranking[..changed.len()];
    assert!(first.iter().filter(|row| changed.contains(row)).count() * 10 >= changed.len() * 8);
}

/// Where classes share coordinates, the λ of the labels of an instance differ by a few hundredths only.
#[test]
fn more_classes_than_coordinates() {
    let (values, truth) = groups(400 * 6, 40, 400, 0.15, 5);
    let (labels, wrong) = flipped(&truth, 400, 0.05, 5);
    let audited = run(&values, 40, &labels, 400).unwrap();
    let hits = (0..2400).filter(|&i| audited.suspect[i] && wrong[i]).count();
    let suspects = audited.suspect.iter().filter(|s| **s).count();
    assert!(hits > 100 && suspects - hits < 10, "{hits} of {suspects}, of 120 wrong ones");
    let estimate = audited.wrong.unwrap();
    assert!((estimate.count - 120.0).abs() < 20.0, "{estimate:?}");
}

#[test]
fn rows_beyond_the_fit_are_judged_by_it() {
    let (values, truth) = groups(900, 16, 4, 1.0, 2);
    let (labels, wrong) = flipped(&truth, 4, 0.1, 2);
    let features = Features::new(&values[..], 900, 16).unwrap();
    let limits = Limits { fit: 300, ..Limits::default() };
    let part = audit(&features, &labels).limits(limits).run().unwrap();
    assert!(part.followed.len() < 400);
    let (mut better, mut pairs) = (0, 0);
    for i in (0..900).filter(|&i| wrong[i]) {
        for j in (0..900).filter(|&j| !wrong[j]) {
            better += usize::from(part.score[i] > part.score[j]);
            pairs += 1;
        }
    }
    assert!(better * 100 > pairs * 95, "{better} of {pairs}");
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let (values, truth) = groups(700, 30, 5, 1.2, 9);
    let (labels, _) = flipped(&truth, 5, 0.1, 9);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let audited = pool.install(|| run(&values, 30, &labels, 5).unwrap());
        format!("{:?} {:?} {:?}", audited.score, audited.probability, audited.wrong)
    };
    assert_eq!(with(1), with(3));
}

#[test]
fn one_class_and_a_missing_label_are_refused() {
    let values = [1.0, 2.0, 2.0, 1.0];
    let features = Features::new(&values[..], 2, 2).unwrap();
    assert!(matches!(audit(&features, &[0, 0]).run(), Err(Error::OneClass { .. })));
    assert!(matches!(audit(&features, &[0]).classes(2).run(), Err(Error::LabelCount { .. })));
    for precision in [0.0, 1.0, f64::NAN] {
        let spec = AuditSpec { precision, exact: false };
        let refused = audit(&features, &[0, 1]).spec(&spec).run();
        assert!(matches!(refused, Err(Error::Parameter { name: "precision", .. })));
    }
}
