//! Pools with hidden labels, drawn from an embedded dataset.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use trustpath::label::Labelling;
use trustpath::spec::LabelSpec;
use trustpath::{Features, label};
use trustpath_bench::classifiers::ClassifierKind;
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

    /// The share of its unlabeled rows that the class of this rank keeps.
    fn share(self, rank: usize, classes: usize) -> f64 {
        match self {
            Self::Even | Self::Random => 1.0,
            Self::LongTailed => 0.1f64.powf(rank as f64 / (classes - 1) as f64),
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

/// A pool: rows of the table, their classes, and which labels are given.
pub struct Draw<'a> {
    pub table: &'a FeatureTable,
    pub values: Vec<f32>,
    pub rows: Vec<usize>,
    pub truth: Vec<usize>,
    pub given: Vec<Option<usize>>,
    pub classes: usize,
}

impl Drawing {
    pub fn from(self, table: &FeatureTable) -> Draw<'_> {
        let mut random = Random::stream(self.seed, self.labels as u64);
        let available = table.class_names().len();
        let classes = self.classes.min(available);
        let mut order: Vec<usize> = (0..available).collect();
        random.shuffle(&mut order);
        order.truncate(classes);
        let (mut rows, mut truth, mut given) = (Vec::new(), Vec::new(), Vec::new());
        for (rank, &class) in order.iter().enumerate() {
            let mut members = table.members()[class].clone();
            random.shuffle(&mut members);
            members.truncate(self.at_most);
            let open = (members.len() - self.labels) as f64 * self.balance.share(rank, classes);
            let open = open.round().max(1.0) as usize;
            for (at, &row) in members[..self.labels + open].iter().enumerate() {
                rows.push(row);
                truth.push(class);
                given.push((at < self.labels).then_some(class));
            }
        }
        if self.balance == Balance::Random {
            let mut at: Vec<usize> = (0..rows.len()).collect();
            random.shuffle(&mut at);
            given = vec![None; rows.len()];
            at[..self.labels * classes].iter().for_each(|&at| given[at] = Some(truth[at]));
            let seen: BTreeSet<usize> = given.iter().flatten().copied().collect();
            let keep: Vec<bool> = truth.iter().map(|class| seen.contains(class)).collect();
            for of in [&mut rows, &mut truth] {
                let mut keep = keep.iter();
                of.retain(|_| keep.next() == Some(&true));
            }
            let mut keep = keep.iter();
            given.retain(|_| keep.next() == Some(&true));
        }
        // Classes without a row are left out of the numbering.
        let present: BTreeSet<usize> = truth.iter().copied().collect();
        let number: BTreeMap<usize, usize> = present.into_iter().zip(0..).collect();
        truth.iter_mut().for_each(|class| *class = number[&*class]);
        given.iter_mut().flatten().for_each(|class| *class = number[&*class]);
        let classes = number.len();
        Draw { table, values: table.gather(&rows), rows, truth, given, classes }
    }
}

impl Draw<'_> {
    pub fn features(&self) -> Result<Features<'_>> {
        Ok(Features::new(&self.values[..], self.rows.len(), self.table.dims())?)
    }

    /// Positions in the pool without a given label.
    pub fn open(&self) -> Vec<usize> {
        (0..self.rows.len()).filter(|&i| self.given[i].is_none()).collect()
    }

    pub fn label(&self, params: &LabelSpec) -> Result<Labelling> {
        Ok(label(&self.features()?, &self.given).classes(self.classes).spec(params).run()?)
    }

    /// Accuracy of the classifier trained on the given labels, on normalised features.
    pub fn plain_accuracy(&self) -> Result<f64> {
        let instances = self.features()?.normalize()?;
        let classifier = ClassifierKind::Logistic.build();
        let mut trainer = classifier.trainer(&instances, self.classes);
        let (rows, labels): (Vec<usize>, Vec<usize>) =
            self.given.iter().enumerate().filter_map(|(i, label)| label.map(|l| (i, l))).unzip();
        trainer.train(&rows, &labels)?;
        let open = self.open();
        let p = trainer.probabilities(&open);
        let right = open.iter().enumerate().filter(|(at, i)| {
            let own = p[(*at, self.truth[**i])];
            p.row(*at).iter().all(|&other| other <= own)
        });
        Ok(right.count() as f64 / open.len() as f64)
    }

    /// The share of correct labels at these positions.
    pub fn accuracy(&self, labels: &[Option<usize>], at: &[usize]) -> f64 {
        let right = at.iter().filter(|&&i| labels[i] == Some(self.truth[i])).count();
        right as f64 / at.len() as f64
    }

    /// Writes the pool's row numbers and given labels, −1 for none, as two columns of an `.npy` file.
    pub fn write(&self, file: &Path) -> Result<()> {
        let label = |label: &Option<usize>| label.map_or(-1, |l| l as i32);
        let pairs = self.rows.iter().zip(&self.given);
        let values: Vec<i32> = pairs.flat_map(|(&row, g)| [row as i32, label(g)]).collect();
        write_atomically(file, |w| npy::write_i32(w, &[self.rows.len(), 2], &values))?;
        Ok(())
    }
}
