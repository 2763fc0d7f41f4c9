use super::*;
use crate::testing::{clusters, instances};

/// The share of points whose nearest neighbour on the map is of the same group.
fn purity(map: &Matrix, group: impl Fn(usize) -> usize) -> f64 {
    let distance =
        |i: usize, j: usize| -> f64 { map.row(i).iter().zip(map.row(j)).map(|(a, b)| (a - b) * (a - b)).sum() };
    let n = map.rows();
    let pure = (0..n).filter(|&i| {
        let nearest = (0..n).filter(|&j| j != i).min_by(|&a, &b| distance(i, a).total_cmp(&distance(i, b))).unwrap();
        group(nearest) == group(i)
    });
    pure.count() as f64 / n as f64
}

#[test]
fn groups_that_are_apart_stay_apart() {
    let x = clusters(8, 30, 40, 2.0);
    let map = map_2d(&x, MapParams::default()).unwrap();
    assert!(purity(&map, |i| i / 30) > 0.97, "{}", purity(&map, |i| i / 30));
}

#[test]
fn instances_that_are_no_landmarks_go_to_their_group() {
    let x = clusters(6, 100, 40, 2.0);
    let params = MapParams { landmarks: 150, ..MapParams::default() };
    let map = map_2d(&x, params).unwrap();
    assert!(purity(&map, |i| i / 100) > 0.97, "{}", purity(&map, |i| i / 100));
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let x = clusters(5, 60, 30, 1.0);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let params = MapParams { landmarks: 120, steps: 100, ..MapParams::default() };
        pool.install(|| map_2d(&x, params).unwrap())
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(8));
    let other = map_2d(&x, MapParams { seed: 9, landmarks: 120, steps: 100, ..MapParams::default() });
    assert_ne!(one, other.unwrap());
}

#[test]
fn few_instances_and_duplicates_have_places_of_their_own() {
    for n in 1..6 {
        let map = map_2d(&instances(n, 3, |i, j| (i * 5 + j * j + 1) as f64), MapParams::default());
        let map = map.unwrap();
        assert_eq!((map.rows(), map.cols()), (n, 2));
        assert!(map.as_slice().iter().all(|v| v.is_finite()), "{n}");
        for i in 1..n {
            assert_ne!(map.row(i), map.row(0));
        }
    }
    for landmarks in [10, 1500] {
        let same = instances(40, 4, |_, j| (j + 1) as f64);
        let map = map_2d(&same, MapParams { landmarks, ..MapParams::default() }).unwrap();
        assert!(map.as_slice().iter().all(|v| v.is_finite()));
        assert_ne!(map.row(3), map.row(4));
    }
    let line = map_2d(&instances(30, 1, |i, _| if i % 2 == 0 { 1.0 } else { -1.0 }), MapParams::default());
    assert!(line.unwrap().as_slice().iter().all(|v| v.is_finite()));
}

#[test]
fn refuses_parameters_outside_their_domain() {
    for bad in [0.0, f64::NAN, -3.0, 1e9] {
        let params = MapParams { perplexity: bad, ..MapParams::default() };
        assert!(matches!(params.check(), Err(Error::Parameter { name: "perplexity", .. })));
    }
    let none = MapParams { landmarks: 0, ..MapParams::default() };
    assert!(matches!(none.check(), Err(Error::Parameter { name: "landmarks", .. })));
}
