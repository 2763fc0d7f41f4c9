//! One few-shot problem: which rows are labelled, which are not, and which are asked.

use crate::{Error, FeatureTable, Result, Setting};

/// Rows of a [`FeatureTable`] in the order in which they are presented, with their labels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rows<Label = usize> {
    /// Row numbers.
    pub rows: Vec<usize>,
    /// The label of each.
    pub labels: Vec<Label>,
}

impl<Label> Default for Rows<Label> {
    fn default() -> Self {
        Self { rows: Vec::new(), labels: Vec::new() }
    }
}

impl<Label> Rows<Label> {
    /// Adds a row.
    pub(crate) fn push(&mut self, row: usize, label: Label) {
        self.rows.push(row);
        self.labels.push(label);
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

/// A *c*-way *m*-shot episode. Labels count into `classes`, not into the table's classes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Episode {
    /// The classes of the table that take part.
    pub classes: Vec<usize>,
    /// The labelled rows, class after class.
    pub support: Rows,
    /// In the semi-supervised setting, the rows given without a label. Theirs is known here to
    /// judge by; a distractor, which is of none of the classes, has none.
    pub unlabeled: Rows<Option<usize>>,
    /// The rows whose labels are to be found.
    pub query: Rows,
}

impl Episode {
    /// The rows an algorithm may use without labels: none, the queries, or the unlabeled.
    pub fn pool(&self, setting: &Setting) -> &[usize] {
        match setting {
            Setting::Inductive => &[],
            Setting::Transductive => &self.query.rows,
            Setting::SemiSupervised { .. } => &self.unlabeled.rows,
        }
    }

    /// Checks that the episode, number `index` of its list, was drawn from this table.
    ///
    /// # Errors
    /// [`Error::EpisodeMismatch`] if a row is not in the table, is of another class than its label
    /// says, or occurs twice.
    pub fn check(&self, table: &FeatureTable, index: usize) -> Result<()> {
        let mismatch = |reason: String| Error::EpisodeMismatch {
            file: table.source().to_owned(),
            episode: index,
            reason,
        };
        let classes = table.class_names().len();
        if let Some(class) = self.classes.iter().find(|&&class| class >= classes) {
            return Err(mismatch(format!("it uses class {class} of {classes}")));
        }
        let labelled = [&self.support, &self.query].into_iter();
        let labelled =
            labelled.flat_map(|part| part.rows.iter().zip(part.labels.iter().map(|&l| Some(l))));
        let unlabeled = self.unlabeled.rows.iter().zip(self.unlabeled.labels.iter().copied());
        let mut seen = std::collections::HashSet::new();
        for (&row, label) in labelled.chain(unlabeled) {
            let Some(&class) = table.labels().get(row) else {
                return Err(mismatch(format!("it uses row {row} of {}", table.rows())));
            };
            let fits = match label {
                Some(label) => self.classes.get(label) == Some(&class),
                None => !self.classes.contains(&class),
            };
            if !fits {
                let name = &table.class_names()[class];
                return Err(mismatch(format!("row {row} is of class \"{name}\" here")));
            }
            if !seen.insert(row) {
                return Err(mismatch(format!("it uses row {row} twice")));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> FeatureTable {
        let names = ["a", "b", "c"].map(String::from).to_vec();
        FeatureTable::new(vec![0.0; 9], 1, vec![0, 0, 0, 1, 1, 1, 2, 2, 2], names, "t").unwrap()
    }

    fn episode() -> Episode {
        Episode {
            classes: vec![2, 0],
            support: Rows { rows: vec![6, 0], labels: vec![0, 1] },
            unlabeled: Rows { rows: vec![1, 4], labels: vec![Some(1), None] },
            query: Rows { rows: vec![8, 2], labels: vec![0, 1] },
        }
    }

    #[test]
    fn an_episode_of_this_table_passes() {
        episode().check(&table(), 0).unwrap();
    }

    #[test]
    fn an_episode_of_another_table_is_refused() {
        let changes: [fn(&mut Episode); 6] = [
            |e| e.classes[0] = 3,
            |e| e.query.rows[0] = 9,
            |e| e.query.labels[0] = 1,
            |e| e.query.labels[0] = 2,
            |e| e.unlabeled.labels[0] = None,
            |e| e.unlabeled.rows[0] = 2,
        ];
        for change in changes {
            let mut episode = episode();
            change(&mut episode);
            let error = episode.check(&table(), 5).unwrap_err();
            assert!(matches!(error, Error::EpisodeMismatch { episode: 5, .. }), "{error}");
        }
    }
}
