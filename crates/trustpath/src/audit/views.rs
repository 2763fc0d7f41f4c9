//! The coordinates in which labels are judged: two views of the instances, each with a path of its own.
//!
//! ```text
//! λ(i, k)  =  the mean of λ(i, k) in the smoothed coordinates and in those before smoothing
//! ```
//!
//! Smoothing makes clear which class a region belongs to, and so finds mistakes between similar classes; but an instance at the edge
//! of its class is drawn into the next one. What is suspicious in both views is more often wrong (`docs/trust.md`).

use std::borrow::Cow;

use rayon::prelude::*;

use crate::judge::PathWithoutEach;
use crate::represent::{Projection, Represented};
use crate::{Matrix, Result};

use trustpath_path::LeaveOneOutPath;
use trustpath_path::leave_one_out::ROWS;

/// Principal components of the view before smoothing. They are more than those of the smoothed pool, since noise is in all of them.
const COMPONENTS: usize = 300;

/// The views in which every label is judged.
pub(super) struct Views<'a> {
    views: Vec<PathWithoutEach<'a>>,
    /// From prepared rows to the view before smoothing.
    plain: Projection,
    classes: usize,
}

impl<'a> Views<'a> {
    /// Fits a path to these rows of each view, with the label that each of all rows has.
    pub fn fit(representation: &'a Represented, fitted: &[usize], labels: &[usize], classes: usize) -> Result<Self> {
        let smooth = Cow::Borrowed(representation.smooth.unit());
        let (unsmoothed, plain) = representation.unsmoothed(COMPONENTS)?;
        let view = |x: Cow<'a, Matrix>| PathWithoutEach::fit(x, fitted, labels, classes);
        let views = [smooth, Cow::Owned(unsmoothed)].into_iter().map(view).collect::<Result<_>>()?;
        Ok(Self { views, plain, classes })
    }

    /// The path of the smoothed view.
    pub fn smoothed(&self) -> &LeaveOneOutPath {
        &self.views[0].path
    }

    /// What judges rows that no path was fitted to.
    pub fn into_paths(self) -> (Projection, Vec<LeaveOneOutPath>) {
        (self.plain, self.views.into_iter().map(|view| view.path).collect())
    }

    /// Calls `read` with these rows (all of them for `None`) and where each of their labels vanishes; the results are in the order
    /// of the rows.
    pub fn judge<T: Send>(&self, rows: Option<&[usize]>, read: impl Fn(usize, &[f64]) -> T + Sync) -> Vec<T> {
        let count = rows.map_or(self.views[0].rows(), <[usize]>::len);
        let row = |at: usize| rows.map_or(at, |rows| rows[at]);
        let block = |first: usize| {
            let rows: Vec<usize> = (first..(first + ROWS).min(count)).map(row).collect();
            let vanish = self.judge_block(&rows);
            let each = rows.iter().zip(vanish.chunks_exact(self.classes));
            each.map(|(&row, vanish)| read(row, vanish)).collect::<Vec<T>>()
        };
        let blocks = (0..count.div_ceil(ROWS)).into_par_iter();
        blocks.flat_map_iter(|at| block(at * ROWS)).collect()
    }

    fn judge_block(&self, rows: &[usize]) -> Vec<f64> {
        let mut mean = vec![0.0; rows.len() * self.classes];
        let share = 1.0 / self.views.len() as f64;
        for view in &self.views {
            mean.iter_mut().zip(view.vanish(rows)).for_each(|(mean, vanish)| *mean += share * vanish);
        }
        mean
    }
}
