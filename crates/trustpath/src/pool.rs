//! What is known of the rows of a pool: which have a given label, which belong to no class, and which are to be labelled.

use std::collections::BTreeSet;

use trustpath_path::labels::check_labels;

use crate::groups::Groups;
use crate::{Error, Matrix, Result, choices};

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
            let mut groups = Groups::of(&pool.group);
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

/// Refuses a class that has no label.
pub(crate) fn check_support(labels: &[usize], classes: usize) -> Result<()> {
    let mut seen = vec![false; classes];
    labels.iter().for_each(|&label| seen[label] = true);
    match seen.iter().position(|seen| !seen) {
        Some(class) => Err(Error::ClassWithoutSupport { class }),
        None => Ok(()),
    }
}
