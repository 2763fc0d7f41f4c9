//! Instances that are nearly the same, such as copies, resized images or repeated texts.
//!
//! Two instances are near-duplicates if the cosine of their features is at least a threshold `t`, that is if their
//! directions `u` differ by `‖uᵢ − uⱼ‖² ≤ 2 − 2t`. Groups are the connected components of this relation among each instance and its
//! ten nearest neighbours.

use crate::neighbors::{Neighbors, Points, Search};
use crate::{Error, Features, Result};

/// Neighbours that each instance is compared with.
const NEIGHBORS: usize = 10;
/// Rows that are normalised at a time.
const BLOCK: usize = 1024;

/// Groups of near-duplicates.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Duplicates {
    /// The rows of each group, ascending; groups in the order of their first rows. Every group has at least two.
    pub groups: Vec<Vec<usize>>,
    /// The share of the nearest neighbours that the search found; `None` if it was exact, as in small pools.
    pub recall: Option<f64>,
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
        return Ok(Duplicates { groups: Vec::new(), recall: None });
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
    let points = Points::new(&unit, n, dims)?;
    let nearest = Neighbors::search(points, NEIGHBORS.min(n - 1), Search::Auto)?;
    // Distances are in single precision: what differs only by rounding is the same.
    let limit = (2.0 - 2.0 * cosine).max(1e-8);
    let mut group: Vec<usize> = (0..n).collect();
    for i in 0..n {
        for (j, &squared) in nearest.indices(i).zip(nearest.squared_distances(i)) {
            if squared <= limit {
                let (a, b) = (root(&mut group, i), root(&mut group, j));
                group[a.max(b)] = a.min(b);
            }
        }
    }
    let mut members = vec![Vec::new(); n];
    for i in 0..n {
        let first = root(&mut group, i);
        members[first].push(i);
    }
    members.retain(|rows| rows.len() > 1);
    Ok(Duplicates { groups: members, recall: nearest.recall() })
}

/// The first row of the group of `i`; the way to it becomes shorter.
fn root(group: &mut [usize], mut i: usize) -> usize {
    while group[i] != i {
        group[i] = group[group[i]];
        i = group[i];
    }
    i
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
        assert_eq!(copies.recall, None);
        // Whatever has a positive cosine with a neighbour belongs together in the end.
        assert_eq!(duplicates(&features, 0.01).unwrap().groups.concat().len(), n);
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
