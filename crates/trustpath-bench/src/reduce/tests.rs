//! What holds for every reduction.

use super::isomap::Isomap;
use super::ltsa::Ltsa;
use super::testing::{clusters, instances, max_difference, projector};
use super::{DEFAULT_D, DEFAULT_NEIGHBORS, DENSE_ROWS, Lle, Reduce, ReductionKind};
use trustpath::Error;

#[test]
fn names_build_their_reductions() {
    for method in ReductionKind::ALL {
        let built = format!("{:?}", method.build(DEFAULT_D, DEFAULT_NEIGHBORS).unwrap());
        let expected = match method {
            ReductionKind::MdsRandom => "Mds { d: 5, start: Random".into(),
            ReductionKind::Mds => "Mds { d: 5, start: Principal".into(),
            _ => format!("{method:?}"),
        };
        assert!(built.starts_with(&expected), "{built}");
    }
    assert!(matches!("LLE".parse::<ReductionKind>(), Err(Error::Parameter { name: "reduction", .. })));
}

#[test]
fn every_method_refuses_what_it_cannot_reduce() {
    let (x, same) = (clusters(2, 6, 20, 1.0), instances(12, 20, |i, j| (i + 1) as f64 * j as f64));
    for method in ReductionKind::ALL {
        let reduction = method.build(DEFAULT_D, DEFAULT_NEIGHBORS).unwrap();
        assert_eq!(reduction.reduce(&same, 12).unwrap_err(), Error::Constant { rows: 12 });
        assert!(matches!(reduction.reduce(&x, 13), Err(Error::Parameter { name: "n", .. })));
        assert!(matches!(reduction.reduce(&x, 0), Err(Error::Empty { rows: 0, .. })));
        if method != ReductionKind::Identity {
            assert!(matches!(method.build(0, 5), Err(Error::Parameter { name: "d", .. })));
            let wide = method.build(12, 12).unwrap();
            assert!(matches!(
                wide.reduce(&x, 12),
                Err(Error::TooManyDimensions { asked: 12, available: 11 }
                    | Error::TooFewForNeighbors { rows: 12, neighbors: 12 })
            ));
        }
    }
    for method in [ReductionKind::Lle, ReductionKind::Ltsa, ReductionKind::Isomap] {
        let error = method.build(DEFAULT_D, DEFAULT_NEIGHBORS).unwrap().reduce(&x, 5).unwrap_err();
        assert_eq!(error, Error::TooFewForNeighbors { rows: 5, neighbors: 5 });
    }
    // Eight dimensions are too many tangents for five neighbours.
    for method in ReductionKind::ALL.into_iter().filter(|m| ![ReductionKind::Ltsa, ReductionKind::Identity].contains(m))
    {
        let error = method.build(8, 5).unwrap().reduce(&x, 8).unwrap_err();
        assert_eq!(error, Error::TooManyDimensions { asked: 8, available: 7 });
    }
}

#[test]
fn more_instances_than_a_matrix_over_all_pairs_is_built_for_are_refused() {
    let rows = DENSE_ROWS + 1;
    let x = clusters(3, rows / 3, 6, 1.0);
    for method in ReductionKind::ALL {
        let reduction = method.build(2, 6).unwrap();
        if [ReductionKind::Pca, ReductionKind::Identity].contains(&method) {
            assert_eq!(reduction.reduce(&x, rows).unwrap().x.rows(), rows);
            continue;
        }
        let error = Error::TooManyToReduce { rows, most: DENSE_ROWS };
        assert_eq!(reduction.reduce(&x, rows).unwrap_err(), error);
        let said = error.to_string();
        assert!(said.contains("2001 instances") && said.contains("2000") && said.contains("pca"));
    }
}

#[test]
fn few_of_very_many_are_reduced_as_if_alone() {
    let all = clusters(3, 800, 6, 1.0);
    let alone = instances(90, 6, |i, j| all.unit()[(i * 20, j)]);
    let first = instances(2400, 6, |i, j| all.unit()[(if i < 90 { i * 20 } else { i }, j)]);
    for method in ReductionKind::ALL {
        let reduction = method.build(2, 6).unwrap();
        let (a, b) = (reduction.reduce(&first, 90).unwrap(), reduction.reduce(&alone, 90).unwrap());
        assert_eq!(a.nullity, b.nullity);
        assert!(max_difference(&projector(&a.x), &projector(&b.x)) < 1e-6, "{method}");
    }
}

#[test]
fn no_reduction_gives_the_features() {
    let x = clusters(2, 6, 4, 1.0);
    let z = ReductionKind::Identity.build(5, 5).unwrap().reduce(&x, 9).unwrap().x;
    assert_eq!((z.rows(), z.cols()), (9, 4));
    assert_eq!(z.as_slice(), &x.unit().as_slice()[..36]);
}

#[test]
fn parameters_out_of_range_are_refused() {
    let refused: [&dyn Reduce; 7] = [
        &Lle { neighbors: 0, ..Default::default() },
        &Isomap { d: 5, neighbors: 0 },
        // Tangent spaces that fill the neighbourhood.
        &Ltsa { d: 4, neighbors: 5 },
        &Ltsa { d: 6, neighbors: 5 },
        &Ltsa { d: 0, neighbors: 5 },
        &Ltsa { d: 1, neighbors: 0 },
        &Ltsa { d: 1, neighbors: 2 },
    ];
    let x = clusters(2, 30, 6, 1.0);
    for reduction in refused {
        let error = reduction.check_parameters().unwrap_err();
        assert!(matches!(error, Error::Parameter { .. }), "{reduction:?}");
        assert_eq!(reduction.reduce(&x, 60).unwrap_err(), error);
    }
    assert!(Ltsa { d: 3, neighbors: 5 }.check_parameters().is_ok());
}
