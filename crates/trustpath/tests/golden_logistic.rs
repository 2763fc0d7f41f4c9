//! ICI-C against glmnet's paths, polished to machine precision.

mod common;

use common::{CASES, Case, max_diff};
use trustpath::Matrix;
use trustpath::incidental::logistic::{IciC, IciCParams, Penalty, Scaling};
use trustpath::incidental::{Incidental, Keep};

fn glmnet(penalty: Penalty) -> IciC {
    IciCParams { penalty, scaling: Scaling::Glmnet, ..Default::default() }.check().unwrap()
}

fn instances(case: &Case) -> (Matrix, Vec<usize>) {
    let x = case.array("X_lle");
    let labels = case.first_labels();
    (Matrix::from_vec(x.shape[0], x.shape[1], x.values).unwrap(), labels)
}

#[test]
fn explore() {
    for name in CASES {
        let case = Case::open(name);
        let (x, labels) = instances(&case);
        for (penalty, key) in [(Penalty::Ungrouped, "ungrouped"), (Penalty::Grouped, "grouped")] {
            let get = |what: &str| case.array(&format!("logit_{key}_{what}")).values;
            let start = std::time::Instant::now();
            let path = match glmnet(penalty).path(&x, &labels, 5, Keep::ALL) {
                Ok(path) => path,
                Err(e) => {
                    println!("{name} {key}: {e}");
                    continue;
                }
            };
            let time = start.elapsed();
            let lambda = get("lambda");
            let beta: Vec<f64> =
                path.beta.iter().flatten().flat_map(|b| b.as_slice().to_vec()).collect();
            let kkt = get("kkt").into_iter().fold(0.0, f64::max);
            println!(
                "{name} {key} {} {time:?} lambda {:.1e} a0 {:.1e} beta {:.1e} gn {:.1e} gl {:.1e} vg {:.1e} kkt theirs {kkt:.1e} ours {:.1e} re {}",
                lambda.len(),
                max_diff(&path.lambda, &lambda),
                max_diff(path.intercept.as_ref().unwrap().as_slice(), &get("a0")),
                max_diff(&beta, &get("beta")),
                max_diff(path.gamma_norm.as_ref().unwrap().as_slice(), &get("gamma_norm")),
                max_diff(path.gamma_last.as_ref().unwrap().as_slice(), &get("gamma_last")),
                max_diff(&path.vanish_grid, &get("vanish_grid")),
                path.certificate.iter().copied().fold(0.0, f64::max),
                path.reenters.iter().filter(|&&r| r).count(),
            );
            let model = glmnet(penalty);
            let mut ranker = model.ranker(&x, 5);
            let vanish = ranker.vanish(&labels).unwrap();
            let worst = vanish
                .iter()
                .zip(&path.vanish)
                .map(|(a, b)| (a / b - 1.0).abs())
                .fold(0.0, f64::max);
            let mut best = f64::INFINITY;
            for _ in 0..20 {
                let start = std::time::Instant::now();
                ranker.vanish(&labels).unwrap();
                best = best.min(start.elapsed().as_secs_f64());
            }
            println!("    ranker {:.3} ms, differs {worst:.1e}", best * 1e3);
        }
    }
}
