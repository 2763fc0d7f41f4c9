//! What the targets have in common: related experiments on a dataset, tables built column by column, and figures of
//! accuracies and gains. A target imports all of it.

use std::rc::Rc;

pub use trustpath_bench::Split;
pub use trustpath_bench::stats::MeanEstimate;
pub use trustpath_report::{
    Axis, Bar, BarSeries, Bars, Curve, CurvePoint, Curves, Figure, Interval, Table, TableColumn,
};

pub use super::PaperTarget;
pub use super::dataset::PaperDataset;
pub use super::experiment::{Experiment, PoolKind};
pub use super::finding::Finding;
pub use super::lab::{Lab, RoundScores, difference};
pub use super::published::{Published, text};
pub use super::verdict::{Comparison, Holds, share};
pub use crate::error::Result;
pub use crate::print::{points, table};

/// The name of the paper's own features in tables and figures.
pub const PAPER: &str = "miniImageNet (paper)";

/// Experiments on one dataset that differ in one setting, by the value of that setting.
pub struct Runs<K>(pub Vec<(K, Rc<RoundScores>)>);

impl<K: Copy + PartialEq> Runs<K> {
    /// Runs the experiment of every value.
    pub fn new(lab: &Lab, dataset: &PaperDataset, values: &[K], experiment: impl Fn(K) -> Experiment) -> Result<Self> {
        let run = |&value: &K| Ok((value, lab.run(dataset, &experiment(value))?));
        Ok(Self(values.iter().map(run).collect::<Result<_>>()?))
    }

    /// The scores of a value after a round.
    pub fn after(&self, value: K, round: usize) -> Vec<f64> {
        let run = self.0.iter().find(|run| run.0 == value);
        run.map_or_else(Vec::new, |(_, scores)| scores.after(round))
    }

    /// The final scores of a value.
    pub fn last(&self, value: K) -> Vec<f64> {
        self.after(value, usize::MAX)
    }

    /// The paired difference between the final scores of two values.
    pub fn difference(&self, left: K, right: K) -> Result<MeanEstimate> {
        difference(&self.last(left), &self.last(right))
    }

    /// The same with a name.
    pub fn compare(&self, name: impl Into<String>, left: K, right: K) -> Result<Comparison> {
        Ok(Comparison::new(name, self.difference(left, right)?))
    }

    /// The gain of every value over the plain classifier.
    pub fn gains(&self) -> Result<Vec<MeanEstimate>> {
        self.0.iter().map(|(_, scores)| scores.gain()).collect()
    }

    /// The final accuracy of every value.
    pub fn accuracies(&self) -> Result<Vec<MeanEstimate>> {
        estimates(self.0.iter().map(|(_, scores)| scores.last()))
    }
}

/// The mean of each list of scores.
pub fn estimates(scores: impl IntoIterator<Item = Vec<f64>>) -> Result<Vec<MeanEstimate>> {
    scores.into_iter().map(|scores| Ok(MeanEstimate::of(&scores)?)).collect()
}

/// A table that is built column by column.
#[derive(Default)]
pub struct Columns {
    heads: Vec<TableColumn>,
    cells: Vec<Vec<String>>,
    best: Vec<usize>,
    bold: Vec<(usize, usize)>,
}

impl Columns {
    /// Adds a column of names.
    pub fn names<S: Into<String>>(mut self, head: &str, cells: impl IntoIterator<Item = S>) -> Self {
        self.push(TableColumn::left(head), cells);
        self
    }

    /// Adds a column of numbers.
    pub fn numbers(&mut self, head: impl Into<String>, cells: impl IntoIterator<Item = String>) {
        self.push(TableColumn::right(head), cells);
    }

    /// Adds a column of numbers, the highest of which is bold.
    pub fn best(&mut self, head: impl Into<String>, cells: impl IntoIterator<Item = String>) {
        self.best.push(self.heads.len());
        self.numbers(head, cells);
    }

    /// Adds a column of accuracies. The highest is bold, of those over the most episodes: means over other episodes do not
    /// compare.
    pub fn accuracies(&mut self, head: impl Into<String>, estimates: &[MeanEstimate]) {
        let most = estimates.iter().map(|estimate| estimate.episodes).max();
        let comparable = || estimates.iter().filter(|e| Some(e.episodes) == most);
        let highest = comparable().map(|e| e.mean).fold(f64::NEG_INFINITY, f64::max);
        for (row, estimate) in estimates.iter().enumerate() {
            if Some(estimate.episodes) == most && estimate.mean == highest {
                self.bold.push((self.heads.len(), row));
            }
        }
        self.numbers(head, estimates.iter().map(MeanEstimate::percent));
    }

    fn push<S: Into<String>>(&mut self, head: TableColumn, cells: impl IntoIterator<Item = S>) {
        self.heads.push(head);
        self.cells.push(cells.into_iter().map(Into::into).collect());
    }

    /// The table; all columns must be as long as the first.
    pub fn table(self) -> Result<Table> {
        let mut table = Table::new(self.heads);
        for row in 0..self.cells.first().map_or(0, Vec::len) {
            table.push(self.cells.iter().filter_map(|column| column.get(row).cloned()))?;
        }
        self.best.into_iter().for_each(|column| table.bold_highest(column));
        for (column, row) in self.bold {
            table.bold(row, column);
        }
        Ok(table)
    }
}

/// A bar of an estimate, in percent.
pub fn bar(estimate: &MeanEstimate) -> Bar {
    Bar { value: 100.0 * estimate.mean, error: 100.0 * estimate.half_width }
}

/// A point of a curve, in percent.
pub fn point(x: f64, estimate: &MeanEstimate) -> CurvePoint {
    CurvePoint { x, y: 100.0 * estimate.mean, error: 100.0 * estimate.half_width }
}

/// Accuracies in percent by some quantity.
pub fn accuracy_curves(
    title: impl Into<String>,
    subtitle: impl Into<String>,
    x: Axis,
    curves: Vec<Curve>,
    interval: Interval,
) -> Result<Figure> {
    let (title, subtitle, y) = (title.into(), subtitle.into(), Axis::new("Accuracy").unit("%"));
    Ok(Curves { title, subtitle, x, y, curves, interval }.figure()?)
}

/// A bar for each gain, by series and group.
pub fn gains_figure(
    title: impl Into<String>,
    subtitle: &str,
    groups: Vec<String>,
    series: Vec<(String, Vec<MeanEstimate>)>,
) -> Result<Figure> {
    let series =
        series.into_iter().map(|(name, gains)| BarSeries { name, bars: gains.iter().map(bar).collect() }).collect();
    let y = Axis::new("Gain in accuracy").unit("points");
    let (title, subtitle) = (title.into(), subtitle.into());
    Ok(Bars { title, subtitle, y, groups, series, decimals: Some(1) }.figure()?)
}
