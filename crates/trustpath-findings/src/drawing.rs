//! What the pages of labels and audits share: who is shown, the map and the path.

use trustpath::{Instances, MapParams, Matrix, Result, map_2d};
use trustpath_report::label_page::{ReportLine, ReportPath};

/// Instances that a page is made of, at most: far more than it has room for.
const MOST: usize = 20_000;
/// Twentieths of these for those that want a look, for given labels, and for the rest.
const SHARES: [usize; 3] = [11, 3, 6];

/// The instances that a page is made of: all, or of many a fair part.
#[derive(Debug)]
pub(crate) struct Shown {
    /// Their rows, ascending.
    pub rows: Vec<usize>,
}

impl Shown {
    /// Of `n` instances: those named `first`, and an even part of every tier, which is the number of a share.
    pub fn of(n: usize, first: &[usize], tier: impl Fn(usize) -> usize) -> Self {
        if n <= MOST {
            return Self { rows: (0..n).collect() };
        }
        let mut members = [0usize; SHARES.len()];
        (0..n).for_each(|row| members[tier(row)] += 1);
        let mut seen = [0usize; SHARES.len()];
        let mut rows: Vec<usize> = first.to_vec();
        for row in 0..n {
            let tier = tier(row);
            let (k, m) = (seen[tier], members[tier]);
            let quota = (MOST / 20 * SHARES[tier]).min(m);
            // The k-th of m is taken where k·quota/m passes a whole number.
            if (k + 1) * quota / m > k * quota / m {
                rows.push(row);
            }
            seen[tier] += 1;
        }
        rows.sort_unstable();
        rows.dedup();
        Self { rows }
    }

    /// The place of a row on the page.
    pub fn place(&self, row: usize) -> Option<usize> {
        self.rows.binary_search(&row).ok()
    }

    /// The places of those among `rows` that are there.
    pub fn places(&self, rows: impl Iterator<Item = usize>) -> Vec<usize> {
        rows.filter_map(|row| self.place(row)).collect()
    }

    /// Where they are on the map.
    pub fn map(&self, coordinates: &Instances) -> Result<Vec<[f32; 2]>> {
        let map = map_2d(&coordinates.gather(&self.rows), MapParams::default())?;
        Ok(map.iter_rows().map(|p| [p[0] as f32, p[1] as f32]).collect())
    }

    /// The lines of those that are part of the path; `followed` are the rows of the norms' columns.
    pub fn path(
        &self,
        lambda: &[f64],
        norms: &Matrix,
        followed: &[usize],
        part: impl Fn(usize) -> bool,
    ) -> ReportPath {
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
    fn of_many_a_fair_part_is_shown() {
        // A tenth wants a look, a hundredth is given.
        let tier =
            |row: usize| if row.is_multiple_of(10) { 0 } else { 1 + usize::from(row % 100 != 1) };
        let shown = Shown::of(1_000_000, &[77], tier);
        let of = |t: usize| shown.rows.iter().filter(|&&row| tier(row) == t).count();
        assert_eq!((of(0), of(1), of(2)), (11_000, 3_000, 6_001));
        assert!(shown.rows.is_sorted() && shown.place(77).is_some());
        assert_eq!(shown.place(shown.rows[5]), Some(5));
        assert_eq!(Shown::of(300, &[], |_| 0).rows.len(), 300);
    }
}
