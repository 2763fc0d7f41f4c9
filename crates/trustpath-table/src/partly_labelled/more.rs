//! Instances that are added to a pool, and labels that are added to instances.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::given::{GivenLabels, MatchedLabels, counts};
use super::rows::FeatureStorage;
use super::{PartlyLabelledTable, check_unique};
use crate::formats::raw::ReadOptions;
use crate::labels::{FileLabels, read_labels};
use crate::missing::MissingLabels;
use crate::{Error, Result};

impl PartlyLabelledTable {
    /// All features in row-major order, also those that stay in their file.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn all_features(&self) -> Result<Vec<f32>> {
        let mut values = vec![0.0; self.rows() * self.dims];
        self.read(0, &mut values)?;
        Ok(values)
    }

    /// This pool followed by further instances. Classes are those of both. Instances whose ids are their row numbers,
    /// and taken, are numbered on. Columns that are passed on to the result are those of the further instances.
    ///
    /// # Errors
    /// If they have other features, or an id of this pool.
    pub fn with_more(self, more: Self) -> Result<Self> {
        more.check_features(self.dims, self.columns.as_deref())?;
        let (before, rows) = (self.rows(), self.rows() + more.rows());
        let source = format!("{} and {}", self.source, more.source);
        let taken: HashSet<&String> = self.ids.iter().collect();
        let numbered = counts(&more.ids, more.rows()) && more.ids.iter().any(|id| taken.contains(id));
        let added: Vec<String> =
            if numbered { (before..rows).map(|row| row.to_string()).collect() } else { more.ids.clone() };
        let ids = [self.ids.clone(), added].concat();
        check_unique(&ids, &source)?;
        let mut carried = more.carried.clone();
        for column in &mut carried {
            column.texts.splice(0..0, vec![None; before]);
        }
        let labels: Vec<String> = self.label_texts().chain(more.label_texts()).collect();
        let table = Self {
            features: FeatureStorage::InMemory([self.all_features()?, more.all_features()?].concat()),
            columns: self.columns.or(more.columns),
            labels: vec![None; rows],
            class_names: Vec::new(),
            origins: self.origins.followed_by(&more.origins, before, rows - before),
            labels_source: source.clone(),
            source,
            carried,
            notes: more.notes,
            tasks: more.tasks,
            dims: self.dims,
            ids,
        };
        table.with_labels(labels)
    }

    /// The table without some of its rows, which have no labels; features that stay in their file are read.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn without(self, rows: &[usize]) -> Result<Self> {
        let gone: HashSet<usize> = rows.iter().copied().collect();
        let left: Vec<usize> = (0..self.rows()).filter(|row| !gone.contains(row)).collect();
        let mut features = vec![0.0; left.len() * self.dims];
        self.gather(&left, &mut features)?;
        let mut carried = self.carried;
        for column in &mut carried {
            column.texts = left.iter().map(|&row| column.texts[row].take()).collect();
        }
        Ok(Self {
            features: FeatureStorage::InMemory(features),
            labels: left.iter().map(|&row| self.labels[row]).collect(),
            ids: left.iter().map(|&row| self.ids[row].clone()).collect(),
            origins: self.origins.of(&left),
            carried,
            ..self
        })
    }

    /// The same table with the labels of a file for some of its instances, which replace those that these had.
    ///
    /// # Errors
    /// If the file cannot be read, or names an instance that does not exist.
    pub fn with_labels_of(
        self,
        path: &Path,
        label: Option<&str>,
        id: Option<&str>,
        missing: &MissingLabels,
    ) -> Result<Self> {
        let options = ReadOptions { label, id, ..ReadOptions::default() };
        let given = self.matched(path, options, missing, "give the columns id and label")?;
        let name = |label: &Option<usize>| label.map(|class| given.class_names[class].clone());
        let labels = given.labels.iter().zip(self.label_texts()).map(|(new, old)| name(new).unwrap_or(old)).collect();
        let replaced = given.labels.iter().map(Option::is_some);
        let origins = self.origins.replaced_by(&given.origins, replaced);
        let mut table = Self { origins, ..self }.with_labels(labels)?;
        table.notes.extend(given.notes);
        Ok(table)
    }

    /// Reads the labels that a person has checked: the row of each instance, and the class that is right. The file is
    /// one of labels, with an id (or the row number) and a label for each instance that was checked, or one label per
    /// row, empty where it was not.
    ///
    /// # Errors
    /// If the file cannot be read, names an instance that does not exist or two labels for one, or has a label for an
    /// instance without a given label, or one that no given label is.
    pub fn read_verified(&self, path: &Path) -> Result<Vec<(usize, usize)>> {
        let remedy = "give the columns id and label, one row for each label that was checked";
        let matched = self.matched(path, ReadOptions::default(), &MissingLabels::default(), remedy)?;
        let file = matched.source;
        let places: HashMap<&String, usize> = self.class_names.iter().zip(0..).collect();
        let mut answers = Vec::new();
        for (row, class) in matched.labels.iter().enumerate() {
            let Some(class) = class else { continue };
            let name = &matched.class_names[*class];
            let id = &self.ids[row];
            let Some(&class) = places.get(name) else {
                let reason = format!(
                    "it says that {id:?} is {name:?}, but no label of {} is; write the label as it is written there, or give an instance of that class its label first",
                    self.labels_source
                );
                return Err(Error::Verified { file, reason });
            };
            if self.labels[row].is_none() {
                let reason = format!(
                    "it has an answer for {id:?}, which has no label in {} that could be checked; leave it out, or add it to the labels",
                    self.labels_source
                );
                return Err(Error::Verified { file, reason });
            }
            answers.push((row, class));
        }
        if answers.is_empty() {
            return Err(Error::no_labels(file, "give the id and the right label of at least one instance"));
        }
        Ok(answers)
    }

    /// The labels that a file has for instances of this table; `hint` says what to do if it has none.
    fn matched(&self, path: &Path, options: ReadOptions, missing: &MissingLabels, hint: &str) -> Result<MatchedLabels> {
        let given = GivenLabels::of_file(read_labels(path, options)?, path, hint)?;
        given.match_to(Some(self.ids.clone()), self.rows(), &self.source, missing)
    }

    /// The name of the label of each instance, empty where there is none.
    fn label_texts(&self) -> impl Iterator<Item = String> + '_ {
        let name = |label: &Option<usize>| label.map_or("", |class| &self.class_names[class]);
        self.labels.iter().map(move |label| name(label).to_owned())
    }

    /// With these labels, whose classes are numbered as those of a file.
    fn with_labels(mut self, labels: Vec<String>) -> Result<Self> {
        let given = GivenLabels::of_rows(FileLabels::Texts(labels), self.labels_source.clone());
        // What means that there is no label was decided when the labels were read.
        let none = MissingLabels::only([""; 0]);
        let (ids, rows) = (std::mem::take(&mut self.ids), self.labels.len());
        let matched = given.match_to(Some(ids), rows, &self.source, &none)?;
        (self.ids, self.labels, self.class_names) = (matched.ids, matched.labels, matched.class_names);
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Folder, refused, strings};

    fn table(ids: &[&str], labels: &[Option<usize>], names: &[&str]) -> PartlyLabelledTable {
        let features = (0..2 * ids.len()).map(|at| at as f32 + 1.0).collect();
        PartlyLabelledTable::new(features, 2, strings(ids), labels.to_vec(), strings(names), "p").unwrap()
    }

    #[test]
    fn pools_are_joined_and_classes_are_numbered_as_in_one_file() {
        let old = table(&["0", "1", "2"], &[Some(1), None, Some(0)], &["gull", "tern"]);
        let new = table(&["0", "1"], &[Some(0), None], &["auk"]);
        let both = old.clone().with_more(new).unwrap();
        assert_eq!(both.ids(), ["0", "1", "2", "3", "4"]);
        assert_eq!(both.class_names(), ["auk", "gull", "tern"]);
        assert_eq!(both.labels(), [Some(2), None, Some(1), Some(0), None]);
        assert_eq!(both.features().unwrap()[6..8], [1.0, 2.0]);
        let numbers = table(&["a", "b", "c"], &[Some(0), Some(1), Some(2)], &["10", "9", "2"]);
        assert_eq!(numbers.clone().with_more(table(&["d"], &[None], &[])).unwrap().class_names(), ["2", "9", "10"]);
        refused(numbers.with_more(table(&["b"], &[None], &[])), &["\"b\" twice"]);
        let wide = PartlyLabelledTable::new(vec![1.0; 3], 3, strings(&["x"]), vec![None], vec![], "w").unwrap();
        refused(old.with_more(wide), &["w", "3 features, the model 2"]);
    }

    #[test]
    fn rows_are_left_out_everywhere() {
        let all = table(&["a", "b", "c"], &[Some(1), None, Some(0)], &["gull", "tern"]);
        let left = all.without(&[1]).unwrap();
        assert_eq!((left.ids(), left.labels()), (&strings(&["a", "c"])[..], &[Some(1), Some(0)][..]));
        assert_eq!(left.features().unwrap(), [1.0, 2.0, 5.0, 6.0]);
    }

    #[test]
    fn labels_of_a_file_replace_others() {
        let folder = Folder::new();
        let path = folder.file("more.csv", "id,label\n4,tern\n0,wren\n");
        let old = table(&["0", "1", "2"], &[Some(1), None, Some(0)], &["gull", "tern"]);
        let both = old.with_more(table(&["0", "1"], &[None, None], &[])).unwrap();
        let usual = MissingLabels::usual();
        let labelled = both.clone().with_labels_of(&path, None, None, &usual).unwrap();
        assert_eq!(labelled.class_names(), ["gull", "tern", "wren"]);
        assert_eq!(labelled.labels(), [Some(2), None, Some(0), None, Some(1)]);
        folder.file("more.csv", "id,label\n9,tern\n");
        refused(both.with_labels_of(&path, None, None, &usual), &["more.csv has a label for \"9\""]);
    }

    fn birds() -> PartlyLabelledTable {
        table(&["p", "q", "r"], &[Some(0), Some(1), None], &["auk", "tern"]).called("pool.csv")
    }

    fn verified(text: &str) -> Result<Vec<(usize, usize)>> {
        birds().read_verified(&Folder::new().file("checked.csv", text))
    }

    #[test]
    fn answers_are_matched_by_id_or_by_row() {
        assert_eq!(verified("id,label\nq,auk\np,auk\n").unwrap(), [(0, 0), (1, 0)]);
        assert_eq!(verified("label\n\ntern\n\n").unwrap(), [(1, 1)]);
    }

    #[test]
    fn nonsense_is_refused_by_name() {
        refused(verified("id,label\nz,auk\n"), &["checked.csv", "\"z\"", "pool.csv"]);
        refused(verified("id,label\np,gull\n"), &["checked.csv", "\"p\" is \"gull\""]);
        refused(verified("id,label\nr,auk\n"), &["checked.csv", "\"r\", which has no label"]);
        refused(verified("id,label\np,auk\np,tern\n"), &["checked.csv", "both"]);
        refused(verified("id,label\np,\n"), &["checked.csv", "at least one"]);
        refused(verified("id,colour\np,red\n"), &["checked.csv"]);
        refused(birds().read_verified(Path::new("nowhere.csv")), &["nowhere.csv"]);
    }
}
