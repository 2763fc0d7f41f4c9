//! Text files of labels alone: one label per line, or a table with a column of labels.
//!
//! The first line is a header if it has a usual name for a column of labels or ids, if the caller names
//! one of its columns, or if it is text above numbers. Otherwise a first line whose label occurs only once
//! may be either ([`LabelLines::UnclearStart`]), which the number of instances or their ids decide.
//! An empty line of a file with one column is a missing label.

use super::super::raw::{LabelLines, RawTable, ReadOptions, check_header};
use super::sniff::{SAMPLE_BYTES, as_utf8, not_utf8, sample};
use super::{column_number, without_mark};
use crate::input::Input;
use crate::labels::FileLabels;
use crate::limits::MOST_COLUMNS;
use crate::{Error, Result};

/// Names of columns of labels that a header may have; in any case.
const LABEL_WORDS: &str = "label labels class classes class_name classname class_id category categories target \
    targets y tag kind species annotation";
/// Names of columns of ids that a header may have; in any case.
const ID_WORDS: &str = "id ids file filename file_name filepath file_path path image image_id image_name img name \
    key uid uuid index row";

/// Reads lines of labels, whatever else they contain.
pub(crate) fn read_lines(input: Input, options: ReadOptions) -> Result<RawTable> {
    let (name, text) = text_of(input)?;
    let rows: Vec<Vec<String>> = text.lines().map(|line| vec![line.trim().to_owned()]).collect();
    of_one_column(rows, options, &name)
}

pub(super) fn read(input: Input, usual: u8, options: ReadOptions) -> Result<RawTable> {
    let (name, rows) = fields(input, usual)?;
    match rows.first().map_or(1, Vec::len) {
        1 => of_one_column(rows, options, &name),
        _ => of_columns(rows, options, &name),
    }
}

/// The name of a file, and the fields of all its lines, of which each has the same number.
pub(crate) fn fields(input: Input, usual: u8) -> Result<(String, Vec<Vec<String>>)> {
    let (name, text) = text_of(input)?;
    if text.trim().is_empty() {
        return Err(Error::damaged(name, "it is empty"));
    }
    let start = &text.as_bytes()[..text.len().min(SAMPLE_BYTES as usize)];
    let style = sample(&mut Input::memory(start.to_vec(), &name), usual)?;
    let columns = text.lines().map(|line| 1 + line.matches(style.delimiter as char).count()).max();
    if let Some(columns) = columns.filter(|&columns| columns > MOST_COLUMNS) {
        return Err(Error::many_columns(name, columns));
    }
    let mut rows = records(&text, style.delimiter as char);
    let first = rows.iter().find(|(_, row)| *row != [""]).map_or(1, |(_, row)| row.len());
    if first > 1 {
        rows.retain(|(_, row)| *row != [""]);
    }
    if let Some((line, row)) = rows.iter().find(|(_, row)| row.len() != first) {
        let reason = format!("line {line} has {} fields, the lines before it have {first}", row.len());
        return Err(Error::damaged(name, reason));
    }
    Ok((name, rows.into_iter().map(|(_, row)| row).collect()))
}

/// The name and the text of a file, in UTF-8 and without a byte order mark.
fn text_of(input: Input) -> Result<(String, String)> {
    let mut input = as_utf8(input)?;
    let (name, bytes) = (input.name.clone(), input.read_text()?);
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes()[..valid].iter().filter(|&&byte| byte == b'\n').count();
        not_utf8(&name, &format!("line {line}"), error.as_bytes())
    })?;
    Ok((name, text.trim_start_matches('\u{feff}').to_owned()))
}

/// The fields of every line, also of empty ones, with the number of the line. Quoted fields may contain
/// separators, line breaks and doubled quotes.
fn records(text: &str, separator: char) -> Vec<(usize, Vec<String>)> {
    let (mut rows, mut line) = (Vec::new(), 1);
    let mut rest = text.chars().peekable();
    while rest.peek().is_some() {
        let (mut row, mut field, first_line) = (Vec::new(), String::new(), line);
        let mut quoted = false;
        loop {
            match rest.next() {
                Some('"') if quoted && rest.peek() == Some(&'"') => {
                    field.push('"');
                    rest.next();
                }
                Some('"') if quoted || field.trim().is_empty() => {
                    quoted = !quoted;
                    field = if quoted { String::new() } else { field };
                }
                Some('\r') if !quoted && rest.peek() == Some(&'\n') => {}
                Some('\n' | '\r') if !quoted => {
                    line += 1;
                    break;
                }
                None => break,
                Some(c) if c == separator && !quoted => row.push(std::mem::take(&mut field)),
                Some(c) => {
                    line += usize::from(c == '\n');
                    field.push(c);
                }
            }
        }
        row.push(field);
        let clean = |field: String| without_mark(field.trim()).to_owned();
        rows.push((first_line, row.into_iter().map(clean).collect()));
    }
    rows
}

fn is_number(text: &str) -> bool {
    text.parse::<f64>().is_ok()
}

fn is_word(text: &str, words: &str) -> bool {
    words.split(' ').any(|word| text.eq_ignore_ascii_case(word))
}

/// Whether a column begins with text above numbers.
fn text_above_numbers(rows: &[Vec<String>], column: usize) -> bool {
    let mut others = rows[1..].iter().map(|row| row[column].as_str()).filter(|t| !t.is_empty());
    let first = &rows[0][column];
    !first.is_empty()
        && !is_number(first)
        && others.next().is_some_and(is_number)
        && others.all(|text| is_number(text) || text == "?" || text == "-")
}

/// One label per line, in the order of the instances.
fn of_one_column(mut rows: Vec<Vec<String>>, options: ReadOptions, file: &str) -> Result<RawTable> {
    let Some(first) = rows.first().map(|row| row[0].clone()) else {
        return Err(Error::damaged(file, "it is empty"));
    };
    let again = rows[1..].iter().any(|row| row[0] == first);
    let numbered = options.label.is_some_and(|name| name.parse::<isize>().is_ok());
    let named = match options.label {
        Some(_) if numbered => false,
        Some(name) => first.eq_ignore_ascii_case(name),
        None => is_word(&first, LABEL_WORDS) && !again,
    };
    if let (Some(name), false, false) = (options.label, named, numbered) {
        let remedy = format!("its only column is not called {name:?}; write that name in its first line");
        return Err(Error::no_labels(file, remedy));
    }
    let header = named || (!numbered && text_above_numbers(&rows, 0));
    if header {
        rows.remove(0);
    }
    let clear = header || numbered || again || first.is_empty() || is_number(&first);
    let label_lines = if clear { LabelLines::OpenEnd } else { LabelLines::UnclearStart };
    let labels = FileLabels::from_texts(rows.into_iter().flatten());
    Ok(RawTable { label_lines, ..RawTable::of_labels(Some(labels), None) })
}

/// A column of labels, and one of ids if there is one.
fn of_columns(mut rows: Vec<Vec<String>>, options: ReadOptions, file: &str) -> Result<RawTable> {
    let columns = rows[0].len();
    let names = rows[0].clone();
    let given = |name: &str| names.iter().any(|n| n.eq_ignore_ascii_case(name) && !is_number(n));
    let again = |column: usize| rows[1..].iter().any(|row| row[column] == names[column]);
    let usual = |words: &str| (0..columns).find(|&c| is_word(&names[c], words) && !again(c));
    let header = match (options.label, options.id) {
        (None, None) => {
            usual(LABEL_WORDS).is_some()
                || usual(ID_WORDS).is_some()
                || names[0].is_empty()
                || (0..columns).any(|column| text_above_numbers(&rows, column))
        }
        (label, id) => label.into_iter().chain(id).any(given),
    };
    if header {
        check_header(&names, file)?;
        // As where files were joined. Otherwise a first line that comes again is taken for a label.
    } else if names.iter().any(|name| is_word(name, LABEL_WORDS)) && rows[1..].contains(&names) {
        let reason = format!("the header {:?} comes twice; remove all but the first line with it", names.join(","));
        return Err(Error::damaged(file, reason));
    }
    let column = |name: &str| {
        let named = header.then(|| names.iter().position(|n| n.eq_ignore_ascii_case(name))).flatten();
        named.or_else(|| column_number(name, columns))
    };
    let label = match options.label {
        Some(name) => column(name),
        None if header => options.find_label(&names).or_else(|| usual(LABEL_WORDS)),
        None => None,
    };
    // Pairs of id and label, unless names say otherwise.
    let label = label.or_else(|| (columns == 2 && options.label.is_none()).then_some(1));
    let Some(label) = label else {
        let wanted = options.label.unwrap_or("label");
        let remedy = format!("it has {columns} columns, none called {wanted:?}; name the label column");
        return Err(Error::no_labels(file, remedy));
    };
    let origin = header.then(|| options.find_origin(&names)).flatten().filter(|&origin| origin != label);
    let id = match options.id {
        Some(name) => column(name).filter(|&id| id != label),
        None if columns == 2 => Some(1 - label).filter(|&id| Some(id) != origin),
        None if header => options.find_id(&names).or_else(|| usual(ID_WORDS)),
        None => None,
    };
    if header {
        rows.remove(0);
    }
    let unclear = !header && columns == 2 && id.is_some() && !is_number(&names[label]);
    let label_lines = if unclear { LabelLines::UnclearStart } else { LabelLines::Exact };
    let texts = |column: usize| rows.iter().map(|row| row[column].clone()).collect();
    let (ids, origins) = (id.map(texts), origin.map(texts));
    let labels = FileLabels::from_texts(rows.into_iter().map(|mut row| std::mem::take(&mut row[label])));
    Ok(RawTable { label_lines, origins, ..RawTable::of_labels(Some(labels), ids) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::csv::tests::{label_column, texts};
    use crate::testing::{refused, strings};

    fn labels_of(text: &str, options: ReadOptions) -> Result<RawTable> {
        read(Input::memory(text.into(), "y.csv"), b',', options)
    }

    #[test]
    fn an_empty_line_is_a_missing_label() {
        for (text, expected) in [
            ("label\nx\n\n\ny\n", &["x", "", "", "y"][..]),
            ("\nx\n\"\"\ny", &["", "x", "", "y"]),
            ("x\r\n\r\ny\r\n", &["x", "", "y"]),
            ("label\r\nx\r\n\r\ny\r\n", &["x", "", "y"]),
            ("\"x\n1\"\n\ny\n\n", &["x\n1", "", "y", ""]),
            ("\"a \"\"b\"\", c\"\ny\n", &["a \"b\", c", "y"]),
        ] {
            let raw = labels_of(text, ReadOptions::default()).unwrap();
            assert_eq!(raw.labels, texts(expected), "{text:?}");
        }
    }

    #[test]
    fn headers_are_recognised_by_content() {
        use LabelLines::{OpenEnd, UnclearStart};
        for (text, expected, lines) in [
            ("Class\nx\ny\n", &["x", "y"][..], OpenEnd),
            ("species\nx\n", &["x"], OpenEnd),
            ("anything\n0\n\n2\n", &["0", "", "2"], OpenEnd),
            ("anything\nx\ny\n", &["anything", "x", "y"], UnclearStart),
            ("x\ny\nx\n", &["x", "y", "x"], OpenEnd),
            // A class may have such a name.
            ("tag\nwolf\ntag\n", &["tag", "wolf", "tag"], OpenEnd),
            ("\nx\n", &["", "x"], OpenEnd),
            ("3\n4\n", &["3", "4"], OpenEnd),
        ] {
            let raw = labels_of(text, ReadOptions::default()).unwrap();
            assert_eq!((raw.labels, raw.label_lines), (texts(expected), lines), "{text:?}");
        }
        assert_eq!(labels_of("zorp\nx\n", label_column("zorp")).unwrap().labels, texts(&["x"]));
        assert_eq!(labels_of("zorp\nx\n", label_column("0")).unwrap().labels, texts(&["zorp", "x"]));
        refused(labels_of("zorp\nx\n", label_column("kind")), &["not called \"kind\""]);
    }

    #[test]
    fn labels_with_ids() {
        let usual = ReadOptions::default();
        for text in [
            "id,label\na,x\nb,\n",
            "a,x\nb,\n",
            "label,id\nx,a\n,b\n",
            "ID;Label\na;x\nb;\n",
            "image,breed\na,x\nb,\n",
            "Filename\tclass\na\tx\nb\t\n",
        ] {
            let raw = labels_of(text, usual).unwrap();
            let expected = (texts(&["x", ""]), Some(strings(&["a", "b"])));
            assert_eq!((raw.labels, raw.ids), expected, "{text}");
        }
        let raw = labels_of("zorp,glim\na,x\nb,y\n", usual).unwrap();
        assert_eq!((raw.label_lines, raw.rows), (LabelLines::UnclearStart, 3));
        let raw = labels_of(",label\n0,x\n2,y\n", usual).unwrap();
        assert_eq!((raw.labels, raw.ids), (texts(&["x", "y"]), Some(strings(&["0", "2"]))));
        let raw = labels_of("n,kind,w\n7,x,1\n8,y,2\n", label_column("kind")).unwrap();
        assert_eq!((raw.labels, raw.ids), (texts(&["x", "y"]), None));
        refused(labels_of("n,label\n1,4\n2,5\n", label_column("kind")), &["y.csv has no labels"]);
        refused(labels_of("a,b,c\n1,2,3\n", usual), &["none called \"label\""]);
        refused(labels_of("id,label\na,x\nid,label\nb,y\n", usual), &["the header \"id,label\" comes twice", "remove"]);
        refused(labels_of("id,label,label\na,x,y\n", usual), &["two columns called \"label\""]);
        refused(labels_of("id,label\na,x\n\nb\n", usual), &["line 4 has 1 fields"]);
    }
}
