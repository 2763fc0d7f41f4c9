//! The labels file of a labelling session: one row per instance that a person has answered or that had a label before.
//!
//! | column | contents |
//! |---|---|
//! | `id` | the name of the instance |
//! | `label` | its label; empty if it is none of the classes |
//! | `answer` | `given` (it had this label before), `checked` (a person gave or confirmed it), `none of these` |
//! | `origin` | how it was decided that it gets a label: `random`, `chosen`, or empty if nobody knows |
//!
//! Every reader of labels takes `id`, `label` and `origin`, so that an instance that is none of these has no label there.
//! While a session runs, its answers are in the journal [`journal_of`] beside the file.

use std::path::{Path, PathBuf};

use crate::formats::csv_fields;
use crate::input::Input;
use crate::printable::quoted_list;
use crate::result::Column;
use crate::{Error, Format, Output, Result, ResultTable};

/// How an instance got its label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AnswerKind {
    /// It had the label before, and nobody has checked it.
    Given,
    /// A person gave the label or confirmed it.
    Checked,
    /// A person said that it belongs to none of the classes.
    NoneOfThese,
}

impl AnswerKind {
    const ALL: [Self; 3] = [Self::Given, Self::Checked, Self::NoneOfThese];

    /// The word in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Given => "given",
            Self::Checked => "checked",
            Self::NoneOfThese => "none of these",
        }
    }
}

/// One row of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerRow {
    /// The name of the instance.
    pub id: String,
    /// Its label.
    pub label: Option<String>,
    /// How it got it.
    pub kind: AnswerKind,
    /// How it was decided that it gets one.
    pub origin: Option<String>,
}

const COLUMNS: [&str; 4] = ["id", "label", "answer", "origin"];

/// The journal of the answers that are not in a labels file yet.
pub fn journal_of(labels: &Path) -> PathBuf {
    let mut name = labels.as_os_str().to_owned();
    name.push(".journal");
    name.into()
}

/// Reads which labels were checked, by the ids of their instances. A file that no session has written yet has no column
/// `answer`: then nothing was checked.
///
/// # Errors
/// If the file cannot be read, or has columns that would be lost when a session writes it.
pub fn read_answers(path: &Path) -> Result<Vec<(String, AnswerKind)>> {
    let delimiter = match Format::of(path) {
        Ok(Format::Csv) => b',',
        Ok(Format::Tsv) => b'\t',
        _ => {
            let (file, remedy) = (path.display().to_string(), "a session writes labels as .csv or .tsv".into());
            return Err(Error::UnknownFormat { file, remedy });
        }
    };
    let (_, rows) = csv_fields(Input::open(path)?, delimiter)?;
    let header: Vec<String> = rows[0].iter().map(|name| name.to_lowercase()).collect();
    let place = |name: &str| header.iter().position(|column| column == name);
    let others: Vec<&String> = header.iter().filter(|name| !COLUMNS.contains(&name.as_str())).collect();
    if header.len() > 2 && !others.is_empty() {
        let (file, columns) = (path.display().to_string(), quoted_list(others, usize::MAX));
        return Err(Error::OtherColumns { file, columns });
    }
    let (Some(id), Some(answer)) = (place(COLUMNS[0]), place(COLUMNS[2])) else {
        return Ok(Vec::new());
    };
    let kind = |(row, fields): (usize, &Vec<String>)| {
        let kind = AnswerKind::ALL.into_iter().find(|kind| kind.name() == fields[answer]).ok_or_else(|| {
            let names = AnswerKind::ALL.map(AnswerKind::name).join(", ");
            let reason = format!("the answer in row {row} is {:?}, not {names}", fields[answer]);
            Error::damaged(path.display(), reason)
        })?;
        Ok((fields[id].clone(), kind))
    };
    (1..).zip(&rows).skip(1).map(kind).collect()
}

/// Writes the file; it is complete afterwards or unchanged.
///
/// # Errors
/// [`Error::Write`].
pub fn write_answers(path: &Path, rows: Vec<AnswerRow>) -> Result<()> {
    let mut table = ResultTable::default();
    let kinds = rows.iter().map(|row| row.kind.name().to_owned()).collect();
    let labels = rows.iter().map(|row| row.label.clone()).collect();
    let origins = rows.iter().map(|row| row.origin.clone()).collect();
    let ids = rows.into_iter().map(|row| row.id).collect();
    table.push(COLUMNS[0], Column::Text(ids))?;
    table.push(COLUMNS[1], Column::OptionalText(labels))?;
    table.push(COLUMNS[2], Column::Text(kinds))?;
    table.push(COLUMNS[3], Column::OptionalText(origins))?;
    table.write(&Output::new(path))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::PartlyLabelledFile;
    use crate::testing::refused;

    fn row(id: &str, label: Option<&str>, kind: AnswerKind) -> AnswerRow {
        AnswerRow { id: id.into(), label: label.map(Into::into), kind, origin: Some("random".into()) }
    }

    #[test]
    fn what_is_written_is_read_back_by_every_reader_of_labels() {
        let folder = tempfile::tempdir().unwrap();
        let (pool, path) = (folder.path().join("pool.csv"), folder.path().join("labels.csv"));
        fs::write(&pool, "id,x\n=a,1\nb,2\n\"c,\n\"\"d\",3\ne,4\n").unwrap();
        let rows = vec![
            row("=a", Some("@auk"), AnswerKind::Given),
            row("b", None, AnswerKind::NoneOfThese),
            row("c,\n\"d", Some("a \"tern\", grey"), AnswerKind::Checked),
        ];
        write_answers(&path, rows.clone()).unwrap();
        let kinds: Vec<_> = rows.iter().map(|row| (row.id.clone(), row.kind)).collect();
        assert_eq!(read_answers(&path).unwrap(), kinds);
        let table = PartlyLabelledFile::new(&pool).labels(&path).read().unwrap();
        assert_eq!(table.class_names(), ["@auk", "a \"tern\", grey"]);
        assert_eq!(table.labels(), [Some(0), None, Some(1), None]);
        let origins = table.origins::<String>(&[]).unwrap();
        assert_eq!(origins, ["random", "random", "random", ""]);
        // A session that goes on is mentioned.
        assert!(table.notes().is_empty());
        fs::write(journal_of(&path), "").unwrap();
        let table = PartlyLabelledFile::new(&pool).labels(&path).read().unwrap();
        let note = table.notes()[0].sentence(|_, _| String::new());
        assert!(note.contains("labels.csv.journal holds answers"), "{note}");
    }

    #[test]
    fn files_that_a_session_would_damage_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("labels.csv");
        let read = |text: &str| {
            fs::write(&path, text).unwrap();
            read_answers(&path)
        };
        assert!(read("id,label\na,auk\n").unwrap().is_empty());
        assert!(read("auk\ntern\n").unwrap().is_empty());
        refused(read("id,label,weight\na,auk,3\n"), &["labels.csv", "\"weight\""]);
        refused(read("id,label,answer,who\na,auk,given,me\n"), &["\"who\""]);
        refused(read("id,label,answer\na,auk,perhaps\n"), &["row 2", "\"perhaps\""]);
        refused(read_answers(Path::new("labels.npy")), &["labels.npy"]);
    }
}
