//! A journal of finished episodes, so that an interrupted run can be resumed.
//!
//! The file is a line of JSON that names the configuration by a hash, then one line for each
//! finished episode, in the order in which they finished. Lines are only ever appended; a run that
//! is killed leaves at most one incomplete line at the end, which is dropped on resuming. The process that
//! writes it holds a [`FileLock`].

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use trustpath_table::FileLock;

use crate::{Error, Result};

/// The result of an episode.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finished {
    /// Number of the episode.
    pub episode: u64,
    /// Accuracy after each round, that of the plain classifier first.
    pub accuracies: Vec<f64>,
    /// Seconds spent on it.
    pub seconds: f64,
}

impl Finished {
    /// Says what cannot be a score.
    fn check(&self) -> std::result::Result<(), String> {
        if self.accuracies.is_empty() {
            return Err("it has no accuracy".into());
        }
        if let Some(x) = self.accuracies.iter().find(|x| !(0.0..=1.0).contains(*x)) {
            return Err(format!("the accuracy {x:?} is not between 0 and 1"));
        }
        if !(0.0..f64::INFINITY).contains(&self.seconds) {
            return Err(format!("its time is {:?} seconds", self.seconds));
        }
        Ok(())
    }
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Header {
    journal: String,
    version: u32,
    configuration: String,
}

/// An open journal, to which finished episodes are appended.
///
/// ```
/// use trustpath_bench::{Finished, Journal};
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("run.jsonl");
/// let settings = ("icir", 5, 1, "seed 7");
///
/// let (mut journal, _) = Journal::open(&path, &settings, false)?;
/// journal.record(&Finished { episode: 0, accuracies: vec![0.72, 0.80], seconds: 0.001 })?;
/// drop(journal); // the run is interrupted here …
///
/// let (_, done) = Journal::open(&path, &settings, true)?; // … and resumed here
/// assert_eq!(done[0].accuracies, [0.72, 0.80]);
/// # Ok::<(), trustpath_bench::Error>(())
/// ```
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    /// Two processes that append to one journal would write over each other.
    _lock: FileLock,
}

impl Journal {
    /// Opens the journal of a run with this configuration, and returns the episodes finished before, in order.
    ///
    /// A journal that already holds a run is opened only to `resume` it, and only if its configuration is the same:
    /// everything that affects the scores belongs into `configuration`.
    ///
    /// # Errors
    /// [`Error::JournalExists`], [`Error::OtherRun`], [`trustpath_table::Error::InUse`], or what is wrong with the file.
    pub fn open(path: impl AsRef<Path>, configuration: &impl Serialize, resume: bool) -> Result<(Self, Vec<Finished>)> {
        let path = path.as_ref();
        let header = header_line(configuration)?;
        let lock = FileLock::acquire(path)?;
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(|e| Error::write(path, e))?;
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(|e| Error::read(path, e))?;

        let mut finished = Vec::new();
        // A run killed while the header was written does not count as begun.
        let begun = !header.as_bytes().starts_with(&text) || text.len() == header.len();
        let mut complete = 0;
        if begun {
            if !resume {
                return Err(Error::JournalExists { file: path.display().to_string() });
            }
            complete = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
            finished = parse(&text[..complete], &header, path)?;
        }
        let prepared = file
            .set_len(complete as u64)
            .and_then(|()| file.seek(SeekFrom::End(0)))
            .and_then(|_| if begun { Ok(()) } else { file.write_all(header.as_bytes()) });
        prepared.map_err(|e| Error::write(path, e))?;
        Ok((Self { path: path.to_owned(), file, _lock: lock }, finished))
    }

    /// Appends a finished episode.
    ///
    /// # Errors
    /// If the file cannot be written, or a number is out of its range.
    pub fn record(&mut self, finished: &Finished) -> Result<()> {
        if let Err(reason) = finished.check() {
            return Err(Error::parameter("episode", finished.episode, reason));
        }
        let mut line = serde_json::to_vec(finished).map_err(|e| Error::write(&self.path, e))?;
        line.push(b'\n');
        // One write for one line, so that a kill cannot mix two.
        self.file.write_all(&line).map_err(|e| Error::write(&self.path, e))
    }
}

fn header_line(configuration: &impl Serialize) -> Result<String> {
    let header = serde_json::to_vec(configuration).and_then(|json| {
        let configuration = format!("{:016x}", fnv1a(json));
        serde_json::to_string(&Header { journal: "trustpath".into(), version: 1, configuration })
    });
    header
        .map(|header| header + "\n")
        .map_err(|e| Error::parameter("configuration", e, "it must be expressible in JSON"))
}

/// The finished episodes of complete lines, each once.
fn parse(text: &[u8], header: &str, path: &Path) -> Result<Vec<Finished>> {
    let damaged = |reason: String| Error::damaged(path.display(), reason);
    let text = std::str::from_utf8(text).map_err(|_| damaged("it is not a text file".into()))?;
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default();
    if first != header.trim_end() {
        let known = serde_json::from_str::<Header>(first).is_ok_and(|h| h.journal == "trustpath");
        return Err(if known {
            Error::OtherRun { file: path.display().to_string() }
        } else {
            damaged("its first line is not the header of a journal".into())
        });
    }
    let parse = |(number, line): (usize, &str)| {
        let wrong = |reason: String| damaged(format!("line {} is not a finished episode ({reason})", number + 2));
        let finished: Finished = serde_json::from_str(line).map_err(|e| wrong(e.to_string()))?;
        finished.check().map_err(wrong)?;
        Ok(finished)
    };
    let mut finished: Vec<Finished> = lines.enumerate().map(parse).collect::<Result<_>>()?;
    finished.sort_by_key(|f| f.episode);
    finished.dedup_by_key(|f| f.episode);
    Ok(finished)
}

/// The 64-bit FNV-1a hash of Fowler, Noll and Vo.
pub fn fnv1a(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use trustpath_table as table;

    use super::*;

    fn episode(episode: u64) -> Finished {
        // Accuracies such as 1/3 have no short decimal form.
        let accuracies = vec![1.0 / (episode + 3) as f64, 0.1 + 0.2];
        Finished { episode, accuracies, seconds: 1e-3 / 7.0 }
    }

    fn written(count: u64) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.jsonl");
        let (mut journal, done) = Journal::open(&path, &"settings", false).unwrap();
        assert!(done.is_empty());
        // Threads finish in any order.
        for i in (0..count).rev() {
            journal.record(&episode(i)).unwrap();
        }
        (folder, path)
    }

    #[test]
    fn the_hash_is_the_published_one() {
        assert_eq!(fnv1a(*b""), 0xcbf29ce484222325);
        assert_eq!(fnv1a(*b"foobar"), 0x85944171f73967e8);
    }

    #[test]
    fn resuming_returns_the_same_episodes_in_order() {
        let (_folder, path) = written(50);
        let (mut journal, done) = Journal::open(&path, &"settings", true).unwrap();
        assert_eq!(done, (0..50).map(episode).collect::<Vec<_>>());
        journal.record(&episode(50)).unwrap();
        drop(journal);
        let (_, done) = Journal::open(&path, &"settings", true).unwrap();
        assert_eq!(done.len(), 51);
    }

    #[test]
    fn other_settings_and_an_existing_run_are_refused_without_changes() {
        let (_folder, path) = written(3);
        let before = fs::read(&path).unwrap();
        let error = Journal::open(&path, &"other settings", true).unwrap_err();
        assert!(matches!(error, Error::OtherRun { .. }), "{error}");
        let error = Journal::open(&path, &"settings", false).unwrap_err();
        assert!(matches!(error, Error::JournalExists { .. }), "{error}");
        assert_eq!(fs::read(&path).unwrap(), before);
    }

    #[test]
    fn a_run_killed_at_any_byte_can_be_resumed() {
        let (_folder, path) = written(3);
        let text = fs::read(&path).unwrap();
        for end in 0..text.len() {
            fs::write(&path, &text[..end]).unwrap();
            let (mut journal, done) = Journal::open(&path, &"settings", true).unwrap();
            let lines = text[..end].iter().filter(|&&byte| byte == b'\n').count();
            assert_eq!(done.len(), lines.saturating_sub(1), "killed at byte {end}");
            journal.record(&episode(9)).unwrap();
            drop(journal);
            let (_, done) = Journal::open(&path, &"settings", true).unwrap();
            assert_eq!(done.last(), Some(&episode(9)), "killed at byte {end}");
        }
    }

    #[test]
    fn a_journal_has_one_writer() {
        let (_folder, path) = written(2);
        let (mut journal, _) = Journal::open(&path, &"settings", true).unwrap();
        let error = Journal::open(&path, &"settings", true).unwrap_err();
        assert!(matches!(error, Error::Table(table::Error::InUse { .. })), "{error}");
        journal.record(&episode(2)).unwrap();
        drop(journal);
        assert_eq!(Journal::open(&path, &"settings", true).unwrap().1.len(), 3);
    }

    fn refusal(text: &str) -> String {
        let header = text.lines().next().unwrap();
        parse(text.as_bytes(), header, Path::new("run.jsonl")).unwrap_err().to_string()
    }

    /// What two processes once left behind: lines that run into each other.
    #[test]
    fn the_journal_of_two_writers_is_refused() {
        let error = refusal(include_str!("../tests/journals/two-writers.jsonl"));
        assert!(error.contains("is not a finished episode"), "{error}");
    }

    /// Every accuracy is a share, and the time is a number that is not negative.
    #[test]
    fn scores_out_of_range_are_refused() {
        let text = include_str!("../tests/journals/scores.jsonl");
        let (error, header) = (refusal(text), text.lines().next().unwrap());
        assert!(error.contains("9e99") && error.contains("between 0 and 1"), "{error}");
        for (accuracies, seconds, expected) in
            [("[1.5]", "1.0", "1.5"), ("[-0.1]", "1.0", "-0.1"), ("[0.5]", "-1.0", "-1"), ("[]", "1.0", "no accuracy")]
        {
            let line = format!("{{\"episode\":7,\"accuracies\":{accuracies},\"seconds\":{seconds}}}");
            let error = refusal(&format!("{header}\n{line}\n"));
            assert!(error.contains("line 2") && error.contains(expected), "{error}");
        }
    }

    #[test]
    fn damaged_and_other_files_are_refused_without_changes() {
        let (_folder, path) = written(3);
        let text = fs::read_to_string(&path).unwrap();
        let damaged = text.replacen("episode", "epxsode", 1);
        for text in [damaged.as_str(), "name,value\n1,2\n", "no newline", "\u{0}\n"] {
            fs::write(&path, text).unwrap();
            let error = Journal::open(&path, &"settings", true).unwrap_err();
            assert!(matches!(error, Error::Table(table::Error::Damaged { .. })), "{text:?}: {error}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
    }

    #[test]
    fn numbers_that_are_not_finite_and_unwritable_folders_are_refused() {
        let (_folder, path) = written(0);
        let (mut journal, _) = Journal::open(&path, &"settings", true).unwrap();
        let bad = Finished { accuracies: vec![f64::NAN], ..episode(0) };
        assert!(journal.record(&bad).is_err());
        drop(journal);
        assert!(Journal::open(&path, &"settings", true).unwrap().1.is_empty());
        let error = Journal::open(path.with_file_name("no/run.jsonl"), &1, false).unwrap_err();
        assert!(matches!(error, Error::Table(table::Error::Write { .. })), "{error}");
    }
}
