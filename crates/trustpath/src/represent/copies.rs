//! Near-copies in a pool: frames of a film, resized images, several notes of one patient.
//!
//! A near-copy of a labelled instance is labelled rightly whatever the others are like, so that labels with near-copies among the labelled say
//! nothing of the pool. The copies of an instance are its nearest neighbours up to a gap in their distances,
//!
//! ```text
//! d²ⱼ ≤ 0.005 s    and    d²ⱼ₊₁ ≥ 25 d²ⱼ        s the mean squared distance of two instances
//! ```
//!
//! or all of the neighbours that are known, if even the last is nearer than `10⁻⁴ s`. RowGroups are the connected components. In data of one or two
//! dimensions the nearest instances are as near as that without being copies, but then they form chains: groups of more than
//! a twentieth of the pool are none.

use crate::Matrix;
use crate::groups::RowGroups;
use crate::neighbors::Neighbors;

/// The largest squared distance of copies, that of copies without a gap, and the gap; see above.
const NEAR: f64 = 0.005;
const VERY_NEAR: f64 = 1e-4;
const GAP: f64 = 25.0;
/// Squared distances below this are rounding.
const ROUNDING: f64 = 1e-9;

/// The group of every row; none if no row has a copy. `x` are rows of unit length.
pub(super) fn near_copies(x: &Matrix, neighbors: &Neighbors) -> Vec<usize> {
    let rows = x.rows();
    let mut mean = vec![0.0; x.cols()];
    x.iter_rows().for_each(|row| mean.iter_mut().zip(row).for_each(|(m, v)| *m += v / rows as f64));
    let scale = 2.0 - 2.0 * mean.iter().map(|m| m * m).sum::<f64>();
    let mut groups = RowGroups::new(rows);
    for row in 0..rows {
        let copies = copies(neighbors.squared_distances(row), scale);
        neighbors.indices(row).take(copies).for_each(|other| groups.unite(row, other));
    }
    let first = groups.first_of_all();
    let mut size = vec![0usize; rows];
    first.iter().for_each(|&group| size[group] += 1);
    let most = (rows / 20).max(2);
    let groups = first.iter().enumerate().map(|(row, &group)| if size[group] > most { row } else { group });
    let groups: Vec<usize> = groups.collect();
    if groups.iter().enumerate().all(|(row, &group)| row == group) { Vec::new() } else { groups }
}

/// How many of the nearest are copies, by their squared distances.
fn copies(squared: &[f64], scale: f64) -> usize {
    let is_gap = |at: usize| match squared.get(at + 1) {
        Some(next) => squared[at] <= NEAR * scale && *next >= GAP * squared[at].max(ROUNDING),
        None => squared[at] <= VERY_NEAR * scale,
    };
    (0..squared.len()).rev().find(|&at| is_gap(at)).map_or(0, |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Features;
    use crate::random::Random;

    /// RowGroups of random directions in so many dimensions, where each row comes so many times with this jitter.
    fn groups(rows: usize, dims: usize, times: usize, jitter: f64) -> Vec<usize> {
        let mut random = Random::stream(3, dims as u64);
        let mut values = Vec::new();
        for _ in 0..rows {
            let row: Vec<f64> = (0..dims).map(|_| random.normal()).collect();
            (0..times).for_each(|_| values.extend(row.iter().map(|v| v + jitter * random.normal())));
        }
        let x = Features::new(&values[..], rows * times, dims).unwrap().normalize().unwrap();
        near_copies(x.unit(), &Neighbors::of(&x, rows * times, 10).unwrap())
    }

    #[test]
    fn rows_with_jitter_are_copies_and_others_are_not() {
        for (times, jitter) in [(2, 0.0), (10, 1e-3), (15, 1e-3), (5, 1e-2)] {
            let expected: Vec<usize> = (0..40 * times).map(|row| row / times * times).collect();
            assert_eq!(groups(40, 20, times, jitter), expected, "{times} {jitter}");
        }
        assert!(groups(400, 20, 1, 0.0).is_empty());
        // In few dimensions instances are near each other without being copies.
        for dims in [3, 4] {
            let groups = groups(400, dims, 1, 0.0);
            let grouped = groups.iter().enumerate().filter(|(row, group)| row != *group).count();
            assert!(grouped < 40, "{dims}: {grouped}");
        }
    }
}
