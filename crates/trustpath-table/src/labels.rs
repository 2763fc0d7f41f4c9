//! Labels: whole numbers or names, some of them missing, encoded as 0 … *k* − 1 with a name for each
//! class.
//!
//! A label is missing where its cell is empty, null or NaN.

use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;
use std::io::Read;
use std::path::Path;

use crate::formats::raw::{RawTable, ReadOptions};
use crate::formats::{Format, extension};
use crate::input::Input;
use crate::scalar::{Scalar, whole};
use crate::{Error, Result};

/// The labels of a file, one for each row that has one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Labels {
    Whole(Vec<Option<i64>>),
    Names(Vec<Option<String>>),
}

/// Reads a file of labels alone, which may also be plain lines of text.
pub(crate) fn read_labels(path: &Path, options: ReadOptions) -> Result<RawTable> {
    let options = ReadOptions { labels_only: true, ..options };
    if extension(path) == "txt" {
        return read_lines(Input::open(path)?, options);
    }
    let format = Format::of(path).map_err(|_| Error::UnknownFormat {
        file: path.display().to_string(),
        remedy: format!("give labels as .txt, {}", Format::endings()),
    })?;
    format.read(Input::open(path)?, options)
}

/// Reads text with one label per line; the name of the label column may be its first line.
fn read_lines(mut input: Input, options: ReadOptions) -> Result<RawTable> {
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes).map_err(|e| Error::damaged(&input.name, e))?;
    let text = String::from_utf8(bytes)
        .map_err(|_| Error::damaged(&input.name, "its text is not valid UTF-8"))?;
    let text = text.trim_start_matches('\u{feff}');
    let mut lines: Vec<&str> = text.lines().map(str::trim).collect();
    if lines.first() == Some(&options.label_column()) {
        lines.remove(0);
    }
    Ok(RawTable::of_labels(Some(Labels::from_texts(lines)), None))
}

impl Labels {
    /// Whole numbers if all texts that are not missing are, else names. Numbers are written in the
    /// usual way, or as data frames write them beside missing ones (`5.0`): `007` is a name.
    pub fn from_texts<T: AsRef<str> + Into<String>>(texts: Vec<T>) -> Self {
        let number = |text: &T| {
            let text = text.as_ref();
            if is_missing(text) {
                return Some(None);
            }
            let digits = text.strip_suffix(".0").unwrap_or(text);
            digits.parse::<i64>().ok().filter(|number| number.to_string() == digits).map(Some)
        };
        match texts.iter().map(number).collect() {
            Some(numbers) => Self::Whole(numbers),
            None => Self::from_names(texts),
        }
    }

    /// Names, whether or not they are numbers.
    pub fn from_names<T: AsRef<str> + Into<String>>(texts: Vec<T>) -> Self {
        let name = |text: T| if is_missing(text.as_ref()) { None } else { Some(text.into()) };
        Self::Names(texts.into_iter().map(name).collect())
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
        }
    }

    /// Drops missing labels at the end, which empty lines at the end of a file give, until `rows`
    /// are left.
    pub fn without_trailing_blanks(mut self, rows: usize) -> Self {
        match &mut self {
            Self::Whole(labels) => drop_blanks(labels, rows),
            Self::Names(labels) => drop_blanks(labels, rows),
        }
        self
    }

    /// Treats −1 as a missing label, as is usual where labels are whole numbers.
    pub fn minus_one_is_missing(mut self) -> Self {
        if let Self::Whole(labels) = &mut self {
            labels.iter_mut().filter(|label| **label == Some(-1)).for_each(|label| *label = None);
        }
        self
    }

    /// The class of each row, and the names of the classes; every row must have a label.
    pub fn encode(
        self,
        names: Option<Vec<String>>,
        file: &str,
    ) -> Result<(Vec<usize>, Vec<String>)> {
        let (classes, names) = self.encode_partly(names, file)?;
        let class = |(row, class): (usize, Option<usize>)| {
            let expected = "every row needs its label here; fill it in or drop that row";
            class.ok_or_else(|| Error::label(file, row, "\"\"", expected))
        };
        Ok((classes.into_iter().enumerate().map(class).collect::<Result<_>>()?, names))
    }

    /// The class of each row that has one, and the names of the classes.
    ///
    /// With `names`, whole numbers count from 0 into them; without, the classes are the labels
    /// that occur, in ascending order, so that the labels 0 … *k* − 1 stay the same.
    pub fn encode_partly(
        self,
        names: Option<Vec<String>>,
        file: &str,
    ) -> Result<(Vec<Option<usize>>, Vec<String>)> {
        match (self, names) {
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
                let places: HashMap<&String, usize> =
                    names.iter().enumerate().map(|(class, name)| (name, class)).collect();
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

/// What a label that counts into `classes` names must be.
pub(crate) fn in_range(classes: usize) -> String {
    format!("it must lie in 0..{classes} to have a name")
}

/// Whether a cell says that there is no label.
fn is_missing(text: &str) -> bool {
    matches!(text, "" | "NaN" | "nan")
}

fn drop_blanks<T>(labels: &mut Vec<Option<T>>, rows: usize) {
    while labels.len() > rows && labels.last().is_some_and(Option::is_none) {
        labels.pop();
    }
}

/// The class of each label, which `class` finds by its row and value.
fn look_up<T>(
    labels: Vec<Option<T>>,
    class: impl Fn(usize, T) -> Result<usize>,
) -> Result<Vec<Option<usize>>> {
    let class = |(row, label): (usize, Option<T>)| label.map(|label| class(row, label)).transpose();
    labels.into_iter().enumerate().map(class).collect()
}

/// Numbers the labels that occur, in ascending order.
fn number<T: Ord + Hash + Clone>(labels: &[Option<T>]) -> (Vec<Option<usize>>, Vec<T>) {
    let occurring: Vec<&T> = labels.iter().flatten().collect::<BTreeSet<_>>().into_iter().collect();
    let places: HashMap<&T, usize> =
        occurring.iter().enumerate().map(|(class, &label)| (label, class)).collect();
    let classes = labels.iter().map(|label| label.as_ref().map(|label| places[label])).collect();
    (classes, occurring.into_iter().cloned().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::strings;

    fn named(texts: &[&str]) -> Labels {
        Labels::Names(texts.iter().map(|&t| Some(t.into())).collect())
    }

    #[test]
    fn whole_numbers_are_numbered_in_ascending_order() {
        let labels = Labels::Whole([10, 2, 2, -1].map(Some).to_vec());
        assert_eq!(
            labels.encode(None, "y").unwrap(),
            (vec![2, 1, 1, 0], strings(&["-1", "2", "10"]))
        );
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
        let error = Labels::Whole(vec![Some(0), None, Some(3)])
            .encode_partly(Some(given), "y")
            .unwrap_err();
        assert!(matches!(error, Error::Label { row: 2, .. }), "{error}");
    }

    #[test]
    fn texts_that_are_all_whole_are_numbers() {
        let whole = |labels: &[Option<i64>]| Labels::Whole(labels.to_vec());
        let texts = |texts: &[&str]| Labels::from_texts(texts.to_vec());
        assert_eq!(texts(&["3", "-4", "5.0"]), whole(&[Some(3), Some(-4), Some(5)]));
        assert_eq!(texts(&["3", "three"]), named(&["3", "three"]));
        assert_eq!(texts(&["3", "1.5"]), named(&["3", "1.5"]));
        assert_eq!(texts(&["3", "007"]), named(&["3", "007"]));
        assert_eq!(texts(&["3", "", "nan"]), whole(&[Some(3), None, None]));
        let cat = Labels::Names(vec![Some("cat".into()), None]);
        assert_eq!(texts(&["cat", ""]), cat);
    }

    #[test]
    fn missing_labels_are_kept_or_refused() {
        let labels = Labels::Whole(vec![Some(4), Some(-1), None, Some(2)]).minus_one_is_missing();
        let (classes, names) = labels.clone().encode_partly(None, "y").unwrap();
        assert_eq!((classes, names), (vec![Some(1), None, None, Some(0)], strings(&["2", "4"])));
        let error = labels.encode(None, "y").unwrap_err();
        assert!(matches!(error, Error::Label { row: 1, .. }), "{error}");
        let numbers = Labels::from_numbers([1.0, f64::NAN], "y").unwrap();
        assert_eq!(numbers, Labels::Whole(vec![Some(1), None]));
        assert!(Labels::from_numbers([1.0, 0.5], "y").is_err());
        assert!(Labels::from_numbers([f64::INFINITY], "y").is_err());
    }

    #[test]
    fn text_files_hold_one_label_per_line() {
        let read = |text: &str| {
            let input = Input::memory(text.into(), "y.txt");
            read_lines(input, ReadOptions::default()).unwrap().labels.unwrap()
        };
        assert_eq!(read("label\ncat\r\ndog\n"), named(&["cat", "dog"]));
        assert_eq!(read("1\n\n2\n"), Labels::Whole(vec![Some(1), None, Some(2)]));
        let padded = read("1\n\n\n");
        assert_eq!(padded.clone().without_trailing_blanks(2).len(), 2);
        assert_eq!(padded.without_trailing_blanks(0).len(), 1);
    }
}
