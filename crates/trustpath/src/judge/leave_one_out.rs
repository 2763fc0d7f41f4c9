//! The leave-one-out path: where a label vanishes on a path to which it did not contribute, the smallest first.
//!
//! `audit` judges every given label by it, as a round of self-training can judge pseudo-labels.

use std::borrow::Cow;

use trustpath_path::LeaveOneOutPath;
use trustpath_path::leave_one_out::{choose_ridge, design};

use super::{Judge, PoolView, Ranking, Round};
use crate::pool::Labels;
use crate::{Matrix, Result};

/// Trusts the labels that are most credible on the path of all others.
#[derive(Debug, Clone, Copy, Default)]
pub struct LeaveOneOut;

impl Judge for LeaveOneOut {
    fn name(&self) -> &'static str {
        "loo"
    }

    fn ranking<'a>(&'a self, view: &'a PoolView<'a>, split: Labels<'a>) -> Result<Box<dyn Ranking + 'a>> {
        Ok(Box::new(LeaveOneOutRanking { x: view.pool_coordinates(split)?, classes: split.classes }))
    }
}

struct LeaveOneOutRanking<'a> {
    x: Cow<'a, Matrix>,
    classes: usize,
}

impl Ranking for LeaveOneOutRanking<'_> {
    fn scores(&mut self, round: &Round<'_>) -> Result<Vec<f64>> {
        let all: Vec<usize> = (0..self.x.rows()).collect();
        let view = PathWithoutEach::fit(Cow::Borrowed(&self.x), &all, round.labels, self.classes)?;
        let vanish = view.vanish(round.candidates);
        let of_label = |(vanish, &at): (&[f64], &usize)| vanish[round.labels[at]];
        Ok(vanish.chunks_exact(self.classes).zip(round.candidates).map(of_label).collect())
    }
}

/// Coordinates, and the path that was fitted to some of their rows.
pub(crate) struct PathWithoutEach<'a> {
    x: Cow<'a, Matrix>,
    pub path: LeaveOneOutPath,
    /// The place of every row among those that the path was fitted to.
    places: Vec<u32>,
}

impl<'a> PathWithoutEach<'a> {
    /// Fits the path to these rows, with the label that each of all rows has, and a ridge chosen by leave-one-out error.
    pub fn fit(x: Cow<'a, Matrix>, fitted: &[usize], labels: &[usize], classes: usize) -> Result<Self> {
        let of_fitted: Vec<usize> = fitted.iter().map(|&row| labels[row]).collect();
        let ridge = choose_ridge(&design(&x, fitted), &of_fitted, classes)?;
        let path = LeaveOneOutPath::fit(&x, fitted.to_vec(), labels, classes, ridge)?;
        let places = path.places(x.rows());
        Ok(Self { x, path, places })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.x.rows()
    }

    /// Where every label of each of these rows vanishes on the path without the row.
    pub fn vanish(&self, rows: &[usize]) -> Vec<f64> {
        let places: Vec<u32> = rows.iter().map(|&row| self.places[row]).collect();
        self.path.judge_block(design(&self.x, rows).as_slice(), &places)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Features;
    use crate::random::Random;

    #[test]
    fn a_wrong_label_ranks_behind_the_right_ones() {
        let mut random = Random::stream(11, 0);
        let (rows, dims, classes) = (60, 6, 3);
        let lean = |at: usize| if at % dims == at / dims % classes { 2.0 } else { 0.0 };
        let values: Vec<f64> = (0..rows * dims).map(|at| lean(at) + 0.3 * random.normal()).collect();
        let features = Features::new(&values[..], rows, dims).unwrap();
        let instances = features.normalize().unwrap();
        let view = PoolView::leading(&instances, instances.unit(), dims);
        let (given, open): (Vec<usize>, Vec<usize>) = (0..rows).partition(|&row| row < 2 * classes);
        let of_given: Vec<usize> = given.iter().map(|row| row % classes).collect();
        let split = Labels { given: &given, labels: &of_given, open: &open, classes };
        let mut labels: Vec<usize> = (0..rows).map(|row| row % classes).collect();
        labels[40] = (labels[40] + 1) % classes;
        let round = Round {
            number: 0,
            labels: &labels,
            probability: &vec![1.0; open.len()],
            training: &given,
            candidates: &open,
            quota: &[20, 20, 20],
        };
        let scores = LeaveOneOut.ranking(&view, split).unwrap().scores(&round).unwrap();
        let worst = (0..open.len()).max_by(|&a, &b| scores[a].total_cmp(&scores[b])).unwrap();
        assert_eq!(open[worst], 40);
    }
}
