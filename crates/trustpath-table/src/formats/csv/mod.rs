//! Comma- or tab-separated text: one row of numbers per instance, and a label column.
//!
//! The first line is a header if one of its fields is the name of the label or the id column, if none
//! of its fields is a number, or if they count 0, 1, 2, …, as data frames name columns without a
//! name. A first column with an empty name is the index of a data frame and is left out. Columns whose
//! first cells are all text are no features and are passed on to the result.

mod labels;
mod sniff;
mod write;

use std::io;

use super::raw::{CarriedColumn, RawTable, ReadOptions, check_header, no_column};
use crate::input::Input;
use crate::labels::FileLabels;
use crate::limits::MOST_COLUMNS;
use crate::missing::ReadingNote;
use crate::{Error, Result};
pub(crate) use labels::{fields, read_lines};
pub(super) use sniff::as_utf8;
use sniff::{Sample, not_utf8, sample};
use write::without_mark;
pub(super) use write::write;

struct CsvReader {
    file: String,
    reader: csv::Reader<Input>,
    record: csv::ByteRecord,
    sample: Sample,
    /// Whether `record` is the first row and has not been used yet.
    pending: bool,
    has_header: bool,
    /// The names of the columns; without a header their numbers from 0.
    names: Vec<String>,
    /// Whether a number had a decimal comma.
    commas: bool,
}

struct Selection {
    label: Option<usize>,
    id: Option<usize>,
    features: Vec<usize>,
    carried: Vec<usize>,
    notes: Vec<ReadingNote>,
}

/// Reads features or labels alone; ids, where there is a column of them.
pub(super) fn read<const DELIMITER: u8>(input: Input, options: ReadOptions) -> Result<RawTable> {
    if options.labels_only {
        return labels::read(input, DELIMITER, options);
    }
    let mut table = CsvReader::open(as_utf8(input)?, DELIMITER, options)?;
    let mut selection = table.select(options)?;
    let (mut features, mut labels, mut ids, mut rows) = (Vec::new(), Vec::new(), Vec::new(), 0);
    let names_of = |columns: &[usize]| columns.iter().map(|&column| table.names[column].clone()).collect::<Vec<_>>();
    let columns = table.has_header.then(|| names_of(&selection.features));
    let column = |name| CarriedColumn { name, texts: Vec::new() };
    let mut carried: Vec<_> = names_of(&selection.carried).into_iter().map(column).collect();
    while table.advance()? {
        rows += 1;
        for &column in &selection.features {
            features.push(table.number(column)?);
        }
        for (column, texts) in [(selection.label, &mut labels), (selection.id, &mut ids)] {
            if let Some(column) = column {
                texts.push(table.text(column)?.to_owned());
            }
        }
        for (&column, carried) in selection.carried.iter().zip(&mut carried) {
            let text = table.text(column)?;
            carried.texts.push((!text.is_empty()).then(|| text.to_owned()));
        }
    }
    if rows == 0 {
        return Err(Error::no_features(table.file, "a header without rows", "write one row per instance"));
    }
    if table.commas {
        selection.notes.push(ReadingNote::DecimalComma);
    }
    let labels = selection.label.map(|_| FileLabels::from_texts(labels));
    let ids = selection.id.map(|_| ids);
    let (dims, notes) = (selection.features.len(), selection.notes);
    Ok(RawTable { features, rows, dims, columns, ids, labels, carried, notes, ..RawTable::default() })
}

impl CsvReader {
    fn open(mut input: Input, delimiter: u8, options: ReadOptions) -> Result<Self> {
        let file = input.name.clone();
        let sample = sample(&mut input, delimiter)?;
        input.limit_lines();
        let mut reader = csv::ReaderBuilder::new();
        let reader = reader.has_headers(false).delimiter(sample.delimiter).from_reader(input);
        let (record, names) = (csv::ByteRecord::new(), Vec::new());
        let (pending, has_header, commas) = (false, false, false);
        let mut table = Self { file, reader, record, sample, pending, has_header, names, commas };
        if !table.advance()? {
            return Err(Error::damaged(table.file, "it is empty"));
        }
        let columns = table.record.len();
        if columns > MOST_COLUMNS {
            return Err(Error::many_columns(table.file, columns));
        }
        let first: Vec<String> = (0..columns).map(|c| table.text(c).map(str::to_owned)).collect::<Result<_>>()?;
        table.has_header = is_header(&first, options);
        if table.has_header {
            check_header(&first, &table.file)?;
        }
        table.pending = !table.has_header;
        table.names = if table.has_header { first } else { (0..columns).map(|c| c.to_string()).collect() };
        Ok(table)
    }

    /// All numeric columns except the label, the id and the index of a data frame are features, unless
    /// the caller names them.
    fn select(&self, options: ReadOptions) -> Result<Selection> {
        let names = &self.names;
        let numbered = |name: Option<&str>| column_number(name?, names.len());
        let label = options.find_label(names).or_else(|| numbered(options.label));
        let id = options.find_id(names).or_else(|| numbered(options.id));
        if let (Some(name), None) = (options.id, id) {
            return Err(no_column(&self.file, name, if self.has_header { names } else { &[] }));
        }
        options.check_columns(names, &self.file)?;
        let index = (self.has_header && names[0].is_empty()).then_some(0);
        let known = [label, id, index];
        let first = usize::from(self.has_header);
        let (mut features, mut carried, mut texts) = (Vec::new(), Vec::new(), Vec::new());
        for column in (0..names.len()).filter(|&column| !known.contains(&Some(column))) {
            let name = &names[column];
            let is_text = self.sample.is_text(column, first);
            if options.is_feature(name, is_text) {
                features.push(column);
            } else if options.is_carried(name, is_text) {
                carried.push(column);
            }
            if is_text {
                texts.push(name.clone());
            }
        }
        if features.is_empty() && options.text.is_none() {
            let contents = format!("{} column(s), none of them numeric", names.len());
            return Err(Error::no_features(&self.file, contents, "give one column per feature"));
        }
        let label_note = label.and_then(|label| options.label_note(&names[label]));
        let notes = label_note.into_iter().chain(options.text_note(texts)).collect();
        Ok(Selection { label, id, features, carried, notes })
    }

    /// A feature.
    fn number(&mut self, column: usize) -> Result<f32> {
        let text = std::str::from_utf8(self.field(column)).ok();
        if let Some(number) = text.and_then(|text| text.parse().ok()) {
            return Ok(number);
        }
        let number = text.and_then(|text| self.sample.with_point(text)?.parse().ok());
        self.commas |= number.is_some();
        number.ok_or_else(|| self.bad_cell(column))
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
        let field = self.field(column);
        let text = std::str::from_utf8(field).map_err(|_| not_utf8(&self.file, &self.place(), field))?;
        Ok(without_mark(text))
    }

    /// The current row, as errors call it.
    fn place(&self) -> String {
        format!("line {}", self.line_at(self.record.position()))
    }

    /// The line of the row that begins after the line breaks at `position`, as editors count. The parser counts
    /// otherwise where lines are empty or end in `\r\n`, so that the file is read again.
    fn line_at(&self, position: Option<&csv::Position>) -> u64 {
        const PIECE: u64 = 1 << 16;
        let Some(place) = position.map(csv::Position::byte) else { return 0 };
        let input = self.reader.get_ref();
        let (mut line, mut at, mut after_return) = (1, 0, false);
        while at < input.length {
            let mut piece = vec![0; PIECE.min(input.length - at) as usize];
            if input.read_exact_at(&mut piece, at).is_err() {
                break;
            }
            for byte in piece {
                if at >= place && !matches!(byte, b'\r' | b'\n') {
                    return line;
                }
                line += u64::from(byte == b'\r' || (byte == b'\n' && !after_return));
                after_return = byte == b'\r';
                at += 1;
            }
        }
        line
    }

    fn bad_cell(&self, column: usize) -> Error {
        let name = &self.names[column];
        let name = if self.has_header { format!("{name:?}") } else { name.clone() };
        match self.field(column) {
            b"" => Error::missing(&self.file, self.place(), name),
            field => Error::not_a_number(&self.file, self.place(), name, &String::from_utf8_lossy(field)),
        }
    }

    fn failure(&self, error: &csv::Error) -> Error {
        match error.kind() {
            csv::ErrorKind::UnequalLengths { pos, expected_len, len } => {
                let line = self.line_at(pos.as_ref());
                let reason = format!("line {line} has {len} fields, the lines before it have {expected_len}");
                Error::damaged(&self.file, reason)
            }
            csv::ErrorKind::Io(error) if error.kind() == io::ErrorKind::FileTooLarge => Error::long_line(&self.file),
            csv::ErrorKind::Io(error) => Error::read(&self.file, error),
            _ => Error::damaged(&self.file, error),
        }
    }
}

/// The column of this number, from 0 or from −1 backwards.
fn column_number(number: &str, columns: usize) -> Option<usize> {
    let number: isize = number.parse().ok()?;
    let from_end = if number < 0 { columns } else { 0 };
    from_end.checked_add_signed(number).filter(|&column| column < columns)
}

fn is_header(first: &[String], options: ReadOptions) -> bool {
    // A number in the first line may be a value rather than the name of a column.
    let roles = [options.find_label(first), options.find_id(first)];
    let named = roles.into_iter().flatten().any(|place| first[place].parse::<f64>().is_err());
    let counts = || first.iter().enumerate().all(|(i, field)| *field == i.to_string());
    let no_numbers = || first.iter().all(|field| field.parse::<f64>().is_err());
    named || no_numbers() || (first.len() > 1 && counts())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{refused, strings};

    pub fn label_column(label: &str) -> ReadOptions<'_> {
        ReadOptions { label: Some(label), ..ReadOptions::default() }
    }

    pub fn texts(labels: &[&str]) -> Option<FileLabels> {
        Some(FileLabels::from_texts(labels.to_vec()))
    }

    fn read_text(text: &str, label: &str) -> Result<RawTable> {
        read::<b','>(Input::memory(text.into(), "t.csv"), label_column(label))
    }

    #[test]
    fn columns_are_chosen_by_name_or_number() {
        let check = |text: &str, label: &str, dims: usize, features: &[f32], labels| {
            let raw = read_text(text, label).unwrap();
            assert_eq!((raw.dims, &raw.features[..]), (dims, features), "{text}");
            assert_eq!((raw.rows, raw.labels), (features.len() / dims, labels), "{text}");
        };
        check("a,label,b\n1,cat,2.5\n", "label", 2, &[1.0, 2.5], texts(&["cat"]));
        check("kind,a\n7,1\n8,-3e1\n", "kind", 1, &[1.0, -30.0], texts(&["7", "8"]));
        // Without a header columns have numbers.
        check("1,2,cat\n3,4,dog\n", "-1", 2, &[1.0, 2.0, 3.0, 4.0], texts(&["cat", "dog"]));
        check("0,1.5,2\n", "0", 2, &[1.5, 2.0], texts(&["0"]));
        check("1,2\n3,4\n", "label", 2, &[1.0, 2.0, 3.0, 4.0], None);
        // Data frames may have an index and numbered columns.
        check(",0,1,label\n0,5,6,a\n1,7,8,b\n", "label", 2, &[5.0, 6.0, 7.0, 8.0], texts(&["a", "b"]));
        check("0,1,2\n5,6,7\n", "label", 3, &[5.0, 6.0, 7.0], None);
        let raw = read_text("b,id,a,label\n1,'=x,2,\n3,y,4,c\n", "label").unwrap();
        assert_eq!((raw.features, raw.labels), (vec![1.0, 2.0, 3.0, 4.0], texts(&["", "c"])));
        assert_eq!((raw.ids.unwrap(), raw.columns.unwrap()), (strings(&["=x", "y"]), strings(&["b", "a"])));
    }

    #[test]
    fn columns_of_text_are_passed_on() {
        let text = "url,a,when,b,Label,ID\nh://x,1,2021-01-01,2,cat,p\n,3,2021-01-02,4,,q\n";
        let raw = read_text(text, "label").unwrap();
        assert_eq!((raw.dims, &raw.features[..]), (2, &[1.0, 2.0, 3.0, 4.0][..]));
        assert_eq!(raw.labels, texts(&["cat", ""]));
        assert_eq!(raw.ids, Some(strings(&["p", "q"])));
        let carried = |name: &str, texts: [Option<&str>; 2]| CarriedColumn {
            name: name.into(),
            texts: texts.map(|text| text.map(str::to_owned)).to_vec(),
        };
        let when = carried("when", [Some("2021-01-01"), Some("2021-01-02")]);
        assert_eq!(raw.carried, [carried("url", [Some("h://x"), None]), when]);
        assert_eq!(raw.notes, [ReadingNote::TextColumns(strings(&["url", "when"]))]);
    }

    #[test]
    fn features_and_columns_to_carry_may_be_named() {
        let text = "f1,f2,year,note,label\n1,2,2001,x,cat\n3,4,2002,y,dog\n";
        let read = |features: Option<&[&str]>, carry: Option<&[&str]>| {
            let (features, carry) = (features.map(strings), carry.map(strings));
            let (features, carry) = (features.as_deref(), carry.as_deref());
            let options = ReadOptions { features, carry, ..ReadOptions::default() };
            read::<b','>(Input::memory(text.into(), "t.csv"), options)
        };
        let carried = |raw: &RawTable| raw.carried.iter().map(|column| column.name.clone()).collect::<Vec<_>>();
        let raw = read(Some(&["f*"]), Some(&["year", "note"])).unwrap();
        assert_eq!((raw.features.len(), carried(&raw)), (4, strings(&["year", "note"])));
        let raw = read(Some(&["f2", "year"]), None).unwrap();
        assert_eq!((raw.columns.clone(), carried(&raw)), (Some(strings(&["f2", "year"])), strings(&["note"])));
        let raw = read(None, Some(&["year"])).unwrap();
        assert_eq!((raw.features.len(), carried(&raw)), (4, strings(&["year"])));
        assert_eq!(read(None, Some(&[])).unwrap().carried, []);
        refused(read(Some(&["g*"]), None), &["no column \"g*\"", "\"f1\""]);
        refused(read(Some(&["note"]), None), &["line 2", "\"x\" is not a number"]);
    }

    #[test]
    fn a_column_that_comes_twice_is_refused() {
        for text in ["a,b,a,label\n1,2,3,x\n", "label,a,label\nx,1,y\n"] {
            refused(read_text(text, "label"), &["t.csv has two columns called", "its own name"]);
        }
        // Columns without a name, and values that are alike in a file without a header.
        assert_eq!(read_text(",a,,label\n1,2,3,x\n", "label").unwrap().dims, 2);
        assert_eq!(read_text("1,1,1\n2,2,2\n", "label").unwrap().dims, 3);
    }

    #[test]
    fn semicolons_tabs_and_decimal_commas() {
        for text in ["a;b;label\n1,5;-2;x\n3;4,25e1;y\n", "a\tb\tlabel\n1,5\t-2\tx\n3\t4,25e1\ty\n"] {
            let raw = read_text(text, "label").unwrap();
            assert_eq!(raw.features, [1.5, -2.0, 3.0, 42.5], "{text}");
            assert_eq!(raw.notes, [ReadingNote::DecimalComma]);
        }
    }

    #[test]
    fn lines_are_counted_as_editors_count() {
        for text in ["a,b\r\n1,2\r\n\r\n3,x\r\n", "a,b\n1,2\n\n3,x\n", "a,b\r1,2\r\r3,x\r", "a,\"b\n\"\n1,2\n3,x\n"] {
            refused(read_text(text, "label"), &["line 4", "\"x\""]);
        }
        refused(read_text("a,b\r\n\r\n1,2\r\n3\r\n", "label"), &["line 4 has 1 fields"]);
    }

    #[test]
    fn bad_cells_and_ragged_lines_are_named() {
        for (text, expected) in [
            ("a,b,label\n1,2,x\n3,oops,y\n", &["line 3", "\"b\"", "oops"][..]),
            ("a,label\n1.5,x\noops;,y\n", &["line 3", "\"oops;\""]),
            ("label\n1\n", &["1 column(s)"]),
        ] {
            refused(read_text(text, "label"), expected);
        }
        let options = ReadOptions { id: Some("file"), ..ReadOptions::default() };
        let no_id = read::<b','>(Input::memory("a,b\n1,2\n".into(), "t.csv"), options);
        refused(no_id, &["\"file\"", "\"a\", \"b\""]);
        let latin = Input::memory(b"a,label\n1,\xff\n".to_vec(), "t.csv");
        let latin = read::<b','>(latin, label_column("label"));
        refused(latin, &["line 2: byte 0xff is not UTF-8", "Latin-1", "iconv"]);
    }
}
