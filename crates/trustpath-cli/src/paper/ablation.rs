//! Variants of the method in four cells: transductive and semi-supervised 15/15, 1 and 5 shots.

use super::frame::*;

type AblationCell = (PoolKind, usize);

/// The cells, in the order of the paper's tables.
const CELLS: [AblationCell; 4] =
    [(PoolKind::Transductive, 1), (PoolKind::Transductive, 5), (PoolKind::Semi15, 1), (PoolKind::Semi15, 5)];

fn cell_name((pool, shot): AblationCell) -> String {
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
    runs: Runs<AblationCell>,
    rounds: usize,
}

impl Variant {
    fn accuracy(&self, cell: AblationCell) -> Vec<f64> {
        self.runs.after(cell, self.rounds)
    }

    /// The differences to another variant, in the cells with these shots.
    pub fn minus(&self, other: &Self, shots: &[usize]) -> Result<Vec<Comparison>> {
        self.compare(format!("{} − {}", self.name, other.name), shots, |cell| other.accuracy(cell))
    }

    /// The gains over its own plain classifier, by cell.
    pub fn gains(&self) -> Result<Vec<Comparison>> {
        self.compare(format!("ICIR − plain {}", self.name), &[1, 5], |cell| self.runs.after(cell, 0))
    }

    fn compare(
        &self,
        name: String,
        shots: &[usize],
        other: impl Fn(AblationCell) -> Vec<f64>,
    ) -> Result<Vec<Comparison>> {
        let cells = CELLS.into_iter().filter(|(_, shot)| shots.contains(shot));
        let compare =
            |cell| Comparison::between(format!("{name} {}", cell_name(cell)), &self.accuracy(cell), &other(cell));
        cells.map(compare).collect()
    }
}

impl<K: Copy> Ablation<K> {
    /// Runs all variants: a table, a figure and verdicts for every dataset.
    pub fn find(&self, lab: &Lab, finding: &mut Finding) -> Result<()> {
        for dataset in &lab.datasets {
            let title = dataset.title();
            let (mut variants, mut gains) = (Vec::new(), Vec::new());
            for &(name, value) in self.variants {
                let experiment = |(pool, shot)| (self.change)(Experiment::new(shot, pool), value);
                let runs = Runs::new(lab, dataset, &CELLS, experiment)?;
                let variant = Variant { name, runs, rounds: self.rounds };
                gains.push((name.to_owned(), variant.gains()?.into_iter().map(|gain| gain.difference).collect()));
                variants.push(variant);
            }
            let caption = format!("{} on {title}, next to the paper's numbers on miniImageNet.", self.caption);
            finding.table(caption, self.table(&variants)?);
            let figure = gains_figure(
                format!("{} on {title}", self.title),
                "over the plain classifier; paired differences with 95% intervals",
                CELLS.map(cell_name).to_vec(),
                gains,
            )?;
            finding.figure(format!("{}-{}", finding.target.name, dataset.name), figure);
            (self.verdicts)(finding, &title, &variants)?;
        }
        Ok(())
    }

    fn table(&self, variants: &[Variant]) -> Result<Table> {
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
        columns.table()
    }
}
