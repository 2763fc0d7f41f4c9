//! JSON lines: one object per instance, with its features in a list or each under a separate key.
//!
//! ```text
//! {"id": "a.jpg", "features": [0.1, 0.2], "label": "auk"}
//! {"id": "b.jpg", "features": [0.3, 0.4], "label": null}
//! ```
//!
//! Beside a list, numbers are ignored. Without one, every number of the first line is a feature, and every
//! line has the same keys. Texts of the first line are passed on to the result. Nested values are skipped
//! without recursion, however deep they are. A key that an object has twice is an error.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::io::{BufRead, Read};

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::csv::as_utf8;
use super::raw::{CarriedColumn, FEATURE_NAMES, RawTable, ReadOptions};
use crate::input::Input;
use crate::labels::FileLabels;
use crate::limits::LONGEST_LINE;
use crate::{Error, Output, Result, ResultTable};

/// Reads features, and labels and ids where there are any.
pub(super) fn read(input: Input, options: ReadOptions) -> Result<RawTable> {
    let file = input.name.clone();
    let mut reader = JsonlReader {
        file: &file,
        options,
        // For labels alone no key is a feature.
        layout: options.labels_only.then(|| FeatureLayout::Keys(Vec::new())),
        ..JsonlReader::default()
    };
    let mut input = as_utf8(input)?;
    let mut line = Vec::new();
    loop {
        line.clear();
        let mut rest = input.by_ref().take(LONGEST_LINE + 1);
        if rest.read_until(b'\n', &mut line).map_err(|e| Error::read(&file, e))? == 0 {
            return reader.finish();
        }
        if line.len() as u64 > LONGEST_LINE {
            return Err(Error::long_line(file));
        }
        reader.line += 1;
        if !line.trim_ascii().is_empty() {
            reader.read_line(&line)?;
        }
    }
}

/// The keys of a line with their values as text, in their order.
struct JsonObject<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for JsonObject<'de> {
    fn deserialize<D: Deserializer<'de>>(json: D) -> std::result::Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = JsonObject<'de>;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("one object on each line")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(JsonObject(fields))
            }
        }
        json.deserialize_map(Fields)
    }
}

/// The fields of a line, found by key: at the place where it is expected, since nearly always all lines have the same order, or
/// else in an index of all keys.
struct FieldIndex<'a> {
    fields: &'a [(&'a str, &'a RawValue)],
    places: OnceCell<HashMap<&'a str, &'a RawValue>>,
}

impl<'a> FieldIndex<'a> {
    fn new(fields: &'a [(&'a str, &'a RawValue)]) -> Self {
        Self { fields, places: OnceCell::new() }
    }

    fn find(&self, place: usize, key: &str) -> Option<&'a RawValue> {
        match self.fields.get(place) {
            Some((name, raw)) if *name == key => Some(raw),
            _ => self.places.get_or_init(|| self.fields.iter().copied().collect()).get(key).copied(),
        }
    }
}

/// Where the features of a line are.
enum FeatureLayout {
    /// In a list under this key.
    List(String),
    /// Each under one of these keys.
    Keys(Vec<String>),
}

/// What the lines so far hold.
#[derive(Default)]
struct JsonlReader<'a> {
    file: &'a str,
    options: ReadOptions<'a>,
    /// The layout of the first line.
    layout: Option<FeatureLayout>,
    /// The current line, from 1.
    line: usize,
    /// The keys of the line before.
    keys: Vec<String>,
    /// The keys of label and id, once a line has had them.
    label: Option<String>,
    id: Option<String>,
    /// Whether a line has had an origin.
    has_origin: bool,
    raw: RawTable,
    /// The places of the columns that are passed on, among the other fields of the first line.
    carried: Vec<usize>,
    labels: Vec<String>,
    origins: Vec<String>,
    ids: Vec<Option<String>>,
}

impl JsonlReader<'_> {
    fn read_line(&mut self, line: &[u8]) -> Result<()> {
        let JsonObject(fields) = serde_json::from_slice(line).map_err(|e| self.not_json(line, &e))?;
        self.check_keys(&fields)?;
        let name_at = |place: Option<usize>| place.map(|place| fields[place].0.clone());
        if self.label.is_none() {
            self.label = name_at(self.options.find_label(&self.keys));
        }
        if self.id.is_none() {
            self.id = name_at(self.options.find_id(&self.keys));
        }
        let origin = self.options.find_origin(&self.keys);
        self.has_origin |= origin.is_some();
        let origin = origin.map(|place| value(fields[place].1)).transpose();
        let origin = origin.map_err(|e| self.not_json(line, &e))?.and_then(text);
        let (mut id, mut label, mut others) = (None, None, Vec::with_capacity(fields.len()));
        let parsed = |raw| value(raw).map_err(|e| self.not_json(line, &e));
        for (key, raw) in &fields {
            if Some(key) == self.id.as_ref() {
                id = text(parsed(raw)?);
            } else if Some(key) == self.label.as_ref() {
                label = text(parsed(raw)?);
            } else {
                others.push((key.as_str(), *raw));
            }
        }
        let layout = match self.layout.take() {
            Some(layout) => layout,
            None => self.first_line(&others)?,
        };
        let index = FieldIndex::new(&others);
        for (carried, &place) in self.raw.carried.iter_mut().zip(&self.carried) {
            let value = index.find(place, &carried.name).map(value).transpose();
            let value = value.ok().flatten().and_then(text).filter(|text| !text.is_empty());
            carried.texts.push(value);
        }
        let before = self.raw.features.len();
        self.read_features(&layout, &index, line)?;
        self.layout = Some(layout);
        let count = self.raw.features.len() - before;
        if self.raw.rows == 0 {
            self.raw.dims = count;
        } else if count != self.raw.dims {
            let reason = format!("{} has {count} features, the first has {}", self.place(), self.raw.dims);
            return Err(Error::damaged(self.file, reason));
        }
        self.raw.rows += 1;
        self.labels.push(label.unwrap_or_default());
        self.origins.push(origin.unwrap_or_default());
        self.ids.push(id);
        Ok(())
    }

    fn read_features(&mut self, layout: &FeatureLayout, fields: &FieldIndex<'_>, line: &[u8]) -> Result<()> {
        match layout {
            FeatureLayout::List(name) => {
                let list = fields.fields.iter().find(|(key, raw)| key == name && is_list(raw));
                let values: Vec<Option<f32>> = list
                    .map_or(Ok(Vec::new()), |(_, raw)| serde_json::from_str(raw.get()))
                    .map_err(|e| self.not_json(line, &e))?;
                for (place, value) in values.into_iter().enumerate() {
                    self.raw.features.push(value.ok_or_else(|| self.missing(&place.to_string()))?);
                }
            }
            FeatureLayout::Keys(keys) => {
                for (place, key) in keys.iter().enumerate() {
                    let value = fields.find(place, key).map(value).transpose();
                    let value = value.map_err(|e| self.not_json(line, &e))?;
                    self.raw.features.push(self.number(key, value)?);
                }
            }
        }
        Ok(())
    }

    /// Where the features are and which texts are passed on, by the first line.
    fn first_line(&mut self, fields: &[(&str, &RawValue)]) -> Result<FeatureLayout> {
        let options = self.options;
        options.check_columns(&self.keys, self.file)?;
        let layout = layout_of(fields, options);
        let features: HashSet<&str> = match &layout {
            FeatureLayout::List(name) => [name.as_str()].into(),
            FeatureLayout::Keys(keys) => keys.iter().map(String::as_str).collect(),
        };
        let is_carried = |key: &str, raw| !features.contains(key) && options.is_carried(key, is_text(raw));
        self.carried = (0..fields.len()).filter(|&place| is_carried(fields[place].0, fields[place].1)).collect();
        let column = |&place: &usize| CarriedColumn { name: fields[place].0.to_owned(), texts: Vec::new() };
        self.raw.carried = self.carried.iter().map(column).collect();
        if matches!(layout, FeatureLayout::Keys(_)) {
            let texts = fields.iter().filter(|(_, raw)| is_text(raw));
            self.raw.notes.extend(options.text_note(texts.map(|(key, _)| (*key).to_owned()).collect()));
        }
        self.raw.notes.extend(self.label.as_ref().and_then(|label| options.label_note(label)));
        Ok(layout)
    }

    /// Refuses a key that comes twice.
    fn check_keys(&mut self, fields: &[(String, &RawValue)]) -> Result<()> {
        let keys = || fields.iter().map(|(key, _)| key);
        if keys().eq(&self.keys) {
            return Ok(());
        }
        let mut seen = HashSet::new();
        if let Some(key) = keys().find(|&key| !seen.insert(key)) {
            return Err(Error::damaged(self.file, format!("{} has the key {key:?} twice", self.place())));
        }
        self.keys = keys().cloned().collect();
        Ok(())
    }

    /// A feature under a separate key.
    fn number(&self, key: &str, value: Option<Value>) -> Result<f32> {
        match value {
            None | Some(Value::Null) => Err(self.missing(key)),
            Some(Value::Bool(flag)) => Ok(f32::from(u8::from(flag))),
            Some(Value::Number(number)) => Ok(match (number.as_i64(), number.as_u64()) {
                (Some(whole), _) => whole as f32,
                (_, Some(whole)) => whole as f32,
                _ => number.as_f64().unwrap_or(f64::NAN) as f32,
            }),
            Some(other) => {
                let value = text(other).unwrap_or_else(|| "a list or an object".into());
                Err(Error::not_a_number(self.file, self.place(), format!("{key:?}"), &value))
            }
        }
    }

    fn finish(self) -> Result<RawTable> {
        let file = self.file;
        if self.raw.rows == 0 {
            return Err(Error::damaged(file, "it is empty"));
        }
        if self.raw.dims == 0 && !self.options.labels_only && self.options.text.is_none() {
            let remedy = "give each line its features as a list under \"features\", or as one number per key";
            return Err(Error::no_features(file, "objects without numbers", remedy));
        }
        let labels = self.label.map(|_| FileLabels::from_texts(self.labels));
        let wanted = self.options.id.is_some() && !self.options.labels_only;
        let column = format!("{:?}", self.options.id.unwrap_or("id"));
        let missing = |row: usize| Error::missing(file, format!("row {row}"), column.clone());
        let id = |(row, id): (usize, Option<String>)| id.ok_or_else(|| missing(row));
        let ids =
            (wanted || self.id.is_some()).then(|| self.ids.into_iter().enumerate().map(id).collect::<Result<_>>());
        let columns = match self.layout {
            Some(FeatureLayout::Keys(keys)) if !keys.is_empty() => Some(keys),
            _ => None,
        };
        let origins = self.has_origin.then_some(self.origins);
        Ok(RawTable { columns, all_columns: self.keys, ids: ids.transpose()?, labels, origins, ..self.raw })
    }

    fn not_json(&self, line: &[u8], error: &serde_json::Error) -> Error {
        let holds = |word: &[u8]| line.windows(word.len()).any(|window| window == word);
        let hint = if holds(b"NaN") || holds(b"Infinity") {
            "; JSON has no NaN and no Infinity, so write null for a label and drop or impute a feature"
        } else {
            ""
        };
        let error = error.to_string();
        let error = error.split(" at line ").next().unwrap_or_default();
        Error::damaged(self.file, format!("{}: {error}{hint}", self.place()))
    }

    fn missing(&self, key: &str) -> Error {
        Error::missing(self.file, self.place(), format!("{key:?}"))
    }

    /// The current line, as errors call it.
    fn place(&self) -> String {
        format!("line {}", self.line)
    }
}

/// The list that is named or has a usual name, or the only list, or else all keys that are not text.
fn layout_of(fields: &[(&str, &RawValue)], options: ReadOptions) -> FeatureLayout {
    let empty = |raw: &RawValue| raw.get()[1..].trim_start().starts_with(']');
    let lists: Vec<&str> = fields
        .iter()
        .filter(|(key, raw)| is_list(raw) && !empty(raw) && options.is_named_feature(key) != Some(false))
        .map(|(key, _)| *key)
        .collect();
    let usual = lists.iter().find(|key| FEATURE_NAMES.contains(key));
    let only = || lists.first().filter(|_| lists.len() == 1);
    if let Some(list) = usual.or_else(only) {
        return FeatureLayout::List((*list).to_owned());
    }
    let keys = fields.iter().filter(|(key, raw)| options.is_feature(key, is_text(raw)));
    FeatureLayout::Keys(keys.map(|(key, _)| (*key).to_owned()).collect())
}

fn is_text(raw: &RawValue) -> bool {
    raw.get().starts_with('"')
}

fn is_list(raw: &RawValue) -> bool {
    raw.get().starts_with('[')
}

/// A value that is not nested; a list or an object is empty.
fn value(raw: &RawValue) -> serde_json::Result<Value> {
    if raw.get().starts_with(['[', '{']) {
        return Ok(Value::Array(Vec::new()));
    }
    serde_json::from_str(raw.get())
}

/// A value as text, unless it is null or nested; a whole number without a fraction.
fn text(value: Value) -> Option<String> {
    match value {
        Value::Bool(flag) => Some(u8::from(flag).to_string()),
        Value::Number(number) => Some(match number.as_f64().filter(|_| number.is_f64()) {
            Some(fraction) => fraction.to_string(),
            None => number.to_string(),
        }),
        Value::String(text) => Some(text),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

pub(super) fn write(table: &ResultTable, output: &Output) -> Result<()> {
    output.write(|w| {
        for row in 0..table.rows() {
            for (place, (name, column)) in table.columns.iter().enumerate() {
                // Names are letters, digits and _, so that nothing needs escaping.
                write!(w, "{}\"{name}\":", if place == 0 { "{" } else { "," })?;
                serde_json::to_writer(&mut *w, &column.cell(row))?;
            }
            w.write_all(b"}\n")?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::refused;

    fn texts(texts: &[&str]) -> Option<FileLabels> {
        Some(FileLabels::from_texts(texts.to_vec()))
    }

    fn read_text(text: &str) -> Result<RawTable> {
        read_with(text, ReadOptions::default())
    }

    fn read_with(text: &str, options: ReadOptions) -> Result<RawTable> {
        read(Input::memory(text.into(), "t.jsonl"), options)
    }

    #[test]
    fn keys_beside_a_list_are_ignored() {
        let raw = read_text(
            "{\"id\": 7, \"features\": [1, -2.5e0], \"label\": \"auk\", \"n\": 4, \"m\": {\"a\": [1]}}\n\n\
             {\"embedding\": [9], \"label\": null, \"features\": [3, 4], \"id\": \"b\\u00e9\"}",
        )
        .unwrap();
        assert_eq!((raw.rows, raw.dims, raw.columns), (2, 2, None));
        assert_eq!(raw.features, [1.0, -2.5, 3.0, 4.0]);
        assert_eq!(raw.ids.unwrap(), ["7", "bé"]);
        assert_eq!(raw.labels, texts(&["auk", ""]));
    }

    #[test]
    fn a_key_for_each_feature_in_any_order() {
        let raw = read_text("{\"b\":1,\"x\":true,\"label\":3}\n{\"x\":5,\"label\":-1,\"b\":6}\n").unwrap();
        assert_eq!(raw.features, [1.0, 1.0, 6.0, 5.0]);
        assert_eq!(raw.columns.unwrap(), ["b", "x"]);
        assert_eq!(raw.labels, texts(&["3", "-1"]));
        assert_eq!(raw.ids, None);
    }

    #[test]
    fn texts_are_passed_on_and_lists_may_have_any_name() {
        let raw =
            read_text("{\"ID\":1,\"a\":2,\"url\":\"u\",\"Class\":\"x\"}\n{\"ID\":2,\"a\":3,\"url\":null}\n").unwrap();
        assert_eq!((raw.features, raw.ids.unwrap()), (vec![2.0, 3.0], vec!["1".into(), "2".into()]));
        let url = CarriedColumn { name: "url".into(), texts: vec![Some("u".into()), None] };
        assert_eq!(raw.carried, [url]);
        assert_eq!(raw.notes.len(), 2, "{:?}", raw.notes);
        let lists = "{\"text\":\"t\",\"clip\":[1,2],\"box\":[3],\"n\":1}\n";
        assert!(read_text(lists).is_err());
        let names = ["clip".to_owned()];
        let options = ReadOptions { features: Some(&names), ..ReadOptions::default() };
        let raw = read_with(lists, options).unwrap();
        assert_eq!((raw.features, raw.carried[0].name.as_str()), (vec![1.0, 2.0], "text"));
        let raw = read_text("{\"vector\":[1,2],\"n\":1}\n").unwrap();
        assert_eq!(raw.features, [1.0, 2.0]);
    }

    #[test]
    fn lines_of_very_many_keys_take_linear_time() {
        let keys = |order: &mut dyn Iterator<Item = usize>, cell: &str| {
            let fields: Vec<String> = order.map(|k| format!("\"k{k}\":{cell}")).collect();
            format!("{{{}}}\n", fields.join(","))
        };
        let started = std::time::Instant::now();
        let n = 100_000;
        // Numbers, in another order in the second line; and texts, which are passed on.
        let numbers = keys(&mut (0..n), "1") + &keys(&mut (0..n).rev(), "2");
        assert_eq!(read_text(&numbers).unwrap().dims, n);
        let texts = keys(&mut (0..n), "\"x\"").replacen("\"x\"", "1", 1) + &keys(&mut (0..n).rev(), "\"1\"");
        let texts = texts.replace("\"k0\":\"1\"", "\"k0\":1");
        assert_eq!(read_text(&texts).unwrap().carried.len(), n - 1);
        assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
    }

    #[test]
    fn labels_alone() {
        let options = ReadOptions { labels_only: true, ..ReadOptions::default() };
        let text = "{\"id\":\"a\",\"label\":\"x\",\"why\":\"said so\"}\n{\"id\":\"b\",\"why\":[]}\n";
        let raw = read_with(text, options).unwrap();
        assert_eq!(raw.labels, texts(&["x", ""]));
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
            ("{\"a\":1,\"b\":2}\n{\"a\":1,\"b\":\"x\"}\n", "column \"b\": \"x\" is not a number"),
            ("{\"a\":1,\"a\":2}\n", "line 1 has the key \"a\" twice"),
            ("{\"a\":1}\n{\"a\":1,\"z\":0,\"z\":0}\n", "line 2 has the key \"z\" twice"),
            ("{\"a\":1}{\"a\":1}\n", "line 1: trailing characters"),
            ("{\"a\":1}\n{\"a\":", "line 2: EOF"),
            ("{\"a\":1,\"id\":1}\n{\"a\":1}\n", "row 1, column \"id\" is missing"),
        ] {
            refused(read_text(text), &[expected]);
        }
    }

    #[test]
    fn depth_and_garbage_are_refused() {
        for open in ["[", "{\"a\":"] {
            let text = format!("{{\"x\":{}", open.repeat(1_000_000));
            assert!(matches!(read_text(&text), Err(Error::Damaged { .. })));
        }
        let bytes = Input::memory(b"{\"a\xff\":1}\n".to_vec(), "t.jsonl");
        assert!(read(bytes, ReadOptions::default()).is_err());
    }
}
