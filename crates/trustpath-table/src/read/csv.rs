//! Comma- or tab-separated text: a row of numbers per instance, one column being the label.
//!
//! The first line is a header if one of its fields is the name of the label or the id column, if none
//! of its fields is a number, or if they count 0, 1, 2, …, as data frames name columns that have no
//! name. A first column with an empty name is a data frame's index and is left out.

use crate::input::Input;
use crate::{Error, Result};

use super::labels::Labels;
use super::{NAME_FEATURES, Raw, Wanted, no_column};

struct Sheet {
    file: String,
    reader: csv::Reader<Input>,
    record: csv::ByteRecord,
    /// Whether `record` is the first and not yet taken.
    pending: bool,
    header: Option<Vec<String>>,
    columns: usize,
}

impl Sheet {
    fn open(input: Input, delimiter: u8, is_header: impl Fn(&[String]) -> bool) -> Result<Self> {
        let file = input.name.clone();
        let reader =
            csv::ReaderBuilder::new().has_headers(false).delimiter(delimiter).from_reader(input);
        let record = csv::ByteRecord::new();
        let mut sheet = Self { file, reader, record, pending: false, header: None, columns: 0 };
        if !sheet.advance()? {
            return Err(Error::damaged(sheet.file, "it is empty"));
        }
        sheet.columns = sheet.record.len();
        let first: Vec<String> =
            (0..sheet.columns).map(|c| sheet.text(c).map(str::to_owned)).collect::<Result<_>>()?;
        if is_header(&first) {
            sheet.header = Some(first);
        } else {
            sheet.pending = true;
        }
        Ok(sheet)
    }

    /// The column of that name, or of that number from either end.
    fn column(&self, name: &str) -> Option<usize> {
        let named = self.header.as_ref().and_then(|h| h.iter().position(|field| field == name));
        let numbered = || {
            let number: isize = name.parse().ok()?;
            let from_end = if number < 0 { self.columns } else { 0 };
            from_end.checked_add_signed(number).filter(|&column| column < self.columns)
        };
        named.or_else(numbered)
    }

    /// Goes to the next row, if there is one.
    fn advance(&mut self) -> Result<bool> {
        if std::mem::take(&mut self.pending) {
            return Ok(true);
        }
        self.reader.read_byte_record(&mut self.record).map_err(|e| damaged(&self.file, &e))
    }

    fn field(&self, column: usize) -> &[u8] {
        self.record.get(column).unwrap_or_default().trim_ascii()
    }

    /// A field as text, without the mark that keeps spreadsheets from taking it for a formula.
    fn text(&self, column: usize) -> Result<&str> {
        let field = std::str::from_utf8(self.field(column)).map_err(|_| {
            let reason = format!("line {}: its text is not valid UTF-8", self.line());
            Error::damaged(&self.file, reason)
        })?;
        Ok(without_mark(field))
    }

    fn line(&self) -> u64 {
        self.record.position().map_or(0, csv::Position::line)
    }

    fn column_name(&self, column: usize) -> String {
        let name = self.header.as_ref().and_then(|h| h.get(column));
        name.map_or_else(|| column.to_string(), |name| format!("\"{name}\""))
    }

    fn bad_cell(&self, column: usize) -> Error {
        let (file, place) = (self.file.clone(), format!("line {}", self.line()));
        let column_name = self.column_name(column);
        match self.field(column) {
            b"" => Error::Missing { file, place, column: column_name },
            field => {
                let value = String::from_utf8_lossy(field).chars().take(60).collect();
                Error::Cell { file, place, column: column_name, value }
            }
        }
    }
}

/// Reads features and, where their columns are there, labels and ids.
pub(super) fn read(input: Input, delimiter: u8, wanted: Wanted) -> Result<Raw> {
    let mut sheet = Sheet::open(input, delimiter, |first| is_header(first, wanted))?;
    let label = sheet.column(wanted.label_column());
    let id = sheet.column(wanted.id_column());
    if let (Some(name), None) = (wanted.id, id) {
        return Err(no_column(&sheet.file, name, &sheet.header.unwrap_or_default()));
    }
    let index = sheet.header.as_ref().is_some_and(|h| h[0].is_empty()).then_some(0);
    let apart = [label, id, index];
    let of_features: Vec<usize> =
        (0..sheet.columns).filter(|&column| !apart.contains(&Some(column))).collect();
    let dims = of_features.len();
    if dims == 0 {
        return Err(Error::NoFeatures {
            file: sheet.file,
            found: format!("{} column(s), none of them numeric", sheet.columns),
            remedy: "give one column per feature",
        });
    }

    let mut features = Vec::new();
    let (mut labels, mut ids) = (Vec::new(), Vec::new());
    while sheet.advance()? {
        for &column in &of_features {
            let text = std::str::from_utf8(sheet.field(column)).ok();
            let value = text.and_then(|text| text.parse().ok());
            features.push(value.ok_or_else(|| sheet.bad_cell(column))?);
        }
        if let Some(column) = label {
            labels.push(sheet.text(column)?.to_owned());
        }
        if let Some(column) = id {
            ids.push(sheet.text(column)?.to_owned());
        }
    }
    let rows = features.len() / dims;
    if rows == 0 {
        let found = "a header without rows".into();
        return Err(Error::NoFeatures { file: sheet.file, found, remedy: NAME_FEATURES });
    }
    let columns =
        sheet.header.map(|header| of_features.iter().map(|&c| header[c].clone()).collect());
    let (labels, ids) = (label.map(|_| Labels::from_texts(labels)), id.map(|_| ids));
    Ok(Raw { features, rows, dims, columns, ids, labels, ..Raw::default() })
}

/// Reads labels alone: the label column, or the only one, or the second of two; and ids, if they
/// have a column of their own.
pub(super) fn read_labels(input: Input, delimiter: u8, wanted: Wanted) -> Result<Raw> {
    // Names are no numbers either, so only the columns' names tell a header from them.
    let mut sheet = Sheet::open(input, delimiter, |first| names_column(first, wanted))?;
    let (label, id) = match (sheet.column(wanted.label_column()), sheet.columns) {
        (Some(label), _) => (label, sheet.column(wanted.id_column())),
        (None, 1) => (0, None),
        // Pairs of id and label, if no name says otherwise.
        (None, 2) if wanted.label.is_none() && sheet.header.is_none() => (1, Some(0)),
        (None, columns) => {
            return Err(Error::NoLabels {
                file: sheet.file,
                remedy: format!(
                    "it has {columns} columns, none called \"{}\"; name the label column",
                    wanted.label_column()
                ),
            });
        }
    };
    let (mut labels, mut ids) = (Vec::new(), Vec::new());
    // The reader passes over empty lines; alone in its line, an empty cell is one. After the last
    // line there may be one too many, which whoever knows the number of rows drops.
    let mut line = sheet.reader.position().line();
    if sheet.pending {
        line = sheet.line();
    }
    loop {
        let more = sheet.advance()?;
        if sheet.columns == 1 {
            let end = sheet.reader.position().line();
            let own = if more {
                1 + sheet.record.iter().flatten().filter(|&&b| b == b'\n').count()
            } else {
                0
            };
            let blank = (end - line).saturating_sub(own as u64);
            labels.extend((0..blank).map(|_| String::new()));
            line = end;
        }
        if !more {
            break;
        }
        labels.push(sheet.text(label)?.to_owned());
        if let Some(column) = id {
            ids.push(sheet.text(column)?.to_owned());
        }
    }
    let labels = Labels::from_texts(labels);
    Ok(Raw { rows: labels.len(), labels: Some(labels), ids: id.map(|_| ids), ..Raw::default() })
}

/// Whether a field is the name of the label or the id column; a number may be just a value.
fn names_column(first: &[String], wanted: Wanted) -> bool {
    [wanted.label_column(), wanted.id_column()]
        .iter()
        .any(|name| name.parse::<isize>().is_err() && first.iter().any(|field| field == name))
}

fn is_header(first: &[String], wanted: Wanted) -> bool {
    let counts = || first.iter().enumerate().all(|(i, field)| *field == i.to_string());
    names_column(first, wanted)
        || first.iter().all(|field| field.parse::<f64>().is_err())
        || (first.len() > 1 && counts())
}

/// Whether a spreadsheet would take the text for a formula, so that it is written with an apostrophe
/// before it; as would be read without one that it has, which therefore gets a second.
pub(crate) fn needs_mark(text: &str) -> bool {
    let text = text.trim_start_matches('\'');
    text.starts_with(['=', '+', '-', '@', '\t', '\r']) && text.parse::<f64>().is_err()
}

/// The text without the apostrophe that [`needs_mark`] asks for in writing.
fn without_mark(text: &str) -> &str {
    text.strip_prefix('\'').filter(|rest| needs_mark(rest)).unwrap_or(text)
}

fn damaged(file: &str, error: &csv::Error) -> Error {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { pos, expected_len, len } => {
            let line = pos.as_ref().map_or(0, csv::Position::line);
            let reason =
                format!("line {line} has {len} fields where those before it have {expected_len}");
            Error::damaged(file, reason)
        }
        csv::ErrorKind::Io(error) => {
            Error::Read { file: file.to_owned(), reason: error.to_string() }
        }
        _ => Error::damaged(file, error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(label: &str) -> Wanted<'_> {
        Wanted { label: Some(label), ..Wanted::default() }
    }

    fn read_text(text: &str, label: &str) -> Result<Raw> {
        read(Input::memory(text.into(), "t.csv"), b',', wanted(label))
    }

    fn labels_of(text: &str, wanted: Wanted) -> Result<Raw> {
        read_labels(Input::memory(text.into(), "y.csv"), b',', wanted)
    }

    fn whole(labels: &[i64]) -> Option<Labels> {
        Some(Labels::Whole(labels.iter().copied().map(Some).collect()))
    }

    fn names(labels: &[&str]) -> Option<Labels> {
        Some(Labels::from_names(labels.to_vec()))
    }

    #[test]
    fn the_label_column_may_stand_anywhere() {
        let raw = read_text("a,label,b\n1,cat,2.5\n-3e1,dog,0\n", "label").unwrap();
        assert_eq!((raw.rows, raw.dims), (2, 2));
        assert_eq!(raw.features, [1.0, 2.5, -30.0, 0.0]);
        assert_eq!(raw.labels, names(&["cat", "dog"]));
        let raw = read_text("kind,a\n7,1\n", "kind").unwrap();
        assert_eq!((raw.features, raw.labels), (vec![1.0], whole(&[7])));
    }

    #[test]
    fn without_a_header_columns_have_numbers() {
        let raw = read_text("1,2,cat\n3,4,dog\n", "-1").unwrap();
        assert_eq!(raw.features, [1.0, 2.0, 3.0, 4.0]);
        assert!(matches!(raw.labels, Some(Labels::Names(_))));
        let raw = read_text("0,1.5,2\n", "0").unwrap();
        assert_eq!((raw.dims, raw.labels), (2, whole(&[0])));
        let raw = read_text("1,2\n3,4\n", "label").unwrap();
        assert_eq!((raw.rows, raw.dims, raw.labels), (2, 2, None));
    }

    #[test]
    fn data_frames_with_index_and_numbered_columns() {
        let raw = read_text(",0,1,label\n0,5,6,a\n1,7,8,b\n", "label").unwrap();
        assert_eq!((raw.rows, raw.dims, raw.features), (2, 2, vec![5.0, 6.0, 7.0, 8.0]));
        let raw = read_text("0,1,2\n5,6,7\n", "label").unwrap();
        assert_eq!((raw.rows, raw.dims), (1, 3));
    }

    #[test]
    fn tabs_and_labels_alone() {
        let tabs = Input::memory("x\tlabel\n1\t9\n".into(), "t.tsv");
        assert_eq!(read(tabs, b'\t', wanted("label")).unwrap().features, [1.0]);
        let usual = Wanted::default();
        assert_eq!(labels_of("cat\ndog\n", usual).unwrap().labels, names(&["cat", "dog"]));
        let raw = labels_of("n,label\n1,4\n2,5\n", usual).unwrap();
        assert_eq!((raw.labels, raw.ids), (whole(&[4, 5]), None));
        let error = labels_of("n,label\n1,4\n2,5\n", wanted("kind")).unwrap_err();
        assert!(matches!(error, Error::NoLabels { .. }));
    }

    #[test]
    fn labels_may_be_pairs_of_id_and_label() {
        let ids = |ids: &[&str]| Some(ids.iter().map(|&id| id.to_owned()).collect::<Vec<_>>());
        for text in ["id,label\na,x\nb,\n", "a,x\nb,\n", "label,id\nx,a\n,b\n"] {
            let raw = labels_of(text, Wanted::default()).unwrap();
            assert_eq!((raw.labels, raw.ids), (names(&["x", ""]), ids(&["a", "b"])), "{text}");
        }
    }

    #[test]
    fn an_empty_line_is_a_label_that_is_missing() {
        for (text, expected) in [
            ("label\nx\n\n\ny\n", &["x", "", "", "y"][..]),
            ("\nx\n\"\"\ny", &["", "x", "", "y"]),
            ("x\r\n\r\ny\r\n", &["x", "", "y", ""]),
            ("\"x\n1\"\n\ny\n\n", &["x\n1", "", "y", ""]),
        ] {
            let raw = labels_of(text, Wanted::default()).unwrap();
            assert_eq!(raw.labels, names(expected), "{text:?}");
        }
    }

    #[test]
    fn ids_and_the_names_of_features() {
        let raw = read_text("b,id,a,label\n1,'=x,2,\n3,y,4,c\n", "label").unwrap();
        assert_eq!(raw.ids.unwrap(), ["=x", "y"]);
        assert_eq!(raw.columns.unwrap(), ["b", "a"]);
        assert_eq!(raw.labels, names(&["", "c"]));
        let wanted = Wanted { id: Some("file"), ..Wanted::default() };
        let missing = read(Input::memory("a,b\n1,2\n".into(), "t.csv"), b',', wanted);
        let error = missing.unwrap_err().to_string();
        assert!(error.contains("\"file\"") && error.contains("\"a\", \"b\""), "{error}");
    }

    #[test]
    fn bad_cells_and_ragged_lines_are_named() {
        let error = read_text("a,b,label\n1,2,x\n3,oops,y\n", "label").unwrap_err().to_string();
        assert!(error.contains("line 3") && error.contains("\"b\"") && error.contains("oops"));
        let error = read_text("a,b,label\n1,,x\n", "label").unwrap_err();
        assert!(error.to_string().contains("line 2, column \"b\""), "{error}");
        let error = read_text("a,b\n1,2\n3\n", "label").unwrap_err().to_string();
        assert!(error.contains("line 3 has 1 fields"), "{error}");
        for text in ["", "a,b,label\n", "label\n1\n"] {
            assert!(read_text(text, "label").is_err(), "{text:?}");
        }
        let bytes = Input::memory(b"a,label\n1,\xff\n".to_vec(), "t.csv");
        assert!(matches!(read(bytes, b',', wanted("label")), Err(Error::Damaged { .. })));
    }
}
