//! Matching the labels that are given to the instances they belong to.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::check_unique;
use super::origins::OriginWords;
use crate::formats::raw::{LabelLines, RawTable};
use crate::labels::FileLabels;
use crate::missing::{MissingLabels, ReadingNote};
use crate::{Error, Result};

/// The labels of a file.
#[derive(Debug)]
pub(crate) struct GivenLabels {
    pub labels: FileLabels,
    /// The ids of their instances, unless they follow the order of the features.
    pub ids: Option<Vec<String>>,
    pub names: Option<Vec<String>>,
    /// The origin of each as it is written.
    pub origins: Option<Vec<String>>,
    /// The file that they are in.
    pub source: String,
    /// How sure it is which lines are labels.
    pub lines: LabelLines,
    /// Whether they follow the order of the features although they have ids.
    pub in_order: bool,
}

/// Labels in the order of the instances.
#[derive(Debug)]
pub(crate) struct MatchedLabels {
    pub ids: Vec<String>,
    pub labels: Vec<Option<usize>>,
    pub class_names: Vec<String>,
    pub origins: OriginWords,
    pub source: String,
    pub notes: Vec<ReadingNote>,
}

impl GivenLabels {
    /// The labels that were read from a file; `remedy` says what to do if it has none.
    pub fn of_file(read: RawTable, path: &Path, remedy: &str) -> Result<Self> {
        let (source, in_order) = (path.display().to_string(), false);
        let labels = read.labels.ok_or_else(|| Error::no_labels(&source, remedy))?;
        let RawTable { ids, class_names: names, origins, label_lines: lines, .. } = read;
        Ok(Self { labels, ids, names, origins, source, lines, in_order })
    }

    /// One label for each row.
    pub fn of_rows(labels: FileLabels, source: String) -> Self {
        Self { labels, ids: None, names: None, origins: None, source, lines: LabelLines::Exact, in_order: false }
    }

    /// Matches the labels to the `rows` instances of the file `features`.
    pub fn match_to(
        mut self,
        ids: Option<Vec<String>>,
        rows: usize,
        features: &str,
        markers: &MissingLabels,
    ) -> Result<MatchedLabels> {
        let mut notes = self.resolve_lines(ids.as_deref(), rows)?;
        let Self { labels, ids: of_labels, names, origins, source, in_order, .. } = self;
        let (labels, label_notes) = labels.resolve(markers);
        notes.extend(label_notes);
        let (labels, class_names) = labels.encode_partly(names, &source)?;
        let (labels, class_names) = occurring(labels, class_names);
        let numbers = || (0..rows).map(|row| row.to_string()).collect::<Vec<_>>();
        // The index of a data frame says no more than the order.
        let of_labels = of_labels.filter(|of_labels| ids.is_none() || !counts(of_labels, rows));
        let (origins, ids, labels) = match (of_labels, ids) {
            (Some(of_labels), ids) if !in_order => {
                // A file with a header alone has no ids that could be of other data.
                let first = of_labels.first().filter(|_| ids.is_none()).cloned();
                if let Some(id) = first
                    && of_labels.iter().all(|id| !is_row(id, rows))
                {
                    return Err(Error::NoIds { file: features.to_owned(), labels_file: source, id });
                }
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
                (OriginWords::match_to(&source, origins, rows, Some((&of_labels, &ids))), ids, labels)
            }
            (of_labels, ids) => {
                if let (Some(of_labels), None) = (&of_labels, &ids) {
                    check_unique(of_labels, &source)?;
                }
                if labels.len() != rows {
                    return Err(Error::label_count(features, &source, labels.len(), rows));
                }
                (OriginWords::match_to(&source, origins, rows, None), ids.or(of_labels).unwrap_or_else(numbers), labels)
            }
        };
        Ok(MatchedLabels { ids, labels, class_names, origins, source, notes })
    }

    /// Decides whether the first line is a header and which empty lines at the end are labels, by the
    /// number of instances or by their ids.
    pub fn resolve_lines(&mut self, ids: Option<&[String]>, rows: usize) -> Result<Vec<ReadingNote>> {
        let FileLabels::Texts(labels) = &mut self.labels else { return Ok(Vec::new()) };
        let unclear = self.lines == LabelLines::UnclearStart;
        if let (Some(of_labels), true) = (&mut self.ids, unclear) {
            let known: HashSet<&String> = ids.into_iter().flatten().collect();
            let is_known = |id: &String| known.contains(id);
            let is_header = of_labels.first().is_some_and(|first| !is_known(first));
            if is_header && of_labels[1..].iter().any(is_known) {
                of_labels.remove(0);
                labels.remove(0);
            }
        }
        if self.ids.is_some() || self.lines == LabelLines::Exact {
            return Ok(Vec::new());
        }
        let lines = labels.len();
        let blanks = labels.iter().rev().take_while(|text| text.is_empty()).count();
        // Whether this many lines are one for each row and possibly some empty ones.
        let fits = |lines: usize| (rows..=rows + blanks).contains(&lines);
        let (header, label) = (unclear && fits(lines - 1), fits(lines));
        let mut notes = Vec::new();
        if lines == rows && unclear {
            // One line for each row: the first is one of them.
            let mut counts: HashMap<&String, usize> = HashMap::new();
            labels.iter().filter(|text| !text.is_empty()).for_each(|text| *counts.entry(text).or_default() += 1);
            let mut others = counts.iter().filter(|(text, _)| ***text != labels[0]);
            if counts.len() > 1 && others.all(|(_, n)| *n > 1) {
                notes.push(ReadingNote::FirstLine(labels[0].clone()));
            }
        } else if header && label {
            let first = labels[0].clone();
            return Err(Error::UnclearHeader { file: self.source.clone(), lines, rows, first });
        } else if header {
            labels.remove(0);
        }
        while labels.len() > rows && labels.last().is_some_and(String::is_empty) {
            labels.pop();
        }
        Ok(notes)
    }
}

/// Whether an id is the number of a row.
fn is_row(id: &str, rows: usize) -> bool {
    id.parse::<usize>().is_ok_and(|row| row < rows && row.to_string() == *id)
}

/// Whether the ids are the numbers of all rows in their order.
pub(super) fn counts(ids: &[String], rows: usize) -> bool {
    ids.len() == rows && ids.iter().enumerate().all(|(row, id)| row.to_string() == *id)
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
    let rows: HashMap<&String, usize> = ids.iter().zip(0..).collect();
    let mut placed: Vec<Option<usize>> = vec![None; ids.len()];
    for (id, &label) in of_labels.iter().zip(labels) {
        let row = *rows.get(id).ok_or_else(|| unknown(id))?;
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
        let of_rows = GivenLabels::of_rows(FileLabels::from_texts(labels.to_vec()), "y.csv".into());
        GivenLabels { ids: ids.map(strings), lines: LabelLines::OpenEnd, ..of_rows }
    }

    fn unclear(ids: Option<&[&str]>, labels: &[&str]) -> GivenLabels {
        GivenLabels { lines: LabelLines::UnclearStart, ..given(ids, labels) }
    }

    fn matched(given: GivenLabels, ids: Option<&[&str]>, rows: usize) -> Result<MatchedLabels> {
        given.match_to(ids.map(strings), rows, "x", &MissingLabels::usual())
    }

    fn names(placed: &MatchedLabels) -> Vec<&str> {
        let name = |label: &Option<usize>| label.map_or("", |class| placed.class_names[class].as_str());
        placed.labels.iter().map(name).collect()
    }

    #[test]
    fn labels_in_order() {
        let table = matched(given(None, &["b", "", "a", "", ""]), None, 3).unwrap();
        assert_eq!((names(&table), &table.ids), (vec!["b", "", "a"], &strings(&["0", "1", "2"])));
        let table = matched(given(None, &["4", "-1"]), Some(&["p", "q"]), 2).unwrap();
        assert_eq!((names(&table), &table.ids), (vec!["4", ""], &strings(&["p", "q"])));
        for wrong in [&["a"][..], &["a", "b", "a"]] {
            refused(matched(given(None, wrong), None, 2), &["x has 2 rows"]);
        }
    }

    #[test]
    fn a_header_of_any_word_never_moves_labels() {
        // The number of lines tells.
        let table = matched(unclear(None, &["zorp", "a", "", "b"]), None, 3).unwrap();
        assert_eq!(names(&table), ["a", "", "b"]);
        let table = matched(unclear(None, &["a", "", "b"]), None, 3).unwrap();
        assert_eq!((names(&table), table.notes.clone()), (vec!["a", "", "b"], vec![]));
        // The last label is missing, or the file ends in an empty line.
        let both = unclear(None, &["zorp", "a", "", "b", "", ""]);
        refused(matched(both, None, 5), &["6 lines for 5 rows", "\"zorp\"", "label column"]);
        // A header above one label too few cannot be distinguished from a label, and is reported.
        let table = matched(unclear(None, &["zorp", "a", "b", "b", "a"]), None, 5).unwrap();
        assert_eq!(table.notes, [ReadingNote::FirstLine("zorp".into())]);
        refused(matched(unclear(None, &["zorp", "a", "b"]), None, 5), &["3 labels", "5 rows"]);
    }

    #[test]
    fn labels_by_id() {
        let ids = Some(&["p", "q", "r"][..]);
        let pairs = given(Some(&["r", "p", "r"]), &["b", "a", "b"]);
        assert_eq!(names(&matched(pairs, ids, 3).unwrap()), ["a", "", "b"]);
        let headed = unclear(Some(&["zorp", "r", "p"]), &["glim", "b", "a"]);
        assert_eq!(names(&matched(headed, ids, 3).unwrap()), ["a", "", "b"]);
        // The index of a data frame is the order.
        let index = given(Some(&["0", "1", "2"]), &["a", "b", ""]);
        assert_eq!(names(&matched(index, ids, 3).unwrap()), ["a", "b", ""]);
    }

    #[test]
    fn labels_with_ids_beside_features_without_are_refused_unless_in_order() {
        for (label_ids, labels, expected) in
            [(["2", "0"], ["b", "a"], &["a", "", "b"][..]), (["1", "0"], ["b", "a"], &["a", "b"])]
        {
            let table = matched(given(Some(&label_ids), &labels), None, expected.len()).unwrap();
            assert_eq!(names(&table), expected, "row numbers are ids");
        }
        let named = || given(Some(&["q", "p"]), &["b", "a"]);
        refused(matched(named(), None, 2), &["ids of its labels", "\"q\"", "in the order"]);
        let table = matched(GivenLabels { in_order: true, ..named() }, None, 2).unwrap();
        assert_eq!((names(&table), &table.ids), (vec!["b", "a"], &strings(&["q", "p"])));
        refused(matched(given(Some(&["1", "9"]), &["b", "a"]), None, 2), &["row numbers from 0"]);
        let twice = GivenLabels { in_order: true, ..given(Some(&["p", "p"]), &["b", "b"]) };
        refused(matched(twice, None, 2), &["id \"p\" twice, in rows 0 and 1"]);
    }

    #[test]
    fn classes_without_labels_are_left_out() {
        let given = GivenLabels {
            labels: FileLabels::Whole(vec![Some(2), None, Some(0)]),
            names: Some(strings(&["a", "b", "c"])),
            ..given(None, &[])
        };
        let placed = matched(given, None, 3).unwrap();
        assert_eq!(placed.labels, [Some(1), None, Some(0)]);
        assert_eq!(placed.class_names, ["a", "c"]);
    }
}
