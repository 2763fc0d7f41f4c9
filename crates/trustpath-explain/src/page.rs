//! What the pages of labels and audits share: the rows shown, the map and the path.

use trustpath::{Instances, Matrix, Result};
use trustpath_report::label_page::{ReportLine, ReportPath};

use crate::map::{MapParams, map_2d};

/// The largest number of instances that a page is built from: far more than it has room for.
const MOST: usize = 20_000;
/// Twentieths of that number for instances worth checking, for given labels, and for the rest.
const SHARES: [usize; 3] = [11, 3, 6];

/// The instances that a page is built from: all, or a fair part of a large number.
#[derive(Debug)]
pub(crate) struct ShownRows {
    /// Their rows, ascending.
    pub rows: Vec<usize>,
}

impl ShownRows {
    /// Of `n` instances, those in `first` and an even part of every share; `share` is an index into [`SHARES`].
    pub fn choose(n: usize, first: &[usize], share: impl Fn(usize) -> usize) -> Self {
        if n <= MOST {
            return Self { rows: (0..n).collect() };
        }
        let mut members = [0usize; SHARES.len()];
        (0..n).for_each(|row| members[share(row)] += 1);
        let mut seen = [0usize; SHARES.len()];
        let mut rows: Vec<usize> = first.to_vec();
        for row in 0..n {
            let share = share(row);
            let (k, m) = (seen[share], members[share]);
            let quota = (MOST / 20 * SHARES[share]).min(m);
            // The k-th of m is taken where k·quota/m passes a whole number.
            if (k + 1) * quota / m > k * quota / m {
                rows.push(row);
            }
            seen[share] += 1;
        }
        rows.sort_unstable();
        rows.dedup();
        Self { rows }
    }

    /// The place of a row on the page.
    pub fn place(&self, row: usize) -> Option<usize> {
        self.rows.binary_search(&row).ok()
    }

    /// The places of those among `rows` that are shown.
    pub fn places(&self, rows: impl Iterator<Item = usize>) -> Vec<usize> {
        rows.filter_map(|row| self.place(row)).collect()
    }

    /// Their positions on the map.
    pub fn map(&self, coordinates: &Instances) -> Result<Vec<[f32; 2]>> {
        let map = map_2d(&coordinates.gather(&self.rows), MapParams::default())?;
        Ok(map.iter_rows().map(|p| [p[0] as f32, p[1] as f32]).collect())
    }

    /// The lines of those that are part of the path; `followed` are the rows of the columns of `norms`.
    pub fn path(&self, lambda: &[f64], norms: &Matrix, followed: &[usize], part: impl Fn(usize) -> bool) -> ReportPath {
        let columns = followed.iter().enumerate().filter(|(_, row)| part(**row));
        let lines = columns.filter_map(|(column, &row)| {
            let norms = (0..norms.rows()).map(|k| norms[(k, column)] as f32).collect();
            Some(ReportLine { instance: self.place(row)?, norms })
        });
        ReportPath { lambda: lambda.to_vec(), lines: lines.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fair_part_of_many_instances_is_shown() {
        // A tenth is worth checking, a hundredth is given.
        let share = |row: usize| if row.is_multiple_of(10) { 0 } else { 1 + usize::from(row % 100 != 1) };
        let shown = ShownRows::choose(1_000_000, &[77], share);
        let number = |s: usize| shown.rows.iter().filter(|&&row| share(row) == s).count();
        assert_eq!((number(0), number(1), number(2)), (11_000, 3_000, 6_001));
        assert!(shown.rows.is_sorted() && shown.place(77).is_some());
        assert_eq!(shown.place(shown.rows[5]), Some(5));
        assert_eq!(ShownRows::choose(300, &[], |_| 0).rows.len(), 300);
    }
}
