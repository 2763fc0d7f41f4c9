//! What was found, a line a setting, so that a long run can go on.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use trustpath_episodes::stats::Estimate;

use crate::paper::error::{Error, Result};

const NAME: &str = "grid.jsonl";

/// What came of a setting.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Note {
    /// Why it could not be run.
    pub skipped: Option<String>,
    /// The share of drawn class sizes that fit.
    pub fitting: f64,
    /// Episodes of each method.
    pub episodes: usize,
    /// The methods that ran.
    pub methods: Vec<Entry>,
}

/// A method in a setting; accuracies are fractions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// Its accuracy.
    pub accuracy: f64,
    /// Less that of the plain classifier, in pairs.
    pub difference: f64,
    /// Half the width of the interval of the difference.
    pub half_width: f64,
    /// Of an episode on one thread; the median.
    pub milliseconds: f64,
}

impl Entry {
    /// The difference to the plain classifier.
    pub fn to_plain(&self, episodes: usize) -> Estimate {
        Estimate { mean: self.difference, half_width: self.half_width, episodes }
    }
}

#[derive(Serialize, Deserialize)]
struct Line {
    key: String,
    note: Note,
}

/// The notes, and the file they are in.
#[derive(Debug)]
pub struct Notes {
    path: Option<PathBuf>,
    file: Option<File>,
    found: HashMap<String, Note>,
}

impl Notes {
    /// Opens the notes of a folder, with those of runs before; in memory alone if there is none.
    pub fn open(folder: Option<&Path>) -> Result<Self> {
        let Some(folder) = folder else {
            return Ok(Self { path: None, file: None, found: HashMap::new() });
        };
        let path = folder.join(NAME);
        let failed = |e: std::io::Error| Error::File {
            file: path.display().to_string(),
            reason: e.to_string(),
        };
        fs::create_dir_all(folder).map_err(failed)?;
        let text =
            if path.exists() { fs::read_to_string(&path).map_err(failed)? } else { String::new() };
        // A line that a kill cut short is run again.
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok());
        let found = lines.map(|line| (line.key, line.note)).collect();
        let mut file = OpenOptions::new().create(true).append(true).open(&path).map_err(failed)?;
        if !text.is_empty() && !text.ends_with('\n') {
            file.write_all(b"\n").map_err(failed)?;
        }
        Ok(Self { path: Some(path), file: Some(file), found })
    }

    /// Where they are.
    pub fn file(&self) -> String {
        self.path.as_ref().map_or_else(String::new, |path| path.display().to_string())
    }

    /// The note of a setting, if it was run.
    pub fn get(&self, key: &str) -> Option<&Note> {
        self.found.get(key)
    }

    /// Adds the note of a setting.
    pub fn push(&mut self, key: String, note: Note) -> Result<()> {
        if let Some(file) = &mut self.file {
            let failed = |reason: String| Error::File {
                file: self.path.as_ref().map_or_else(String::new, |p| p.display().to_string()),
                reason,
            };
            let line = Line { key: key.clone(), note: note.clone() };
            let mut text = serde_json::to_string(&line).map_err(|e| failed(e.to_string()))?;
            text.push('\n');
            file.write_all(text.as_bytes()).map_err(|e| failed(e.to_string()))?;
        }
        self.found.insert(key, note);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_come_back_and_a_torn_line_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let entry = Entry {
            name: "pt-map".into(),
            accuracy: 0.9,
            difference: -0.01,
            half_width: 0.02,
            milliseconds: 1.5,
        };
        let note = Note { fitting: 0.75, episodes: 20, methods: vec![entry], ..Note::default() };
        let mut notes = Notes::open(Some(folder.path())).unwrap();
        notes.push("a".into(), note.clone()).unwrap();
        notes.push("b".into(), note.clone()).unwrap();
        let path = folder.path().join(NAME);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, &text[..text.len() - 9]).unwrap();
        let mut again = Notes::open(Some(folder.path())).unwrap();
        assert_eq!((again.get("a"), again.get("b")), (Some(&note), None));
        again.push("b".into(), note.clone()).unwrap();
        assert_eq!(Notes::open(Some(folder.path())).unwrap().get("b"), Some(&note));
    }
}
