//! Rows that belong together, directly or through others.

use std::collections::BTreeMap;

/// RowGroups of rows, which grow together.
#[derive(Debug)]
pub(crate) struct RowGroups(Vec<usize>);

impl RowGroups {
    /// So many rows, each by itself.
    pub fn new(rows: usize) -> Self {
        Self((0..rows).collect())
    }

    /// Rows of which those with the same number are together.
    pub fn of(numbers: &[usize]) -> Self {
        let mut groups = Self::new(numbers.len());
        let mut first = BTreeMap::new();
        for (row, &number) in numbers.iter().enumerate() {
            let other = *first.entry(number).or_insert(row);
            groups.unite(row, other);
        }
        groups
    }

    /// The first row of the group of a row; the way to it becomes shorter.
    pub fn first(&mut self, mut row: usize) -> usize {
        while self.0[row] != row {
            self.0[row] = self.0[self.0[row]];
            row = self.0[row];
        }
        row
    }

    /// Puts two rows, and all that are together with them, into one group.
    pub fn unite(&mut self, a: usize, b: usize) {
        let (a, b) = (self.first(a), self.first(b));
        self.0[a.max(b)] = a.min(b);
    }

    /// The first row of the group of every row.
    pub fn first_of_all(mut self) -> Vec<usize> {
        (0..self.0.len()).map(|row| self.first(row)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_together_through_others() {
        let mut groups = RowGroups::new(6);
        groups.unite(4, 5);
        groups.unite(1, 4);
        assert_eq!(groups.first_of_all(), [0, 1, 2, 3, 1, 1]);
        assert_eq!(RowGroups::of(&[7, 2, 7, 2, 0]).first_of_all(), [0, 1, 0, 1, 4]);
    }
}
