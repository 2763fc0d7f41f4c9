//! Labels: whole numbers or names, some of them missing, encoded as 0 … *k* − 1 with a name for each class.
//!
//! Readers return labels as they are written ([`FileLabels::Texts`]). Which of them are missing is decided once all
//! are known ([`FileLabels::resolve`]).

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::Hash;
use std::path::Path;

use crate::formats::raw::{RawTable, ReadOptions};
use crate::formats::{Format, extension, read_lines};
use crate::input::Input;
use crate::missing::{MissingLabels, ReadingNote};
use crate::scalar::{Scalar, whole};
use crate::{Error, Result};

/// The labels of a file, one for each row that has one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum FileLabels {
    Whole(Vec<Option<i64>>),
    Names(Vec<Option<String>>),
    /// Texts as they are written, which may all be whole numbers.
    Texts(Vec<String>),
}

/// Reads a file of labels alone, which may also be plain lines of text.
pub(crate) fn read_labels(path: &Path, options: ReadOptions) -> Result<RawTable> {
    let options = ReadOptions { labels_only: true, ..options };
    // A path that does not exist has no format either.
    let input = Input::open(path)?;
    if extension(path) == "txt" {
        return read_lines(input, options);
    }
    let format = Format::of(path).map_err(|_| Error::UnknownFormat {
        file: path.display().to_string(),
        remedy: format!("give labels as .txt, {}", Format::endings()),
    })?;
    format.read(input, options)
}

impl FileLabels {
    /// Texts as they are written.
    pub fn from_texts<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self::Texts(texts.into_iter().map(Into::into).collect())
    }

    /// Names, whether or not they are numbers.
    pub fn from_names<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self::Names(texts.into_iter().map(|text| Some(text.into())).collect())
    }

    /// Decides which labels are missing. Texts become whole numbers if all others are: written in the
    /// usual way, or as data frames write them beside missing ones (`5.0`), since `007` is a name.
    pub fn resolve(self, markers: &MissingLabels) -> (Self, Vec<ReadingNote>) {
        match self {
            Self::Whole(mut labels) => {
                let (_, notes) = remove_missing(&mut labels, markers, |label| label.to_string());
                (Self::Whole(labels), notes)
            }
            Self::Names(mut labels) => {
                let (_, notes) = remove_missing(&mut labels, markers, String::clone);
                (Self::Names(labels), notes)
            }
            Self::Texts(texts) => {
                let mut labels: Vec<Option<String>> = texts.into_iter().map(Some).collect();
                let (whole, notes) = remove_missing(&mut labels, markers, String::clone);
                let number = |label: &Option<String>| match label {
                    None => Some(None),
                    Some(text) => whole_text(text).map(Some),
                };
                let numbers = whole.then(|| labels.iter().map(number).collect()).flatten();
                (numbers.map_or(Self::Names(labels), Self::Whole), notes)
            }
        }
    }

    /// Whole numbers; NaN is a missing label.
    pub fn from_numbers(values: impl IntoIterator<Item = f64>, file: &str) -> Result<Self> {
        let label = |(row, value): (usize, f64)| {
            if value.is_nan() {
                return Ok(None);
            }
            let expected = "labels must be whole numbers or names";
            whole(value).map(Some).ok_or_else(|| Error::label(file, row, value, expected))
        };
        values.into_iter().enumerate().map(label).collect::<Result<_>>().map(Self::Whole)
    }

    /// Whole numbers from the elements of an array.
    pub fn from_array(scalar: Scalar, data: &[u8], file: &str) -> Result<Self> {
        match (scalar, scalar.to_i64s(data)) {
            // Doubles do not hold all of these.
            (Scalar::I64, Ok(labels)) => Ok(Self::Whole(labels.into_iter().map(Some).collect())),
            _ => Self::from_numbers(scalar.to_f64s(data), file),
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Self::Whole(labels) => labels.len(),
            Self::Names(labels) => labels.len(),
            Self::Texts(labels) => labels.len(),
        }
    }

    /// The class of each row, and the names of the classes; every row must have a label.
    pub fn encode(self, names: Option<Vec<String>>, file: &str) -> Result<(Vec<usize>, Vec<String>)> {
        let (classes, names) = self.encode_partly(names, file)?;
        let class = |(row, class): (usize, Option<usize>)| class.ok_or_else(|| Error::label(file, row, "\"\"", NEEDED));
        Ok((classes.into_iter().enumerate().map(class).collect::<Result<_>>()?, names))
    }

    /// The class of each row that has one, and the names of the classes.
    ///
    /// With `names`, whole numbers count from 0 into them; without, the classes are the labels
    /// that occur, in ascending order, so that the labels 0 … *k* − 1 stay the same.
    pub fn encode_partly(self, names: Option<Vec<String>>, file: &str) -> Result<(Vec<Option<usize>>, Vec<String>)> {
        let (classes, names) = self.number_partly(names, file)?;
        if let Some(long) = names.iter().position(|name| name.chars().nth(LONGEST_NAME).is_some()) {
            let start: String = names[long].chars().take(20).collect();
            let row = classes.iter().position(|&class| class == Some(long)).unwrap_or(0);
            let expected = format!(
                "the name of a class has at most {LONGEST_NAME} characters; name another label column, or give shorter names"
            );
            return Err(Error::label(file, row, format!("{start:?}…"), expected));
        }
        Ok((classes, names))
    }

    fn number_partly(self, names: Option<Vec<String>>, file: &str) -> Result<(Vec<Option<usize>>, Vec<String>)> {
        match (self, names) {
            (texts @ Self::Texts(_), names) => texts.resolve(&MissingLabels::usual()).0.number_partly(names, file),
            (Self::Whole(labels), None) => {
                let (classes, values) = number(&labels);
                Ok((classes, values.iter().map(i64::to_string).collect()))
            }
            (Self::Names(labels), None) => Ok(number(&labels)),
            (Self::Whole(labels), Some(names)) => {
                let class = |row, label: i64| {
                    let class = usize::try_from(label).ok().filter(|&class| class < names.len());
                    class.ok_or_else(|| Error::label(file, row, label, in_range(names.len())))
                };
                Ok((look_up(labels, class)?, names))
            }
            (Self::Names(labels), Some(names)) => {
                let places: HashMap<&String, usize> = names.iter().zip(0..).collect();
                let class = |row, label: String| {
                    let expected = "it must be one of the class names that the file lists";
                    let class = places.get(&label).copied();
                    class.ok_or_else(|| Error::label(file, row, format!("{label:?}"), expected))
                };
                Ok((look_up(labels, class)?, names))
            }
        }
    }
}

/// Characters of the name of a class, at most: it is shown in tables, figures and pages.
const LONGEST_NAME: usize = 500;

/// What a row without a label lacks where every row needs one.
pub(crate) const NEEDED: &str =
    "it means that there is no label, but every row needs one here; fill it in or drop that row";

/// What a label that counts into `classes` names must be.
pub(crate) fn in_range(classes: usize) -> String {
    format!("it must lie in 0..{classes} to have a name")
}

/// The whole number that a text is, written in the usual way or with `.0` at the end.
fn whole_text(text: &str) -> Option<i64> {
    let digits = text.strip_suffix(".0").unwrap_or(text);
    digits.parse::<i64>().ok().filter(|number| number.to_string() == digits)
}

/// Removes the labels that mean that there is none. Returns whether all others are whole numbers, and what a user
/// should know.
fn remove_missing<T: Ord + Clone + Hash>(
    labels: &mut [Option<T>],
    markers: &MissingLabels,
    text: impl Fn(&T) -> String,
) -> (bool, Vec<ReadingNote>) {
    let mut counts: BTreeMap<&T, usize> = BTreeMap::new();
    labels.iter().flatten().for_each(|label| *counts.entry(label).or_default() += 1);
    let texts: Vec<(String, usize)> = counts.iter().map(|(label, n)| (text(label), *n)).collect();
    let distinct: Vec<(&str, usize)> = texts.iter().map(|(text, n)| (text.as_str(), *n)).collect();
    let judged = markers.judge(&distinct);
    let missing = counts.into_keys().zip(judged.missing).filter(|(_, missing)| *missing);
    let missing: HashSet<T> = missing.map(|(label, _)| label.clone()).collect();
    for label in labels {
        label.take_if(|label| missing.contains(label));
    }
    (judged.whole, judged.notes)
}

/// The class of each label, which `class` looks up by its row and value.
fn look_up<T>(labels: Vec<Option<T>>, class: impl Fn(usize, T) -> Result<usize>) -> Result<Vec<Option<usize>>> {
    let class = |(row, label): (usize, Option<T>)| label.map(|label| class(row, label)).transpose();
    labels.into_iter().enumerate().map(class).collect()
}

/// Numbers the labels that occur, in ascending order.
fn number<T: Ord + Hash + Clone>(labels: &[Option<T>]) -> (Vec<Option<usize>>, Vec<T>) {
    let occurring: Vec<&T> = labels.iter().flatten().collect::<BTreeSet<_>>().into_iter().collect();
    let places: HashMap<&T, usize> = occurring.iter().copied().zip(0..).collect();
    let classes = labels.iter().map(|label| label.as_ref().map(|label| places[label])).collect();
    (classes, occurring.into_iter().cloned().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::strings;

    fn named(texts: &[&str]) -> FileLabels {
        FileLabels::Names(texts.iter().map(|&t| Some(t.into())).collect())
    }

    #[test]
    fn whole_numbers_are_numbered_in_ascending_order() {
        let labels = FileLabels::Whole([10, 2, 2, -1].map(Some).to_vec());
        assert_eq!(labels.encode(None, "y").unwrap(), (vec![2, 1, 1, 0], strings(&["-1", "2", "10"])));
    }

    #[test]
    fn names_are_sorted_unless_given() {
        let labels = named(&["wren", "gull", "wren"]);
        let (classes, names) = labels.clone().encode(None, "y").unwrap();
        assert_eq!((classes, names), (vec![1, 0, 1], strings(&["gull", "wren"])));
        let given = strings(&["wren", "auk", "gull"]);
        assert_eq!(labels.clone().encode(Some(given.clone()), "y").unwrap().0, [0, 2, 0]);
        let error = labels.encode(Some(strings(&["wren"])), "y").unwrap_err();
        assert!(matches!(error, Error::Label { row: 1, .. }), "{error}");
        let error = FileLabels::Whole(vec![Some(0), None, Some(3)]).encode_partly(Some(given), "y").unwrap_err();
        assert!(matches!(error, Error::Label { row: 2, .. }), "{error}");
    }

    #[test]
    fn names_that_no_display_can_hold_are_refused() {
        let of = |length: usize| named(&["wren", &"é".repeat(length)]).encode(None, "y.csv");
        assert!(of(500).is_ok());
        crate::testing::refused(of(100_000), &["row 1 in y.csv", "éé", "at most 500 characters"]);
    }

    #[test]
    fn texts_that_are_all_whole_are_numbers() {
        let whole = |labels: &[Option<i64>]| FileLabels::Whole(labels.to_vec());
        let resolve = |labels: FileLabels| labels.resolve(&MissingLabels::usual()).0;
        let texts = |texts: &[&str]| resolve(FileLabels::from_texts(texts.to_vec()));
        assert_eq!(texts(&["3", "-4", "5.0"]), whole(&[Some(3), Some(-4), Some(5)]));
        assert_eq!(texts(&["3", "three"]), named(&["3", "three"]));
        assert_eq!(texts(&["3", "1.5"]), named(&["3", "1.5"]));
        assert_eq!(texts(&["3", "007"]), named(&["3", "007"]));
        assert_eq!(texts(&["3", "", "nan"]), whole(&[Some(3), None, None]));
        let cat = FileLabels::Names(vec![Some("cat".into()), None]);
        assert_eq!(texts(&["cat", ""]), cat);
    }

    #[test]
    fn missing_labels_are_kept_or_refused() {
        let labels = FileLabels::Whole(vec![Some(4), Some(-1), None, Some(2)]);
        let (labels, notes) = labels.resolve(&MissingLabels::usual());
        assert_eq!(notes, [ReadingNote::Missing(vec![("-1".into(), 1)])]);
        let (classes, names) = labels.clone().encode_partly(None, "y").unwrap();
        assert_eq!((classes, names), (vec![Some(1), None, None, Some(0)], strings(&["2", "4"])));
        let error = labels.encode(None, "y").unwrap_err();
        assert!(matches!(error, Error::Label { row: 1, .. }), "{error}");
        let numbers = FileLabels::from_numbers([1.0, f64::NAN], "y").unwrap();
        assert_eq!(numbers, FileLabels::Whole(vec![Some(1), None]));
        assert!(FileLabels::from_numbers([1.0, 0.5], "y").is_err());
        assert!(FileLabels::from_numbers([f64::INFINITY], "y").is_err());
    }
}
