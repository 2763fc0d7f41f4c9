//! Base classes for methods that can use them: from any table of labelled features of the same network.

use std::collections::HashSet;
use std::sync::Arc;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use trustpath::Features;
use trustpath::transductive::BaseClasses;

use crate::{Error, FeatureTable, Result, fnv1a};

/// At most one row in this many may also be one of the base classes.
const SHARED: usize = 100;

/// Base classes, and where they come from. None of them may occur in the episodes.
#[derive(Debug, Clone)]
pub struct Base {
    source: String,
    fingerprint: u64,
    /// Checksums of the rows.
    rows: HashSet<u64>,
    classes: Arc<BaseClasses>,
}

impl Base {
    /// All classes of a table.
    ///
    /// # Errors
    /// When a row has no direction, or no class varies.
    pub fn of(table: &FeatureTable) -> Result<Self> {
        let rows: Vec<usize> = (0..table.rows()).collect();
        Self::of_rows(table, &rows)
    }

    /// These rows of a table.
    ///
    /// # Errors
    /// As [`of`](Self::of).
    pub fn of_rows(table: &FeatureTable, rows: &[usize]) -> Result<Self> {
        let features = Features::new(table.features(), table.rows(), table.dims())?;
        let labels: Vec<usize> = rows.iter().map(|&row| table.labels()[row]).collect();
        let sums: Vec<u64> = rows.iter().map(|&row| checksum(table.row(row))).collect();
        let all = sums.iter().copied().chain(labels.iter().map(|&label| label as u64));
        let fingerprint = fnv1a(all.flat_map(u64::to_le_bytes));
        let classes = BaseClasses::new(features.gather(rows.iter().copied())?, labels)?;
        let rows = sums.into_iter().collect();
        Ok(Self { source: table.source().to_owned(), fingerprint, rows, classes })
    }

    /// The classes.
    pub fn classes(&self) -> &Arc<BaseClasses> {
        &self.classes
    }

    /// Refuses to help with a table of another number of features, or with the base classes themselves.
    ///
    /// # Errors
    /// When the table is such.
    pub fn check(&self, table: &FeatureTable) -> Result<()> {
        self.classes.check(table.dims())?;
        let rows = table.rows();
        let shared = (0..rows).filter(|&row| self.rows.contains(&checksum(table.row(row)))).count();
        // A few instances may be the same in two classes, as in CIFAR-100.
        if shared * SHARED <= rows {
            return Ok(());
        }
        Err(Error::parameter(
            "base",
            &self.source,
            format!(
                "{shared} of the {rows} rows of {} are among its rows: base classes must be other classes than those of the episodes",
                table.source()
            ),
        ))
    }
}

/// A checksum of the bits of a row.
fn checksum(row: &[f32]) -> u64 {
    fnv1a(row.iter().flat_map(|x| x.to_bits().to_le_bytes()))
}

/// By what they hold.
impl PartialEq for Base {
    fn eq(&self, other: &Self) -> bool {
        (&self.source, self.fingerprint) == (&other.source, other.fingerprint)
    }
}

/// Where they come from, and a checksum.
impl Serialize for Base {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("features", &self.source)?;
        map.serialize_entry("checksum", &format!("{:016x}", self.fingerprint))?;
        map.end()
    }
}
