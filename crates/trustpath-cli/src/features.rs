//! The features of a pool for the engine: of all rows or some, in memory or in their file.

use std::path::Path;

use trustpath::{BlockSource, Features};
use trustpath_bench::FeatureTable;
use trustpath_table::{PartlyLabelledTable, TableFile};
use trustpath_vision::torch::{is_torch, read_matrix};

use crate::error::{Error, Result};

/// Rows of a pool.
#[derive(Debug)]
pub struct PoolRows<'a> {
    pool: &'a PartlyLabelledTable,
    /// The rows; `None` for all.
    rows: Option<&'a [usize]>,
}

impl<'a> PoolRows<'a> {
    pub fn all(pool: &'a PartlyLabelledTable) -> Self {
        Self { pool, rows: None }
    }

    /// These rows, each once and in ascending order.
    pub fn some(pool: &'a PartlyLabelledTable, rows: &'a [usize]) -> Self {
        Self { pool, rows: (rows.len() < pool.rows()).then_some(rows) }
    }

    /// Their features, without a copy: what is not in memory in the right form is read in blocks.
    pub fn features(&self) -> Result<Features<'_>> {
        let rows = self.rows.map_or(self.pool.rows(), <[usize]>::len);
        let features = match (self.pool.features(), self.rows) {
            (Some(values), None) => Features::new(values, rows, self.pool.dims()),
            _ => Features::blocks(self, rows, self.pool.dims()),
        };
        Ok(features?)
    }
}

/// Reads the features and labels of episodes, which must be finite.
pub fn read_table(path: &Path, labels: Option<&Path>, label_column: Option<&str>) -> Result<FeatureTable> {
    let mut file = TableFile::new(path);
    if is_torch(path) {
        let matrix = read_matrix(path, None)?;
        file = file.array(matrix.values, matrix.dims);
    }
    file = label_column.into_iter().fold(file, |file, name| file.label_column(name));
    file = labels.into_iter().fold(file, |file, labels| file.labels(labels));
    let table = file.read()?;
    table.check_finite()?;
    Ok(table)
}

/// An error of the engine about a pool, which names an instance by its id instead of its row alone.
pub fn named(pool: &PartlyLabelledTable, error: trustpath::Error) -> Error {
    match error {
        trustpath::Error::ZeroVector { row } if row < pool.rows() => pool.zero_vector(row).into(),
        error => error.into(),
    }
}

impl BlockSource for PoolRows<'_> {
    fn read(&self, first: usize, out: &mut [f32]) -> std::result::Result<(), String> {
        let read = match self.rows {
            None => self.pool.read(first, out),
            Some(rows) => self.pool.gather(&rows[first..][..out.len() / self.pool.dims()], out),
        };
        read.map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use trustpath_table::{PartlyLabelledFile, npy};

    use super::*;

    const ROWS: usize = 40;
    const DIMS: usize = 3;

    /// A pool in its file, and the same pool in memory before one value was changed.
    fn pools(change: impl Fn(&mut [f32])) -> (tempfile::TempDir, PartlyLabelledTable, PartlyLabelledTable) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pool.npy");
        let mut values: Vec<f32> = (0..ROWS * DIMS).map(|i| (i as f32).sin() + 1.5).collect();
        let write = |values: &[f32]| {
            let mut bytes = Vec::new();
            npy::write_f32(&mut bytes, &[ROWS, DIMS], values).unwrap();
            std::fs::write(&path, bytes).unwrap();
        };
        write(&values);
        let memory = PartlyLabelledFile::new(&path).read().unwrap();
        change(&mut values);
        write(&values);
        let stored = PartlyLabelledFile::new(&path).in_memory_up_to(0).read().unwrap();
        assert!(memory.features().is_some() && stored.features().is_none());
        (folder, memory, stored)
    }

    #[test]
    fn results_do_not_depend_on_where_the_features_are() {
        let (_folder, memory, stored) = pools(|_| ());
        let unit = |rows: PoolRows| rows.features().unwrap().normalize().unwrap().unit().to_owned();
        assert_eq!(unit(PoolRows::all(&stored)), unit(PoolRows::all(&memory)));
        let few = [0, 1, 2, 7, 20, 21, 39];
        let all = PoolRows::all(&memory);
        let expected = all.features().unwrap().gather(few).unwrap();
        for pool in [&memory, &stored] {
            assert_eq!(&unit(PoolRows::some(pool, &few)), expected.unit());
        }
        let every: Vec<usize> = (0..ROWS).collect();
        assert!(PoolRows::some(&memory, &every).rows.is_none());

        let given: Vec<Option<usize>> = (0..ROWS).map(|i| (i < 8).then_some(i % 2)).collect();
        let labelled = |pool| {
            let rows = PoolRows::all(pool);
            trustpath::label(&rows.features().unwrap(), &given).classes(2).run().unwrap()
        };
        // Two different numbers never print alike.
        assert_eq!(format!("{:?}", labelled(&stored)), format!("{:?}", labelled(&memory)));
        let some: Vec<usize> = (0..ROWS).filter(|row| row % 5 != 1).collect();
        let labels: Vec<usize> = some.iter().map(|row| row / 3 % 2).collect();
        let audited = |pool| {
            let rows = PoolRows::some(pool, &some);
            trustpath::audit(&rows.features().unwrap(), &labels).classes(2).run().unwrap()
        };
        assert_eq!(format!("{:?}", audited(&stored)), format!("{:?}", audited(&memory)));
    }

    #[test]
    fn values_that_are_not_finite_are_named_by_their_place_in_the_file() {
        let (folder, _, stored) = pools(|values| values[31 * DIMS + 2] = f32::NAN);
        let path = folder.path().join("pool.npy");
        for rows in [PoolRows::all(&stored), PoolRows::some(&stored, &[3, 30, 31, 33])] {
            let error = rows.features().unwrap().normalize().unwrap_err().to_string();
            let start = format!("feature 2 of row 31 in {} is NaN", path.display());
            assert!(error.starts_with(&start), "{error}");
        }
        PoolRows::some(&stored, &[3, 30, 33]).features().unwrap().normalize().unwrap();
    }
}
