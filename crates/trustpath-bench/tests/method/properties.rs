//! What must hold for any data: invariance, optimality, determinism, and that self-training terminates.

use crate::brute_force::FullProblem;
use crate::common::{Uniform, worst};
use proptest::prelude::*;
use trustpath::classify::LogisticParams;
use trustpath::incidental::{Grid, IciCParams, IciRParams, Incidental, Keep, Penalty};
use trustpath::judge::{Confidence, Ici, Judge, Rule};
use trustpath::{Features, Matrix, Quota, SelfTraining, Task};
use trustpath_bench::judges::{Nearest, RandomOrder};
use trustpath_bench::reduce::Lle;
use trustpath_bench::{SelfTrainer, SelfTrainingOutcome};

/// Random coordinates with class means, and labels of which about one in six is wrong.
fn problem(n: usize, d: usize, c: usize, seed: u64) -> (Matrix, Vec<usize>) {
    let mut next = generator(seed);
    let means = Matrix::from_fn(c, d, |_, _| 2.0 * next());
    let truth: Vec<usize> = (0..n).map(|i| i % c).collect();
    let x = Matrix::from_fn(n, d, |i, j| means[(truth[i], j)] + 0.7 * next());
    let labels = truth.iter().map(|&t| if next() > 0.66 { (t + 1) % c } else { t }).collect();
    (x, labels)
}

/// Uniform on [−1, 1), from a seed.
fn generator(seed: u64) -> impl FnMut() -> f64 {
    let mut random = Uniform(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    move || 2.0 * random.next() - 1.0
}

/// An episode: features on the sphere, class `i mod 5` for instance `i`, the first `labelled` of them labelled.
fn raw_episode(rows: usize, seed: u64) -> Vec<f64> {
    let (dims, mut next) = (32, generator(seed));
    let means: Vec<f64> = (0..5 * dims).map(|_| next()).collect();
    (0..rows * dims).map(|at| 0.6 + means[at / dims % 5 * dims + at % dims] + 1.3 * next()).collect()
}

fn self_train(raw: &[f64], unlabeled: usize, judge: Box<dyn Judge>, quota: Quota) -> SelfTrainingOutcome {
    let rows = raw.len() / 32;
    let instances = Features::new(raw, rows, 32).unwrap().normalize().unwrap();
    let truth: Vec<usize> = (5..rows).map(|i| i % 5).collect();
    let truth = if 5 + unlabeled < rows { &truth[unlabeled..] } else { &truth };
    let classifier = Box::new(LogisticParams::default().check().unwrap());
    let labeller = SelfTraining::new(classifier, judge, quota).unwrap();
    let task = Task { instances: &instances, labels: &[0, 1, 2, 3, 4], unlabeled, classes: 5, truth: Some(truth) };
    SelfTrainer::new(labeller, Box::new(Lle::default())).run(&task).unwrap()
}

fn icir(penalty: Penalty) -> Box<dyn Incidental> {
    Box::new(IciRParams { penalty, ..Default::default() }.check().unwrap())
}

fn ici(model: Box<dyn Incidental>) -> Box<dyn Judge> {
    Box::new(Ici { model, rule: Rule::Continuous })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..Default::default() })]

    #[test]
    fn permuting_instances_permutes_credibility(seed: u64, n in 12usize..40, c in 2usize..5) {
        let (x, labels) = problem(n, 3, c, seed);
        let order: Vec<usize> = (0..n).map(|i| (i * 7 + 3) % n).collect();
        prop_assume!(n % 7 != 0);
        let shuffled = Matrix::from_fn(n, 3, |i, j| x[(order[i], j)]);
        let shuffled_labels: Vec<usize> = order.iter().map(|&i| labels[i]).collect();
        let model = icir(Penalty::Group);
        let one = model.path(&x, &labels, c, Keep::default()).unwrap();
        let two = model.path(&shuffled, &shuffled_labels, c, Keep::default()).unwrap();
        for (i, &from) in order.iter().enumerate() {
            prop_assert!((one.vanish[from] / two.vanish[i] - 1.0).abs() < 1e-7);
        }
    }

    #[test]
    fn every_solution_is_certified(seed: u64, n in 10usize..60, d in 1usize..6, c in 2usize..6) {
        let (x, labels) = problem(n, d, c, seed);
        for penalty in [Penalty::Group, Penalty::Elementwise] {
            let path = icir(penalty).path(&x, &labels, c, Keep::ALL).unwrap();
            let worst = worst(&path.certificate);
            prop_assert!(worst < 1e-9, "{penalty:?}: a relative duality gap of {worst:e}");
            prop_assert!(path.gamma_norm.unwrap().row(0).iter().all(|&norm| norm == 0.0));
            prop_assert!(path.vanish.iter().all(|&v| v <= path.lambda[0] * (1.0 + 1e-12)));
        }
    }

    #[test]
    fn the_cut_agrees_with_the_ranking(seed: u64, n in 30usize..90, c in 2usize..6) {
        let (x, labels) = problem(n, 4, c, seed);
        let model = icir(Penalty::Group);
        let path = model.path(&x, &labels, c, Keep::default()).unwrap();
        prop_assume!(!path.reenters.contains(&true));
        let open: Vec<usize> = (c..n).collect();
        let quota = vec![3; c];
        let taken = model.ranker(&x, c).most_credible(&labels, &open, &quota).unwrap();
        for class in 0..c {
            let mut all: Vec<usize> = open.iter().copied().filter(|&i| labels[i] == class).collect();
            all.sort_by(|&i, &j| path.vanish[i].total_cmp(&path.vanish[j]));
            all.truncate(3);
            all.sort_unstable();
            let ours: Vec<usize> = taken.iter().copied().filter(|&i| labels[i] == class).collect();
            prop_assert_eq!(ours, all);
        }
    }

    #[test]
    fn a_planted_outlier_ranks_last(seed: u64, c in 2usize..5, victim in 0usize..20) {
        let mut next = generator(seed);
        let mut labels: Vec<usize> = (0..24).map(|i| i % c).collect();
        let x = Matrix::from_fn(24, c, |i, j| f64::from(i % c == j) + 0.05 * next());
        labels[victim] = (labels[victim] + 1) % c;
        let models: [Box<dyn Incidental>; 2] =
            [icir(Penalty::Group), Box::new(IciCParams::default().check().unwrap())];
        for model in models {
            let path = model.path(&x, &labels, c, Keep::default()).unwrap();
            let last = (0..24).max_by(|&i, &j| path.vanish[i].total_cmp(&path.vanish[j]));
            prop_assert_eq!(last, Some(victim), "{}", model.name());
        }
    }

    #[test]
    fn the_loop_ends_and_keeps_its_quotas(seed: u64, step in 1usize..8, cap in proptest::option::of(1usize..8)) {
        let raw = raw_episode(65, seed);
        for select in [ici(icir(Penalty::Group)), Box::new(Confidence), Box::new(Nearest), Box::new(RandomOrder { seed })] {
            let outcome = self_train(&raw, 40, select, Quota::PerRound { step, cap });
            let mut accepted = [0; 45];
            let mut total = [0; 5];
            for (number, round) in outcome.rounds.iter().enumerate() {
                prop_assert!(!round.selected.is_empty());
                let mut taken = [0; 5];
                for &row in &round.selected {
                    let class = round.pseudo_labels[row - 5];
                    taken[class] += 1;
                    total[class] += 1;
                    accepted[row] += 1;
                    prop_assert_eq!(outcome.accepted_in[row - 5], Some(number));
                }
                prop_assert!(taken.iter().all(|&t| t <= step));
            }
            prop_assert!(accepted.iter().all(|&times| times <= 1));
            prop_assert_eq!(outcome.accuracy.len(), outcome.rounds.len() + 1);
            match cap {
                Some(cap) => prop_assert!(total.iter().all(|&t| t <= cap)),
                None => prop_assert!(outcome.accepted_in.iter().all(Option::is_some)),
            }
        }
    }

    #[test]
    fn the_scale_of_features_does_not_matter(seed: u64, exponent in -10i32..10, scale in 1e-3f64..1e3) {
        let raw = raw_episode(45, seed);
        let scaled = |by: &dyn Fn(usize) -> f64| -> Vec<f64> {
            raw.iter().enumerate().map(|(at, v)| v * by(at / 32)).collect()
        };
        // Powers of two are not rounded, so that nothing differs; other factors change the last bit, by which near ties may be decided.
        let exact = scaled(&|row| 2f64.powi(exponent + (row % 7) as i32));
        let quota = Quota::default();
        let one = self_train(&raw, 40, ici(icir(Penalty::Group)), quota.clone());
        let two = self_train(&exact, 40, ici(icir(Penalty::Group)), quota.clone());
        prop_assert_eq!(one.rounds, two.rounds);
        prop_assert_eq!(one.labels, two.labels);
        let unit = |raw: &[f64]| Features::new(raw, 45, 32).unwrap().normalize().unwrap();
        let rounded = scaled(&|row| scale * (1 + row) as f64);
        for (a, b) in unit(&raw).unit().as_slice().iter().zip(unit(&rounded).unit().as_slice()) {
            prop_assert!((a - b).abs() < 1e-15);
        }
    }
}

#[test]
fn many_classes_are_certified_too() {
    // 240 unknowns: more than are solved for by factoring the curvature.
    let (x, labels) = problem(400, 15, 16, 4);
    let model = IciRParams { grid: Grid { points: 12, ratio: 1e-2 }, ..Default::default() };
    let path = model.check().unwrap().path(&x, &labels, 16, Keep::ALL).unwrap();
    assert!(path.certificate.iter().all(|&gap| gap < 1e-9), "{:?}", path.certificate);
    let grid = path.lambda[0] / path.lambda[1];
    for (vanish, upper) in path.vanish.iter().zip(&path.vanish_grid) {
        assert!(*vanish <= upper * (1.0 + 1e-9) && vanish * grid >= upper * (1.0 - 1e-9));
    }
}

#[test]
fn the_huber_form_equals_the_equation_of_the_paper() {
    for (seed, penalty) in [(1, Penalty::Group), (2, Penalty::Elementwise), (3, Penalty::Group)] {
        let (x, labels) = problem(16, 2, 3, seed);
        let model = IciRParams { penalty, grid: Grid { points: 4, ratio: 0.2 }, ..Default::default() };
        let path = model.check().unwrap().path(&x, &labels, 3, Keep::ALL).unwrap();
        let mut price = vec![0.0; 3];
        price.resize(3 + 16, path.lambda[3]);
        let (x, labels) = (&x, &labels[..]);
        let full = FullProblem { x, labels, classes: 3, penalty, price, logistic: false };
        let theirs = full.minimise(60_000);
        for (a, b) in path.gamma_last.unwrap().as_slice().iter().zip(&theirs[9..]) {
            assert!((a - b).abs() < 1e-7, "{penalty:?}: {a} against {b}");
        }
    }
}

/// Everything that a run returns, as bits.
fn bits(outcome: &SelfTrainingOutcome) -> Vec<u64> {
    let numbers = outcome.probabilities.as_slice().iter().map(|v| v.to_bits());
    let rows = outcome.rounds.iter().flat_map(|round| &round.selected).map(|&row| row as u64);
    numbers.chain(rows).collect()
}

#[test]
fn results_are_the_same_to_the_bit_for_any_number_of_threads() {
    let raw = raw_episode(80, 5);
    // Large enough for the sums to be taken in parallel.
    let (x, labels) = problem(40_000, 3, 3, 9);
    let small = IciRParams { grid: Grid { points: 5, ratio: 0.1 }, ..Default::default() };
    let small = small.check().unwrap();
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut all = Vec::new();
            for model in [icir(Penalty::Group), Box::new(IciCParams::default().check().unwrap())] {
                all.extend(bits(&self_train(&raw, 60, ici(model), Quota::default())));
            }
            let path = small.path(&x, &labels, 3, Keep::default()).unwrap();
            all.extend(path.vanish.iter().map(|v| v.to_bits()));
            all
        })
    };
    let one = run(1);
    assert!(one == run(2) && one == run(8));
}
