//! What is known of the rows of a pool: which have a given label, which belong to no class, and which are to be labelled.

use std::collections::BTreeSet;

use trustpath_path::labels::check_labels;

use crate::groups::RowGroups;
use crate::{Error, Matrix, Result, choices, random};

choices! {
    /// How it was decided that an instance gets a label.
    #[derive(Default)]
    pub enum Origin("origin") {
        /// Nobody says: the label is taken to be one of a random part of the pool.
        #[default]
        Unknown = "unknown",
        /// The instance was drawn at random.
        Random = "random",
        /// The instance was chosen for what it is: suggested because its label helps most, or picked by a person.
        Chosen = "chosen",
    }
}

/// Rows that take part in labelling. Positions count the rows with a given label first, then the open ones; in an
/// episode they are the row numbers.
#[derive(Debug, Clone, Copy)]
pub struct Labels<'a> {
    /// Rows with a given label.
    pub given: &'a [usize],
    /// Their labels.
    pub labels: &'a [usize],
    /// Rows to be labelled.
    pub open: &'a [usize],
    /// Number of classes.
    pub classes: usize,
}

impl Labels<'_> {
    /// The row at a position.
    #[doc(hidden)]
    pub fn row(&self, position: usize) -> usize {
        match position.checked_sub(self.given.len()) {
            None => self.given[position],
            Some(at) => self.open[at],
        }
    }

    /// Given labels, then these labels of the open rows: one for every position.
    #[doc(hidden)]
    pub fn all_labels(&self, labels: &[usize]) -> Vec<usize> {
        [self.labels, labels].concat()
    }

    /// The leading `dims` coordinates of the rows at these positions.
    #[doc(hidden)]
    pub fn gather(&self, x: &Matrix, dims: usize, positions: &[usize]) -> Matrix {
        Matrix::from_fn(positions.len(), dims, |i, j| x[(self.row(positions[i]), j)])
    }
}

/// A pool: the rows with a given label, those that a person has found to belong to no class, and those to be labelled.
#[derive(Debug, Clone)]
pub(crate) struct Pool {
    /// Number of rows.
    pub rows: usize,
    /// Rows with a given label, ascending.
    pub given: Vec<usize>,
    /// Their labels.
    pub labels: Vec<usize>,
    /// How each of them came to have a label.
    pub origin: Vec<Origin>,
    /// The group of every row: rows of a group are copies of each other, or otherwise not independent. Each row is its own group if empty.
    pub group: Vec<usize>,
    /// Rows that a person has found to belong to no class, ascending.
    pub none: Vec<usize>,
    /// The other rows, ascending.
    pub open: Vec<usize>,
    /// Number of classes.
    pub classes: usize,
    /// The number of each row in the pool that these are a part of; empty where they are the whole pool.
    numbers: Vec<usize>,
}

impl Pool {
    /// A pool with these labels, and rows that were found to belong to no class.
    ///
    /// # Errors
    /// When labels and rows differ in number, a label is out of range, a class has none, or a row that belongs to no class has a label or
    /// does not exist.
    pub fn new(labels: &[Option<usize>], none: &[usize], rows: usize, classes: usize) -> Result<Self> {
        if labels.len() != rows {
            return Err(Error::LabelCount { labels: labels.len(), rows });
        }
        let mut is_none = vec![false; rows];
        for &row in none {
            if row >= rows {
                return Err(Error::RowOutOfRange { row, rows });
            }
            if labels[row].is_some() {
                let expected = "the same row has a label: give it only one of the two";
                return Err(Error::parameter("none_of_these", row, expected));
            }
            is_none[row] = true;
        }
        let rows_where = |of: &dyn Fn(usize) -> bool| (0..rows).filter(|&row| of(row)).collect();
        let pool = Self {
            rows,
            given: rows_where(&|row| labels[row].is_some()),
            labels: labels.iter().flatten().copied().collect(),
            origin: vec![Origin::Unknown; labels.iter().flatten().count()],
            group: Vec::new(),
            open: rows_where(&|row| labels[row].is_none() && !is_none[row]),
            none: rows_where(&|row| is_none[row]),
            classes,
            numbers: Vec::new(),
        };
        check_labels(&pool.labels, pool.labels.len(), classes)?;
        check_support(&pool.labels, classes)?;
        Ok(pool)
    }

    /// With the origin of the label of every row; all unknown if empty.
    pub fn with_origins(mut self, origins: &[Origin]) -> Result<Self> {
        if !origins.is_empty() {
            self.check_rows("origins", origins.len())?;
            self.origin = self.given.iter().map(|&row| origins[row]).collect();
        }
        Ok(self)
    }

    /// With the group of every row; each is its own if empty.
    pub fn with_groups(mut self, groups: &[usize]) -> Result<Self> {
        if !groups.is_empty() {
            self.check_rows("groups", groups.len())?;
            self.group = groups.to_vec();
        }
        Ok(self)
    }

    /// The same pool, where near-copies are in one group too.
    pub fn with_copies(&self, copies: &[usize]) -> Self {
        let mut pool = self.clone();
        if !copies.is_empty() && pool.group.is_empty() {
            pool.group = copies.to_vec();
        } else if !copies.is_empty() {
            let mut groups = RowGroups::of(&pool.group);
            copies.iter().enumerate().for_each(|(row, &other)| groups.unite(row, other));
            pool.group = groups.first_of_all();
        }
        pool
    }

    /// Some of the rows, with these labels and these that belong to no class.
    pub fn part(&self, rows: &[usize], labels: &[Option<usize>], none: &[usize]) -> Result<Self> {
        let mut part = Self::new(labels, none, rows.len(), self.classes)?;
        let origin = |&row: &usize| self.origin[self.given.partition_point(|&given| given < row)];
        part.origin = part.given.iter().map(|&place| origin(&rows[place])).collect();
        part.group = if self.group.is_empty() { Vec::new() } else { rows.iter().map(|&row| self.group[row]).collect() };
        part.numbers = rows.to_vec();
        Ok(part)
    }

    fn check_rows(&self, name: &'static str, given: usize) -> Result<()> {
        let expected = "give one value for every instance";
        if given == self.rows { Ok(()) } else { Err(Error::parameter(name, given, expected)) }
    }

    /// The group of a row.
    pub fn group_of(&self, row: usize) -> usize {
        self.group.get(row).copied().unwrap_or(row)
    }

    /// Whether the given label at this place says what labels of the pool are like.
    pub fn calibrates(&self, at: usize) -> bool {
        self.origin[at] != Origin::Chosen
    }

    /// The open rows that come next in the random order of the pool, at most so many.
    pub fn next_random(&self, seed: u64, at_most: usize) -> Vec<usize> {
        let mut rows = self.open.clone();
        rows.sort_by_cached_key(|&row| hash(seed, self.numbers.get(row).copied().unwrap_or(row)));
        rows.truncate(at_most);
        rows
    }

    /// How many labels are of each origin.
    pub fn origin_counts(&self) -> [usize; Origin::ALL.len()] {
        Origin::ALL.map(|origin| self.origin.iter().filter(|other| **other == origin).count())
    }

    /// Whether the labels that calibrate are known to be drawn at random.
    pub fn is_random_sample(&self) -> bool {
        let mut calibrating = self.origin.iter().filter(|&&origin| origin != Origin::Chosen).peekable();
        calibrating.peek().is_some() && calibrating.all(|&origin| origin == Origin::Random)
    }

    /// Those of the rows that no row with a given label shares its group with; all if there are none.
    pub fn without_copies(&self, rows: &[usize]) -> Vec<usize> {
        let labelled: BTreeSet<usize> = self.given.iter().map(|&row| self.group_of(row)).collect();
        let others: Vec<usize> = rows.iter().copied().filter(|&row| !labelled.contains(&self.group_of(row))).collect();
        if others.is_empty() { rows.to_vec() } else { others }
    }

    /// The given labels, where these rows are to be labelled.
    pub fn with_open<'a>(&'a self, open: &'a [usize]) -> Labels<'a> {
        Labels { given: &self.given, labels: &self.labels, open, classes: self.classes }
    }

    /// Whether each row has a given label.
    pub fn is_given(&self) -> Vec<bool> {
        let mut is_given = vec![false; self.rows];
        self.given.iter().for_each(|&row| is_given[row] = true);
        is_given
    }

    /// The label of each row that has one.
    pub fn given_labels(&self) -> Vec<Option<usize>> {
        let mut labels = vec![None; self.rows];
        self.given.iter().zip(&self.labels).for_each(|(&row, &label)| labels[row] = Some(label));
        labels
    }

    /// Values of the open rows in the order of all rows, of which the others have this value.
    pub fn by_row<T: Copy>(&self, of_open: &[T], others: T) -> Vec<T> {
        let mut values = vec![others; self.rows];
        self.open.iter().zip(of_open).for_each(|(&row, &value)| values[row] = value);
        values
    }
}

/// The hash of a row, by which rows are drawn.
pub(crate) fn hash(seed: u64, row: usize) -> u64 {
    random::mix(seed.wrapping_add((row as u64).wrapping_mul(random::GOLDEN)))
}

/// All rows of a pool in a random order that the seed gives. Suggestions that are [`Origin::Random`] follow it, so that the rows that were
/// suggested are at any time drawn at random.
pub fn random_order(seed: u64, rows: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rows).collect();
    order.sort_by_cached_key(|&row| hash(seed, row));
    order
}

/// Refuses a class that has no label.
pub(crate) fn check_support(labels: &[usize], classes: usize) -> Result<()> {
    let mut seen = vec![false; classes];
    labels.iter().for_each(|&label| seen[label] = true);
    match seen.iter().position(|seen| !seen) {
        Some(class) => Err(Error::ClassWithoutSupport { class }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten rows, of which rows 3 and 7 have a label.
    fn pool() -> Pool {
        let mut labels = vec![None; 10];
        (labels[3], labels[7]) = (Some(0), Some(1));
        Pool::new(&labels, &[5], 10, 2).unwrap()
    }

    #[test]
    fn random_rows_follow_a_fixed_order() {
        let order: Vec<usize> = random_order(4, 10).into_iter().filter(|row| ![3, 5, 7].contains(row)).collect();
        assert_eq!(pool().next_random(4, 7), order);
        assert_eq!(pool().next_random(4, 2), order[..2]);
        // A part of the pool has the order of the pool.
        let rows = [0, 2, 3, 7, 8, 9];
        let part = pool().part(&rows, &[None, None, Some(0), Some(1), None, None], &[]).unwrap();
        let of_part: Vec<usize> = part.next_random(4, 9).into_iter().map(|place| rows[place]).collect();
        assert_eq!(of_part, order.into_iter().filter(|row| rows.contains(row)).collect::<Vec<usize>>());
    }

    #[test]
    fn every_open_row_is_equally_likely_to_be_random() {
        const DRAWS: u64 = 14_000;
        let mut counts = [0usize; 10];
        (0..DRAWS).for_each(|seed| pool().next_random(seed, 1).into_iter().for_each(|row| counts[row] += 1));
        for row in 0..10 {
            // 2000 of each of seven rows, with a standard deviation of 41.
            let expected = if [3, 5, 7].contains(&row) { 0..1 } else { 1800..2200 };
            assert!(expected.contains(&counts[row]), "{counts:?}");
        }
    }
}
