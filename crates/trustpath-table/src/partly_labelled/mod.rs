//! Tables of instances, some of which have labels: the input of labelling, auditing and prediction.

mod file;
mod given;
mod more;
mod origins;
mod rows;

use std::collections::HashMap;
use std::sync::Arc;

use crate::formats::raw::CarriedColumn;
use crate::labels::in_range;
use crate::missing::ReadingNote;
use crate::{Error, Result, Tasks};
pub use file::{IN_MEMORY, PartlyLabelledFile};
use origins::OriginWords;
use rows::FeatureStorage;

/// A feature vector and an id for each instance, and labels for some of them.
///
/// The features are in memory, or stay in their file and are [`read`](Self::read) from there.
#[derive(Debug, Clone)]
pub struct PartlyLabelledTable {
    features: FeatureStorage,
    dims: usize,
    columns: Option<Vec<String>>,
    ids: Vec<String>,
    labels: Vec<Option<usize>>,
    class_names: Vec<String>,
    origins: OriginWords,
    source: String,
    labels_source: String,
    carried: Vec<CarriedColumn>,
    notes: Vec<ReadingNote>,
    tasks: Option<Arc<Tasks>>,
}

impl PartlyLabelledTable {
    /// A table of `features` in row-major order, with an id for each row and a label for some, which
    /// is an index into `class_names`; errors call the table `source`.
    ///
    /// # Errors
    /// If there are no values, if they do not fill the rows or are not finite, if two ids are the
    /// same, or if a label has no name.
    pub fn new(
        features: Vec<f32>,
        dims: usize,
        ids: Vec<String>,
        labels: Vec<Option<usize>>,
        class_names: Vec<String>,
        source: impl Into<String>,
    ) -> Result<Self> {
        let source = source.into();
        let rows = ids.len();
        if rows == 0 || dims == 0 || rows.checked_mul(dims) != Some(features.len()) {
            let expected = "give at least one row with at least one feature, and an id for each row";
            return Err(Error::shape(&source, &[rows, dims], expected));
        }
        if labels.len() != rows {
            return Err(Error::label_count(&source, &source, labels.len(), rows));
        }
        let classes = class_names.len();
        let unnamed = |&(_, label): &(usize, &Option<usize>)| label.is_some_and(|l| l >= classes);
        if let Some((row, Some(label))) = labels.iter().enumerate().find(unnamed) {
            return Err(Error::label(&source, row, label, in_range(classes)));
        }
        check_unique(&ids, &source)?;
        check_finite(&features, dims, 0, None, &source)?;
        let features = FeatureStorage::InMemory(features);
        let labels_source = source.clone();
        let (columns, carried, notes, tasks) = (None, Vec::new(), Vec::new(), None);
        let origins = OriginWords::default();
        Ok(Self {
            features,
            dims,
            columns,
            ids,
            labels,
            class_names,
            origins,
            source,
            labels_source,
            carried,
            notes,
            tasks,
        })
    }

    /// All features in row-major order, if they are in memory; else see [`read`](Self::read).
    pub fn features(&self) -> Option<&[f32]> {
        match &self.features {
            FeatureStorage::InMemory(features) => Some(features),
            FeatureStorage::InFile(_) => None,
        }
    }

    /// Number of instances.
    pub fn rows(&self) -> usize {
        self.ids.len()
    }

    /// Number of features of each.
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// The names of the features, if the file has them.
    pub fn columns(&self) -> Option<&[String]> {
        self.columns.as_deref()
    }

    /// The id of each instance.
    pub fn ids(&self) -> &[String] {
        &self.ids
    }

    /// The class of each instance that has a label, as an index into [`class_names`](Self::class_names).
    pub fn labels(&self) -> &[Option<usize>] {
        &self.labels
    }

    /// The names of the classes that occur among the labels.
    pub fn class_names(&self) -> &[String] {
        &self.class_names
    }

    /// Where the features come from.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The columns that are passed on to the result.
    pub fn carried(&self) -> &[CarriedColumn] {
        &self.carried
    }

    /// What a user should know about how the table was read.
    pub fn notes(&self) -> &[ReadingNote] {
        &self.notes
    }

    /// The tasks of Label Studio that instances or labels were read from.
    pub fn tasks(&self) -> Option<&Arc<Tasks>> {
        self.tasks.as_ref()
    }

    /// The same table with the tasks that its images were read from.
    pub fn with_tasks(mut self, tasks: Option<Arc<Tasks>>) -> Self {
        self.tasks = tasks.or(self.tasks);
        self
    }

    /// The same table with other features, in row-major order: those of its texts ([`PartlyLabelledFile::text`]).
    ///
    /// # Errors
    /// If they do not fill the rows or are not finite.
    pub fn with_features(mut self, features: Vec<f32>, dims: usize) -> Result<Self> {
        if dims == 0 || self.rows().checked_mul(dims) != Some(features.len()) {
            let shape = [features.len(), dims];
            return Err(Error::shape(&self.source, &shape, "give one row of features per instance"));
        }
        check_finite(&features, dims, 0, None, &self.source)?;
        (self.features, self.dims) = (FeatureStorage::InMemory(features), dims);
        self.columns = None;
        Ok(self)
    }

    /// The same table with one more note for the user.
    pub fn with_note(mut self, note: ReadingNote) -> Self {
        self.notes.push(note);
        self
    }

    /// The same table without some notes.
    pub fn without_notes(mut self, left_out: impl Fn(&ReadingNote) -> bool) -> Self {
        self.notes.retain(|note| !left_out(note));
        self
    }

    /// The same table under another name, for features that were computed from something else.
    pub fn called(mut self, source: impl Into<String>) -> Self {
        let source = source.into();
        if self.labels_source == self.source {
            self.labels_source.clone_from(&source);
        }
        self.source = source;
        self
    }

    /// Checks that the labels are of at least two classes.
    ///
    /// # Errors
    /// [`Error::NoLabels`] if there are none, [`Error::OneClass`] if all are the same.
    pub fn check_labels(&self) -> Result<()> {
        let mut given = self.labels.iter().flatten();
        let Some(first) = given.next() else {
            let wanted = "label some instances of each class, in the label column or in a labels file";
            let texts = self.notes.iter().find_map(|note| match note {
                ReadingNote::TextColumns(names) => Some(names.iter().take(5)),
                _ => None,
            });
            let texts: Vec<String> = texts.into_iter().flatten().map(|n| format!("{n:?}")).collect();
            let remedy = if texts.is_empty() {
                format!("{wanted}{}", self.hint())
            } else {
                format!("{wanted}, or name the label column if it is {}", texts.join(" or "))
            };
            return Err(Error::no_labels(&self.labels_source, remedy));
        };
        if given.any(|label| label != first) {
            return Ok(());
        }
        let class = self.class_names[*first].clone();
        Err(Error::OneClass { file: self.labels_source.clone(), class, hint: self.hint() })
    }

    /// What may be wrong if there are too few labels.
    fn hint(&self) -> String {
        let markers = self.notes.iter().find_map(|note| match note {
            ReadingNote::Missing(markers) => markers.first(),
            _ => None,
        });
        markers.map_or_else(String::new, |(marker, labels)| {
            format!(" ({marker:?}, {labels} times, was read as a missing label; list the markers of missing labels if it is a class)")
        })
    }

    /// Checks that the features are those that a model was trained on: their number and, where both
    /// have names, the names and their order.
    ///
    /// # Errors
    /// [`Error::OtherFeatures`].
    pub fn check_features(&self, dims: usize, columns: Option<&[String]>) -> Result<()> {
        let other = |reason: String| Error::OtherFeatures { file: self.source.clone(), reason };
        if self.dims != dims {
            return Err(other(format!("it has {} features, the model {dims}", self.dims)));
        }
        let Some((here, there)) = self.columns.as_deref().zip(columns) else { return Ok(()) };
        match here.iter().zip(there).position(|(here, there)| here != there) {
            None => Ok(()),
            Some(k) => Err(other(format!("column {k} is {:?}, that of the model {:?}", here[k], there[k]))),
        }
    }
}

/// Refuses a value that is not finite, and names its place; `features` begin with row `first`.
pub fn check_finite(features: &[f32], dims: usize, first: usize, columns: Option<&[String]>, file: &str) -> Result<()> {
    let Some(place) = features.iter().position(|value| !value.is_finite()) else { return Ok(()) };
    let (row, column) = (first + place / dims, place % dims);
    let name = columns.and_then(|names| names.get(column));
    let column = name.map_or_else(|| column.to_string(), |name| format!("{name:?}"));
    Err(Error::NotFinite { file: file.to_owned(), row, column, value: features[place] })
}

fn check_unique(ids: &[String], source: &str) -> Result<()> {
    let mut rows = HashMap::with_capacity(ids.len());
    for (second, id) in ids.iter().enumerate() {
        if let Some(first) = rows.insert(id, second) {
            let (file, id) = (source.to_owned(), id.clone());
            return Err(Error::DuplicateId { file, id, first, second });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{refused, strings};

    #[test]
    fn impossible_tables_are_refused() {
        let names = || strings(&["a"]);
        let new = |features, dims, ids: &[&str], labels| {
            PartlyLabelledTable::new(features, dims, strings(ids), labels, names(), "p").unwrap_err()
        };
        assert!(matches!(new(vec![], 2, &[], vec![]), Error::Shape { .. }));
        assert!(matches!(new(vec![], 0, &["a"], vec![None]), Error::Shape { .. }));
        assert!(matches!(new(vec![1.0; 3], 2, &["a"], vec![None]), Error::Shape { .. }));
        assert!(matches!(new(vec![1.0; 2], 2, &["a"], vec![]), Error::LabelCount { .. }));
        assert!(matches!(new(vec![1.0; 2], 2, &["a"], vec![Some(1)]), Error::Label { .. }));
        let twice = new(vec![1.0; 4], 1, &["a", "b", "c", "b"], vec![None; 4]);
        assert!(matches!(twice, Error::DuplicateId { first: 1, second: 3, .. }), "{twice}");
        let nan = new(vec![1.0, f32::NAN], 1, &["a", "b"], vec![None; 2]);
        assert!(matches!(nan, Error::NotFinite { row: 1, .. }), "{nan}");
    }

    #[test]
    fn other_features_than_those_of_a_model_are_refused() {
        let mut table = PartlyLabelledTable::new(vec![1.0; 2], 2, strings(&["a"]), vec![None], vec![], "p").unwrap();
        let columns = strings(&["x", "y"]);
        table.check_features(2, Some(&columns)).unwrap();
        assert!(matches!(table.check_features(3, None), Err(Error::OtherFeatures { .. })));
        table.columns = Some(strings(&["x", "z"]));
        table.check_features(2, None).unwrap();
        let other = table.check_features(2, Some(&columns));
        refused(other, &["column 1 is \"z\", that of the model \"y\""]);
    }
}
