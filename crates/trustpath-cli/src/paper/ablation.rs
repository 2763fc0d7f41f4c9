//! Variants of the method in four cells: transductive and semi-supervised 15/15, 1 and 5 shots.

use std::rc::Rc;

use trustpath_episodes::stats::Estimate;
use trustpath_report::{Axis, Bar, BarSeries, Bars, Best, Column, Figure, Table};

use super::dataset::Dataset;
use super::error::Result;
use super::experiment::{Experiment, Pool};
use super::lab::{Lab, Scores, difference};
use super::published::Published;

/// The cells, in the order of the paper's tables.
pub const CELLS: [(Pool, usize); 4] =
    [(Pool::Transductive, 1), (Pool::Transductive, 5), (Pool::Semi15, 1), (Pool::Semi15, 5)];

/// The name of a cell.
pub fn cell_name((pool, shot): (Pool, usize)) -> String {
    let pool = if pool == Pool::Transductive { "Tran." } else { "Semi." };
    format!("{pool} {shot}-shot")
}

/// A variant with its scores in every cell.
pub struct Variant {
    /// Its name in the paper.
    pub name: &'static str,
    /// One run a cell.
    pub runs: [Rc<Scores>; 4],
    /// How many rounds count.
    pub rounds: usize,
}

impl Variant {
    /// Runs a variant; `rounds` is `usize::MAX` for all of them.
    pub fn run(
        lab: &Lab,
        dataset: &Dataset,
        name: &'static str,
        rounds: usize,
        change: impl Fn(Experiment) -> Experiment,
    ) -> Result<Self> {
        let run = |(pool, shot)| lab.run(dataset, &change(Experiment::new(shot, pool)));
        let [a, b, c, d] = CELLS;
        Ok(Self { name, runs: [run(a)?, run(b)?, run(c)?, run(d)?], rounds })
    }

    /// Accuracies in a cell.
    pub fn accuracy(&self, cell: usize) -> Vec<f64> {
        self.runs[cell].after(self.rounds)
    }
}

/// Accuracies here beside those of the paper.
pub fn table(variants: &[Variant], published: &[(&str, [Published; 4])]) -> Result<Table> {
    let mut heads = vec![Column::left("Model")];
    heads.extend(CELLS.map(|cell| Column::right(cell_name(cell))));
    heads.extend(CELLS.map(|cell| Column::right(format!("paper {}", cell_name(cell)))));
    let mut table = Table::new(heads);
    for variant in variants {
        let mut cells = vec![variant.name.to_owned()];
        for cell in 0..CELLS.len() {
            let scores = variant.accuracy(cell);
            cells.push(Estimate::of(&scores)?.percent());
        }
        let printed = published.iter().find(|(name, _)| *name == variant.name);
        cells.extend((0..4).map(|i| printed.map_or("–".into(), |(_, row)| row[i].text())));
        table.push(cells)?;
    }
    for column in 1..table.columns().len() {
        table.bold_best(column, Best::Highest);
    }
    Ok(table)
}

/// What every variant adds to its own plain classifier.
pub fn figure(title: String, variants: &[Variant]) -> Result<Figure> {
    let mut series = Vec::new();
    for variant in variants {
        let mut bars = Vec::new();
        for cell in 0..CELLS.len() {
            let gain = difference(&variant.accuracy(cell), &variant.runs[cell].plain())?;
            bars.push(Bar { value: 100.0 * gain.mean, error: 100.0 * gain.half_width });
        }
        series.push(BarSeries { name: variant.name.into(), bars });
    }
    let bars = Bars {
        title,
        subtitle: "over the plain classifier; paired differences with 95% intervals".into(),
        y: Axis::new("Gain in accuracy").unit("points"),
        groups: CELLS.map(cell_name).to_vec(),
        series,
        decimals: Some(1),
    };
    Ok(bars.figure()?)
}
