//! The curve of a session and its running check, kept beside the labels file, so that the next session goes on with them.
//!
//! ```text
//! {"progress":"trustpath serve","version":2,"source":"birds.npy","rows":1965,"dims":640,"closed":false,"trust":"precision 0.9"}
//! {"point":{"labels":20,"coverage":0.31,"trusted":412,"precision":[0.94,0.81,0.98]}}
//! {"check":[{"id":"7.jpg","label":"auk"},{"id":"9.jpg","label":"tern"}]}
//! ```
//!
//! A line is appended after every update of the model and whenever a check is drawn; the last check counts. Nothing depends on the
//! file except what the page draws and predicts: answers are in the journal and the labels file. It begins anew where points would
//! not compare with those to come: for another [`CurveSetting`], or a labels file that does not exist.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use trustpath::label::Trust;
use trustpath_table::write_atomically;

use crate::journal::append_line;
use crate::progress::{Check, Point};
use crate::source::SessionPool;
use crate::{Error, Result};

/// How every file begins.
const BEGINNING: &str = r#"{"progress":"trustpath serve""#;

/// What points must have in common to compare.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CurveSetting {
    /// Where the instances come from.
    pub source: String,
    /// How many there are.
    pub rows: usize,
    /// The number of their features.
    pub dims: usize,
    /// Whether every instance belongs to a labelled class.
    pub closed: bool,
    /// How trusted labels are chosen.
    pub trust: String,
}

impl CurveSetting {
    /// The setting of a session.
    pub fn of(source: &dyn SessionPool) -> Self {
        let pool = source.pool();
        let trust = match source.trust() {
            Trust::Precision(precision) => format!("precision {precision}"),
            Trust::Credibility(credibility) => format!("credibility {credibility}"),
            Trust::PerClass(count) => format!("per-class {count}"),
        };
        Self { source: pool.source().to_owned(), rows: pool.rows(), dims: pool.dims(), closed: source.closed(), trust }
    }
}

/// What the lines after it are about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Head {
    progress: String,
    version: u32,
    #[serde(flatten)]
    setting: CurveSetting,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Line {
    Point(Point),
    Check(Vec<Checked>),
}

/// An instance of a check, and the class that was predicted for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checked {
    /// The name of the instance.
    pub id: String,
    /// The name of the class.
    pub label: String,
}

/// The file of the curve and the check.
#[derive(Debug)]
pub struct History {
    path: PathBuf,
    head: Head,
    /// Whether the file begins with this head.
    begun: bool,
}

/// What an earlier session has left.
#[derive(Debug, Default, PartialEq)]
pub struct Past {
    /// The points of the curve.
    pub points: Vec<Point>,
    /// The last check that was drawn.
    pub check: Vec<Checked>,
}

impl History {
    /// The history of a labels file, and what is in it. `goes_on` says whether there are answers of an earlier session.
    ///
    /// # Errors
    /// If it cannot be read, or something else is in its place.
    pub fn open(labels: &Path, setting: CurveSetting, goes_on: bool) -> Result<(Self, Past)> {
        let mut name = labels.as_os_str().to_owned();
        name.push(".progress");
        let path = PathBuf::from(name);
        let head = Head { progress: "trustpath serve".into(), version: 2, setting };
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(e) => return Err(Error::progress(&path, e)),
        };
        // A file that was cut off in its first line is as good as none.
        let is_torn = !text.contains('\n') && BEGINNING.starts_with(&text);
        if !is_torn && !text.starts_with(BEGINNING) {
            return Err(Error::progress(&path, "it is not a file of trustpath serve"));
        }
        let mut lines = text.lines();
        let first = lines.next().and_then(|line| serde_json::from_str::<Head>(line).ok());
        let mut history = Self { path, begun: goes_on && first.as_ref() == Some(&head), head };
        let mut past = Past::default();
        if !history.begun {
            return Ok((history, past));
        }
        let mut is_complete = text.ends_with('\n');
        for line in lines {
            match serde_json::from_str(line) {
                Ok(Line::Point(point)) => add_point(&mut past.points, point),
                Ok(Line::Check(check)) => past.check = check,
                // Cut off by a kill or a full disk.
                Err(_) => is_complete = false,
            }
        }
        if !is_complete {
            history.rewrite(&past)?;
        }
        Ok((history, past))
    }

    /// Appends a point.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn point(&mut self, point: Point) -> Result<()> {
        self.append(&Line::Point(point))
    }

    /// Appends a check.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn check(&mut self, check: Vec<Checked>) -> Result<()> {
        self.append(&Line::Check(check))
    }

    fn append(&mut self, line: &Line) -> Result<()> {
        if !self.begun {
            self.rewrite(&Past::default())?;
        }
        let file = OpenOptions::new().append(true).open(&self.path);
        let written = file.and_then(|mut file| append_line(&mut file, &json(line)));
        written.map_err(|e| Error::progress(&self.path, e))
    }

    /// Writes everything anew.
    fn rewrite(&mut self, past: &Past) -> Result<()> {
        let points = past.points.iter().map(|&point| json(&Line::Point(point)));
        let check = (!past.check.is_empty()).then(|| json(&Line::Check(past.check.clone())));
        let mut lines = std::iter::once(json(&self.head)).chain(points).chain(check);
        write_atomically(&self.path, |file| lines.try_for_each(|line| writeln!(file, "{line}")))?;
        self.begun = true;
        Ok(())
    }
}

/// Adds the state after an update. One that knows no other number of labels than the last takes its place.
pub fn add_point(points: &mut Vec<Point>, point: Point) {
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

    fn point(labels: usize) -> Point {
        Point { labels, coverage: 0.5, trusted: 7, precision: Some([0.9, 0.8, 0.95]) }
    }

    fn checked(id: &str) -> Checked {
        Checked { id: id.into(), label: "auk \"\n".into() }
    }

    fn setting(trust: &str) -> CurveSetting {
        let (source, trust) = ("birds.npy".into(), trust.into());
        CurveSetting { source, rows: 100, dims: 5, closed: false, trust }
    }

    #[test]
    fn what_was_written_is_read_back_up_to_a_line_that_was_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let labels = folder.path().join("labels.csv");
        let file = folder.path().join("labels.csv.progress");
        let open = || History::open(&labels, setting("precision 0.9"), true).unwrap();
        let (mut history, past) = open();
        assert_eq!(past, Past::default());
        assert!(!file.exists(), "nothing is written before there is something to keep");
        history.point(point(10)).unwrap();
        history.check(vec![checked("a"), checked("b")]).unwrap();
        history.point(point(20)).unwrap();
        history.point(Point { coverage: 0.6, ..point(20) }).unwrap();
        let all = fs::read_to_string(&file).unwrap();
        let (_, past) = open();
        assert_eq!(past.points, [point(10), Point { coverage: 0.6, ..point(20) }]);
        assert_eq!(past.check, [checked("a"), checked("b")]);
        // Killed at any byte: a prefix of the lines, and what is written next is read back.
        for end in 0..all.len() {
            fs::write(&file, &all[..end]).unwrap();
            let (mut history, before) = open();
            history.point(point(30)).unwrap();
            let (_, after) = open();
            assert_eq!(after.points.last(), Some(&point(30)), "{end}");
            assert_eq!(after.points[..after.points.len() - 1], before.points, "{end}");
            assert_eq!(after.check, before.check, "{end}");
        }
    }

    #[test]
    fn a_broken_line_loses_nothing_but_itself() {
        let folder = tempfile::tempdir().unwrap();
        let labels = folder.path().join("labels.csv");
        let file = folder.path().join("labels.csv.progress");
        let open = || History::open(&labels, setting("precision 0.9"), true).unwrap();
        let mut history = open().0;
        history.point(point(10)).unwrap();
        // A part of a line, to which a later one was joined.
        let mut broken = fs::read_to_string(&file).unwrap();
        broken += &json(&Line::Point(point(20)))[..9];
        fs::write(&file, broken).unwrap();
        history.point(point(30)).unwrap();
        history.point(point(40)).unwrap();
        assert_eq!(open().1.points, [point(10), point(40)]);
        open().0.point(point(50)).unwrap();
        assert_eq!(open().1.points, [point(10), point(40), point(50)]);
        assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), 4, "the broken one is gone");
    }

    #[test]
    fn other_settings_begin_anew_and_other_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let labels = folder.path().join("labels.csv");
        let usual = setting("precision 0.9");
        let (mut history, _) = History::open(&labels, usual.clone(), false).unwrap();
        history.point(point(10)).unwrap();
        for (setting, goes_on) in [
            (CurveSetting { rows: 101, ..usual.clone() }, true),
            (CurveSetting { source: "fish.npy".into(), ..usual.clone() }, true),
            (CurveSetting { closed: true, ..usual.clone() }, true),
            (setting("per-class 9"), true),
            (usual, false),
        ] {
            let (_, past) = History::open(&labels, setting, goes_on).unwrap();
            assert_eq!(past, Past::default());
        }
        let other = || History::open(&labels, setting("precision 0.95"), true);
        other().unwrap().0.point(point(40)).unwrap();
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
