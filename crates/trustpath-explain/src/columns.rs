//! The columns of the tables of results.
//!
//! A result lists its columns once, in [`ResultColumns::columns`]. The command writes them through
//! [`ResultColumns::table`]; the Python package turns the same [`Values`] into the columns of a data frame.

use trustpath_table::{Column, Result, ResultTable};

use crate::DataInfo;

/// The values of a column, before classes and instances are named.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
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
    pub values: fn(&R) -> Option<Values>,
}

/// Definitions of columns, each `"name" Kind (if present) = values, "what it holds.";` for the result `r`.
macro_rules! columns {
    ($r:ident: $($name:literal $kind:ident $((if $present:expr))? = $values:expr, $doc:literal;)*) => {
        vec![$($crate::ColumnDef {
            name: $name,
            doc: $doc,
            values: |$r| (true $(&& $present)?).then(|| $crate::Values::$kind($values)),
        }),*]
    };
}
pub(crate) use columns;

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
                Values::Row(rows) => {
                    Column::Text(rows.into_iter().map(|row| data.ids[row].clone()).collect())
                }
                Values::Class(classes) => Column::Text(classes.into_iter().map(class).collect()),
                Values::OptionalClass(classes) => {
                    Column::OptionalText(classes.into_iter().map(|c| c.map(class)).collect())
                }
                Values::Number(numbers) => Column::Number(numbers),
                Values::OptionalCount(counts) => {
                    Column::OptionalCount(counts.into_iter().map(|n| n.map(|n| n as u64)).collect())
                }
                Values::Text(texts) => Column::Text(texts),
            };
            table.push(column.name, values)?;
        }
        Ok(table)
    }
}
