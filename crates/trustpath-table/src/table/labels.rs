//! Labels: whole numbers or names, encoded as 0 … *k* − 1 with a name for each class.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::Path;

use super::{csv, extension};
use crate::npy::Array;
use crate::scalar::whole;
use crate::{Error, Result};

/// Labels as a file gives them, one for each row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Labels {
    Whole(Vec<i64>),
    Names(Vec<String>),
}

impl Labels {
    /// Reads labels that stand in a file of their own.
    pub fn open(path: &Path, column: &str) -> Result<Self> {
        match extension(path).as_str() {
            "npy" => Array::open(path)?.to_labels(),
            "csv" | "tsv" => csv::read_labels(path, column),
            "txt" => {
                let text = fs::read_to_string(path).map_err(|e| Error::read(path, e))?;
                let mut lines: Vec<&str> = text.lines().map(str::trim).collect();
                if lines.first() == Some(&column) {
                    lines.remove(0);
                }
                if let Some(row) = lines.iter().position(|line| line.is_empty()) {
                    return Err(Error::Label {
                        file: path.display().to_string(),
                        row,
                        value: "\"\"".into(),
                        expected: "write one label on each line and leave none empty".into(),
                    });
                }
                Ok(Self::from_texts(lines))
            }
            _ => Err(Error::UnknownFormat {
                file: path.display().to_string(),
                expected: "labels as .npy, .csv, .tsv or .txt",
            }),
        }
    }

    /// Whole numbers if all the texts are, else names.
    pub fn from_texts<T: AsRef<str> + Into<String>>(texts: Vec<T>) -> Self {
        let number = |text: &T| {
            let text = text.as_ref();
            text.parse().ok().or_else(|| text.parse().ok().and_then(whole))
        };
        match texts.iter().map(number).collect() {
            Some(numbers) => Self::Whole(numbers),
            None => Self::Names(texts.into_iter().map(Into::into).collect()),
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Self::Whole(labels) => labels.len(),
            Self::Names(labels) => labels.len(),
        }
    }

    /// The class of each row, and the names of the classes.
    ///
    /// With `names`, whole numbers count from 0 into them; without, the classes are the labels
    /// that occur, in ascending order, so that the labels 0 … *k* − 1 stay as they are.
    pub fn encode(
        self,
        names: Option<Vec<String>>,
        file: &str,
    ) -> Result<(Vec<usize>, Vec<String>)> {
        match (self, names) {
            (Self::Whole(labels), Some(names)) => {
                let class = |(row, label): (usize, i64)| {
                    let class = usize::try_from(label).ok().filter(|&c| c < names.len());
                    class.ok_or_else(|| Error::Label {
                        file: file.to_owned(),
                        row,
                        value: label.to_string(),
                        expected: format!("it must lie in 0..{} to have a name", names.len()),
                    })
                };
                let classes: Result<_> = labels.into_iter().enumerate().map(class).collect();
                Ok((classes?, names))
            }
            (Self::Whole(labels), None) => {
                let occurring = BTreeSet::from_iter(&labels);
                let names = occurring.iter().map(|label| label.to_string()).collect();
                let number: HashMap<&i64, usize> = occurring
                    .into_iter()
                    .enumerate()
                    .map(|(class, label)| (label, class))
                    .collect();
                Ok((labels.iter().map(|label| number[label]).collect(), names))
            }
            (Self::Names(labels), names) => {
                let names = names
                    .unwrap_or_else(|| BTreeSet::from_iter(&labels).into_iter().cloned().collect());
                let number: HashMap<&String, usize> =
                    names.iter().enumerate().map(|(class, name)| (name, class)).collect();
                let class = |(row, label): (usize, &String)| {
                    number.get(label).copied().ok_or_else(|| Error::Label {
                        file: file.to_owned(),
                        row,
                        value: format!("\"{label}\""),
                        expected: "it must be one of the class names the file lists".into(),
                    })
                };
                let classes: Result<_> = labels.iter().enumerate().map(class).collect();
                Ok((classes?, names))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|&t| t.into()).collect()
    }

    #[test]
    fn numbers_keep_their_order_and_are_closed_up() {
        let labels = Labels::Whole(vec![10, 2, 2, -1]);
        assert_eq!(
            labels.encode(None, "y").unwrap(),
            (vec![2, 1, 1, 0], strings(&["-1", "2", "10"]))
        );
    }

    #[test]
    fn names_are_sorted_unless_given() {
        let labels = Labels::Names(strings(&["wren", "gull", "wren"]));
        let (classes, names) = labels.clone().encode(None, "y").unwrap();
        assert_eq!((classes, names), (vec![1, 0, 1], strings(&["gull", "wren"])));
        let given = strings(&["wren", "auk", "gull"]);
        assert_eq!(labels.clone().encode(Some(given.clone()), "y").unwrap().0, [0, 2, 0]);
        let error = labels.encode(Some(strings(&["wren"])), "y").unwrap_err();
        assert!(matches!(error, Error::Label { row: 1, .. }), "{error}");
        let error = Labels::Whole(vec![0, 3]).encode(Some(given), "y").unwrap_err();
        assert!(matches!(error, Error::Label { row: 1, .. }), "{error}");
    }

    #[test]
    fn texts_that_are_all_whole_are_numbers() {
        assert_eq!(Labels::from_texts(vec!["3", "-4", "5.0"]), Labels::Whole(vec![3, -4, 5]));
        let mixed = vec!["3", "three"];
        assert_eq!(Labels::from_texts(mixed), Labels::Names(strings(&["3", "three"])));
        let fraction = vec!["3", "1.5"];
        assert_eq!(Labels::from_texts(fraction), Labels::Names(strings(&["3", "1.5"])));
    }

    #[test]
    fn text_files_hold_one_label_a_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("y.txt");
        fs::write(&path, "label\ncat\r\ndog\n").unwrap();
        let expected = Labels::Names(strings(&["cat", "dog"]));
        assert_eq!(Labels::open(&path, "label").unwrap(), expected);
        fs::write(&path, "1\n\n2\n").unwrap();
        assert!(matches!(Labels::open(&path, "label"), Err(Error::Label { row: 1, .. })));
        let error = Labels::open(Path::new("y.pickle"), "label").unwrap_err();
        assert!(matches!(error, Error::UnknownFormat { .. }));
    }
}
