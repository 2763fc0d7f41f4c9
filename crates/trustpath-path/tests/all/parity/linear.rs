//! ICI-R against the golden paths: `X_lle` as coordinates, the labels of the first round.

use crate::common::{CASES, Case, betas, max_diff, relative_diff, worst};
use trustpath_path::Matrix;
use trustpath_path::incidental::{IciRParams, Incidental, Keep, Path, Penalty};

/// Required agreement of paths. The fixtures satisfy their own optimality conditions to 10⁻⁹ at worst.
const PATH: f64 = 1e-8;
/// Every solution's relative duality gap.
const GAP: f64 = 1e-11;

fn path(case: &Case, penalty: Penalty) -> Path {
    let (x, labels) = case.first_round();
    let model = IciRParams { penalty, ..Default::default() }.check().unwrap();
    model.path(&x, &labels, 5, Keep::ALL).unwrap()
}

#[test]
fn group_path() {
    for name in CASES {
        let case = Case::open(name);
        let path = path(&case, Penalty::Group);
        assert!(relative_diff(&path.lambda, &case.array("l21_lambda").values) < 1e-13, "{name}");
        assert!(max_diff(&betas(&path), &case.array("l21_beta").values) < PATH, "{name}");
        let gamma_norm = path.gamma_norm.unwrap();
        assert!(max_diff(gamma_norm.as_slice(), &case.array("l21_gamma_norm").values) < PATH);
        assert!(gamma_norm.row(0).iter().all(|&norm| norm == 0.0), "{name}: γ(λmax) must be 0");
        let gamma_last = path.gamma_last.unwrap();
        assert!(max_diff(gamma_last.as_slice(), &case.array("l21_gamma_last").values) < PATH);
        let grid = &case.array("l21_vanish_grid").values;
        assert!(relative_diff(&path.vanish_grid, grid) < 1e-12, "{name}");
        let exact = &case.array("l21_vanish_exact").values;
        assert!(relative_diff(&path.vanish, exact) < 2.0 * PATH, "{name}");
        assert!(path.reenters.iter().all(|&again| !again), "{name}");
        assert!(path.certificate.iter().all(|&gap| gap < GAP), "{name}");
    }
}

#[test]
fn elementwise_path() {
    for name in CASES {
        let case = Case::open(name);
        let path = path(&case, Penalty::Elementwise);
        assert!(relative_diff(&path.lambda, &case.array("l1_lambda").values) < 1e-13, "{name}");
        // Where γ is not unique only the objective can be compared; the duality gap shows that ours is minimal there.
        assert!(path.certificate.iter().all(|&gap| gap < GAP), "{name}");
        let unique = case.array("l1_unique").values;
        let expected = case.array("l1_gamma_norm").values;
        let gamma_norm = path.gamma_norm.unwrap();
        let n = case.number("n");
        for (k, row) in gamma_norm.iter_rows().enumerate() {
            if unique[k * 5..(k + 1) * 5].iter().all(|&u| u == 1.0) {
                let diff = max_diff(row, &expected[k * n..(k + 1) * n]);
                assert!(diff < PATH, "{name}: {diff} at λ number {k}");
            }
        }
        assert!(gamma_norm.row(0).iter().all(|&norm| norm == 0.0), "{name}: γ(λmax) must be 0");
        if unique.iter().all(|&u| u == 1.0) {
            let last = path.gamma_last.unwrap();
            assert!(max_diff(last.as_slice(), &case.array("l1_gamma_last").values) < PATH);
            let grid = &case.array("l1_vanish_grid").values;
            assert!(relative_diff(&path.vanish_grid, grid) < 1e-12, "{name}");
        }
    }
}

/// Almost no curvature in one direction, once an instance has left zero: coordinates of LLE on a graph in several pieces.
#[test]
fn a_nearly_flat_path_is_solved() {
    let rows: Vec<Vec<f64>> = include_str!("../../golden/nearly_flat.csv")
        .lines()
        .map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect())
        .collect();
    let labels: Vec<usize> = rows.iter().map(|row| row[0] as usize).collect();
    let x = Matrix::from_fn(rows.len(), 5, |i, j| rows[i][1 + j]);
    let ici = IciRParams::default().check().unwrap();
    let path = ici.path(&x, &labels, 5, Keep::ALL).unwrap();
    let worst = worst(&path.certificate);
    assert!(worst < 1e-10, "duality gap {worst}");
}
