//! The reductions against scikit-learn's, by the projector `H = X (XᵀX)⁺ Xᵀ`: signs and rotations cancel in it.

use crate::common::{CASES, Case, max_diff};
use rayon::prelude::*;
use trustpath::neighbors::Neighbors;
use trustpath::{Features, Instances, Matrix};
use trustpath_bench::reduce::{Lle, Reduce, ReductionKind};

fn instances(case: &Case) -> Instances {
    let (data, rows, dims) = case.raw_rows();
    Features::new(&data[..], rows, dims).unwrap().normalize().unwrap()
}

/// `diag(H)` and `H Y` by Gram–Schmidt: another way than the crate's.
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
    let coefficients: Vec<Vec<f64>> =
        basis.iter().map(|b| (0..y.cols()).map(|k| (0..n).map(|i| b[i] * y[(i, k)]).sum()).collect()).collect();
    let mut hy = Vec::with_capacity(n * y.cols());
    for i in 0..n {
        for k in 0..y.cols() {
            hy.push(basis.iter().zip(&coefficients).map(|(b, c)| b[i] * c[k]).sum());
        }
    }
    (diagonal, hy)
}

fn agrees(method: ReductionKind, name: &str, tolerance: f64) {
    for case_name in CASES {
        let case = Case::open(case_name);
        let n = case.number("n");
        let embedding = method.build(5, 5).unwrap().reduce(&instances(&case), n).unwrap();
        assert_eq!((embedding.x.rows(), embedding.x.cols()), (n, 5));
        let y = Matrix::one_hot(&case.first_labels(), 5);
        let (diagonal, hy) = projections(&embedding.x, &y);
        let worst = max_diff(&diagonal, &case.array(&format!("Hdiag_{name}")).values)
            .max(max_diff(&hy, &case.array(&format!("HY_{name}")).values));
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
            assert!(graph.indices(i).eq(expected.iter().copied()), "{case_name}, row {i}");
        }
    }
}

/// The lowest non-zero eigenvalues of LLE's `M` are down to 6e-7 apart, and `ε‖M‖/gap` comes to 1e-9 there.
#[test]
fn the_projectors_agree() {
    agrees(ReductionKind::Lle, "lle", 1e-9);
    agrees(ReductionKind::Ltsa, "ltsa", 1e-12);
    agrees(ReductionKind::Isomap, "isomap", 1e-12);
    agrees(ReductionKind::Spectral, "se", 1e-12);
}

#[test]
fn lle_is_the_same_with_the_first_vector_dropped_where_the_graph_holds_together() {
    for case_name in CASES {
        let case = Case::open(case_name);
        let (instances, n) = (instances(&case), case.number("n"));
        let y = Matrix::one_hot(&case.first_labels(), 5);
        let [ours, compat] =
            [false, true].map(|compat| Lle { compat, ..Default::default() }.reduce(&instances, n).unwrap());
        assert_eq!(case.number("lle_nullity_1e-10"), 1);
        assert_eq!((ours.nullity, compat.nullity), (Some(1), Some(1)));
        let ((a, b), (c, d)) = (projections(&ours.x, &y), projections(&compat.x, &y));
        assert!(max_diff(&a, &c).max(max_diff(&b, &d)) < 1e-9, "{case_name}");
    }
}

/// scikit-learn reduces 512 features by *randomised* singular values, whose subspace is off by up to 3e-4 in these
/// cases. So `H` can agree no better; but the variance it captures, being at its maximum, is off by the square of that.
#[test]
fn pca_agrees_and_captures_the_most_variance() {
    agrees(ReductionKind::Pca, "pca", 5e-4);
    for case_name in CASES {
        let case = Case::open(case_name);
        let (instances, n) = (instances(&case), case.number("n"));
        let ours = ReductionKind::Pca.build(5, 5).unwrap().reduce(&instances, n).unwrap().x;
        let golden = Matrix::from_vec(n, 5, case.array("X_pca").values).unwrap();
        // tr(H K) is the variance within the columns of X, which are centred.
        let gram = Matrix::from_fn(n, n, |i, j| instances.gram()[(i, j)]);
        let captured = |x: &Matrix| {
            let (_, hk) = projections(x, &gram);
            (0..n).map(|i| hk[i * n + i]).sum::<f64>()
        };
        let (ours, golden) = (captured(&ours), captured(&golden));
        assert!(ours >= golden - 1e-12, "{case_name}: {ours} {golden}");
        assert!(ours - golden < 1e-6, "{case_name}: {:e}", ours - golden);
    }
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let cases = CASES.map(|name| {
        let case = Case::open(name);
        (instances(&case), case.number("n"))
    });
    let run = |threads| -> Vec<Vec<u64>> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            cases
                .par_iter()
                .flat_map(|(instances, n)| {
                    ReductionKind::ALL.par_iter().map(|method| {
                        // A fresh copy, so that the Gram matrix too is computed in this pool.
                        let instances = Features::new(instances.unit().as_slice(), instances.len(), 512);
                        let instances = instances.unwrap().normalize().unwrap();
                        let x = method.build(5, 5).unwrap().reduce(&instances, *n).unwrap().x;
                        x.as_slice().iter().map(|x| x.to_bits()).collect()
                    })
                })
                .collect()
        })
    };
    let one = run(1);
    assert_eq!(one.len(), CASES.len() * ReductionKind::ALL.len());
    assert!(one == run(2) && one == run(8));
}
