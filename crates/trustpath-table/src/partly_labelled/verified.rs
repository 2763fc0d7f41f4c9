//! Labels that a person has checked, for some of the instances of a table.

use std::collections::HashMap;
use std::path::Path;

use super::PartlyLabelledTable;
use crate::formats::raw::ReadOptions;
use crate::missing::MissingLabels;
use crate::{Error, Result};

impl PartlyLabelledTable {
    /// Reads the labels that a person has checked: the row of each instance, and the class that is right. The file is
    /// one of labels, with an id (or the row number) and a label for each instance that was checked, or one label per
    /// row, empty where it was not.
    ///
    /// # Errors
    /// If the file cannot be read, names an instance that does not exist or two labels for one, or has a label for an
    /// instance without a given label, or one that no given label is.
    pub fn read_verified(&self, path: &Path) -> Result<Vec<(usize, usize)>> {
        let remedy = "give the columns id and label, one row for each label that was checked";
        let matched = self.match_file(path, ReadOptions::default(), &MissingLabels::default(), remedy)?;
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{refused, strings};

    fn table() -> PartlyLabelledTable {
        let (ids, names) = (strings(&["p", "q", "r"]), strings(&["auk", "tern"]));
        let labels = vec![Some(0), Some(1), None];
        PartlyLabelledTable::new(vec![1.0; 6], 2, ids, labels, names, "pool.csv").unwrap()
    }

    fn read(text: &str) -> Result<Vec<(usize, usize)>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("checked.csv");
        std::fs::write(&path, text).unwrap();
        table().read_verified(&path)
    }

    #[test]
    fn answers_are_matched_by_id_or_by_row() {
        assert_eq!(read("id,label\nq,auk\np,auk\n").unwrap(), [(0, 0), (1, 0)]);
        assert_eq!(read("label\n\ntern\n\n").unwrap(), [(1, 1)]);
    }

    #[test]
    fn nonsense_is_refused_by_name() {
        refused(read("id,label\nz,auk\n"), &["checked.csv", "\"z\"", "pool.csv"]);
        refused(read("id,label\np,gull\n"), &["checked.csv", "\"p\" is \"gull\""]);
        refused(read("id,label\nr,auk\n"), &["checked.csv", "\"r\", which has no label"]);
        refused(read("id,label\np,auk\np,tern\n"), &["checked.csv", "both"]);
        refused(read("id,label\np,\n"), &["checked.csv", "at least one"]);
        refused(read("id,colour\np,red\n"), &["checked.csv"]);
        refused(table().read_verified(Path::new("nowhere.csv")), &["nowhere.csv"]);
    }
}
