//! What to label next: a batch of instances whose labels would help most.
//!
//! The default, [`Strategy::Coverage`], was the best or level with the best of all strategies on four kinds of features, from no
//! label at all to ten in each class (`docs/label.md`). The others are published methods, for comparison. All work in
//! the coordinates in which the pool is labelled, and every batch is diverse except that of [`Strategy::Margin`], and
//! that of [`Strategy::Dcom`] once the labels cover the pool.

mod ball_cover;
mod coverage;
mod dcom;
mod kmeans;
mod typical;

use crate::choice::choices;
use crate::classify::{Classify, PoolLogistic};
use crate::limits::{Limits, SUGGEST_COVERED};
use crate::observer::{Observer, Stages};
use crate::task::arg_max;
use crate::{Error, Features, Instances, Matrix, Result};

use super::Representation;

choices! {
    /// How the instances to label next are chosen.
    #[derive(Default)]
    pub enum Strategy ("strategy") {
        /// The batch that covers best what the classifier is uncertain about.
        #[default]
        Coverage = "coverage",
        /// The most typical instance of each cluster without a label (TypiClust, Hacohen et al. 2022).
        Typiclust = "typiclust",
        /// Balls of one radius around labelled instances that contain as many others as possible (ProbCover, Yehuda et
        /// al. 2022).
        Probcover = "probcover",
        /// Coverage as by probcover at first, margin once the labels cover the pool (DCoM, Mishal and Weinshall 2024).
        Dcom = "dcom",
        /// The instances whose two most probable classes differ least in probability.
        Margin = "margin",
    }
}

/// A pool of which some instances may have a label.
pub(crate) struct Candidates<'a> {
    /// The coordinates of all rows, of unit length.
    pub u: &'a Matrix,
    /// Rows that have a label.
    pub given: &'a [usize],
    /// Their labels.
    pub labels: &'a [usize],
    /// Rows that have none.
    pub open: &'a [usize],
    /// For each open row, how much more probable its first class is than its second; 0 where nothing is known.
    pub margin: &'a [f64],
    /// The most probable class of each open row.
    pub predicted: &'a [usize],
    pub classes: usize,
}

impl Candidates<'_> {
    /// The rows to label next, best first; at most as many as are open.
    pub fn choose(&self, strategy: Strategy, batch: usize) -> Vec<usize> {
        let batch = batch.min(self.open.len());
        if batch == 0 {
            return Vec::new();
        }
        match strategy {
            Strategy::Coverage => coverage::choose(self, batch),
            Strategy::Typiclust => typical::choose(self, batch),
            Strategy::Probcover => ball_cover::choose(self, batch),
            Strategy::Dcom => dcom::choose(self, batch),
            Strategy::Margin => {
                let mut order: Vec<usize> = (0..self.open.len()).collect();
                order.sort_by(|&a, &b| self.margin[a].total_cmp(&self.margin[b]));
                order[..batch].iter().map(|&at| self.open[at]).collect()
            }
        }
    }

    /// Open rows, evenly taken where there are too many to compare them all with each other.
    fn sample(&self, batch: usize) -> Vec<usize> {
        let at_most = SUGGEST_COVERED.max(batch);
        let every = self.open.len().div_ceil(at_most).max(1);
        let sample: Vec<usize> = self.open.iter().copied().step_by(every).collect();
        // Steps of two or more may leave fewer than are wanted.
        if sample.len() < batch { self.open.to_vec() } else { sample }
    }
}

/// The margin and the most probable class of each open row, under a classifier that is trained on the given labels.
pub(crate) fn margins(
    instances: &Instances,
    (given, labels): (&[usize], &[usize]),
    open: &[usize],
    classes: usize,
    limits: Limits,
) -> Result<(Vec<f64>, Vec<usize>)> {
    /// Rows at a time: their probabilities of all classes are in memory.
    const ROWS: usize = 4096;
    let classifier = PoolLogistic::new(limits)?;
    let mut trainer = classifier.trainer(instances, classes);
    trainer.train(given, labels)?;
    let margin = |p: &[f64]| {
        let (first, second) = p.iter().fold((0.0, 0.0), |(first, second): (f64, f64), &p| {
            (first.max(p), second.max(p.min(first)))
        });
        first - second
    };
    let blocks = open.chunks(ROWS).flat_map(|rows| {
        let p = trainer.probabilities(rows);
        p.iter_rows().map(|p| (margin(p), arg_max(p))).collect::<Vec<(f64, usize)>>()
    });
    Ok(blocks.unzip())
}

/// What to label first, in a pool without any label.
///
/// # Errors
/// For [`Strategy::Margin`], which needs labels; when all instances are the same, one has no direction, or the observer asks to
/// stop.
///
/// ```
/// use trustpath::Features;
/// use trustpath::label::{Strategy, label_first};
/// use trustpath::NoObserver;
///
/// // Three groups around three axes: one instance of each is to be labelled first.
/// let noise = |at: usize| 0.1 * ((at * at) as f32).sin();
/// let values: Vec<f32> =
///     (0..60 * 4).map(|at| f32::from(u8::from(at % 4 == at / 4 % 3)) + noise(at)).collect();
/// let features = Features::new(&values[..], 60, 4)?;
/// let mut first = label_first(&features, Strategy::Coverage, 3, &mut NoObserver)?;
/// first.iter_mut().for_each(|row| *row %= 3);
/// first.sort_unstable();
/// assert_eq!(first, [0, 1, 2]);
/// # Ok::<(), trustpath::Error>(())
/// ```
pub fn label_first(
    features: &Features<'_>,
    strategy: Strategy,
    batch: usize,
    observer: &mut dyn Observer,
) -> Result<Vec<usize>> {
    check_without_labels(strategy)?;
    let mut stages = Stages::new(observer, 2);
    let representation = Representation::of(features, &mut stages)?;
    stages.next("choosing what to label")?;
    first(&representation, strategy, batch)
}

/// The same in a pool that is represented already.
pub(super) fn first(
    representation: &Representation,
    strategy: Strategy,
    batch: usize,
) -> Result<Vec<usize>> {
    check_without_labels(strategy)?;
    let u = representation.smooth.unit();
    let open: Vec<usize> = (0..u.rows()).collect();
    let margin = vec![0.0; u.rows()];
    let predicted = vec![0; u.rows()];
    let pool = Candidates {
        u,
        given: &[],
        labels: &[],
        open: &open,
        margin: &margin,
        predicted: &predicted,
        // Nothing is known about the number of classes; the batch would hold one of each at best.
        classes: batch.max(2),
    };
    Ok(pool.choose(strategy, batch))
}

fn check_without_labels(strategy: Strategy) -> Result<()> {
    if strategy == Strategy::Margin {
        let expected = "it needs labels: for the first ones choose another one, such as coverage";
        return Err(Error::parameter("strategy", strategy, expected));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four groups on four axes, of 30 each; the last row is one more of the first group and has a label.
    fn groups() -> Matrix {
        Matrix::from_fn(121, 6, |i, j| {
            if i % 4 == j { 1.0 } else { 0.02 * ((i * 6 + j) as f64 * 1.7).sin() }
        })
    }

    #[test]
    fn every_diverse_strategy_takes_one_of_each_group_without_a_label() {
        let (u, open) = (groups(), (0..120).collect::<Vec<_>>());
        let margin = vec![0.5; 120];
        let predicted: Vec<usize> = open.iter().map(|row| row % 4).collect();
        let pool = Candidates {
            u: &u,
            given: &[120],
            labels: &[0],
            open: &open,
            margin: &margin,
            predicted: &predicted,
            classes: 4,
        };
        for strategy in [Strategy::Coverage, Strategy::Typiclust, Strategy::Probcover] {
            let mut found: Vec<usize> =
                pool.choose(strategy, 3).into_iter().map(|row| row % 4).collect();
            found.sort_unstable();
            assert_eq!(found, [1, 2, 3], "{strategy}");
        }
    }

    #[test]
    fn a_batch_has_no_row_twice_and_never_more_than_there_are() {
        let (u, open) = (groups(), (0..10).collect::<Vec<_>>());
        let margin: Vec<f64> = (0..10).map(|i| f64::from(i) / 10.0).collect();
        let pool = Candidates {
            u: &u,
            given: &[100, 101],
            labels: &[0, 1],
            open: &open,
            margin: &margin,
            predicted: &[0; 10],
            classes: 4,
        };
        for strategy in Strategy::ALL {
            let mut found = pool.choose(strategy, 50);
            found.sort_unstable();
            assert_eq!(found, open, "{strategy}");
            assert!(pool.choose(strategy, 0).is_empty());
        }
        assert_eq!(pool.choose(Strategy::Margin, 2), [0, 1]);
    }
}
