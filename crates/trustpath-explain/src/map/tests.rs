use super::*;
use crate::testing::{clusters, instances};

/// The share of points whose nearest neighbour on the map is of the same group.
fn purity(map: &[[f32; 2]], group: impl Fn(usize) -> usize) -> f64 {
    let distance = |i: usize, j: usize| (map[i][0] - map[j][0]).hypot(map[i][1] - map[j][1]);
    let n = map.len();
    let pure = (0..n).filter(|&i| {
        let nearest = (0..n).filter(|&j| j != i).min_by(|&a, &b| distance(i, a).total_cmp(&distance(i, b))).unwrap();
        group(nearest) == group(i)
    });
    pure.count() as f64 / n as f64
}

#[test]
fn groups_that_are_apart_stay_apart() {
    // With fewer landmarks than instances, the others go to their group.
    for (groups, each, landmarks) in [(8, 30, LANDMARKS), (6, 100, 150)] {
        let map = place(&clusters(groups, each, 40, 2.0), landmarks, STEPS);
        let purity = purity(&map, |i| i / each);
        assert!(purity > 0.97, "{landmarks} landmarks: {purity}");
    }
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let x = clusters(5, 60, 30, 1.0);
    let maps = [1, 2, 8].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| place(&x, 120, 100))
    });
    assert!(maps.iter().all(|map| *map == maps[0]));
}

#[test]
fn few_instances_and_duplicates_have_places_of_their_own() {
    let all_finite = |map: &[[f32; 2]]| map.iter().flatten().all(|v| v.is_finite());
    for n in 1..6 {
        let map = map_2d(&instances(n, 3, |i, j| (i * 5 + j * j + 1) as f64));
        assert!(map.len() == n && all_finite(&map), "{n}");
        assert!(map[1..].iter().all(|place| *place != map[0]));
    }
    for landmarks in [10, LANDMARKS] {
        let map = place(&instances(40, 4, |_, j| (j + 1) as f64), landmarks, STEPS);
        assert!(all_finite(&map) && map[3] != map[4]);
    }
    assert!(all_finite(&map_2d(&instances(30, 1, |i, _| if i % 2 == 0 { 1.0 } else { -1.0 }))));
}
