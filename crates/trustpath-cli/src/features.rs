//! The features of a pool as the engine takes them: of all rows or some, in memory or in their file.

use trustpath::{BlockSource, Features};
use trustpath_table::Pool;

use crate::error::Result;

/// Rows of a pool.
#[derive(Debug)]
pub struct Rows<'a> {
    pool: &'a Pool,
    /// Which rows; none means all.
    rows: Option<&'a [usize]>,
}

impl<'a> Rows<'a> {
    /// All rows.
    pub fn all(pool: &'a Pool) -> Self {
        Self { pool, rows: None }
    }

    /// These rows, each once and in ascending order.
    pub fn some(pool: &'a Pool, rows: &'a [usize]) -> Self {
        Self { pool, rows: (rows.len() < pool.rows()).then_some(rows) }
    }

    /// Their features, which are not copied: what is not in memory as it is needed is read in pieces.
    pub fn features(&self) -> Result<Features<'_>> {
        let rows = self.rows.map_or(self.pool.rows(), <[usize]>::len);
        let features = match (self.pool.features(), self.rows) {
            (Some(values), None) => Features::new(values, rows, self.pool.dims()),
            _ => Features::blocks(self, rows, self.pool.dims()),
        };
        Ok(features?)
    }
}

impl BlockSource for Rows<'_> {
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
    use trustpath_table::{PoolFile, npy};

    use super::*;

    const ROWS: usize = 40;
    const DIMS: usize = 3;

    /// The same pool in memory and in its file, and where that is.
    fn pools(spoil: impl Fn(&mut [f32])) -> (tempfile::TempDir, Pool, Pool) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pool.npy");
        let mut values: Vec<f32> = (0..ROWS * DIMS).map(|i| (i as f32).sin() + 1.5).collect();
        let write = |values: &[f32]| {
            let mut bytes = Vec::new();
            npy::write_f32(&mut bytes, &[ROWS, DIMS], values).unwrap();
            std::fs::write(&path, bytes).unwrap();
        };
        write(&values);
        let memory = PoolFile::new(&path).read().unwrap();
        spoil(&mut values);
        write(&values);
        let stored = PoolFile::new(&path).in_memory_up_to(0).read().unwrap();
        assert!(memory.features().is_some() && stored.features().is_none());
        (folder, memory, stored)
    }

    #[test]
    fn all_or_some_rows_are_the_same_from_memory_and_file() {
        let (_folder, memory, stored) = pools(|_| ());
        let whole = Rows::all(&memory).features().unwrap().normalize().unwrap();
        let found = Rows::all(&stored).features().unwrap().normalize().unwrap();
        assert_eq!(found.unit(), whole.unit());
        let some = [0, 1, 2, 7, 20, 21, 39];
        for pool in [&memory, &stored] {
            let rows = Rows::some(pool, &some);
            let found = rows.features().unwrap().normalize().unwrap();
            assert_eq!(found.unit(), whole_of(&memory, &some).unit());
        }
        let every: Vec<usize> = (0..ROWS).collect();
        assert!(Rows::some(&memory, &every).rows.is_none());
    }

    #[test]
    fn labels_and_audits_do_not_depend_on_where_the_features_are() {
        use trustpath::label::{LabelParams, Unwatched, label};
        let (_folder, memory, stored) = pools(|_| ());
        let given: Vec<Option<usize>> = (0..ROWS).map(|i| (i < 8).then_some(i % 2)).collect();
        let labelled = |pool| {
            let rows = Rows::all(pool);
            let params = LabelParams::default();
            label(&rows.features().unwrap(), &given, 2, &params, &mut Unwatched).unwrap()
        };
        // What is printed tells any two numbers apart.
        assert_eq!(format!("{:?}", labelled(&stored)), format!("{:?}", labelled(&memory)));
        let some: Vec<usize> = (0..ROWS).filter(|row| row % 5 != 1).collect();
        let labels: Vec<usize> = some.iter().map(|row| row / 3 % 2).collect();
        let audited = |pool| {
            let rows = Rows::some(pool, &some);
            trustpath::audit(&rows.features().unwrap(), &labels, 2).unwrap()
        };
        assert_eq!(format!("{:?}", audited(&stored)), format!("{:?}", audited(&memory)));
    }

    fn whole_of(pool: &Pool, rows: &[usize]) -> trustpath::Instances {
        let all = Rows::all(pool);
        all.features().unwrap().gather(rows.iter().copied()).unwrap()
    }

    #[test]
    fn what_is_not_finite_is_named_by_its_place_in_the_file() {
        let (folder, _, stored) = pools(|values| values[31 * DIMS + 2] = f32::NAN);
        let path = folder.path().join("pool.npy");
        for rows in [Rows::all(&stored), Rows::some(&stored, &[3, 30, 31, 33])] {
            let error = rows.features().unwrap().normalize().unwrap_err().to_string();
            let start = format!("feature 2 of row 31 in {} is NaN", path.display());
            assert!(error.starts_with(&start), "{error}");
        }
        Rows::some(&stored, &[3, 30, 33]).features().unwrap().normalize().unwrap();
    }
}
