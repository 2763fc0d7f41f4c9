//! Matching the labels that are given to the instances they belong to.

use std::collections::HashMap;

use super::check_unique;
use crate::labels::Labels;
use crate::{Error, Result};

/// The labels of a file.
#[derive(Debug)]
pub(crate) struct GivenLabels {
    pub labels: Labels,
    /// The ids of their instances, unless they follow the order of the features.
    pub ids: Option<Vec<String>>,
    pub names: Option<Vec<String>>,
    /// The file that they are in.
    pub source: String,
}

/// Labels in the order of the instances.
#[derive(Debug)]
pub(super) struct MatchedLabels {
    pub ids: Vec<String>,
    pub labels: Vec<Option<usize>>,
    pub class_names: Vec<String>,
    pub source: String,
}

impl GivenLabels {
    /// Finds the label of each of the `rows` instances of the file `features`.
    pub(super) fn match_to(
        self,
        ids: Option<Vec<String>>,
        rows: usize,
        features: &str,
    ) -> Result<MatchedLabels> {
        let Self { labels, ids: of_labels, names, source } = self;
        let labels = match of_labels {
            None => labels.without_trailing_blanks(rows),
            Some(_) => labels,
        };
        let (labels, class_names) = labels.minus_one_is_missing().encode_partly(names, &source)?;
        let (labels, class_names) = occurring(labels, class_names);
        let numbers = || (0..rows).map(|row| row.to_string()).collect::<Vec<_>>();
        let in_order = |ids: Vec<String>, labels: Vec<Option<usize>>| {
            if labels.len() != rows {
                let (file, labels_file) = (features.to_owned(), source.clone());
                let labels = labels.len();
                return Err(Error::LabelCount { file, labels_file, labels, rows });
            }
            Ok((ids, labels))
        };
        let (ids, labels) = match (of_labels, ids) {
            (None, ids) => in_order(ids.unwrap_or_else(numbers), labels)?,
            (Some(of_labels), None) if of_labels.len() == rows && !all_rows(&of_labels, rows) => {
                check_unique(&of_labels, &source)?;
                in_order(of_labels, labels)?
            }
            (Some(of_labels), ids) => {
                let remedy = if ids.is_some() {
                    "give ids of the features, or one label for each row in order and no ids; if that is a header, name the id and the label column"
                } else {
                    "the features have no ids, so give row numbers from 0, or one label for each row in order; if that is a header, name the id and the label column"
                };
                let ids = ids.unwrap_or_else(numbers);
                let unknown = |id: &str| Error::UnknownId {
                    file: features.to_owned(),
                    labels_file: source.clone(),
                    id: id.to_owned(),
                    remedy,
                };
                let labels = by_id(&ids, &of_labels, &labels, &class_names, &source, unknown)?;
                (ids, labels)
            }
        };
        Ok(MatchedLabels { ids, labels, class_names, source })
    }
}

/// Whether every id is the number of a row.
fn all_rows(ids: &[String], rows: usize) -> bool {
    ids.iter().all(|id| id.parse::<usize>().is_ok_and(|row| row < rows && row.to_string() == *id))
}

/// Labels in the order of `ids` from pairs in any order.
fn by_id(
    ids: &[String],
    of_labels: &[String],
    labels: &[Option<usize>],
    class_names: &[String],
    source: &str,
    unknown: impl Fn(&str) -> Error,
) -> Result<Vec<Option<usize>>> {
    let rows: HashMap<&str, usize> =
        ids.iter().enumerate().map(|(row, id)| (id.as_str(), row)).collect();
    let mut placed: Vec<Option<usize>> = vec![None; ids.len()];
    for (id, &label) in of_labels.iter().zip(labels) {
        let row = *rows.get(id.as_str()).ok_or_else(|| unknown(id))?;
        match (placed[row], label) {
            (Some(first), Some(second)) if first != second => {
                return Err(Error::ConflictingLabels {
                    file: source.to_owned(),
                    id: id.clone(),
                    first: class_names[first].clone(),
                    second: class_names[second].clone(),
                });
            }
            (None, label) => placed[row] = label,
            _ => {}
        }
    }
    Ok(placed)
}

/// Removes the classes without a label, so that every class has at least one instance.
fn occurring(labels: Vec<Option<usize>>, names: Vec<String>) -> (Vec<Option<usize>>, Vec<String>) {
    let mut numbers = vec![None; names.len()];
    labels.iter().flatten().for_each(|&class| numbers[class] = Some(0));
    numbers.iter_mut().flatten().enumerate().for_each(|(place, number)| *number = place);
    let labels = labels.into_iter().map(|label| label.and_then(|class| numbers[class])).collect();
    let names = names.into_iter().zip(&numbers).filter_map(|(name, n)| n.map(|_| name)).collect();
    (labels, names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{refused, strings};

    fn given(ids: Option<&[&str]>, labels: &[&str]) -> GivenLabels {
        GivenLabels {
            labels: Labels::from_texts(labels.to_vec()),
            ids: ids.map(strings),
            names: None,
            source: "y.csv".into(),
        }
    }

    fn names(placed: &MatchedLabels) -> Vec<&str> {
        let name =
            |label: &Option<usize>| label.map_or("", |class| placed.class_names[class].as_str());
        placed.labels.iter().map(name).collect()
    }

    #[test]
    fn labels_in_order() {
        let matched = given(None, &["b", "", "a", "", ""]).match_to(None, 3, "x").unwrap();
        assert_eq!(
            (names(&matched), &matched.ids),
            (vec!["b", "", "a"], &strings(&["0", "1", "2"]))
        );
        let ids = strings(&["p", "q"]);
        let matched = given(None, &["4", "-1"]).match_to(Some(ids.clone()), 2, "x").unwrap();
        assert_eq!((names(&matched), &matched.ids), (vec!["4", ""], &ids));
        for wrong in [&["a"][..], &["a", "b", "a"]] {
            refused(given(None, wrong).match_to(None, 2, "x"), &["x has 2 rows"]);
        }
    }

    #[test]
    fn labels_by_id() {
        let ids = || Some(strings(&["p", "q", "r"]));
        let pairs = given(Some(&["r", "p", "r"]), &["b", "a", "b"]);
        assert_eq!(names(&pairs.match_to(ids(), 3, "x").unwrap()), ["a", "", "b"]);
        let unknown = given(Some(&["r", "s"]), &["b", "a"]).match_to(ids(), 3, "x");
        refused(unknown, &["label for \"s\", which x does not have"]);
        let conflict = given(Some(&["r", "r"]), &["b", "a"]).match_to(ids(), 3, "x");
        refused(conflict, &["\"r\" both \"b\" and \"a\""]);
    }

    #[test]
    fn features_without_ids_have_row_numbers_or_the_ids_of_the_labels() {
        for (label_ids, labels, expected, ids) in [
            (["2", "0"], ["b", "a"], &["a", "", "b"][..], &["0", "1", "2"][..]),
            (["1", "0"], ["b", "a"], &["a", "b"], &["0", "1"]),
            (["p", "1"], ["b", ""], &["b", ""], &["p", "1"]),
        ] {
            let matched = given(Some(&label_ids), &labels).match_to(None, ids.len(), "x").unwrap();
            assert_eq!((&names(&matched)[..], &matched.ids), (expected, &strings(ids)));
        }
        refused(given(Some(&["p"]), &["b"]).match_to(None, 2, "x"), &["row numbers from 0"]);
        let twice = given(Some(&["p", "p"]), &["b", "b"]).match_to(None, 2, "x");
        refused(twice, &["id \"p\" twice, in rows 0 and 1"]);
    }

    #[test]
    fn classes_without_labels_are_left_out() {
        let given = GivenLabels {
            labels: Labels::Whole(vec![Some(2), None, Some(0)]),
            ids: None,
            names: Some(strings(&["a", "b", "c"])),
            source: "x".into(),
        };
        let placed = given.match_to(None, 3, "x").unwrap();
        assert_eq!(placed.labels, [Some(1), None, Some(0)]);
        assert_eq!(placed.class_names, ["a", "c"]);
    }
}
