//! Pools in which every label is known: what the examples of this crate measure, whose tables are in `docs/measured`.

use std::path::Path;

use trustpath::label::Labelling;
use trustpath::spec::LabelSpec;
use trustpath::{Features, label};

use crate::{FeatureTable, Random, Result, Split, TableFile, embedded};

/// The features of a source, with the name to print: `NAME:validation` or `NAME:novel` is an embedded dataset,
/// anything else a file with its labels in `-labels.npy` beside it.
///
/// # Errors
/// If there is no such dataset, or the file cannot be read.
pub fn open(source: &str) -> Result<(String, FeatureTable)> {
    let table = match source.split_once(':') {
        Some((dataset, "validation")) => embedded::load(dataset, Split::Validation)?.clone(),
        Some((dataset, "novel")) => embedded::load(dataset, Split::Novel)?.clone(),
        _ => TableFile::new(source).read()?,
    };
    let name = Path::new(source).file_stem().unwrap_or_default().to_string_lossy();
    Ok((name.into_owned(), table))
}

/// Classes in random order, at most this number, each with its rows in random order.
pub fn shuffled_classes(table: &FeatureTable, most: usize, random: &mut Random) -> Vec<(usize, Vec<usize>)> {
    let mut order: Vec<usize> = (0..table.class_names().len()).collect();
    random.shuffle(&mut order);
    order.truncate(most);
    let shuffled = |class: usize| {
        let mut rows = table.members()[class].clone();
        random.shuffle(&mut rows);
        (class, rows)
    };
    order.into_iter().map(shuffled).collect()
}

/// The share of its rows that a class has in a long-tailed pool: all for the first, a tenth for the last.
pub fn long_tailed(rank: usize, classes: usize) -> f64 {
    0.1f64.powf(rank as f64 / (classes - 1) as f64)
}

/// The share of rows of which something is true; `None` if there are none.
pub fn share(rows: &[usize], is: impl Fn(usize) -> bool) -> Option<f64> {
    let count = rows.iter().filter(|&&row| is(row)).count();
    (!rows.is_empty()).then(|| count as f64 / rows.len() as f64)
}

/// The head of a Markdown table with these columns.
pub fn head(columns: &str) -> String {
    format!("| {columns} |\n|{}", "---|".repeat(columns.split(" | ").count()))
}

/// A pool in which every label is known.
#[derive(Debug, Clone)]
pub struct KnownPool {
    /// The features, row after row.
    pub values: Vec<f32>,
    /// The class of every row; [`label`](Self::label) wants classes without labels after the others.
    pub truth: Vec<usize>,
    /// The given labels.
    pub given: Vec<Option<usize>>,
    /// Number of classes with labels.
    pub classes: usize,
}

impl KnownPool {
    /// The features.
    ///
    /// # Errors
    /// If there are none, or one is not finite.
    pub fn features(&self) -> Result<Features<'_>> {
        Ok(Features::new(&self.values[..], self.truth.len(), self.values.len() / self.truth.len().max(1))?)
    }

    /// The rows without a given label.
    pub fn open(&self) -> Vec<usize> {
        (0..self.truth.len()).filter(|&row| self.given[row].is_none()).collect()
    }

    /// What `label` makes of it.
    ///
    /// # Errors
    /// As [`label()`].
    pub fn label(&self, spec: &LabelSpec) -> Result<Labelling> {
        Ok(label(&self.features()?, &self.given).classes(self.classes).spec(spec).run()?)
    }
}
