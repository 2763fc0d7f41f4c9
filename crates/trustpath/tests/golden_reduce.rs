//! The reductions against scikit-learn's, by the projector `H = X (XᵀX)⁺ Xᵀ`: signs and rotations cancel in it.

mod common;

use common::{CASES, Case, max_diff};
use trustpath::reduce::{Method, neighbors::Neighbors};
use trustpath::{Features, Instances, Matrix};

fn instances(case: &Case) -> Instances {
    let (data, rows, dims) = case.raw_rows();
    Features::new(&data[..], rows, dims).unwrap().normalize().unwrap()
}

/// `diag(H)` and `H Y` by Gram–Schmidt: another way than the crate's own.
fn projections(x: &Matrix, y: &Matrix) -> (Vec<f64>, Vec<f64>) {
    let (n, d) = (x.rows(), x.cols());
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for c in 0..d {
        let mut v: Vec<f64> = (0..n).map(|i| x[(i, c)]).collect();
        for _ in 0..2 {
            for b in &basis {
                let along: f64 = b.iter().zip(&v).map(|(b, v)| b * v).sum();
                v.iter_mut().zip(b).for_each(|(v, b)| *v -= along * b);
            }
        }
        let norm = v.iter().map(|v| v * v).sum::<f64>().sqrt();
        basis.push(v.iter().map(|v| v / norm).collect());
    }
    let diagonal = (0..n).map(|i| basis.iter().map(|b| b[i] * b[i]).sum()).collect();
    let coefficients: Vec<Vec<f64>> = basis
        .iter()
        .map(|b| (0..y.cols()).map(|k| (0..n).map(|i| b[i] * y[(i, k)]).sum()).collect())
        .collect();
    let mut hy = Vec::with_capacity(n * y.cols());
    for i in 0..n {
        for k in 0..y.cols() {
            hy.push(basis.iter().zip(&coefficients).map(|(b, c)| b[i] * c[k]).sum());
        }
    }
    (diagonal, hy)
}

fn agrees(method: Method, name: &str, tolerance: f64) {
    for case_name in CASES {
        let case = Case::open(case_name);
        let n = case.number("n");
        let embedding = method.build(5, 5).unwrap().reduce(&instances(&case), n).unwrap();
        assert_eq!((embedding.x.rows(), embedding.x.cols()), (n, 5));
        let y = Matrix::one_hot(&case.first_labels(), 5);
        let (diagonal, hy) = projections(&embedding.x, &y);
        let worst = max_diff(&diagonal, &case.array(&format!("Hdiag_{name}")).values)
            .max(max_diff(&hy, &case.array(&format!("HY_{name}")).values));
        println!("{case_name} {name}: {worst:.1e}");
        assert!(worst <= tolerance, "{case_name} {name}: {worst:e}");
    }
}

#[test]
fn neighbours_are_the_same() {
    for case_name in CASES {
        let case = Case::open(case_name);
        let n = case.number("n");
        let graph = Neighbors::of(&instances(&case), n, 5).unwrap();
        let expected = case.array("knn5_index").indices();
        for (i, expected) in expected.chunks(5).enumerate() {
            assert_eq!(graph.index(i), expected, "{case_name}, row {i}");
        }
    }
}

#[test]
fn lle_agrees() {
    agrees(Method::Lle, "lle", 1e-8);
}

#[test]
fn ltsa_agrees() {
    agrees(Method::Ltsa, "ltsa", 1e-8);
}

#[test]
fn isomap_agrees() {
    agrees(Method::Isomap, "isomap", 1e-8);
}

#[test]
fn spectral_agrees() {
    agrees(Method::Spectral, "se", 1e-8);
}

#[test]
fn pca_agrees() {
    agrees(Method::Pca, "pca", 1e-1);
}
