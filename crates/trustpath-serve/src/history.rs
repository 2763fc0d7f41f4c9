//! The curve of a session and its running check, kept beside the labels file, so that the next session goes on with them.
//!
//! ```text
//! {"progress":"trustpath serve","version":4,"source":"birds.npy","rows":1965,"dims":640,"closed":false,"trust":"precision 0.9"}
//! {"point":{"labels":20,"coverage":0.31,"trusted":412,"precision":[0.94,0.81,0.98]}}
//! {"check":[{"id":"7.jpg","label":"auk"},{"id":"9.jpg","label":"tern"}]}
//! ```
//!
//! A line is appended after every update of the model and whenever a check is drawn; the last check counts. Nothing depends on the
//! file except what the page draws and predicts: answers are in the journal and the labels file. It begins anew where points would
//! not compare with those to come: for another [`CurveSetting`], or a labels file that does not exist.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use trustpath::label::Trust;
use trustpath::trust::Promise;
use trustpath_table::write_atomically;

use crate::journal::append_line;
use crate::progress::{Check, ProgressPoint};
use crate::source::SessionPool;
use crate::{Error, Result};

/// How every file begins.
const BEGINNING: &str = r#"{"progress":"trustpath serve""#;

/// The first line of the file: what points must have in common to compare.
#[derive(Debug, Clone, Serialize)]
pub struct CurveSetting {
    progress: &'static str,
    version: u32,
    /// Where the instances come from.
    source: String,
    /// How many there are.
    rows: usize,
    /// The number of their features.
    dims: usize,
    /// Whether every instance belongs to a labelled class.
    closed: bool,
    /// How trusted labels are chosen.
    trust: String,
}

impl CurveSetting {
    /// The setting of a session.
    pub fn of(source: &dyn SessionPool) -> Self {
        let pool = source.pool();
        let trust = match source.trust() {
            Trust::Precision(Promise { precision, confidence }) => {
                format!("precision {precision}, confidence {confidence}")
            }
            Trust::PerClass(Promise { precision, confidence }) => {
                format!("precision {precision} of every class, confidence {confidence}")
            }
            Trust::Average(precision) => format!("precision {precision} on average"),
            Trust::Credibility(credibility) => format!("credibility {credibility}"),
        };
        let (name, rows, dims) = (pool.source().to_owned(), pool.rows(), pool.dims());
        Self { progress: "trustpath serve", version: 4, source: name, rows, dims, closed: source.closed(), trust }
    }
}

/// A line after the first.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HistoryLine {
    /// The state after an update of the model.
    Point(ProgressPoint),
    /// A check that was drawn.
    Check(Vec<Checked>),
}

/// An instance of a check, and the class that was predicted for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checked {
    pub id: String,
    pub label: String,
}

/// The file of the curve and the check.
#[derive(Debug)]
pub struct History {
    path: PathBuf,
    /// The first line.
    head: String,
    /// Whether the file begins with it.
    begun: bool,
}

/// What an earlier session has left.
#[derive(Debug, Default, PartialEq)]
pub struct Past {
    pub points: Vec<ProgressPoint>,
    /// The last check that was drawn.
    pub check: Vec<Checked>,
}

impl History {
    /// The history of a labels file, and what is in it. `goes_on` says whether there are answers of an earlier session.
    pub fn open(labels: &Path, setting: &CurveSetting, goes_on: bool) -> Result<(Self, Past)> {
        let mut name = labels.as_os_str().to_owned();
        name.push(".progress");
        let path = PathBuf::from(name);
        let text = match fs::read_to_string(&path) {
            Err(e) if e.kind() == ErrorKind::NotFound => String::new(),
            read => read.map_err(|e| Error::progress(&path, e))?,
        };
        // A file that was cut off in its first line is as good as none.
        let is_torn = !text.contains('\n') && BEGINNING.starts_with(&text);
        if !is_torn && !text.starts_with(BEGINNING) {
            return Err(Error::progress(&path, "it is not a file of trustpath serve"));
        }
        let (mut lines, head) = (text.lines(), json(setting));
        let mut history = Self { path, begun: goes_on && lines.next() == Some(&head), head };
        let mut past = Past::default();
        if !history.begun {
            return Ok((history, past));
        }
        let mut is_complete = text.ends_with('\n');
        for line in lines {
            match serde_json::from_str(line) {
                Ok(HistoryLine::Point(point)) => add_point(&mut past.points, point),
                Ok(HistoryLine::Check(check)) => past.check = check,
                // Cut off by a kill or a full disk.
                Err(_) => is_complete = false,
            }
        }
        if !is_complete {
            history.rewrite(&past)?;
        }
        Ok((history, past))
    }

    /// Appends a point or a check.
    pub fn append(&mut self, line: &HistoryLine) -> Result<()> {
        if !self.begun {
            self.rewrite(&Past::default())?;
        }
        let file = OpenOptions::new().append(true).open(&self.path);
        let written = file.and_then(|mut file| append_line(&mut file, &json(line)));
        written.map_err(|e| Error::progress(&self.path, e))
    }

    /// Writes everything anew.
    fn rewrite(&mut self, past: &Past) -> Result<()> {
        let points = past.points.iter().map(|&point| json(&HistoryLine::Point(point)));
        let check = (!past.check.is_empty()).then(|| json(&HistoryLine::Check(past.check.clone())));
        let mut lines = std::iter::once(self.head.clone()).chain(points).chain(check);
        write_atomically(&self.path, |file| lines.try_for_each(|line| writeln!(file, "{line}")))?;
        self.begun = true;
        Ok(())
    }
}

/// Adds the state after an update. One that knows no other number of labels than the last takes its place.
pub fn add_point(points: &mut Vec<ProgressPoint>, point: ProgressPoint) {
    if points.last().is_some_and(|last| last.labels == point.labels) {
        points.pop();
    }
    points.push(point);
}

/// One line.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

impl Check {
    /// The check with the rows of its instances; those that are not there are left out.
    pub fn of(checked: Vec<Checked>, row: impl Fn(&str) -> Option<usize>) -> Option<Self> {
        let rows = checked.into_iter().filter_map(|c| Some((row(&c.id)?, c.label)));
        let rows: Vec<(usize, String)> = rows.collect();
        (!rows.is_empty()).then_some(Self { rows })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    fn point(labels: usize) -> ProgressPoint {
        ProgressPoint { labels, coverage: 0.5, trusted: 7, precision: Some([0.9, 0.8, 0.95]) }
    }

    fn checked(id: &str) -> Checked {
        Checked { id: id.into(), label: "auk \"\n".into() }
    }

    fn setting(trust: &str) -> CurveSetting {
        let (source, trust) = ("birds.npy".into(), trust.into());
        CurveSetting { progress: "trustpath serve", version: 4, source, rows: 100, dims: 5, closed: false, trust }
    }

    /// The history of a labels file in this folder.
    fn open(folder: &TempDir, setting: &CurveSetting, goes_on: bool) -> Result<(History, Past)> {
        History::open(&folder.path().join("labels.csv"), setting, goes_on)
    }

    fn add(history: &mut History, point: ProgressPoint) {
        history.append(&HistoryLine::Point(point)).unwrap();
    }

    #[test]
    fn what_was_written_is_read_back_up_to_a_line_that_was_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("labels.csv.progress");
        let open = || open(&folder, &setting("precision 0.9"), true).unwrap();
        let (mut history, past) = open();
        assert_eq!(past, Past::default());
        assert!(!file.exists(), "nothing is written before there is something to keep");
        add(&mut history, point(10));
        history.append(&HistoryLine::Check(vec![checked("a"), checked("b")])).unwrap();
        add(&mut history, point(20));
        add(&mut history, ProgressPoint { coverage: 0.6, ..point(20) });
        let all = fs::read_to_string(&file).unwrap();
        let (_, past) = open();
        assert_eq!(past.points, [point(10), ProgressPoint { coverage: 0.6, ..point(20) }]);
        assert_eq!(past.check, [checked("a"), checked("b")]);
        // Killed at any byte: a prefix of the lines, and what is written next is read back.
        for end in 0..all.len() {
            fs::write(&file, &all[..end]).unwrap();
            let (mut history, before) = open();
            add(&mut history, point(30));
            let (_, after) = open();
            assert_eq!(after.points.last(), Some(&point(30)), "{end}");
            assert_eq!(after.points[..after.points.len() - 1], before.points, "{end}");
            assert_eq!(after.check, before.check, "{end}");
        }
    }

    #[test]
    fn a_broken_line_loses_nothing_but_itself() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("labels.csv.progress");
        let open = || open(&folder, &setting("precision 0.9"), true).unwrap();
        let mut history = open().0;
        add(&mut history, point(10));
        // A part of a line, to which a later one was joined.
        let mut broken = fs::read_to_string(&file).unwrap();
        broken += &json(&HistoryLine::Point(point(20)))[..9];
        fs::write(&file, broken).unwrap();
        add(&mut history, point(30));
        add(&mut history, point(40));
        assert_eq!(open().1.points, [point(10), point(40)]);
        add(&mut open().0, point(50));
        assert_eq!(open().1.points, [point(10), point(40), point(50)]);
        assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), 4, "the broken one is gone");
    }

    #[test]
    fn other_settings_begin_anew_and_other_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let usual = setting("precision 0.9");
        add(&mut open(&folder, &usual, false).unwrap().0, point(10));
        for (setting, goes_on) in [
            (CurveSetting { rows: 101, ..usual.clone() }, true),
            (CurveSetting { source: "fish.npy".into(), ..usual.clone() }, true),
            (CurveSetting { closed: true, ..usual.clone() }, true),
            (setting("per-class 9"), true),
            (usual, false),
        ] {
            assert_eq!(open(&folder, &setting, goes_on).unwrap().1, Past::default());
        }
        let other = || open(&folder, &setting("precision 0.95"), true);
        add(&mut other().unwrap().0, point(40));
        assert_eq!(other().unwrap().1.points, [point(40)]);
        // As other versions write it.
        let file = folder.path().join("labels.csv.progress");
        fs::write(&file, format!("{BEGINNING},\"version\":1,\"rows\":100}}\n")).unwrap();
        assert_eq!(other().unwrap().1, Past::default());
        fs::write(&file, "my notes").unwrap();
        let error = other().unwrap_err().to_string();
        assert!(error.contains("labels.csv.progress") && error.contains("delete or"), "{error}");
    }
}
