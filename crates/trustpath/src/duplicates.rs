//! Instances that are nearly the same, such as copies, resized images or repeated texts.
//!
//! Two instances are near-duplicates if the cosine of their features is at least a threshold `t`, that is if their
//! directions `u` differ by `‖uᵢ − uⱼ‖² ≤ 2 − 2t`. RowGroups are the connected components of this relation among each instance and its
//! ten nearest neighbours.

use rayon::prelude::*;

use crate::groups::RowGroups;
use crate::limits::EXACT_POINTS;
use crate::neighbors::{Neighbors, Points, Targets};
use crate::{Error, Features, Result};

/// Neighbours that each instance is compared with.
const NEIGHBORS: usize = 10;
/// Rows that are normalised at a time.
const BLOCK: usize = 1024;

/// RowGroups of near-duplicates.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Duplicates {
    /// The rows of each group, ascending; groups in the order of their first rows. Every group has at least two.
    pub groups: Vec<Vec<usize>>,
    /// Whether all pairs were compared. In sets of more than [`EXACT_POINTS`] instances each is compared with a thousand or more that
    /// lie around it, so that a pair may be missed.
    pub all_pairs: bool,
}

/// Finds instances whose features have at least this cosine.
///
/// ```
/// use trustpath::{Features, duplicates};
///
/// let values = [1.0, 0.0, 0.0, 1.0, 2.0, 0.001, 1.0, 1.0];
/// let duplicates = duplicates(&Features::new(&values[..], 4, 2)?, 0.99)?;
/// assert_eq!(duplicates.groups, [[0, 2]]);
/// # Ok::<(), trustpath::Error>(())
/// ```
///
/// # Errors
/// When the cosine does not lie between 0 and 1, an instance has no direction, or the features cannot be read.
pub fn duplicates(features: &Features<'_>, cosine: f64) -> Result<Duplicates> {
    if !(cosine > 0.0 && cosine <= 1.0) {
        let expected = "a cosine above 0 and at most 1, as in 0.99";
        return Err(Error::parameter("duplicates", cosine, expected));
    }
    let (n, dims) = (features.rows(), features.dims());
    if n < 2 {
        return Ok(Duplicates { groups: Vec::new(), all_pairs: true });
    }
    let mut unit = Vec::with_capacity(n * dims);
    let mut block = vec![0.0; BLOCK.min(n) * dims];
    for first in (0..n).step_by(BLOCK) {
        let rows = BLOCK.min(n - first);
        features.block(first, &mut block[..rows * dims])?;
        for (at, row) in block[..rows * dims].chunks_exact(dims).enumerate() {
            let norm = row.iter().map(|x| x * x).sum::<f64>().sqrt();
            if norm == 0.0 {
                return Err(Error::ZeroVector { row: first + at });
            }
            unit.extend(row.iter().map(|x| (x / norm) as f32));
        }
    }
    // Distances are in single precision: what differs only by rounding is the same.
    let limit = (2.0 - 2.0 * cosine).max(1e-8);
    let mut groups = RowGroups::new(n);
    near_pairs(&unit, dims, limit, n <= EXACT_POINTS)?.into_iter().for_each(|(i, j)| groups.unite(i, j));
    let mut members = vec![Vec::new(); n];
    groups.first_of_all().into_iter().enumerate().for_each(|(i, first)| members[first].push(i));
    members.retain(|rows| rows.len() > 1);
    Ok(Duplicates { groups: members, all_pairs: n <= EXACT_POINTS })
}

/// Each of the rows, which are of unit length, with those of its neighbours that are within a squared distance.
fn near_pairs(unit: &[f32], dims: usize, limit: f64, all_pairs: bool) -> Result<Vec<(usize, usize)>> {
    let n = unit.len() / dims;
    let k = NEIGHBORS.min(n - 1);
    if all_pairs {
        let nearest = Neighbors::search(Points::new(unit, n, dims)?, k)?;
        let near = |i: usize| nearest.indices(i).zip(nearest.squared_distances(i)).filter(|(_, s)| **s <= limit);
        return Ok((0..n).flat_map(|i| near(i).map(move |(j, _)| (i, j))).collect());
    }
    let nearest = Targets::new(unit, dims, &vec![0.0; n])?.nearest(unit, k, Some)?;
    let row = |i: usize| &unit[i * dims..(i + 1) * dims];
    // Inner products near 1 have lost the digits that tell copies from near-copies.
    let squared = |i: usize, j: usize| row(i).iter().zip(row(j)).map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>();
    let near = |&i: &usize| nearest.of(i).map(|(_, j)| j).filter(|&j| squared(i, j) <= limit).collect::<Vec<usize>>();
    let all: Vec<usize> = (0..n).collect();
    let lists: Vec<Vec<usize>> = all.par_iter().map(near).collect();
    Ok(lists.into_iter().enumerate().flat_map(|(i, near)| near.into_iter().map(move |j| (i, j))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn copies_form_one_group_and_others_none() {
        // 300 random directions; rows 0, 10, …, 290 are copies of one, twenty times as long.
        let (n, dims) = (300, 16);
        let mut random = Random::stream(5, 0);
        let mut values: Vec<f64> = (0..n * dims).map(|_| random.normal()).collect();
        for i in (10..n).step_by(10) {
            let scaled: Vec<f64> = values[..dims].iter().map(|x| 20.0 * x).collect();
            values[i * dims..(i + 1) * dims].copy_from_slice(&scaled);
        }
        let features = Features::new(&values[..], n, dims).unwrap();
        let copies = duplicates(&features, 1.0).unwrap();
        assert_eq!(copies.groups, [(0..n).step_by(10).collect::<Vec<_>>()]);
        assert!(copies.all_pairs);
        // Whatever has a positive cosine with a neighbour belongs together in the end.
        assert_eq!(duplicates(&features, 0.01).unwrap().groups.concat().len(), n);
    }

    #[test]
    fn copies_are_found_without_comparing_all_pairs() {
        let (n, dims) = (6000, 12);
        let mut random = Random::stream(6, 0);
        let mut unit: Vec<f32> = (0..n * dims).map(|_| random.normal() as f32).collect();
        for row in unit.chunks_exact_mut(dims) {
            let norm = row.iter().map(|x| x * x).sum::<f32>().sqrt();
            row.iter_mut().for_each(|x| *x /= norm);
        }
        for i in (0..n).step_by(40) {
            unit.copy_within(i * dims..(i + 1) * dims, (i + 7) * dims);
        }
        let mut all = near_pairs(&unit, dims, 1e-8, true).unwrap();
        let mut around = near_pairs(&unit, dims, 1e-8, false).unwrap();
        all.sort_unstable();
        around.sort_unstable();
        assert_eq!(all.len(), 2 * n / 40);
        assert_eq!(around, all);
    }

    #[test]
    fn bad_input_is_refused_and_few_instances_are_not() {
        let one = Features::new(&[1.0, 2.0][..], 1, 2).unwrap();
        assert!(duplicates(&one, 0.9).unwrap().groups.is_empty());
        assert!(duplicates(&one, 1.5).is_err() && duplicates(&one, f64::NAN).is_err());
        let zero = Features::new(&[1.0, 2.0, 0.0, 0.0][..], 2, 2).unwrap();
        assert_eq!(duplicates(&zero, 0.9), Err(Error::ZeroVector { row: 1 }));
    }
}
