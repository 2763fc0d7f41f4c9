//! A pool: instances of which some have labels. What is labelled, audited and predicted.

mod file;
mod given;
mod held;

use std::collections::HashMap;

use crate::table::check_finite;
use crate::{Error, Result};
pub use file::{IN_MEMORY, PoolFile};
use held::Held;

/// One feature vector and one id for each instance, and for some a label.
///
/// The features are in memory, or stay in their file and are [`read`](Self::read) from there.
#[derive(Debug, Clone)]
pub struct Pool {
    features: Held,
    dims: usize,
    columns: Option<Vec<String>>,
    ids: Vec<String>,
    labels: Vec<Option<usize>>,
    class_names: Vec<String>,
    source: String,
    labels_source: String,
}

impl Pool {
    /// A pool of `features`, row after row, with an id and perhaps a label for each, which counts
    /// into `class_names`; `source` is what errors call it.
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
            return Err(Error::Shape {
                file: source,
                found: vec![rows, dims],
                expected: "give at least one row with at least one feature, and an id for each row",
            });
        }
        if labels.len() != rows {
            let labels_file = source.clone();
            let labels = labels.len();
            return Err(Error::LabelCount { file: source, labels_file, labels, rows });
        }
        if let Some((row, label)) = labels
            .iter()
            .enumerate()
            .find_map(|(row, label)| label.filter(|&l| l >= class_names.len()).map(|l| (row, l)))
        {
            return Err(Error::Label {
                file: source,
                row,
                value: label.to_string(),
                expected: format!("it must lie in 0..{} to have a name", class_names.len()),
            });
        }
        check_unique(&ids, &source)?;
        check_finite(&features, dims, 0, None, &source)?;
        let features = Held::Memory(features);
        let labels_source = source.clone();
        let columns = None;
        Ok(Self { features, dims, columns, ids, labels, class_names, source, labels_source })
    }

    /// All features, row after row, if they are in memory; else see [`read`](Self::read).
    pub fn features(&self) -> Option<&[f32]> {
        match &self.features {
            Held::Memory(features) => Some(features),
            Held::Stored(_) => None,
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

    /// The names of the features, where the file names them.
    pub fn columns(&self) -> Option<&[String]> {
        self.columns.as_deref()
    }

    /// What each instance is called.
    pub fn ids(&self) -> &[String] {
        &self.ids
    }

    /// The class of each instance that has a label, counting into
    /// [`class_names`](Self::class_names).
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

    /// The same pool under another name, as where its features were made from something else.
    pub fn called(mut self, source: impl Into<String>) -> Self {
        let source = source.into();
        if self.labels_source == self.source {
            self.labels_source.clone_from(&source);
        }
        self.source = source;
        self
    }

    /// Says what is wrong with the labels, if they do not tell two classes apart.
    ///
    /// # Errors
    /// [`Error::NoLabels`] if there are none, [`Error::OneClass`] if all are the same.
    pub fn check_labels(&self) -> Result<()> {
        let mut given = self.labels.iter().flatten();
        let Some(first) = given.next() else {
            return Err(Error::NoLabels {
                file: self.labels_source.clone(),
                remedy:
                    "label some instances of each class, in a column \"label\" or in a labels file"
                        .into(),
            });
        };
        if given.any(|label| label != first) {
            return Ok(());
        }
        let class = self.class_names[*first].clone();
        Err(Error::OneClass { file: self.labels_source.clone(), class })
    }

    /// Says how the features differ from those a model was trained on: their number, and where both
    /// have names, the names and their order.
    ///
    /// # Errors
    /// [`Error::OtherFeatures`].
    pub fn check_features(&self, dims: usize, columns: Option<&[String]>) -> Result<()> {
        let other = |reason: String| Error::OtherFeatures { file: self.source.clone(), reason };
        if self.dims != dims {
            return Err(other(format!("{} where it has {dims}", self.dims)));
        }
        let Some((here, there)) = self.columns.as_deref().zip(columns) else { return Ok(()) };
        match here.iter().zip(there).position(|(here, there)| here != there) {
            None => Ok(()),
            Some(k) => {
                Err(other(format!("column {k} is \"{}\" where it has \"{}\"", here[k], there[k])))
            }
        }
    }
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

    fn strings(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|&t| t.into()).collect()
    }

    fn pool(labels: &[Option<usize>]) -> Result<Pool> {
        let ids = (0..labels.len()).map(|i| i.to_string()).collect();
        let features = vec![1.0; 2 * labels.len()];
        Pool::new(features, 2, ids, labels.to_vec(), strings(&["a", "b"]), "p")
    }

    #[test]
    fn impossible_pools_are_refused() {
        let names = || strings(&["a"]);
        let new = |features, dims, ids: &[&str], labels| {
            Pool::new(features, dims, strings(ids), labels, names(), "p").unwrap_err()
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
    fn labels_must_tell_two_classes_apart() {
        pool(&[Some(0), None, Some(1)]).unwrap().check_labels().unwrap();
        let none = pool(&[None, None]).unwrap().check_labels().unwrap_err();
        assert!(matches!(none, Error::NoLabels { .. }), "{none}");
        let one = pool(&[None, Some(1), Some(1)]).unwrap().check_labels().unwrap_err();
        assert!(one.to_string().contains("every label in p is \"b\""), "{one}");
    }

    #[test]
    fn a_model_can_tell_other_features() {
        let mut pool = pool(&[None]).unwrap();
        let columns = strings(&["x", "y"]);
        pool.check_features(2, Some(&columns)).unwrap();
        assert!(matches!(pool.check_features(3, None), Err(Error::OtherFeatures { .. })));
        pool.columns = Some(strings(&["x", "z"]));
        pool.check_features(2, None).unwrap();
        let error = pool.check_features(2, Some(&columns)).unwrap_err().to_string();
        assert!(error.contains("column 1 is \"z\" where it has \"y\""), "{error}");
    }
}
