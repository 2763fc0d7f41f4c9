//! Neighbours of very many points, with candidates that a device proposes, such as a GPU.
//!
//! For every point the device returns a shortlist of those with the largest scores
//!
//! ```text
//! xᵢᵀxⱼ − ½ (‖xⱼ‖² + eⱼ)        (½ of the squared distance, but for the sign and what does not depend on j)
//! ```
//!
//! computed in any precision. Distances are then measured here, by the same code as in every other search, and the share of
//! the true neighbours that was found is measured as well.

use std::fmt::Debug;
use std::sync::OnceLock;

use rayon::prelude::*;

use super::Neighbors;
use super::cells::recall;
use super::exact::measure_shortlist;
use super::points::{CentredPoints, Points};
use super::scan::SPARE;
use crate::{Error, Result};

static DEVICE: OnceLock<Box<dyn NeighborDevice>> = OnceLock::new();

/// Points as a device takes them.
#[derive(Debug, Clone, Copy)]
pub struct DevicePoints<'a> {
    /// The points, row by row, near the origin.
    pub values: &'a [f32],
    /// Number of coordinates.
    pub dims: usize,
    /// What is subtracted from the score of each point as a candidate.
    pub half: &'a [f32],
}

/// Something that proposes neighbours faster than the processor can.
pub trait NeighborDevice: Debug + Send + Sync {
    /// For every point, one after the other, the `count` other points with the largest scores, in any order.
    ///
    /// # Errors
    /// One sentence that says what is wrong with the device, and what to do.
    fn shortlists(
        &self,
        points: DevicePoints<'_>,
        count: usize,
    ) -> std::result::Result<Vec<u32>, String>;
}

/// Lets a device propose neighbours, from now on, wherever there are too many points to compare all pairs of them here.
///
/// # Errors
/// [`Error::Device`] where there is one already.
pub fn use_device(device: Box<dyn NeighborDevice>) -> Result<()> {
    let reason = "another device searches already: choose one for the whole program".to_owned();
    DEVICE.set(device).map_err(|_| Error::Device { reason })
}

/// The device in use.
pub(super) fn device() -> Option<&'static dyn NeighborDevice> {
    DEVICE.get().map(Box::as_ref)
}

/// The graph of `k` neighbours, `k < n`.
pub(super) fn search(
    points: Points<'_>,
    k: usize,
    device: &dyn NeighborDevice,
) -> Result<Neighbors> {
    let n = points.len();
    let points = CentredPoints::of(points, &points.centre(), |i| i);
    let count = (k + SPARE).min(n - 1);
    let given = DevicePoints { values: &points.values, dims: points.dims, half: &points.half };
    let shortlists = device.shortlists(given, count).map_err(|reason| Error::Device { reason })?;
    let known =
        |(i, list): (usize, &[u32])| list.iter().all(|&j| (j as usize) < n && j as usize != i);
    if shortlists.len() != n * count || !shortlists.chunks_exact(count).enumerate().all(known) {
        let reason = "it proposed neighbours that do not exist: search without it".to_owned();
        return Err(Error::Device { reason });
    }
    let mut lists = vec![(0.0, 0); n * k];
    let each = lists.par_chunks_exact_mut(k).zip(shortlists.par_chunks_exact(count));
    each.enumerate().for_each(|(i, (list, shortlist))| {
        measure_shortlist(&points, i, shortlist, list);
    });
    let recall = recall(&points, k, &lists);
    Ok(Neighbors::from_lists(k, &lists, Some(recall)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::neighbors::Search;
    use crate::random::Random;

    /// Scores in double precision, sorted.
    #[derive(Debug)]
    struct Sorting;

    impl NeighborDevice for Sorting {
        fn shortlists(
            &self,
            points: DevicePoints<'_>,
            count: usize,
        ) -> std::result::Result<Vec<u32>, String> {
            let rows: Vec<&[f32]> = points.values.chunks_exact(points.dims).collect();
            let score = |i: usize, j: usize| -> f64 {
                let dot = rows[i].iter().zip(rows[j]).map(|(a, b)| f64::from(*a) * f64::from(*b));
                dot.sum::<f64>() - f64::from(points.half[j])
            };
            let mut lists = Vec::new();
            for i in 0..rows.len() {
                let mut others: Vec<usize> = (0..rows.len()).filter(|&j| j != i).collect();
                others.sort_by(|&a, &b| score(i, b).total_cmp(&score(i, a)));
                lists.extend(others[..count].iter().map(|&j| j as u32));
            }
            Ok(lists)
        }
    }

    #[derive(Debug)]
    struct Broken;

    impl NeighborDevice for Broken {
        fn shortlists(
            &self,
            points: DevicePoints<'_>,
            count: usize,
        ) -> std::result::Result<Vec<u32>, String> {
            Ok(vec![0; points.half.len() * count])
        }
    }

    #[test]
    fn a_device_finds_what_comparing_all_pairs_finds() {
        let (n, dims) = (300, 7);
        let mut random = Random::stream(3, 0);
        let values: Vec<f32> = (0..n * dims).map(|_| random.normal() as f32 + 5.0).collect();
        let extra: Vec<f32> = (0..n).map(|_| random.uniform() as f32).collect();
        let points = Points::new(&values, n, dims).unwrap().with_extra(&extra).unwrap();
        let found = search(points, 6, &Sorting).unwrap();
        let exact = Neighbors::search(points, 6, Search::Exact).unwrap();
        assert_eq!(found.recall(), Some(1.0));
        assert_eq!((found.index, found.squared), (exact.index, exact.squared));
        assert!(matches!(search(points, 6, &Broken), Err(Error::Device { .. })));
    }
}
