//! `cargo bench -p trustpath`: the stages of an episode, one core, 5-way 1-shot transductive (n = 80, D = 512).

use criterion::{Criterion, criterion_group, criterion_main};
use trustpath::classify::Method as Classifier;
use trustpath::incidental::{IciCParams, IciRParams, Incidental, Keep};
use trustpath::reduce::Method as Reduction;
use trustpath::select::{Credibility, Rule};
use trustpath::{Features, SelfTaught, SelfTaughtParams, Task};

const ROWS: usize = 80;
const DIMS: usize = 512;

/// Five clusters around a common mean; instance `i` belongs to class `i mod 5`.
fn features() -> Vec<f32> {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 40) as f32 / (1u32 << 23) as f32 - 1.0
    };
    let means: Vec<f32> = (0..5 * DIMS).map(|_| next()).collect();
    (0..ROWS * DIMS)
        .map(|at| 1.0 + means[at / DIMS % 5 * DIMS + at % DIMS] + 2.0 * next())
        .collect()
}

fn models() -> [Box<dyn Incidental>; 2] {
    [
        Box::new(IciRParams::default().check().expect("defaults are valid")),
        Box::new(IciCParams::default().check().expect("defaults are valid")),
    ]
}

fn episode(bench: &mut Criterion) {
    let raw = features();
    let table = Features::new(&raw[..], ROWS, DIMS).expect("finite");
    let instances = table.normalize().expect("not zero");
    let labels: Vec<usize> = (0..ROWS).map(|i| i % 5).collect();
    let task = Task {
        instances: &instances,
        labels: &labels[..5],
        unlabeled: 75,
        classes: 5,
        truth: None,
    };

    bench.bench_function("gram", |b| b.iter(|| table.normalize().map(|x| x.gram()[(0, 0)])));
    for method in Reduction::ALL.into_iter().filter(|&m| m != Reduction::Identity) {
        let reduction = method.build_default().expect("defaults are valid");
        bench.bench_function(&format!("reduce-{method}"), |b| {
            b.iter(|| reduction.reduce(&instances, ROWS));
        });
    }
    for method in Classifier::ALL {
        let rows: Vec<usize> = (0..ROWS).collect();
        bench.bench_function(&format!("classify-{method}"), |b| {
            b.iter(|| method.build().trainer(&instances, 5).train(&rows, &labels));
        });
    }
    let x = Reduction::Lle.build_default().and_then(|lle| lle.reduce(&instances, ROWS));
    let x = x.expect("enough instances").x;
    for model in models() {
        bench.bench_function(&format!("path-{}", model.name()), |b| {
            b.iter(|| model.path(&x, &labels, 5, Keep::default()));
        });
    }
    for model in models() {
        let name = format!("episode-{}", model.name());
        let learner = SelfTaught::new(
            Reduction::Lle.build_default().expect("defaults are valid"),
            Classifier::Logistic.build(),
            Box::new(Credibility { model, rule: Rule::Continuous }),
            SelfTaughtParams::default(),
        )
        .expect("defaults are valid");
        bench.bench_function(&name, |b| b.iter(|| learner.run(&task)));
    }
}

criterion_group!(benches, episode);
criterion_main!(benches);
