//! JSON lines: one object an instance, with its features in a list or each under its own key.
//!
//! ```text
//! {"id": "a.jpg", "features": [0.1, 0.2], "label": "auk"}
//! {"id": "b.jpg", "features": [0.3, 0.4], "label": null}
//! ```
//!
//! Beside a list, keys that are neither the id nor the label are passed over. Without one, every
//! other key of the first line is a feature, and every line has the same keys. What lies deeper is
//! passed over without recursion, however deep it is.

mod object;

use std::io::BufRead;

use serde::de::DeserializeSeed;

use super::labels::Labels;
use super::{Raw, Wanted};
use crate::input::Input;
use crate::{Error, Result};
use object::{Layout, NULL, Object, Scrap};

/// Reads features, and labels and ids where they are there.
pub(super) fn read(mut input: Input, wanted: Wanted) -> Result<Raw> {
    let file = input.name.clone();
    let mut reader = Reader::new(&file, wanted);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = input.read_until(b'\n', &mut line);
        if read.map_err(|e| Error::Read { file: file.clone(), reason: e.to_string() })? == 0 {
            return reader.finish();
        }
        reader.line += 1;
        if !line.trim_ascii().is_empty() {
            reader.read(&line)?;
        }
    }
}

/// What the lines so far hold.
struct Reader<'a> {
    file: &'a str,
    wanted: Wanted<'a>,
    /// The line, from 1.
    line: usize,
    rows: usize,
    features: Vec<f32>,
    dims: usize,
    /// Where the features of a line are, as the first line has it.
    layout: Option<Layout>,
    labels: Vec<Scrap>,
    ids: Vec<Scrap>,
}

impl<'a> Reader<'a> {
    fn new(file: &'a str, wanted: Wanted<'a>) -> Self {
        let layout = wanted.labels_only.then(|| Layout::Keys(Vec::new()));
        Self {
            file,
            wanted,
            line: 0,
            rows: 0,
            features: Vec::new(),
            dims: 0,
            layout,
            labels: Vec::new(),
            ids: Vec::new(),
        }
    }

    fn read(&mut self, line: &[u8]) -> Result<()> {
        let mut object = Object {
            wanted: self.wanted,
            layout: self.layout.as_ref(),
            features: &mut self.features,
            list: None,
            keyed: Vec::new(),
            id: Scrap::Nothing,
            label: Scrap::Nothing,
        };
        let start = object.features.len();
        let mut json = serde_json::Deserializer::from_slice(line);
        let parsed = DeserializeSeed::deserialize(&mut object, &mut json);
        if let Err(error) = parsed.and_then(|()| json.end()) {
            return Err(self.no_json(line, &error));
        }
        let Object { list, keyed, id, label, .. } = object;
        if self.layout.is_none() {
            self.layout = Some(match list {
                Some(name) => Layout::List(name),
                None => Layout::Keys(keyed.iter().map(|(key, _)| key.clone()).collect()),
            });
        }
        if let Some(Layout::Keys(keys)) = &self.layout {
            arrange(keys, &keyed, &mut self.features).map_err(|trouble| match trouble {
                Trouble::Missing(key) => self.missing(key),
                Trouble::NoNumber(key, value) => self.no_number(key, value),
            })?;
        }
        let found = self.features.len() - start;
        if self.rows == 0 {
            self.dims = found;
        }
        if found != self.dims {
            let reason = format!(
                "line {} has {found} features where the first has {}",
                self.line, self.dims
            );
            return Err(Error::damaged(self.file, reason));
        }
        if let Some(place) =
            self.features[start..].iter().position(|&value| value.to_bits() == NULL)
        {
            return Err(self.missing(&place.to_string()));
        }
        self.rows += 1;
        self.labels.push(label);
        self.ids.push(id);
        Ok(())
    }

    fn finish(self) -> Result<Raw> {
        let file = self.file.to_owned();
        if self.rows == 0 {
            return Err(Error::damaged(file, "it is empty"));
        }
        if self.dims == 0 && !self.wanted.labels_only {
            return Err(Error::NoFeatures {
                file,
                found: "objects without numbers".into(),
                remedy: "give each line its features as a list under \"features\", or as numbers under a key each",
            });
        }
        let labels = self.labels.iter().any(|label| *label != Scrap::Nothing);
        let labels = labels.then(|| {
            let texts = self.labels.into_iter().map(|label| label.text().unwrap_or_default());
            Labels::from_texts(texts.collect())
        });
        let ids = self.ids.iter().any(|id| *id != Scrap::Nothing);
        let ids = if ids || (self.wanted.id.is_some() && !self.wanted.labels_only) {
            let place = self.ids.iter().position(|id| matches!(id, Scrap::Nothing | Scrap::Null));
            if let Some(row) = place {
                let column = format!("\"{}\"", self.wanted.id_column());
                return Err(Error::Missing { file, place: format!("row {row}"), column });
            }
            Some(self.ids.into_iter().filter_map(Scrap::text).collect())
        } else {
            None
        };
        let columns = match self.layout {
            Some(Layout::Keys(keys)) if !keys.is_empty() => Some(keys),
            _ => None,
        };
        let (features, rows, dims) = (self.features, self.rows, self.dims);
        Ok(Raw { features, rows, dims, columns, ids, labels, ..Raw::default() })
    }

    fn no_json(&self, line: &[u8], error: &serde_json::Error) -> Error {
        let holds = |word: &[u8]| line.windows(word.len()).any(|window| window == word);
        let hint = if holds(b"NaN") || holds(b"Infinity") {
            "; JSON has no NaN and no Infinity, write null for a label and drop or impute a feature"
        } else {
            ""
        };
        let said = error.to_string();
        let said = said.split(" at line ").next().unwrap_or_default();
        Error::damaged(self.file, format!("line {}: {said}{hint}", self.line))
    }

    fn missing(&self, key: &str) -> Error {
        let (file, place) = (self.file.to_owned(), format!("line {}", self.line));
        Error::Missing { file, place, column: format!("\"{key}\"") }
    }

    fn no_number(&self, key: &str, value: String) -> Error {
        let (file, place) = (self.file.to_owned(), format!("line {}", self.line));
        Error::Cell { file, place, column: format!("\"{key}\""), value }
    }
}

/// Why a line's keys are not features.
enum Trouble<'a> {
    Missing(&'a str),
    NoNumber(&'a str, String),
}

/// Adds the values of a line in the order of `keys`.
fn arrange<'a>(
    keys: &'a [String],
    keyed: &[(String, Scrap)],
    features: &mut Vec<f32>,
) -> std::result::Result<(), Trouble<'a>> {
    for (place, key) in keys.iter().enumerate() {
        // Nearly always the lines agree in their order.
        let at_place = keyed.get(place).filter(|(name, _)| name == key);
        let found = at_place.or_else(|| keyed.iter().find(|(name, _)| name == key));
        match found {
            Some((_, Scrap::Number(value))) => features.push(*value as f32),
            Some((_, Scrap::Whole(value))) => features.push(*value as f32),
            None | Some((_, Scrap::Null | Scrap::Nothing)) => return Err(Trouble::Missing(key)),
            Some((_, other)) => {
                let value = other.clone().text().unwrap_or_else(|| "a list or an object".into());
                return Err(Trouble::NoNumber(key, value.chars().take(60).collect()));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<Raw> {
        read(Input::memory(text.into(), "t.jsonl"), Wanted::default())
    }

    #[test]
    fn lists_with_whatever_beside() {
        let raw = read_text(
            "{\"id\": 7, \"features\": [1, -2.5e0], \"label\": \"auk\", \"n\": 4, \"m\": {\"a\": [1]}}\n\n\
             {\"embedding\": [9], \"label\": null, \"features\": [3, 4], \"id\": \"b\\u00e9\"}",
        )
        .unwrap();
        assert_eq!((raw.rows, raw.dims, raw.columns), (2, 2, None));
        assert_eq!(raw.features, [1.0, -2.5, 3.0, 4.0]);
        assert_eq!(raw.ids.unwrap(), ["7", "bé"]);
        assert_eq!(raw.labels, Some(Labels::from_names(vec!["auk", ""])));
    }

    #[test]
    fn a_key_for_each_feature_in_any_order() {
        let raw = read_text("{\"b\":1,\"x\":true,\"label\":3}\n{\"x\":5,\"label\":-1,\"b\":6}\n")
            .unwrap();
        assert_eq!(raw.features, [1.0, 1.0, 6.0, 5.0]);
        assert_eq!(raw.columns.unwrap(), ["b", "x"]);
        assert_eq!(raw.labels, Some(Labels::Whole(vec![Some(3), Some(-1)])));
        assert_eq!(raw.ids, None);
    }

    #[test]
    fn labels_alone() {
        let wanted = Wanted { labels_only: true, ..Wanted::default() };
        let text =
            "{\"id\":\"a\",\"label\":\"x\",\"why\":\"said so\"}\n{\"id\":\"b\",\"why\":[]}\n";
        let raw = read(Input::memory(text.into(), "y.jsonl"), wanted).unwrap();
        assert_eq!(raw.labels, Some(Labels::from_names(vec!["x", ""])));
        assert_eq!((raw.rows, raw.ids.unwrap()), (2, vec!["a".into(), "b".into()]));
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (text, expected) in [
            ("", "it is empty"),
            ("{}\n", "objects without numbers"),
            ("{\"features\":[]}\n", "line 1, column \"features\": \"a list"),
            ("[1]\n", "line 1: invalid type: sequence, expected one object"),
            ("{\"features\":[1]}\n{\"features\":[1,2]}\n", "line 2 has 2 features"),
            ("{\"features\":[1]}\n{\"embedding\":[1]}\n", "line 2 has 0 features"),
            ("{\"features\":[1,null]}\n", "line 1, column \"1\" is missing"),
            ("{\"features\":[1,\"2\"]}\n", "line 1: invalid type: string"),
            ("{\"features\":[1,NaN]}\n", "JSON has no NaN"),
            ("{\"a\":1,\"b\":2}\n\n{\"a\":1}\n", "line 3, column \"b\" is missing"),
            ("{\"a\":1,\"name\":\"x\"}\n", "column \"name\": \"x\" is not a number"),
            ("{\"a\":1}{\"a\":1}\n", "line 1: trailing characters"),
            ("{\"a\":1}\n{\"a\":", "line 2: EOF"),
            ("{\"a\":1,\"id\":1}\n{\"a\":1}\n", "row 1, column \"id\" is missing"),
        ] {
            let error = read_text(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text:?}: {error}");
        }
    }

    #[test]
    fn depth_and_garbage_are_refused() {
        for open in ["[", "{\"a\":"] {
            let text = format!("{{\"x\":{}", open.repeat(1_000_000));
            assert!(matches!(read_text(&text), Err(Error::Damaged { .. })));
        }
        let bytes = Input::memory(b"{\"a\xff\":1}\n".to_vec(), "t.jsonl");
        assert!(read(bytes, Wanted::default()).is_err());
    }
}
