//! What to label next: whether labels of suggested instances help more than labels of random ones, from no label at all to ten in
//! each class.

use std::path::Path;

use trustpath::Features;
use trustpath::NoObserver;
use trustpath::label::label_first;
use trustpath::spec::{LabelSpec, LabellerKind};
use trustpath_bench::stats::{Estimate, paired_difference};
use trustpath_bench::{FeatureTable, Random, Result, Split, embedded};
use trustpath_table::TableFile;

use crate::head;

/// Labels per class before the batch.
const LABELS: [usize; 5] = [0, 1, 2, 5, 10];
/// Labels in the batch.
const BATCH: usize = 20;
/// Classes and instances per class of a pool, at most.
const CLASSES: usize = 20;
const PER_CLASS: usize = 60;

/// The pools of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Classes of one size, all of which have labels.
    Balanced,
    /// Class sizes fall from class to class; the last is a tenth of the first.
    LongTailed,
    /// No instance of every fourth class has a label.
    MissingClasses,
}

impl Kind {
    /// The kind of a part of this name.
    pub fn of(part: &str) -> Option<Self> {
        match part {
            "next" => Some(Self::Balanced),
            "next-imbalanced" => Some(Self::LongTailed),
            "next-missing" => Some(Self::MissingClasses),
            _ => None,
        }
    }

    /// The size of the class of this rank, and how many labels it has.
    fn class(self, rank: usize, classes: usize, labels: usize) -> (usize, usize) {
        let share = 0.1f64.powf(rank as f64 / (classes - 1) as f64);
        match self {
            Self::Balanced => (PER_CLASS, labels),
            Self::LongTailed => ((PER_CLASS as f64 * share).round() as usize, labels),
            Self::MissingClasses => (PER_CLASS, if rank % 4 == 3 { 0 } else { labels }),
        }
    }
}

/// All classes are labelled, and the precision of the trusted labels is not needed.
fn params() -> LabelSpec {
    LabelSpec { closed: true, folds: 2, ..LabelSpec::default() }
}

/// Accuracies with no batch, a random one, and the suggested one; all on the instances that are in none of the batches.
type Run = [f64; 3];

pub fn report(kind: Kind, split: Split, draws: u64, files: &[String]) -> Result<()> {
    head("features | labels per class | no batch | random | suggested | suggested − random");
    if files.is_empty() {
        for dataset in embedded::DATASETS {
            rows_of(kind, dataset, embedded::load(dataset, split)?, draws)?;
        }
    }
    for file in files {
        let name = Path::new(file).file_stem().unwrap_or_default().to_string_lossy();
        rows_of(kind, &name, &TableFile::new(file).read()?, draws)?;
    }
    Ok(())
}

fn rows_of(kind: Kind, name: &str, table: &FeatureTable, draws: u64) -> Result<()> {
    // Without any label, missing classes are those of every pool.
    let labels = LABELS.into_iter().filter(|&n| n > 0 || kind != Kind::MissingClasses);
    for labels in labels {
        let runs: Vec<Run> = (0..draws).map(|seed| run(kind, table, labels, seed)).collect::<Result<_>>()?;
        let of = |at: usize| runs.iter().map(|run| run[at]).collect::<Vec<_>>();
        let mut row = format!("| {name} | {labels} |");
        for at in 0..3 {
            // Without any label the batch is all there is.
            row += &if labels == 0 && at == 0 {
                " – |".into()
            } else {
                format!(" {} |", Estimate::of(&of(at))?.percent())
            };
        }
        row += &format!(" {} |", paired_difference(&of(2), &of(1))?.percent());
        println!("{row}");
    }
    Ok(())
}

/// A pool of known classes, numbered from 0.
struct Pool {
    values: Vec<f32>,
    dims: usize,
    truth: Vec<usize>,
    given: Vec<bool>,
}

impl Pool {
    fn draw(kind: Kind, table: &FeatureTable, labels: usize, seed: u64) -> Self {
        let mut random = Random::stream(seed, 20);
        let mut classes: Vec<usize> = (0..table.class_names().len()).collect();
        random.shuffle(&mut classes);
        classes.truncate(CLASSES);
        let (mut rows, mut truth, mut given) = (Vec::new(), Vec::new(), Vec::new());
        for (number, &class) in classes.iter().enumerate() {
            let mut members = table.members()[class].clone();
            random.shuffle(&mut members);
            let (size, labels) = kind.class(number, classes.len(), labels);
            members.truncate(size);
            for (at, row) in members.into_iter().enumerate() {
                rows.push(row);
                truth.push(number);
                given.push(at < labels);
            }
        }
        Self { values: table.gather(&rows), dims: table.dims(), truth, given }
    }

    fn features(&self) -> Result<Features<'_>> {
        Ok(Features::new(&self.values[..], self.truth.len(), self.dims)?)
    }

    fn suggested(&self) -> Result<Vec<usize>> {
        let features = self.features()?;
        if !self.given.contains(&true) {
            return Ok(label_first(&features, BATCH, &mut NoObserver)?);
        }
        // Suggestions do not depend on the labeller.
        let labeller = LabellerKind::NoRounds;
        let spec = LabelSpec { suggest: BATCH, labeller, ..params() };
        let (labels, _) = self.labels(&self.given);
        Ok(trustpath::label(&features, &labels).spec(&spec).run()?.suggestions)
    }

    /// The labels of these rows, with the classes that occur numbered from 0, and the number of each class.
    fn labels(&self, given: &[bool]) -> (Vec<Option<usize>>, Vec<Option<usize>>) {
        let classes = self.truth.iter().max().map_or(0, |most| most + 1);
        let mut number = vec![None; classes];
        let mut labelled = 0;
        for (&class, _) in self.truth.iter().zip(given).filter(|(_, given)| **given) {
            if number[class].is_none() {
                number[class] = Some(labelled);
                labelled += 1;
            }
        }
        let label = |i: usize| number[self.truth[i]].filter(|_| given[i]);
        ((0..given.len()).map(label).collect(), number)
    }

    /// Accuracy on `judged` once the labels of the batch are given too. Classes without any label are never right.
    fn accuracy_with(&self, batch: &[usize], judged: &[usize]) -> Result<f64> {
        let mut given = self.given.clone();
        batch.iter().for_each(|&i| given[i] = true);
        let (labels, number) = self.labels(&given);
        if number.iter().flatten().count() < 2 {
            return Ok(0.0);
        }
        let found = trustpath::label(&self.features()?, &labels).spec(&params()).run()?;
        let right = |i: &&usize| found.labels[**i].is_some() && found.labels[**i] == number[self.truth[**i]];
        Ok(judged.iter().filter(right).count() as f64 / judged.len() as f64)
    }
}

fn run(kind: Kind, table: &FeatureTable, labels: usize, seed: u64) -> Result<Run> {
    let pool = Pool::draw(kind, table, labels, seed);
    let open: Vec<usize> = (0..pool.truth.len()).filter(|&i| !pool.given[i]).collect();
    let random = Random::stream(seed, u64::MAX).choose(&open, BATCH);
    let batches = [Vec::new(), random, pool.suggested()?];
    let judged: Vec<usize> = open.iter().copied().filter(|i| !batches.iter().flatten().any(|b| b == i)).collect();
    let mut scores = Run::default();
    for (score, batch) in scores.iter_mut().zip(&batches) {
        if labels > 0 || !batch.is_empty() {
            *score = pool.accuracy_with(batch, &judged)?;
        }
    }
    Ok(scores)
}
