//! What to label first, where no instance has a label.

use std::time::Duration;

use trustpath::spec::LabelSpec;
use trustpath::{Origin, label_first};
use trustpath_table::{Column, PartlyLabelledTable, ResultTable};

use crate::error::Result;
use crate::features::{PoolRows, named};
use crate::progress::{ProgressMode, ProgressObserver};
use crate::results::Summary;
use crate::{memory, print};

/// Suggestions that a summary lists.
const SHOWN: usize = 20;

/// The rows to label first, best first.
pub fn choose(pool: &PartlyLabelledTable, spec: &LabelSpec, progress: ProgressMode) -> Result<Vec<usize>> {
    let rows = PoolRows::all(pool);
    let first = label_first(&rows.features()?, spec.suggest, &mut ProgressObserver::new(progress));
    first.map_err(|error| named(pool, error))
}

/// A labels file of these rows in which the labels are still to be written.
pub fn table(pool: &PartlyLabelledTable, rows: &[usize]) -> Result<ResultTable> {
    let mut table = ResultTable::default();
    table.push("id", Column::Text(ids(pool, rows)))?;
    table.push("label", Column::OptionalText(vec![None; rows.len()]))?;
    table.push("suggested", Column::Count((1..=rows.len() as u64).collect()))?;
    table.push("origin", Column::Text(vec![Origin::Chosen.to_string(); rows.len()]))?;
    Ok(table)
}

pub fn summary(pool: &PartlyLabelledTable, rows: &[usize], took: Duration) -> Summary {
    let suggested = ids(pool, rows);
    let more = print::more(suggested.len(), SHOWN).map_or(String::new(), |more| format!(" {more}"));
    let note = "No instance has a label yet. Label the suggested ones and give their labels with --labels; if --out has written them to a file, fill in its label column.";
    let text = format!(
        "{}: {} instances, {} features each\n\n{note}\n\nLabel first: {}{more}\n\n{}\n",
        pool.source(),
        pool.rows(),
        pool.dims(),
        suggested[..suggested.len().min(SHOWN)].join(", "),
        memory::spent(took),
    );
    Summary { text, facts: Vec::new(), notes: vec![note.into()], suggested, took }
}

fn ids(pool: &PartlyLabelledTable, rows: &[usize]) -> Vec<String> {
    rows.iter().map(|&row| pool.ids()[row].clone()).collect()
}
