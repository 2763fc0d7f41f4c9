//! The curve of a session and its running check, kept beside the labels file, so that the next session goes on with them.
//!
//! ```text
//! {"progress":"trustpath serve","version":1,"rows":1965,"precision":0.9}
//! {"point":{"labels":20,"coverage":0.31,"trusted":412,"precision":[0.94,0.81,0.98]}}
//! {"check":[{"id":"7.jpg","label":"auk"},{"id":"9.jpg","label":"tern"}]}
//! ```
//!
//! A line is appended after every update of the model and whenever a check is drawn; the last check counts. Nothing depends on the
//! file except what the page draws and predicts: answers are in the journal and the labels file. It begins anew where points would
//! not compare with those to come: for another number of instances, another precision, or a labels file that does not exist.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::progress::{Check, Point};
use crate::{Error, Result};

/// What the lines after it are about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Head {
    progress: String,
    version: u32,
    rows: usize,
    precision: Option<f64>,
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
    pub id: String,
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
    pub fn open(
        labels: &Path,
        rows: usize,
        precision: Option<f64>,
        goes_on: bool,
    ) -> Result<(Self, Past)> {
        let mut name = labels.as_os_str().to_owned();
        name.push(".progress");
        let path = PathBuf::from(name);
        let head = Head { progress: "trustpath serve".into(), version: 1, rows, precision };
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(e) => return Err(Error::progress(&path, e)),
        };
        let mut lines = text.lines();
        let first = lines.next().map(serde_json::from_str::<Head>);
        let mut past = Past::default();
        let begun = match first {
            None => false,
            Some(Err(_)) => {
                return Err(Error::progress(&path, "it is not a file of trustpath serve"));
            }
            Some(Ok(found)) => found == head && goes_on,
        };
        if begun {
            // What a kill has cut off, and all that follows, is left out.
            for line in lines.map_while(|line| serde_json::from_str(line).ok()) {
                match line {
                    Line::Point(point) => add_point(&mut past.points, point),
                    Line::Check(check) => past.check = check,
                }
            }
        }
        let mut history = Self { path, head, begun };
        if begun && !text.ends_with('\n') {
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
        let failed = |e: std::io::Error| Error::progress(&self.path, e);
        if !self.begun {
            let text = format!("{}\n", json(&self.head));
            fs::write(&self.path, text).map_err(failed)?;
            self.begun = true;
        }
        let mut file = OpenOptions::new().append(true).open(&self.path).map_err(failed)?;
        file.write_all(format!("{}\n", json(line)).as_bytes()).map_err(failed)
    }

    /// Writes everything anew, without the line that a kill has cut off.
    fn rewrite(&mut self, past: &Past) -> Result<()> {
        let failed = |e: std::io::Error| Error::progress(&self.path, e);
        let points = past.points.iter().map(|&point| json(&Line::Point(point)));
        let check = (!past.check.is_empty()).then(|| json(&Line::Check(past.check.clone())));
        let lines: Vec<String> =
            std::iter::once(json(&self.head)).chain(points).chain(check).collect();
        let mut file = File::create(&self.path).map_err(failed)?;
        file.write_all(format!("{}\n", lines.join("\n")).as_bytes()).map_err(failed)
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

    #[test]
    fn what_was_written_is_read_back_up_to_a_line_that_was_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let labels = folder.path().join("labels.csv");
        let file = folder.path().join("labels.csv.progress");
        let open = |precision| History::open(&labels, 100, precision, true).unwrap();
        let (mut history, past) = open(Some(0.9));
        assert_eq!(past, Past::default());
        assert!(!file.exists(), "nothing is written before there is something to keep");
        history.point(point(10)).unwrap();
        history.check(vec![checked("a"), checked("b")]).unwrap();
        history.point(point(20)).unwrap();
        history.point(Point { coverage: 0.6, ..point(20) }).unwrap();
        let all = fs::read_to_string(&file).unwrap();
        let (_, past) = open(Some(0.9));
        assert_eq!(past.points, [point(10), Point { coverage: 0.6, ..point(20) }]);
        assert_eq!(past.check, [checked("a"), checked("b")]);
        // Killed at any byte: a prefix of the lines, and what is written next is read back.
        let head = all.find('\n').unwrap() + 1;
        for end in head..all.len() {
            fs::write(&file, &all[..end]).unwrap();
            let (mut history, before) = open(Some(0.9));
            history.point(point(30)).unwrap();
            let (_, after) = open(Some(0.9));
            assert_eq!(after.points.last(), Some(&point(30)), "{end}");
            assert_eq!(after.points[..after.points.len() - 1], before.points, "{end}");
            assert_eq!(after.check, before.check, "{end}");
        }
    }

    #[test]
    fn other_goals_and_pools_begin_anew_and_other_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let labels = folder.path().join("labels.csv");
        let (mut history, _) = History::open(&labels, 100, Some(0.9), false).unwrap();
        history.point(point(10)).unwrap();
        for (rows, precision, goes_on) in [
            (101, Some(0.9), true),
            (100, Some(0.95), true),
            (100, None, true),
            (100, Some(0.9), false),
        ] {
            let (_, past) = History::open(&labels, rows, precision, goes_on).unwrap();
            assert_eq!(past, Past::default());
        }
        let (mut other, _) = History::open(&labels, 100, Some(0.95), true).unwrap();
        other.point(point(40)).unwrap();
        assert_eq!(History::open(&labels, 100, Some(0.95), true).unwrap().1.points, [point(40)]);
        fs::write(folder.path().join("labels.csv.progress"), "my notes").unwrap();
        let error = History::open(&labels, 100, None, true).unwrap_err().to_string();
        assert!(error.contains("labels.csv.progress") && error.contains("move it"), "{error}");
    }
}
