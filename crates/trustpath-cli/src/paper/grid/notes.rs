//! The results so far, one JSON line per setting, so that a long run can be continued.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use trustpath_table::{Error as TableError, FileLock};

use crate::error::Result;

const NAME: &str = "grid.jsonl";

/// The result of a setting.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Note {
    /// Why it could not be run.
    pub skipped: Option<String>,
    /// The share of drawn class sizes that the dataset is large enough for.
    pub fitting: f64,
    pub episodes: usize,
    pub methods: Vec<MethodNote>,
}

impl Note {
    pub fn method(&self, name: &str) -> Option<&MethodNote> {
        self.methods.iter().find(|entry| entry.name == name)
    }
}

/// A method in a setting; accuracies are fractions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MethodNote {
    pub name: String,
    pub accuracy: f64,
    /// The paired difference to the plain classifier.
    pub difference: f64,
    pub half_width: f64,
    /// Time per episode on one thread; the median.
    pub milliseconds: f64,
}

#[derive(Serialize, Deserialize)]
struct NoteLine {
    key: String,
    note: Note,
}

#[derive(Debug)]
pub struct Notes {
    pub path: PathBuf,
    file: File,
    _lock: FileLock,
    notes: HashMap<String, Note>,
}

impl Notes {
    /// Opens the notes in a folder, with those of earlier runs.
    pub fn open(folder: &Path) -> Result<Self> {
        let path = folder.join(NAME);
        let failed = |e| TableError::write(&path, e);
        fs::create_dir_all(folder).map_err(failed)?;
        let lock = FileLock::acquire(&path)?;
        let text = if path.exists() { fs::read_to_string(&path).map_err(failed)? } else { String::new() };
        // A line that was cut short when the program was killed is run again.
        let lines = text.lines().filter_map(|line| serde_json::from_str::<NoteLine>(line).ok());
        let notes = lines.map(|line| (line.key, line.note)).collect();
        let mut file = OpenOptions::new().create(true).append(true).open(&path).map_err(failed)?;
        if !text.is_empty() && !text.ends_with('\n') {
            file.write_all(b"\n").map_err(failed)?;
        }
        Ok(Self { path, file, _lock: lock, notes })
    }

    pub fn get(&self, key: &str) -> Option<&Note> {
        self.notes.get(key)
    }

    pub fn push(&mut self, key: String, note: Note) -> Result<()> {
        let line = NoteLine { key, note };
        let text = serde_json::to_string(&line).map(|text| text + "\n");
        let text = text.map_err(|e| TableError::write(&self.path, e))?;
        let written = self.file.write_all(text.as_bytes());
        written.map_err(|e| TableError::write(&self.path, e))?;
        self.notes.insert(line.key, line.note);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_read_back_and_a_torn_line_is_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let entry =
            MethodNote { name: "pt-map".into(), accuracy: 0.9, difference: -0.01, half_width: 0.02, milliseconds: 1.5 };
        let note = Note { fitting: 0.75, episodes: 20, methods: vec![entry], ..Note::default() };
        let mut notes = Notes::open(folder.path()).unwrap();
        notes.push("a".into(), note.clone()).unwrap();
        notes.push("b".into(), note.clone()).unwrap();
        drop(notes);
        let path = folder.path().join(NAME);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, &text[..text.len() - 9]).unwrap();
        let mut again = Notes::open(folder.path()).unwrap();
        assert_eq!((again.get("a"), again.get("b")), (Some(&note), None));
        again.push("b".into(), note.clone()).unwrap();
        drop(again);
        assert_eq!(Notes::open(folder.path()).unwrap().get("b"), Some(&note));
    }
}
