//! Columns of the input that are passed on to the result.

use std::collections::HashMap;

use trustpath_table::{Column, PartlyLabelledTable, Result, ResultTable};

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
