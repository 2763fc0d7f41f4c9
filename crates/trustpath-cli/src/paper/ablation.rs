//! Variants of the method in four cells: transductive and semi-supervised 15/15, 1 and 5 shots.

use super::frame::*;

type Cell = (PoolKind, usize);

/// The cells, in the order of the paper's tables.
const CELLS: [Cell; 4] =
    [(PoolKind::Transductive, 1), (PoolKind::Transductive, 5), (PoolKind::Semi15, 1), (PoolKind::Semi15, 5)];

fn cell_name((pool, shot): Cell) -> String {
    let pool = if pool == PoolKind::Transductive { "Tran." } else { "Semi." };
    format!("{pool} {shot}-shot")
}

/// A comparison of variants.
pub struct Ablation<K: 'static> {
    /// The variants, with their names in the paper. The last is the one that the paper recommends.
    pub variants: &'static [(&'static str, K)],
    /// The experiment of a variant.
    pub change: fn(Experiment, K) -> Experiment,
    /// How many rounds count; `usize::MAX` for all.
    pub rounds: usize,
    /// The paper's numbers on miniImageNet.
    pub published: &'static [(&'static str, [Published; 4])],
    /// Caption of the table, before "on DATASET".
    pub caption: &'static str,
    /// Title of the figure, before "on DATASET".
    pub title: &'static str,
    /// Adds the verdicts on a dataset.
    pub verdicts: fn(&mut Finding, &str, &[Variant]) -> Result<()>,
}

/// A variant with its scores in every cell.
pub struct Variant {
    pub name: &'static str,
    runs: Runs<Cell>,
    rounds: usize,
}

impl Variant {
    fn accuracy(&self, cell: Cell) -> Vec<f64> {
        self.runs.after(cell, self.rounds)
    }

    /// The differences to another variant, in the cells with these shots.
    pub fn minus(&self, other: &Self, prefix: &str, shots: &[usize]) -> Result<Vec<Comparison>> {
        let cells = CELLS.into_iter().filter(|(_, shot)| shots.contains(shot));
        let compare = |cell| {
            let name = format!("{prefix} − {} {}", other.name, cell_name(cell));
            Comparison::between(name, &self.accuracy(cell), &other.accuracy(cell))
        };
        cells.map(compare).collect()
    }

    /// The differences to another variant in the cells with one shot, next to those that the paper prints.
    pub fn one_shot_differences(
        &self,
        other: &Self,
        published: &[(&str, [Published; 4])],
    ) -> Result<Vec<(Comparison, f64)>> {
        let row = |name: &str| published.iter().find(|row| row.0 == name).map(|row| row.1);
        let mut differences = Vec::new();
        for (i, cell) in CELLS.into_iter().enumerate().filter(|(_, cell)| cell.1 == 1) {
            if let (Some(own), Some(others)) = (row(self.name), row(other.name)) {
                let name = format!("{} − {} {}", self.name, other.name, cell_name(cell));
                let compared = Comparison::between(name, &self.accuracy(cell), &other.accuracy(cell))?;
                differences.push((compared, (own[i].0 - others[i].0) / 100.0));
            }
        }
        Ok(differences)
    }

    /// The gains over its own plain classifier, by cell.
    pub fn gains(&self) -> Result<Vec<Comparison>> {
        let compare = |cell| {
            let name = format!("ICIR − plain {} {}", self.name, cell_name(cell));
            Comparison::between(name, &self.accuracy(cell), &self.runs.after(cell, 0))
        };
        CELLS.into_iter().map(compare).collect()
    }
}

impl<K: Copy> Ablation<K> {
    /// Runs all variants: a table, a figure and verdicts for every dataset.
    pub fn find(&self, lab: &Lab, finding: &mut Finding) -> Result<()> {
        for dataset in &lab.datasets {
            let run = |&(name, value): &(&'static str, K)| {
                let experiment = |(pool, shot)| (self.change)(Experiment::new(shot, pool), value);
                let runs = Runs::new(lab, dataset, &CELLS, experiment)?;
                Ok(Variant { name, runs, rounds: self.rounds })
            };
            let variants: Vec<Variant> = self.variants.iter().map(run).collect::<Result<_>>()?;
            let mut columns = Columns::default().names("Model", variants.iter().map(|v| v.name));
            for cell in CELLS {
                let accuracies = estimates(variants.iter().map(|v| v.accuracy(cell)))?;
                columns.accuracies(cell_name(cell), &accuracies);
            }
            for (i, cell) in CELLS.into_iter().enumerate() {
                let printed = variants.iter().map(|variant| {
                    let row = self.published.iter().find(|(name, _)| *name == variant.name);
                    row.map_or("–".into(), |(_, row)| text(row[i]))
                });
                columns.best(format!("paper {}", cell_name(cell)), printed);
            }
            let title = dataset.title();
            let caption = format!("{} on {title}, next to the paper's numbers on miniImageNet.", self.caption);
            finding.table(caption, columns.table()?);
            let mut series = Vec::new();
            for variant in &variants {
                let gains = variant.gains()?.into_iter().map(|gain| gain.difference).collect();
                series.push((variant.name.to_owned(), gains));
            }
            let figure = gains_figure(
                format!("{} on {title}", self.title),
                "over the plain classifier; paired differences with 95% intervals",
                CELLS.map(cell_name).to_vec(),
                series,
            )?;
            finding.figure(format!("{}-{}", finding.target.name, dataset.name), figure);
            (self.verdicts)(finding, &title, &variants)?;
        }
        Ok(())
    }
}
