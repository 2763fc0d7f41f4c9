#![doc = include_str!("../README.md")]
// A closure can be inlined into the code for an instruction set, the name of a function cannot.
#![allow(clippy::redundant_closure)]

pub mod audit;
pub mod columns;
pub mod label;
mod map;
pub mod model;
mod pool;
pub mod predict;
#[cfg(test)]
#[path = "../../trustpath/src/testing.rs"]
mod testing;

use trustpath::Matrix;
use trustpath_report::label_page::{ReportLine, ReportPath};
use trustpath_table::PartlyLabelledTable;

pub use audit::{AuditResult, AuditedRows};
pub use columns::{ColumnDef, ColumnValues, ResultColumns, carry_columns};
pub use label::LabelResult;
pub use map::map_2d;
pub use model::{Extractor, ModelError, SavedModel};
pub use pool::SavedPool;
pub use predict::{PredictResult, Predictions};

/// What is known about the instances other than their features.
#[derive(Debug, Clone, Copy)]
pub struct DataInfo<'a> {
    /// Where the features come from.
    pub source: &'a str,
    /// The number of features.
    pub dims: usize,
    /// The name of each instance.
    pub ids: &'a [String],
    /// The class of each instance that has a label.
    pub labels: &'a [Option<usize>],
    /// The name of each class.
    pub classes: &'a [String],
}

impl<'a> DataInfo<'a> {
    /// What a table says about its instances.
    pub fn of(pool: &'a PartlyLabelledTable) -> Self {
        Self {
            source: pool.source(),
            dims: pool.dims(),
            ids: pool.ids(),
            labels: pool.labels(),
            classes: pool.class_names(),
        }
    }
}

/// Where the user reads an explanation, which decides how options are spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrontEnd {
    /// `--per-class`, `--precision 0.9`.
    CommandLine,
    /// `per_class`, `precision=0.9`.
    Python,
}

impl FrontEnd {
    /// The name of an option, given with hyphens.
    pub fn option(self, name: &str) -> String {
        match self {
            Self::CommandLine => format!("--{name}"),
            Self::Python => name.replace('-', "_"),
        }
    }

    /// An option with its value.
    pub fn setting(self, name: &str, value: impl std::fmt::Display) -> String {
        let between = if self == Self::CommandLine { ' ' } else { '=' };
        format!("{}{between}{value}", self.option(name))
    }
}

/// A number with its noun.
pub fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// The regularisation path as pages draw it: a line for each of these columns of `norms` and its instance.
fn path(lambda: &[f64], norms: &Matrix, columns: impl Iterator<Item = (usize, usize)>) -> ReportPath {
    let line = |(column, instance)| {
        let norms = (0..norms.rows()).map(|k| norms[(k, column)] as f32).collect();
        ReportLine { instance, norms }
    };
    ReportPath { lambda: lambda.to_vec(), lines: columns.map(line).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_agree_with_their_nouns() {
        assert_eq!(count(1, "way", "ways"), "1 way");
        assert_eq!(count(2, "way", "ways"), "2 ways");
    }

    #[test]
    fn options_are_spelled_as_the_front_end_spells_them() {
        assert_eq!(FrontEnd::CommandLine.setting("per-class", 3), "--per-class 3");
        assert_eq!(FrontEnd::Python.setting("per-class", 3), "per_class=3");
        assert_eq!(FrontEnd::Python.option("none-of-these"), "none_of_these");
    }
}
