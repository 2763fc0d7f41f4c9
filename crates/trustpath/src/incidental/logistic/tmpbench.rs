use super::rows::Status;
use super::solve::Solver;
use super::*;
#[test]
fn tmpbench() {
    for penalty in [Penalty::Ungrouped, Penalty::Grouped] {
        for n in [80usize, 275] {
            let x = Matrix::from_fn(n, 5, |i, j| {
                (((i * 7919 + j * 104729 + i * j * 31) % 1009) as f64 / 1009.0 - 0.5)
                    / (n as f64).sqrt()
                    + if i % 5 == j { 1.5 / (n as f64).sqrt() } else { 0.0 }
            });
            let labels: Vec<usize> =
                (0..n).map(|i| if i % 9 == 0 { (i + 1) % 5 } else { i % 5 }).collect();
            let model = IciCParams { penalty, ..Default::default() }.check().unwrap();
            let design = Design::new(&x, &model).unwrap();
            let present = Present::new(&labels, 5);
            let mut walk = Walk::new(&design, &present, penalty);
            let lmax = walk.lambda_max;
            walk.advance(lmax * 0.05, 1e-11).unwrap();
            let lambda = walk.lambda;
            let s: &mut Solver = &mut walk.solver;
            let time = |name: &str, f: &mut dyn FnMut()| {
                let mut best = f64::INFINITY;
                for _ in 0..300 {
                    let t = std::time::Instant::now();
                    for _ in 0..20 {
                        f();
                    }
                    best = best.min(t.elapsed().as_secs_f64() / 20.0);
                }
                println!("{penalty:?} n={n} {name}: {:.2} us", best * 1e6);
            };
            let tau = s.tau(lambda);
            let mu = s.mu(lambda);
            println!(
                "free rows {} support {}",
                (0..n).filter(|&i| s.rows.is_free(i)).count(),
                s.support.free.len()
            );
            time("rows.evaluate", &mut || s.rows.evaluate(&design, &s.theta, tau, Status::Held));
            time("moments", &mut || sums::moments(&design, 5, &s.rows.residual, &mut s.gradient));
            time("residual", &mut || {
                std::hint::black_box(s.residual(lambda));
            });
            time("hessian", &mut || s.hessian.compute(&design, &mut s.rows, tau));
            time("factorise", &mut || s.support.factorise(&s.hessian, mu));
            let mut out = vec![0.0; 30];
            time("solve", &mut || s.support.solve(&s.gradient, mu, &mut out));
            let mut rates = design.layout.room(1);
            time("rates", &mut || s.rows.level_rates(&design, &out, &mut rates));
            time("new", &mut || {
                std::hint::black_box(Walk::new(&design, &present, penalty));
            });
        }
    }
}
#[test]
fn onlyeval() {
    let n = 80usize;
    let penalty = Penalty::Ungrouped;
    let x = Matrix::from_fn(n, 5, |i, j| {
        (((i * 7919 + j * 104729 + i * j * 31) % 1009) as f64 / 1009.0 - 0.5) / (n as f64).sqrt()
            + if i % 5 == j { 1.5 / (n as f64).sqrt() } else { 0.0 }
    });
    let labels: Vec<usize> = (0..n).map(|i| if i % 9 == 0 { (i + 1) % 5 } else { i % 5 }).collect();
    let model = IciCParams { penalty, ..Default::default() }.check().unwrap();
    let design = Design::new(&x, &model).unwrap();
    let present = Present::new(&labels, 5);
    let mut walk = Walk::new(&design, &present, penalty);
    let lmax = walk.lambda_max;
    walk.advance(lmax * 0.05, 1e-11).unwrap();
    let s: &mut Solver = &mut walk.solver;
    for _ in 0..2_000_000 {
        s.rows.evaluate(&design, &s.theta, 0.1, Status::Held);
    }
}
