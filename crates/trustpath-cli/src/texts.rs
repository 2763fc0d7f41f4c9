//! Texts instead of features.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use rayon::ThreadPool;
use trustpath_explain::{Extractor, SavedModel};
use trustpath_table::{Format, Output, PartlyLabelledFile, PartlyLabelledTable, ReadingNote, Tensor};
use trustpath_text::{GET_WEIGHTS, TextModel, TextRepresentation, TfIdf, folder};
use trustpath_vision::extract::FeatureBlocks;

use crate::error::{Error, Result};
use crate::progress::ProgressMode;
use crate::{interrupt, print, reading};

/// Texts whose features are computed before they are written.
const BLOCK: usize = 2048;

/// The column that the texts of a folder are in.
pub const COLUMN: &str = "text";

/// Texts with labels for some, before they have features.
#[derive(Debug)]
pub struct Texts {
    /// Ids, labels and the texts; no features.
    pub pool: PartlyLabelledTable,
    /// The column that is passed on to the result and holds the texts.
    column: usize,
}

/// By what the features of texts were made.
#[derive(Debug)]
pub struct EmbeddedTexts {
    /// Its name and number.
    pub extractor: Extractor,
    /// What a saved model needs for new texts.
    pub representation: BTreeMap<String, Tensor>,
}

impl Texts {
    /// The texts of a column that is passed on to the result; where there is none in a row, it is empty.
    pub fn new(pool: PartlyLabelledTable, column: &str) -> Result<Self> {
        let name = pool.source().to_owned();
        let refuse = |why: String| Err(Error::Usage(format!("{why}: name another by --text")));
        let Some(place) = pool.carried().iter().position(|carried| carried.name == column) else {
            return refuse(format!("column {column:?} of {name} holds no texts"));
        };
        let texts = Self { pool, column: place };
        if texts.all().iter().all(|text| text.is_empty()) {
            return refuse(format!("all texts in column {column:?} of {name} are empty"));
        }
        Ok(texts)
    }

    /// The text of each row.
    fn all(&self) -> Vec<&str> {
        let column = &self.pool.carried()[self.column];
        column.texts.iter().map(|text| text.as_deref().unwrap_or_default()).collect()
    }

    /// The texts of a folder of .txt files, which `read` reads as a table of ids, labels and texts.
    pub fn of_folder(path: &Path, read: impl FnOnce(&Path) -> Result<PartlyLabelledTable>) -> Result<Self> {
        let files = folder::read(path)?;
        let failed =
            |e: std::io::Error| Error::Usage(format!("no temporary file can be written ({e}): free some disk space"));
        let table = tempfile::Builder::new().suffix(".jsonl").tempfile().map_err(failed)?;
        let mut out = std::io::BufWriter::new(table.as_file());
        for file in files {
            let line = serde_json::json!({"id": file.id, "label": file.label, COLUMN: file.text});
            writeln!(out, "{line}").map_err(failed)?;
        }
        out.flush().map_err(failed)?;
        drop(out);
        Self::new(read(table.path())?.called(path.display().to_string()), COLUMN)
    }

    /// Computes their features, by the representation of a saved model where there is one.
    pub fn embed(
        self,
        model: TextModel,
        saved: Option<(&SavedModel, &Path)>,
        threads: &ThreadPool,
        progress: ProgressMode,
    ) -> Result<(PartlyLabelledTable, EmbeddedTexts)> {
        let advice = model.advice().filter(|_| saved.is_none());
        let texts = self.all();
        let stage = progress.stage("embedding texts", texts.len() as u64, "texts");
        let advance = |done: usize| {
            stage.advance(done as u64);
            !interrupt::requested()
        };
        let (representation, features) = threads.install(|| match (saved, model) {
            (Some((saved, file)), TextModel::TfIdf { chosen }) => {
                let tfidf = words_of(saved, file, chosen)?;
                let by = TextRepresentation::TfIdf(tfidf);
                let features = by.embed(&texts, advance)?;
                Ok((by, features))
            }
            (Some((saved, file)), model) if saved.extractor.is_none() => {
                drop(model);
                Err(not_on_texts(file))
            }
            (_, model) => Ok(model.represent(&texts, advance)?),
        })?;
        drop(stage);
        let description = representation.description().to_owned();
        let name = format!("{} ({description})", self.pool.source());
        let mut pool = self.pool.with_features(features, representation.dim())?.called(name);
        if let Some(advice) = advice {
            pool = pool.with_note(ReadingNote::Sentence(advice));
        }
        let extractor = Extractor { description, identity: representation.identity() };
        Ok((pool, EmbeddedTexts { extractor, representation: representation.to_tensors() }))
    }
}

fn not_on_texts(file: &Path) -> Error {
    Error::Usage(format!(
        "{} was trained on features that were given, not on texts: give features of the same kind, without --text",
        file.display()
    ))
}

/// The TF-IDF that a model was trained on.
fn words_of(saved: &SavedModel, file: &Path, chosen: bool) -> Result<TfIdf> {
    let name = file.display();
    match (TfIdf::from_tensors(&saved.representation), &saved.extractor) {
        (Some(tfidf), _) => Ok(tfidf),
        (None, None) => Err(not_on_texts(file)),
        (None, Some(_)) if !saved.representation.is_empty() => Err(Error::Usage(format!(
            "{name} is damaged: the tensors of its text representation do not fit together; write it again with trustpath label --model"
        ))),
        (None, Some(by)) if chosen => Err(Error::Usage(format!(
            "{name} was trained on features by {}, not by tf-idf: leave out --backbone",
            by.description
        ))),
        (None, Some(by)) => Err(Error::Usage(format!(
            "{name} was trained on texts by {}, whose weights are not installed: get them by {GET_WEIGHTS}, or give them by --weights",
            by.description
        ))),
    }
}

/// Writes the features of texts to a .npy file, and their ids and labels beside it.
pub fn extract(
    path: &Path,
    column: Option<&str>,
    model: TextModel,
    out: &Path,
    threads: &ThreadPool,
    progress: ProgressMode,
) -> Result<()> {
    if Format::of(out).ok() != Some(Format::Npy) {
        return Err(Error::Usage(format!("--out {} must end in .npy for texts", out.display())));
    }
    let beside = out.with_file_name(format!("{}-labels.csv", out.file_stem().unwrap_or_default().to_string_lossy()));
    let labels = Output::new(&beside);
    labels.check()?;
    let file = PartlyLabelledFile::new(path);
    let texts = match column {
        Some(column) if !path.is_dir() => Texts::new(file.text(column).read()?, column)?,
        _ if folder::is_at(path) => {
            Texts::of_folder(path, |table| Ok(PartlyLabelledFile::new(table).text(COLUMN).read()?))?
        }
        _ => {
            let name = path.display();
            return Err(Error::Usage(format!(
                "{name} is not a folder of .txt files: give --text with the name of its column of texts"
            )));
        }
    };
    let advice = model.advice();
    let start = Instant::now();
    let all = texts.all();
    let (by, before) = threads.install(|| -> Result<_> {
        let by = model.fit(&all)?;
        let mut blocks = FeatureBlocks::open(out, by.settings(), &all, by.dim())?;
        let before = blocks.done().min(all.len());
        let stage = progress.stage("embedding texts", (all.len() - before) as u64, "texts");
        for texts in all[before..].chunks(BLOCK) {
            let done = blocks.done();
            let features = by.embed(texts, |texts| {
                stage.advance(texts as u64);
                !interrupt::requested()
            });
            let features = features.map_err(|error| match error {
                trustpath_text::Error::Stopped => Error::Paused { done, all: all.len() },
                error => error.into(),
            })?;
            blocks.append(&features)?;
        }
        blocks.finish()?;
        Ok((by, before))
    })?;
    let took = start.elapsed().as_secs_f64().max(1e-9);
    let (new, pool) = (all.len() - before, &texts.pool);
    reading::labels(pool)?.write(&labels)?;
    for note in reading::pool_notes(pool).into_iter().chain(advice) {
        progress.say(&format!("{note}\n"));
    }
    print::stdout(&format!(
        "{}: {}, {} each, by {}, {} texts/s; ids and labels in {}\n",
        out.display(),
        print::count(pool.rows(), "text", "texts"),
        print::count(by.dim(), "feature", "features"),
        by.description(),
        print::rate(new as f64 / took),
        beside.display(),
    ))
}
