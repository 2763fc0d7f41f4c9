//! The answers that are not in the labels file yet, one line per action.
//!
//! ```text
//! {"journal":"trustpath serve","version":2}
//! {"set":[{"id":"7.jpg","origin":"random","to":"label","label":"auk"}]}
//! {"set":[{"id":"7.jpg","to":"open"}],"undo":true}
//! ```
//!
//! A line is written and synchronised to the disk before its action is confirmed, so that a kill or a power failure loses
//! at most the answer that is being given. A last line without its end was being written and is ignored. A line says
//! what its instances are afterwards, not how they change: reading the same lines twice gives the same result, so that
//! nothing goes wrong if a session is killed between writing the labels file and removing the journal. Version 1 had no origins.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use trustpath::Origin;
use trustpath_table::journal_of;

use crate::{Error, Result};

/// The first line.
const HEAD: &str = r#"{"journal":"trustpath serve","version":2}"#;
/// The first line of an earlier version.
const EARLIER: &str = r#"{"journal":"trustpath serve","version":1}"#;

/// What an instance is after an action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    pub id: String,
    /// How it was decided that it gets an answer.
    #[serde(default, skip_serializing_if = "is_unknown", with = "origin")]
    pub origin: Origin,
    #[serde(flatten)]
    pub to: Target,
}

/// An origin by its name.
pub mod origin {
    use serde::{Deserialize, Deserializer, Serializer, de};
    use trustpath::Origin;

    pub fn serialize<S: Serializer>(origin: &Origin, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(origin.name())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Origin, D::Error> {
        String::deserialize(from)?.parse().map_err(de::Error::custom)
    }
}

fn is_unknown(origin: &Origin) -> bool {
    *origin == Origin::Unknown
}

/// What an instance becomes; `label` is the name of a class.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "to", rename_all = "kebab-case")]
pub enum Target {
    /// It gets this label from a person.
    Label { label: String },
    /// It has this label again, as it was before anybody looked.
    Given { label: String },
    /// It is none of the classes.
    NoneOfThese,
    /// It has no label.
    Open,
    /// It has no label and is not asked for again.
    Skipped,
}

/// One action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Action {
    /// What it changes.
    pub set: Vec<Change>,
    /// Whether it takes back the action before it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub undo: bool,
}

/// The journal of a labels file.
#[derive(Debug)]
pub struct AnswerJournal {
    path: PathBuf,
    /// Open once something was written.
    file: Option<File>,
}

impl AnswerJournal {
    /// The journal of `labels`, and the actions that an earlier session left in it.
    pub fn open(labels: &Path) -> Result<(Self, Vec<Action>)> {
        let path = journal_of(labels);
        let text = match fs::read(&path) {
            Err(e) if e.kind() == ErrorKind::NotFound => Vec::new(),
            read => read.map_err(|e| Error::journal(&path, e))?,
        };
        let complete = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let mut lines = text[..complete].split(|&byte| byte == b'\n');
        if complete > 0 && !lines.next().is_some_and(|head| [HEAD, EARLIER].map(str::as_bytes).contains(&head)) {
            return Err(Error::journal(&path, "it is not a journal of trustpath serve"));
        }
        let mut actions = Vec::new();
        for (at, line) in lines.filter(|line| !line.is_empty()).enumerate() {
            let read = serde_json::from_slice(line);
            actions.push(read.map_err(|e| Error::journal(&path, format!("line {}: {e}", at + 2)))?);
        }
        if complete < text.len() {
            // The line that was being written: what follows must begin a line of its own.
            let file = OpenOptions::new().write(true).open(&path);
            let cut = file.and_then(|file| file.set_len(complete as u64));
            cut.map_err(|e| Error::journal(&path, e))?;
        }
        Ok((Self { path, file: None }, actions))
    }

    /// Writes an action; it is on the disk when this returns.
    pub fn append(&mut self, action: &Action) -> Result<()> {
        let Self { path, file } = self;
        let file = match file {
            Some(file) => file,
            None => file.insert(begin(path).map_err(|e| Error::journal(path, e))?),
        };
        let line = serde_json::to_string(action).map_err(|e| Error::journal(path, e))?;
        append_line(file, &line).map_err(|e| Error::journal(path, e))
    }

    /// Removes the journal, once its answers are in the labels file.
    pub fn remove(&mut self) -> Result<()> {
        self.file = None;
        // The new labels file must have its name on the disk before the journal vanishes.
        sync_folder(&self.path);
        match fs::remove_file(&self.path) {
            Err(e) if e.kind() != ErrorKind::NotFound => Err(Error::journal(&self.path, e)),
            _ => Ok(()),
        }
    }
}

/// Opens a journal, and writes its first line if it is new.
fn begin(path: &Path) -> io::Result<File> {
    let mut file = OpenOptions::new().append(true).create(true).open(path)?;
    if file.metadata().is_ok_and(|about| about.len() == 0) {
        file.write_all(format!("{HEAD}\n").as_bytes())?;
        sync_folder(path);
    }
    Ok(file)
}

/// Appends a line to a file; it is on the disk when this returns. If that fails, the file is as it was before: a part of a line must not be
/// joined to the next one.
pub fn append_line(file: &mut File, line: &str) -> io::Result<()> {
    let before = file.metadata()?.len();
    let written = file.write_all(format!("{line}\n").as_bytes()).and_then(|()| file.sync_data());
    written.inspect_err(|_| drop(file.set_len(before)))
}

/// Writes the names in the folder of a file to the disk, where the system can.
fn sync_folder(path: &Path) {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Ok(folder) = File::open(folder.unwrap_or(Path::new("."))) {
        let _ = folder.sync_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn action(id: &str, to: Target) -> Action {
        Action { set: vec![Change { id: id.into(), origin: Origin::Random, to }], undo: false }
    }

    #[test]
    fn every_complete_line_is_read_back_and_a_torn_one_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let labels = folder.path().join("labels.csv");
        let actions = [
            action("a\n\"b", Target::Label { label: "</script>\u{2028}".into() }),
            action("c", Target::NoneOfThese),
            action("c", Target::Skipped),
            Action { undo: true, ..action("c", Target::Open) },
        ];
        let (mut journal, left) = AnswerJournal::open(&labels).unwrap();
        assert!(left.is_empty() && !journal_of(&labels).exists());
        actions.iter().for_each(|action| journal.append(action).unwrap());
        let whole = fs::read(journal_of(&labels)).unwrap();
        // Cut at every byte: exactly the lines that are complete are there, and more can be added.
        for end in 0..=whole.len() {
            fs::write(journal_of(&labels), &whole[..end]).unwrap();
            let (mut journal, left) = AnswerJournal::open(&labels).unwrap();
            let lines = whole[..end].iter().filter(|&&byte| byte == b'\n').count();
            assert_eq!(left, actions[..lines.saturating_sub(1)], "{end}");
            journal.append(&actions[1]).unwrap();
            let (_, left) = AnswerJournal::open(&labels).unwrap();
            assert_eq!(left.last(), Some(&actions[1]), "{end}");
            assert_eq!(left.len(), lines.max(1), "{end}");
        }
        journal.remove().unwrap();
        journal.remove().unwrap();
        assert!(!journal_of(&labels).exists());
    }

    #[test]
    fn a_journal_without_origins_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let labels = folder.path().join("labels.csv");
        let line = r#"{"set":[{"id":"c","to":"label","label":"auk"}]}"#;
        fs::write(journal_of(&labels), format!("{EARLIER}\n{line}\n")).unwrap();
        let mut expected = action("c", Target::Label { label: "auk".into() });
        expected.set[0].origin = Origin::Unknown;
        assert_eq!(AnswerJournal::open(&labels).unwrap().1, [expected]);
    }

    #[test]
    fn other_files_in_its_place_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let labels = folder.path().join("labels.csv");
        for text in ["id,label\n", "\n", &format!("{HEAD}\n{{\"set\":3}}\n")] {
            fs::write(journal_of(&labels), text).unwrap();
            let error = AnswerJournal::open(&labels).unwrap_err().to_string();
            assert!(error.contains("labels.csv.journal"), "{error}");
            assert_eq!(fs::read_to_string(journal_of(&labels)).unwrap(), text, "it is unchanged");
        }
    }
}
