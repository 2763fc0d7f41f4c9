//! Tables by the writers of every other command.

use std::fs;

use trustpath_explain::{ResultColumns, carry_columns};
use trustpath_table::{Column, Format, Output, ResultTable};

use super::Exported;
use crate::answer::Answer;
use crate::{Error, Result};

/// The result of `trustpath label`.
pub fn result(exported: &Exported<'_>, format: Format) -> Result<Vec<u8>> {
    let source = exported.source();
    let mut table = exported.model.result(source).table()?;
    carry_columns(&mut table, source.pool())?;
    bytes(&table, format)
}

/// Every label.
pub fn labels(exported: &Exported<'_>) -> Result<Vec<u8>> {
    given(exported, |answer| answer.class())
}

/// The labels that a person gave or confirmed.
pub fn verified(exported: &Exported<'_>) -> Result<Vec<u8>> {
    given(exported, |answer| match answer {
        Answer::Checked(class) => Some(class),
        _ => None,
    })
}

fn given(exported: &Exported<'_>, class: impl Fn(Answer) -> Option<usize>) -> Result<Vec<u8>> {
    let ids = exported.source().pool().ids();
    let label = |(&answer, id): (&Answer, &String)| Some((id.clone(), exported.classes[class(answer)?].clone()));
    let (ids, labels) = exported.answers.iter().zip(ids).filter_map(label).unzip();
    let mut table = ResultTable::default();
    table.push("id", Column::Text(ids))?;
    table.push("label", Column::Text(labels))?;
    bytes(&table, Format::Csv)
}

/// The bytes of a table; the writers write files.
fn bytes(table: &ResultTable, format: Format) -> Result<Vec<u8>> {
    let failed =
        |e: std::io::Error| Error::Refused(format!("no temporary file can be written ({e}): free some disk space"));
    let folder = tempfile::tempdir().map_err(failed)?;
    let path = folder.path().join("table");
    table.write(&Output::new(&path).as_format(format))?;
    fs::read(&path).map_err(failed)
}
