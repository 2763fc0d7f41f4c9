//! The columns of the tables of results: the only place that defines them.
//!
//! To add a column, add an entry to [`ResultColumns::columns`] of its result below. The command writes it through
//! [`ResultColumns::table`], and the Python package turns the same [`ColumnValues`] into a column of a data frame.

use std::collections::HashMap;

use trustpath_table::{Column, PartlyLabelledTable, Result, ResultTable};

use crate::{AuditResult, DataInfo, LabelResult, PredictResult};

/// The values of a column, before classes and instances are named.
#[derive(Debug, Clone, PartialEq)]
pub enum ColumnValues {
    /// Rows of the input, shown as the ids of their instances.
    Row(Vec<usize>),
    /// Classes, shown by name.
    Class(Vec<usize>),
    /// Classes, or nothing.
    OptionalClass(Vec<Option<usize>>),
    /// Numbers.
    Number(Vec<f64>),
    /// Counts, or nothing.
    OptionalCount(Vec<Option<usize>>),
    /// Texts.
    Text(Vec<String>),
}

/// The definition of one column of a table.
#[derive(Debug, Clone, Copy)]
pub struct ColumnDef<R> {
    /// Its name.
    pub name: &'static str,
    /// What it holds, in a sentence.
    pub doc: &'static str,
    /// Its values; `None` where this result has no such column.
    pub values: fn(&R) -> Option<ColumnValues>,
}

/// Definitions of columns, each `"name" Kind (if present) = values, "what it holds.";` for the result `r`.
macro_rules! columns {
    ($r:ident: $($name:literal $kind:ident $((if $present:expr))? = $values:expr, $doc:literal;)*) => {
        vec![$(ColumnDef {
            name: $name,
            doc: $doc,
            values: |$r| (true $(&& $present)?).then(|| ColumnValues::$kind($values)),
        }),*]
    };
}
/// A result that can be written as a table.
pub trait ResultColumns: Sized {
    /// All columns, in the order of the table.
    fn columns() -> Vec<ColumnDef<Self>>;

    /// The names of instances and classes.
    fn data(&self) -> &DataInfo<'_>;

    /// The table, with instances and classes named.
    ///
    /// # Errors
    /// When a column does not fit the others.
    fn table(&self) -> Result<ResultTable> {
        let data = self.data();
        let class = |class: usize| data.classes[class].clone();
        let mut table = ResultTable::default();
        for column in Self::columns() {
            let Some(values) = (column.values)(self) else { continue };
            let values = match values {
                ColumnValues::Row(rows) => Column::Text(rows.into_iter().map(|row| data.ids[row].clone()).collect()),
                ColumnValues::Class(classes) => Column::Text(classes.into_iter().map(class).collect()),
                ColumnValues::OptionalClass(classes) => {
                    Column::OptionalText(classes.into_iter().map(|c| c.map(class)).collect())
                }
                ColumnValues::Number(numbers) => Column::Number(numbers),
                ColumnValues::OptionalCount(counts) => {
                    Column::OptionalCount(counts.into_iter().map(|n| n.map(|n| n as u64)).collect())
                }
                ColumnValues::Text(texts) => Column::Text(texts),
            };
            table.push(column.name, values)?;
        }
        Ok(table)
    }
}

impl ResultColumns for LabelResult<'_> {
    fn columns() -> Vec<ColumnDef<Self>> {
        columns! { r:
            "id" Row = (0..r.data.ids.len()).collect(),
                "The name of the instance, or its row number.";
            "label" OptionalClass = r.labelling.labels.clone(),
                "The label; empty for instances that are none of these.";
            "probability" Number = r.labelling.probability.clone(),
                "The estimated probability that the label is right, or that it is none of these; 1 for given labels.";
            "credibility" Number = r.labelling.credibility.clone(),
                "How well the label fits compared with the next one: 0.5 where both fit equally well, 1 where no other fits.";
            "distance" Number (if r.labelling.novelty.is_some() && r.labelling.part.is_none()) = r.novelty(),
                "How far the instance is from all labels, from 0 to 1.";
            "round" OptionalCount = (0..r.data.ids.len()).map(|row| r.labelling.round(row).map(|n| n + 1)).collect(),
                "The self-training round that added the instance, from 1.";
            "verdict" Text = r.labelling.verdicts.iter().map(|&v| v.name().into()).collect(),
                "given, trusted, doubtful or none of these.";
            "reason" Text = (0..r.data.ids.len()).map(|row| r.reason(row)).collect(),
                "Why the instance has this verdict.";
            "suggested" OptionalCount (if !r.labelling.suggestions.is_empty()) = r.ranks(),
                "The rank among the instances to label next, from 1.";
            "origin" Text (if !r.labelling.suggestions.is_empty()) = r.origins(),
                "For the instances to label next, random or chosen: copy it into the labels file with their labels.";
        }
    }

    fn data(&self) -> &DataInfo<'_> {
        &self.data
    }
}

impl ResultColumns for AuditResult<'_> {
    fn columns() -> Vec<ColumnDef<Self>> {
        columns! { r:
            "id" Row = r.ranked(|at| r.labelled.rows[at]),
                "The name of the instance, or its row number; most suspicious first.";
            "label" Class = r.ranked(|at| r.labelled.labels[at]),
                "The given label.";
            "suggested" Class = r.ranked(|at| r.audit.suggested[at]),
                "The other label that fits best.";
            "credibility" Number = r.ranked(|at| r.audit.credibility[at]),
                "How credible the given label is, from 0 to 1.";
            "suggested_credibility" Number = r.ranked(|at| r.audit.suggested_credibility[at]),
                "How credible the suggested label would be.";
            "score" Number = r.ranked(|at| r.audit.score[at]),
                "How suspicious the given label is; the table is sorted by it.";
            "probability_wrong" Number (if r.audit.wrong.is_some()) = r.ranked(|at| r.audit.probability[at]),
                "The estimated probability that the given label is wrong; NaN where it cannot be judged.";
            "verdict" Text = r.ranked(|at| r.verdict(at).into()),
                "suspect, fits, not judged (the only label of its class), or confirmed or corrected by a person.";
            "reason" Text = r.ranked(|at| r.reason(at)),
                "Why the label has this verdict.";
        }
    }

    fn data(&self) -> &DataInfo<'_> {
        &self.data
    }
}

impl ResultColumns for PredictResult<'_> {
    fn columns() -> Vec<ColumnDef<Self>> {
        columns! { r:
            "id" Row = (0..r.data.ids.len()).collect(),
                "The name of the instance, or its row number.";
            "label" OptionalClass = r.predictions.labels.clone(),
                "The most probable label; empty for instances that are none of these.";
            "probability" Number = r.predictions.probability.clone(),
                "The estimated probability that the label is right, or that it is none of these.";
            "credibility" Number = r.predictions.credibility.clone(),
                "How well the label fits compared with the next one: 0.5 where both fit equally well, 1 where no other fits.";
            "verdict" Text = r.predictions.verdicts.iter().map(|&v| v.name().into()).collect(),
                "trusted, doubtful or none of these.";
            "rival" Class = r.predictions.rival.clone(),
                "The label that competes with it.";
        }
    }

    fn data(&self) -> &DataInfo<'_> {
        &self.data
    }
}

/// Adds the columns of the input that are passed on, by the ids of the instances, and the tasks of Label Studio that it was read
/// from.
///
/// # Errors
/// When a column does not fit the others.
pub fn carry_columns(table: &mut ResultTable, pool: &PartlyLabelledTable) -> Result<()> {
    table.set_tasks(pool.tasks().cloned());
    if pool.carried().is_empty() {
        return Ok(());
    }
    let Some((_, Column::Text(ids))) = table.columns().iter().find(|(name, _)| name == "id") else {
        return Ok(());
    };
    let places: HashMap<&String, usize> = pool.ids().iter().enumerate().map(|(row, id)| (id, row)).collect();
    let rows: Vec<Option<usize>> = ids.iter().map(|id| places.get(id).copied()).collect();
    for column in pool.carried() {
        let texts = rows.iter().map(|row| row.and_then(|row| column.texts[row].clone())).collect();
        let allowed = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let mut name: String = column.name.chars().map(allowed).collect();
        while name.is_empty() || table.columns().iter().any(|(other, _)| *other == name) {
            name = format!("input_{name}");
        }
        table.push(name, Column::OptionalText(texts))?;
    }
    Ok(())
}
