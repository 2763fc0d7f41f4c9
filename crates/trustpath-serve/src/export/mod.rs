//! What a session gives to other programs.
//!
//! Every file has the labels that people gave and, for the other instances, the predictions of a model of all answers so far. Formats that have
//! no room for doubt (class folders, FiftyOne, COCO, CVAT) get given and trusted labels only.

mod cvat;
mod folder;
mod images;
mod label_studio;
mod table;

use std::sync::Arc;

use serde::Serialize;
use trustpath::label::Verdict;
use trustpath_table::Format;

use crate::Result;
use crate::answer::Answer;
use crate::http::Response;
use crate::model::SessionModel;
use crate::session::Session;
use crate::source::SessionPool;

pub use folder::write as folder;

/// A file that can be downloaded, as the page lists it.
#[derive(Debug, Serialize)]
pub struct ExportFormat {
    /// The name of the file.
    name: &'static str,
    about: &'static str,
    #[serde(skip)]
    write: fn(&Exported<'_>) -> Result<Vec<u8>>,
}

const fn format(name: &'static str, write: fn(&Exported<'_>) -> Result<Vec<u8>>, about: &'static str) -> ExportFormat {
    ExportFormat { name, about, write }
}

/// Files about any data.
const FORMATS: [ExportFormat; 6] = [
    format(
        "result.csv",
        |e| table::result(e, Format::Csv),
        "every instance with label, probability, verdict and reason, as trustpath label writes it",
    ),
    format("result.jsonl", |e| table::result(e, Format::Jsonl), "the same, one object per line"),
    format("result.parquet", |e| table::result(e, Format::Parquet), "the same as Apache Parquet"),
    format("labels.csv", table::labels, "the labels that were given or checked, for --labels"),
    format(
        "verified.csv",
        table::verified,
        "the labels that a person gave or confirmed, for trustpath audit --verified",
    ),
    format(
        "label-studio.json",
        label_studio::write,
        "tasks for Label Studio: answers as annotations, the rest as predictions with scores",
    ),
];

/// Files about images only.
const IMAGE_FORMATS: [ExportFormat; 4] = [
    format(
        "coco.json",
        images::coco,
        "given and trusted labels as COCO images, categories and annotations without boxes",
    ),
    format("cvat.xml", cvat::write, "given and trusted labels as tags, CVAT for images 1.1"),
    format("fiftyone.json", images::fiftyone, "given and trusted labels, FiftyOneImageClassificationDataset"),
    format(
        "metadata.jsonl",
        images::metadata,
        "file_name, label, verdict and probability, for a Hugging Face imagefolder",
    ),
];

/// The formats for this kind of data.
pub fn formats(source: &dyn SessionPool) -> Vec<&'static ExportFormat> {
    let of_images = IMAGE_FORMATS.iter().filter(|_| source.has_images());
    FORMATS.iter().chain(of_images).collect()
}

/// What is exported: the state at one moment.
pub(crate) struct Exported<'a> {
    session: &'a Session,
    model: Arc<SessionModel>,
    answers: Vec<Answer>,
    classes: Vec<String>,
}

/// One instance of an export.
struct ExportRow<'a> {
    row: usize,
    id: &'a str,
    label: Option<&'a str>,
    verdict: Verdict,
    /// Whether a person gave or confirmed the label, or said that there is none.
    checked: bool,
    probability: f64,
}

impl<'a> Exported<'a> {
    /// The state now, with a model of all answers, which this waits for.
    fn new(session: &'a Session) -> Result<Self> {
        let model = session.model_of_now()?;
        let state = session.lock();
        let (answers, classes) = (state.answers.all().to_vec(), state.answers.classes().to_vec());
        Ok(Self { session, model, answers, classes })
    }

    fn source(&self) -> &'a dyn SessionPool {
        self.session.source.as_ref()
    }

    /// Every instance.
    fn rows(&self) -> impl Iterator<Item = ExportRow<'_>> {
        let (ids, labelling) = (self.source().pool().ids(), &self.model.labelling);
        (0..ids.len()).map(move |row| {
            let answer = self.answers[row];
            let class = self.model.class(row, answer);
            ExportRow {
                row,
                id: &ids[row],
                label: class.map(|class| self.classes[class].as_str()),
                verdict: match answer {
                    Answer::Given(_) | Answer::Checked(_) => Verdict::Given,
                    Answer::NoneOfThese => Verdict::NoneOfThese,
                    _ => labelling.verdicts[row],
                },
                checked: matches!(answer, Answer::Checked(_) | Answer::NoneOfThese),
                probability: labelling.probability[row],
            }
        })
    }

    /// Instances whose label can be relied on, and the label of each.
    fn reliable(&self) -> impl Iterator<Item = (ExportRow<'_>, &str)> {
        let reliable = |row: &ExportRow<'_>| matches!(row.verdict, Verdict::Given | Verdict::Trusted);
        self.rows().filter(reliable).filter_map(|row| row.label.map(|label| (row, label)))
    }

    /// The labels that occur among them, sorted.
    fn reliable_classes(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.reliable().map(|(_, label)| label).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// A file to download.
pub fn file(session: &Session, name: &str) -> Result<Response> {
    let formats = formats(session.source.as_ref());
    let Some(format) = formats.iter().find(|format| format.name == name) else {
        return Ok(Response::error(404, "there is no such file"));
    };
    let kind = match name.rsplit_once('.') {
        Some((_, "csv")) => "text/csv; charset=utf-8",
        Some((_, "jsonl")) => "application/x-ndjson",
        Some((_, "json")) => "application/json",
        Some((_, "xml")) => "application/xml",
        _ => "application/octet-stream",
    };
    let bytes = (format.write)(&Exported::new(session)?)?;
    Ok(Response::new(kind, bytes).with("Content-Disposition", format!("attachment; filename=\"{name}\"")))
}

/// JSON, readable by people too.
fn json(value: &impl Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec_pretty(value).map_err(|e| crate::Error::Refused(e.to_string()))
}
