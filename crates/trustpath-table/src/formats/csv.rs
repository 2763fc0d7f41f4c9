//! Comma- or tab-separated text: one row of numbers per instance, and a label column.
//!
//! The first line is a header if one of its fields is the name of the label or the id column, if none
//! of its fields is a number, or if they count 0, 1, 2, …, as data frames name columns without a
//! name. A first column with an empty name is the index of a data frame and is left out.

use super::raw::{RawTable, ReadOptions, no_column};
use crate::input::Input;
use crate::labels::Labels;
use crate::result::CellValue;
use crate::{Error, Output, Result, ResultTable};

struct CsvReader {
    file: String,
    reader: csv::Reader<Input>,
    record: csv::ByteRecord,
    /// Whether `record` is the first row and has not been used yet.
    pending: bool,
    header: Option<Vec<String>>,
    columns: usize,
}

/// The columns to read.
struct Selection {
    label: Option<usize>,
    id: Option<usize>,
    features: Vec<usize>,
}

/// Reads features or labels alone; ids, where there is a column of them.
pub(super) fn read<const DELIMITER: u8>(input: Input, options: ReadOptions) -> Result<RawTable> {
    let mut table = CsvReader::open(input, DELIMITER, options)?;
    let selection = match options.labels_only {
        true => table.select_labels(options)?,
        false => table.select_features(options)?,
    };
    let (mut features, mut labels, mut ids) = (Vec::new(), Vec::new(), Vec::new());
    let mut line = if table.pending { table.line() } else { table.reader.position().line() };
    loop {
        let more = table.advance()?;
        if options.labels_only && table.columns == 1 {
            // The reader skips empty lines, but in a file of one column they are missing labels.
            // After the last row there may be one too many, which is dropped once the number of
            // rows is known.
            let end = table.reader.position().line();
            let breaks = table.record.iter().flatten().filter(|&&b| b == b'\n').count();
            let own = if more { 1 + breaks as u64 } else { 0 };
            labels.extend((0..(end - line).saturating_sub(own)).map(|_| String::new()));
            line = end;
        }
        if !more {
            break;
        }
        for &column in &selection.features {
            let text = std::str::from_utf8(table.field(column)).ok();
            let value = text.and_then(|text| text.parse().ok());
            features.push(value.ok_or_else(|| table.bad_cell(column))?);
        }
        for (column, texts) in [(selection.label, &mut labels), (selection.id, &mut ids)] {
            if let Some(column) = column {
                texts.push(table.text(column)?.to_owned());
            }
        }
    }
    let labels = selection.label.map(|_| Labels::from_texts(labels));
    let ids = selection.id.map(|_| ids);
    if options.labels_only {
        return Ok(RawTable::of_labels(labels, ids));
    }
    let dims = selection.features.len();
    let rows = features.len() / dims;
    if rows == 0 {
        let (found, remedy) = ("a header without rows".into(), "write one row per instance");
        return Err(Error::NoFeatures { file: table.file, found, remedy });
    }
    let names =
        |header: Vec<String>| selection.features.iter().map(|&c| header[c].clone()).collect();
    let columns = table.header.map(names);
    Ok(RawTable { features, rows, dims, columns, ids, labels, ..RawTable::default() })
}

impl CsvReader {
    fn open(input: Input, delimiter: u8, options: ReadOptions) -> Result<Self> {
        let file = input.name.clone();
        let reader =
            csv::ReaderBuilder::new().has_headers(false).delimiter(delimiter).from_reader(input);
        let record = csv::ByteRecord::new();
        let mut table = Self { file, reader, record, pending: false, header: None, columns: 0 };
        if !table.advance()? {
            return Err(Error::damaged(table.file, "it is empty"));
        }
        table.columns = table.record.len();
        let first: Vec<String> =
            (0..table.columns).map(|c| table.text(c).map(str::to_owned)).collect::<Result<_>>()?;
        if is_header(&first, options) {
            table.header = Some(first);
        } else {
            table.pending = true;
        }
        Ok(table)
    }

    /// All columns except the label, the id and the index of a data frame are features.
    fn select_features(&self, options: ReadOptions) -> Result<Selection> {
        let label = self.column(options.label_column());
        let id = self.column(options.id_column());
        if let (Some(name), None) = (options.id, id) {
            return Err(no_column(&self.file, name, self.header.as_deref().unwrap_or_default()));
        }
        let index = self.header.as_ref().is_some_and(|h| h[0].is_empty()).then_some(0);
        let others = [label, id, index];
        let features: Vec<usize> =
            (0..self.columns).filter(|&column| !others.contains(&Some(column))).collect();
        if features.is_empty() {
            return Err(Error::NoFeatures {
                file: self.file.clone(),
                found: format!("{} column(s), none of them numeric", self.columns),
                remedy: "give one column per feature",
            });
        }
        Ok(Selection { label, id, features })
    }

    /// The label column, or the only column, or the second of two.
    fn select_labels(&self, options: ReadOptions) -> Result<Selection> {
        let (label, id) = match (self.column(options.label_column()), self.columns) {
            (Some(label), _) => (label, self.column(options.id_column())),
            (None, 1) => (0, None),
            // Pairs of id and label, unless names say otherwise.
            (None, 2) if options.label.is_none() && self.header.is_none() => (1, Some(0)),
            (None, columns) => {
                return Err(Error::NoLabels {
                    file: self.file.clone(),
                    remedy: format!(
                        "it has {columns} columns, none called {:?}; name the label column",
                        options.label_column()
                    ),
                });
            }
        };
        Ok(Selection { label: Some(label), id, features: Vec::new() })
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

    /// Moves to the next row, if there is one.
    fn advance(&mut self) -> Result<bool> {
        if std::mem::take(&mut self.pending) {
            return Ok(true);
        }
        self.reader.read_byte_record(&mut self.record).map_err(|error| self.failure(&error))
    }

    fn field(&self, column: usize) -> &[u8] {
        self.record.get(column).unwrap_or_default().trim_ascii()
    }

    /// A field as text, without the mark that keeps spreadsheets from running it as a formula.
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

    fn bad_cell(&self, column: usize) -> Error {
        let (file, place) = (self.file.clone(), format!("line {}", self.line()));
        let name = self.header.as_ref().and_then(|h| h.get(column));
        let name = name.map_or_else(|| column.to_string(), |name| format!("{name:?}"));
        match self.field(column) {
            b"" => Error::Missing { file, place, column: name },
            field => {
                let value = String::from_utf8_lossy(field).chars().take(60).collect();
                Error::Cell { file, place, column: name, value }
            }
        }
    }

    fn failure(&self, error: &csv::Error) -> Error {
        match error.kind() {
            csv::ErrorKind::UnequalLengths { pos, expected_len, len } => {
                let line = pos.as_ref().map_or(0, csv::Position::line);
                let header = self.header.as_deref().unwrap_or_default();
                let hint = match header {
                    [only] if only.contains(';') => {
                        "; it looks like columns are separated by ';' and decimals by ',', so save it with ',' between columns and '.' for decimals"
                    }
                    _ => "",
                };
                let reason = format!(
                    "line {line} has {len} fields, the lines before it have {expected_len}{hint}"
                );
                Error::damaged(&self.file, reason)
            }
            csv::ErrorKind::Io(error) => {
                Error::Read { file: self.file.clone(), reason: error.to_string() }
            }
            _ => Error::damaged(&self.file, error),
        }
    }
}

fn is_header(first: &[String], options: ReadOptions) -> bool {
    // A number in the first line may be a value rather than the name of a column.
    let named = [options.label_column(), options.id_column()]
        .iter()
        .any(|name| name.parse::<isize>().is_err() && first.iter().any(|field| field == name));
    // Labels are not numbers either, so in a file of labels only the names of columns tell.
    let counts = || first.iter().enumerate().all(|(i, field)| *field == i.to_string());
    let no_numbers = || first.iter().all(|field| field.parse::<f64>().is_err());
    named || (!options.labels_only && (no_numbers() || (first.len() > 1 && counts())))
}

/// Whether the text is written with an apostrophe before it: because a spreadsheet would run it as a
/// formula, or because it begins with an apostrophe that would be removed in reading.
fn needs_mark(text: &str) -> bool {
    let text = text.trim_start_matches('\'');
    text.starts_with(['=', '+', '-', '@', '\t', '\r']) && text.parse::<f64>().is_err()
}

/// The text without the apostrophe that [`needs_mark`] asks for in writing.
fn without_mark(text: &str) -> &str {
    text.strip_prefix('\'').filter(|rest| needs_mark(rest)).unwrap_or(text)
}

/// Writes a header and one line per row, with fields quoted where needed.
pub(super) fn write<const DELIMITER: u8>(table: &ResultTable, output: &Output) -> Result<()> {
    output.write(|w| {
        let mut csv = csv::WriterBuilder::new().delimiter(DELIMITER).from_writer(w);
        csv.write_record(table.columns.iter().map(|(name, _)| name))?;
        for row in 0..table.rows() {
            for (_, column) in &table.columns {
                match column.cell(row) {
                    CellValue::Text(text) if needs_mark(text) => {
                        csv.write_field(format!("'{text}"))?
                    }
                    CellValue::Text(text) => csv.write_field(text)?,
                    // Unlike Display, Debug is short for very small and large numbers too.
                    CellValue::Number(number) => csv.write_field(format!("{number:?}"))?,
                    CellValue::Count(count) => csv.write_field(count.to_string())?,
                    CellValue::Flag(flag) => csv.write_field(flag.to_string())?,
                    CellValue::Missing => csv.write_field("")?,
                }
            }
            csv.write_record(None::<&[u8]>)?;
        }
        csv.flush()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{refused, strings};

    fn label_column(label: &str) -> ReadOptions<'_> {
        ReadOptions { label: Some(label), ..ReadOptions::default() }
    }

    fn read_text(text: &str, label: &str) -> Result<RawTable> {
        read::<b','>(Input::memory(text.into(), "t.csv"), label_column(label))
    }

    fn labels_of(text: &str, options: ReadOptions) -> Result<RawTable> {
        let options = ReadOptions { labels_only: true, ..options };
        read::<b','>(Input::memory(text.into(), "y.csv"), options)
    }

    fn whole(labels: &[i64]) -> Option<Labels> {
        Some(Labels::Whole(labels.iter().copied().map(Some).collect()))
    }

    fn names(labels: &[&str]) -> Option<Labels> {
        Some(Labels::from_names(labels.to_vec()))
    }

    #[test]
    fn columns_are_found_by_name_or_number() {
        let check = |text: &str, label: &str, dims: usize, features: &[f32], labels| {
            let raw = read_text(text, label).unwrap();
            assert_eq!((raw.dims, &raw.features[..]), (dims, features), "{text}");
            assert_eq!((raw.rows, raw.labels), (features.len() / dims, labels), "{text}");
        };
        check("a,label,b\n1,cat,2.5\n", "label", 2, &[1.0, 2.5], names(&["cat"]));
        check("kind,a\n7,1\n8,-3e1\n", "kind", 1, &[1.0, -30.0], whole(&[7, 8]));
        // Without a header columns have numbers.
        check("1,2,cat\n3,4,dog\n", "-1", 2, &[1.0, 2.0, 3.0, 4.0], names(&["cat", "dog"]));
        check("0,1.5,2\n", "0", 2, &[1.5, 2.0], whole(&[0]));
        check("1,2\n3,4\n", "label", 2, &[1.0, 2.0, 3.0, 4.0], None);
        // Data frames may have an index and numbered columns.
        check(
            ",0,1,label\n0,5,6,a\n1,7,8,b\n",
            "label",
            2,
            &[5.0, 6.0, 7.0, 8.0],
            names(&["a", "b"]),
        );
        check("0,1,2\n5,6,7\n", "label", 3, &[5.0, 6.0, 7.0], None);
        let raw = read_text("b,id,a,label\n1,'=x,2,\n3,y,4,c\n", "label").unwrap();
        assert_eq!((raw.features, raw.labels), (vec![1.0, 2.0, 3.0, 4.0], names(&["", "c"])));
        assert_eq!(
            (raw.ids.unwrap(), raw.columns.unwrap()),
            (strings(&["=x", "y"]), strings(&["b", "a"]))
        );
        let tabs = Input::memory("x\tlabel\n1\t9\n".into(), "t.tsv");
        assert_eq!(read::<b'\t'>(tabs, label_column("label")).unwrap().features, [1.0]);
    }

    #[test]
    fn labels_alone_or_with_ids() {
        let usual = ReadOptions::default();
        assert_eq!(labels_of("cat\ndog\n", usual).unwrap().labels, names(&["cat", "dog"]));
        let raw = labels_of("n,label\n1,4\n2,5\n", usual).unwrap();
        assert_eq!((raw.labels, raw.ids), (whole(&[4, 5]), None));
        refused(labels_of("n,label\n1,4\n2,5\n", label_column("kind")), &["y.csv has no labels"]);
        for text in ["id,label\na,x\nb,\n", "a,x\nb,\n", "label,id\nx,a\n,b\n"] {
            let raw = labels_of(text, usual).unwrap();
            assert_eq!(
                (raw.labels, raw.ids),
                (names(&["x", ""]), Some(strings(&["a", "b"]))),
                "{text}"
            );
        }
    }

    #[test]
    fn an_empty_line_is_a_missing_label() {
        for (text, expected) in [
            ("label\nx\n\n\ny\n", &["x", "", "", "y"][..]),
            ("\nx\n\"\"\ny", &["", "x", "", "y"]),
            ("x\r\n\r\ny\r\n", &["x", "", "y", ""]),
            ("\"x\n1\"\n\ny\n\n", &["x\n1", "", "y", ""]),
        ] {
            let raw = labels_of(text, ReadOptions::default()).unwrap();
            assert_eq!(raw.labels, names(expected), "{text:?}");
        }
    }

    #[test]
    fn bad_cells_and_ragged_lines_are_named() {
        for (text, expected) in [
            ("a,b,label\n1,2,x\n3,oops,y\n", &["line 3", "\"b\"", "oops"][..]),
            ("a,b,label\n1,,x\n", &["line 2, column \"b\""]),
            ("a,b\n1,2\n3\n", &["line 3 has 1 fields"]),
            ("a;b;label\n1,5;2;x\n", &["line 2 has 2 fields", "separated by ';'"]),
            ("", &["it is empty"]),
            ("a,b,label\n", &["a header without rows"]),
            ("label\n1\n", &["1 column(s)"]),
        ] {
            refused(read_text(text, "label"), expected);
        }
        let options = ReadOptions { id: Some("file"), ..ReadOptions::default() };
        let no_id = read::<b','>(Input::memory("a,b\n1,2\n".into(), "t.csv"), options);
        refused(no_id, &["\"file\"", "\"a\", \"b\""]);
        let bytes = Input::memory(b"a,label\n1,\xff\n".to_vec(), "t.csv");
        refused(read::<b','>(bytes, label_column("label")), &["line 2", "UTF-8"]);
    }
}
