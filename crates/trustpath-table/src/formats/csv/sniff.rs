//! What a text file does not say about itself: its encoding and what separates its columns.
//!
//! UTF-16 is recognised by its byte order mark and converted; other text must be UTF-8. Columns are separated by what
//! the ending of the name says, unless the first lines have the same number of fields only with another separator.

use std::io::{BufRead, Read, Seek};

use crate::input::Input;
use crate::{Error, Result};

pub(super) const SAMPLE_BYTES: u64 = 1 << 16;
const SAMPLE_LINES: usize = 50;

/// The input as UTF-8, if it is UTF-16.
pub(crate) fn as_utf8(mut input: Input) -> Result<Input> {
    let name = input.name.clone();
    let start = input.fill_buf().map_err(|e| Error::read(&name, e))?;
    let unit: fn([u8; 2]) -> u16 = match start {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ => return Ok(input),
    };
    let bytes = input.read_text()?;
    let units = bytes[2..].as_chunks().0.iter().map(|&pair| unit(pair));
    let text: std::result::Result<String, _> = char::decode_utf16(units).collect();
    match text {
        Ok(text) if bytes.len() % 2 == 0 => Ok(Input::memory(text.into_bytes(), name)),
        _ => Err(Error::damaged(name, "it begins like UTF-16 but is not; save it as UTF-8")),
    }
}

/// The error for bytes that are not UTF-8; `place` says where they are.
pub(crate) fn not_utf8(file: &str, place: &str, bytes: &[u8]) -> Error {
    let byte = std::str::from_utf8(bytes).err().and_then(|e| bytes.get(e.valid_up_to()));
    let byte = byte.map_or_else(String::new, |byte| format!("byte 0x{byte:02x} "));
    let reason = format!(
        "{place}: {byte}is not UTF-8, so the text may be Latin-1 or Windows-1252; save it as UTF-8, or convert it with: iconv -f WINDOWS-1252 -t UTF-8"
    );
    Error::damaged(file, reason)
}

/// The first rows of a file, and what separates its columns.
#[derive(Debug)]
pub(super) struct Sample {
    pub delimiter: u8,
    pub rows: Vec<Vec<String>>,
}

impl Sample {
    /// Whether the column from row `first` on holds texts, none of which is a number.
    pub fn is_text(&self, column: usize, first: usize) -> bool {
        let cells = self.rows.iter().skip(first).filter_map(|row| row.get(column));
        let mut cells = cells.filter(|cell| !cell.is_empty()).peekable();
        let number = |cell: &String| cell.parse::<f64>().is_ok() || self.with_point(cell).is_some();
        cells.peek().is_some() && !cells.any(number)
    }

    /// A number that is written with a decimal comma, with a point instead, if commas do not separate the columns.
    pub fn with_point(&self, cell: &str) -> Option<String> {
        (self.delimiter != b',').then(|| with_point(cell)).flatten()
    }
}

/// Looks at the first rows of a file, where the ending of its name says that `usual` separates its columns.
pub(super) fn sample(input: &mut Input, usual: u8) -> Result<Sample> {
    let mut sample = Vec::new();
    let read = input.by_ref().take(SAMPLE_BYTES).read_to_end(&mut sample).and_then(|_| input.rewind());
    read.map_err(|e| Error::read(&input.name, e))?;
    // The last line of a sample may be cut off.
    if sample.len() as u64 == SAMPLE_BYTES {
        let end = sample.iter().rposition(|&byte| byte == b'\n').map_or(sample.len(), |end| end + 1);
        sample.truncate(end);
    }
    let text = |field: &[u8]| String::from_utf8_lossy(field).trim().to_owned();
    let rows = |delimiter: u8| -> Vec<Vec<String>> {
        let mut reader = csv::ReaderBuilder::new();
        let reader = reader.has_headers(false).flexible(true).delimiter(delimiter);
        let records = reader.from_reader(&sample[..]).into_byte_records().take(SAMPLE_LINES).flatten();
        records.map(|record| record.iter().map(text).collect()).collect()
    };
    let equally_long = |rows: &[Vec<String>]| {
        let columns = rows.first().map_or(0, Vec::len);
        columns > 1 && rows.iter().all(|row| row.len() == columns)
    };
    let usual_rows = rows(usual);
    let fits = equally_long(&usual_rows);
    for other in [b'\t', b';', b',', b'|'].into_iter().filter(|&other| other != usual) {
        let rows = rows(other);
        let commas = || rows.iter().flatten().any(|field| with_point(field).is_some());
        // Decimal commas also look like a separator.
        if equally_long(&rows) && (!fits || (usual == b',' && other == b';' && commas())) {
            return Ok(Sample { delimiter: other, rows });
        }
    }
    Ok(Sample { delimiter: usual, rows: usual_rows })
}

/// A number that is written with a decimal comma, with a point instead.
fn with_point(field: &str) -> Option<String> {
    let (whole, fraction) = field.split_once(',')?;
    let digits = whole.trim_start_matches(['-', '+']);
    let number = !fraction.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    let text = format!("{whole}.{fraction}");
    (number && !fraction.contains('.') && text.parse::<f64>().is_ok()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_separator_is_guessed() {
        for (text, expected) in [
            ("a,b\n1,2\n", b','),
            ("a;b\n1;2\n", b';'),
            ("a;b;label\n1,5;2,5;x\n3,5;4,5;y\n", b';'),
            ("1,5;2,5\n3,5;4,5\n", b';'),
            ("a\tb\n1\t2\n", b'\t'),
            ("a|b\n1|2\n", b'|'),
            ("text,label\n\"a;b\",x\n\"c;d\",y\n", b','),
            ("note,a\nx;y,1\nz;w,2\n", b','),
            ("label\nx\n", b','),
            ("a,b\n1,2\n3\n", b','),
            ("", b','),
        ] {
            let sample = sample(&mut Input::memory(text.into(), "t.csv"), b',').unwrap();
            assert_eq!(sample.delimiter as char, expected as char, "{text:?}");
        }
    }

    #[test]
    fn decimal_commas() {
        assert_eq!(with_point("-1,5").as_deref(), Some("-1.5"));
        assert_eq!(with_point("1,5e-3").as_deref(), Some("1.5e-3"));
        for text in ["1.234,5", "1,2,3", "a,5", "1,", "15"] {
            assert_eq!(with_point(text), None, "{text}");
        }
    }

    #[test]
    fn utf_16_is_converted() {
        let text = "id,label\né,1\n";
        for (mark, bytes) in [
            ([0xff, 0xfe], text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>()),
            ([0xfe, 0xff], text.encode_utf16().flat_map(u16::to_be_bytes).collect()),
        ] {
            let mut input = as_utf8(Input::memory([&mark[..], &bytes].concat(), "t.csv")).unwrap();
            let mut read = String::new();
            input.read_to_string(&mut read).unwrap();
            assert_eq!(read, text);
        }
        let odd = Input::memory(vec![0xff, 0xfe, 0x41], "t.csv");
        crate::testing::refused(as_utf8(odd), &["UTF-16"]);
    }
}
