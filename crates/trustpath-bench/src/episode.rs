//! One few-shot problem: which rows are labelled, which are unlabeled, and which are to be classified.

use trustpath::{Features, Instances, Task};

use crate::{Error, FeatureTable, Result, Setting};

/// Rows of a [`FeatureTable`] in the order in which they are presented, with their labels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EpisodeRows<Label = usize> {
    /// Row numbers.
    pub rows: Vec<usize>,
    /// The label of each.
    pub labels: Vec<Label>,
}

impl<Label> Default for EpisodeRows<Label> {
    fn default() -> Self {
        Self { rows: Vec::new(), labels: Vec::new() }
    }
}

impl<Label: Copy> EpisodeRows<Label> {
    pub(crate) fn new(pairs: impl IntoIterator<Item = (usize, Label)>) -> Self {
        let (rows, labels) = pairs.into_iter().unzip();
        Self { rows, labels }
    }

    /// Every row with its label.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, Label)> {
        self.rows.iter().copied().zip(self.labels.iter().copied())
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

/// A *c*-way *m*-shot episode. Labels are positions in `classes`, not in the table's classes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Episode {
    /// The classes of the table that take part.
    pub classes: Vec<usize>,
    /// The labelled rows, class after class.
    pub support: EpisodeRows,
    /// In the semi-supervised setting, the rows given without a label. Their true labels are here for evaluation
    /// only; a distractor, which belongs to none of the classes, has none.
    pub unlabeled: EpisodeRows<Option<usize>>,
    /// The rows to be classified.
    pub query: EpisodeRows,
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

    /// What a method is given: the episode's instances, as [`gather`](crate::gather) returns them, and the labels of
    /// the support.
    pub fn task<'a>(&'a self, instances: &'a Instances, setting: &Setting) -> Task<'a> {
        Task {
            instances,
            labels: &self.support.labels,
            unlabeled: self.pool(setting).len(),
            classes: self.classes.len(),
            truth: Some(&self.query.labels),
        }
    }

    /// Checks that the episode, number `index` of its list, was drawn from this table.
    ///
    /// # Errors
    /// [`Error::EpisodeMismatch`] if a row is not in the table, is of another class than its label
    /// says, or occurs twice.
    pub fn check(&self, table: &FeatureTable, index: usize) -> Result<()> {
        let mismatch =
            |reason: String| Error::EpisodeMismatch { file: table.source().to_owned(), episode: index, reason };
        let classes = table.class_names().len();
        if let Some(class) = self.classes.iter().find(|&&class| class >= classes) {
            return Err(mismatch(format!("it uses class {class} of {classes}")));
        }
        let labelled = self.support.pairs().chain(self.query.pairs());
        let labelled = labelled.map(|(row, label)| (row, Some(label)));
        let mut seen = std::collections::HashSet::new();
        for (row, label) in labelled.chain(self.unlabeled.pairs()) {
            let Some(&class) = table.labels().get(row) else {
                return Err(mismatch(format!("it uses row {row} of {}", table.rows())));
            };
            let fits = match label {
                Some(label) => self.classes.get(label) == Some(&class),
                None => !self.classes.contains(&class),
            };
            if !fits {
                let name = &table.class_names()[class];
                return Err(mismatch(format!("row {row} belongs to class \"{name}\" there")));
            }
            if !seen.insert(row) {
                return Err(mismatch(format!("it uses row {row} twice")));
            }
        }
        Ok(())
    }
}

/// The instances of an episode in the order of the engine: labelled, unlabeled, and queries where they are apart.
///
/// # Errors
/// When a feature vector has no direction.
pub fn gather(features: &Features<'_>, episode: &Episode, setting: &Setting) -> Result<Instances> {
    let query: &[usize] = match setting {
        Setting::Transductive => &[],
        _ => &episode.query.rows,
    };
    let rows = episode.support.rows.iter().chain(episode.pool(setting)).chain(query);
    Ok(features.gather(rows.copied())?)
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
            support: EpisodeRows::new([(6, 0), (0, 1)]),
            unlabeled: EpisodeRows::new([(1, Some(1)), (4, None)]),
            query: EpisodeRows::new([(8, 0), (2, 1)]),
        }
    }

    #[test]
    fn an_episode_of_this_table_passes_and_one_of_another_table_is_refused() {
        episode().check(&table(), 0).unwrap();
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
