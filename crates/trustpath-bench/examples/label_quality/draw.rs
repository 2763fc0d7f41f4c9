//! Pools with hidden labels, drawn from a table.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use trustpath_bench::classifiers::ClassifierKind;
use trustpath_bench::pools::{KnownPool, long_tailed, shuffled_classes};
use trustpath_bench::{FeatureTable, Random, Result, write_atomically};
use trustpath_table::npy;

/// The class sizes of a pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Balance {
    /// As in the dataset.
    Even,
    /// Decreasing from class to class; the last is a tenth of the first.
    LongTailed,
    /// As in the dataset, and the given labels are a random sample of the pool. Classes without any leave it.
    Random,
}

impl Balance {
    pub const ALL: [Self; 3] = [Self::Even, Self::LongTailed, Self::Random];
    pub const STRATIFIED: [Self; 2] = [Self::Even, Self::LongTailed];

    pub fn name(self) -> &'static str {
        match self {
            Self::Even => "balanced",
            Self::LongTailed => "1:10",
            Self::Random => "random labels",
        }
    }
}

/// How to draw a pool.
#[derive(Debug, Clone, Copy)]
pub struct Drawing {
    /// Given labels per class.
    pub labels: usize,
    pub balance: Balance,
    /// Maximum number of classes.
    pub classes: usize,
    /// Maximum number of rows per class.
    pub at_most: usize,
    pub seed: u64,
}

/// A pool, and which rows of the table it has.
pub struct Draw {
    pub rows: Vec<usize>,
    pub pool: KnownPool,
}

impl Drawing {
    pub fn from(self, table: &FeatureTable) -> Draw {
        let mut random = Random::stream(self.seed, self.labels as u64);
        let drawn = shuffled_classes(table, self.classes, &mut random);
        let classes = drawn.len();
        // Row, class, and whether the label is given.
        let mut rows: Vec<(usize, usize, bool)> = Vec::new();
        for (rank, (class, mut members)) in drawn.into_iter().enumerate() {
            members.truncate(self.at_most);
            let share = if self.balance == Balance::LongTailed { long_tailed(rank, classes) } else { 1.0 };
            let open = ((members.len() - self.labels) as f64 * share).round().max(1.0) as usize;
            let members = members.into_iter().take(self.labels + open).enumerate();
            rows.extend(members.map(|(at, row)| (row, class, at < self.labels)));
        }
        if self.balance == Balance::Random {
            let mut order: Vec<usize> = (0..rows.len()).collect();
            random.shuffle(&mut order);
            rows.iter_mut().for_each(|(_, _, given)| *given = false);
            order[..self.labels * classes].iter().for_each(|&at| rows[at].2 = true);
            let seen: BTreeSet<usize> =
                rows.iter().filter(|(_, _, given)| *given).map(|&(_, class, _)| class).collect();
            rows.retain(|(_, class, _)| seen.contains(class));
        }
        // Classes without a row are left out of the numbering.
        let present: BTreeSet<usize> = rows.iter().map(|&(_, class, _)| class).collect();
        let number: BTreeMap<usize, usize> = present.into_iter().zip(0..).collect();
        let truth: Vec<usize> = rows.iter().map(|(_, class, _)| number[class]).collect();
        let given = rows.iter().zip(&truth).map(|(&(_, _, given), &class)| given.then_some(class)).collect();
        let rows: Vec<usize> = rows.into_iter().map(|(row, _, _)| row).collect();
        Draw { pool: KnownPool { values: table.gather(&rows), truth, given, classes: number.len() }, rows }
    }
}

impl Draw {
    /// Accuracy of the classifier trained on the given labels, on normalised features.
    pub fn plain_accuracy(&self) -> Result<f64> {
        let KnownPool { truth, given, classes, .. } = &self.pool;
        let instances = self.pool.features()?.normalize()?;
        let classifier = ClassifierKind::Logistic.build();
        let mut trainer = classifier.trainer(&instances, *classes);
        let (rows, labels): (Vec<usize>, Vec<usize>) =
            given.iter().enumerate().filter_map(|(i, label)| label.map(|l| (i, l))).unzip();
        trainer.train(&rows, &labels)?;
        let open = self.pool.open();
        let p = trainer.probabilities(&open);
        let right = open.iter().enumerate().filter(|(at, i)| {
            let of_truth = p[(*at, truth[**i])];
            p.row(*at).iter().all(|&other| other <= of_truth)
        });
        Ok(right.count() as f64 / open.len() as f64)
    }

    /// Writes the pool's row numbers and given labels, −1 for none, as two columns of an `.npy` file.
    pub fn write(&self, file: &Path) -> Result<()> {
        let label = |label: &Option<usize>| label.map_or(-1, |l| l as i32);
        let pairs = self.rows.iter().zip(&self.pool.given);
        let values: Vec<i32> = pairs.flat_map(|(&row, g)| [row as i32, label(g)]).collect();
        write_atomically(file, |w| npy::write_i32(w, &[self.rows.len(), 2], &values))?;
        Ok(())
    }
}
