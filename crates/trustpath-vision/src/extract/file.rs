//! The finished file: features with the names of their images and classes.
//!
//! A `.safetensors` file holds the tensors `features`, `labels`, `ids.bytes` and `ids.offsets`, the names of the
//! classes under `class_names` in its metadata, and what a later extraction needs to know which of its features can be
//! reused. Beside `NAME.npy` is `NAME-labels.csv` with an id and the name of a class for each row. An image without a
//! class is labelled −1, or not at all.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use trustpath_table::{Format, npy, write_atomically};

use super::kept::{BACKBONE, FeatureRows, IMAGES, STAMPS};
use crate::weights::Precision;
use crate::{Error, Result};

/// Where features go, and in which precision.
pub(super) struct FeatureFile {
    path: PathBuf,
    format: Format,
    precision: Precision,
    dim: usize,
}

/// What the rows are.
pub(super) struct RowInfo<'a> {
    pub ids: Vec<String>,
    pub labels: Vec<Option<usize>>,
    pub classes: &'a [String],
    pub stamps: Vec<u64>,
    /// The fingerprints of the backbone and of all images.
    pub backbone: String,
    pub images: String,
}

impl FeatureFile {
    /// Refuses at once what could not be written in the end.
    pub fn new(path: &Path, precision: Precision, dim: usize) -> Result<Self> {
        let file = path.display().to_string();
        let format = Format::of(path)
            .ok()
            .filter(|format| matches!(format, Format::Npy | Format::Safetensors) && path.file_name().is_some());
        let format = format.ok_or_else(|| {
            let remedy = "give a name that ends in .safetensors or .npy";
            Error::Input(format!("features cannot be written as {file}: {remedy}"))
        })?;
        // Readers look for labels in arrays first.
        let labels = beside(path, "npy");
        if format == Format::Npy && labels.is_file() {
            return Err(Error::Input(format!(
                "{} is beside {file} and would be read as its labels: remove or rename it",
                labels.display()
            )));
        }
        Ok(Self { path: path.to_owned(), format, precision, dim })
    }

    /// The bytes of a value.
    pub fn width(&self) -> usize {
        match self.precision {
            Precision::F16 => 2,
            Precision::F32 => 4,
        }
    }

    /// Whether it records what it was made from.
    pub fn records_origin(&self) -> bool {
        self.format == Format::Safetensors
    }

    /// Writes the features, complete or not at all.
    pub fn write(&self, features: &FeatureRows, rows: &RowInfo) -> Result<()> {
        match self.format {
            Format::Npy => {
                write_atomically(beside(&self.path, "csv"), |w| labels(w, rows))?;
                let descr = if self.width() == 2 { "'<f2'" } else { "'<f4'" };
                write_atomically(&self.path, |w| {
                    npy::write_header(w, descr, &[rows.ids.len(), self.dim])?;
                    features.write(w)
                })?;
            }
            _ => write_atomically(&self.path, |w| self.tensors(w, features, rows))?,
        }
        Ok(())
    }

    fn tensors(&self, w: &mut impl Write, features: &FeatureRows, rows: &RowInfo) -> io::Result<()> {
        let count = rows.ids.len();
        let mut offsets = vec![0i64];
        for id in &rows.ids {
            offsets.push(offsets[offsets.len() - 1] + id.len() as i64);
        }
        let texts = rows.ids.iter().map(String::len).sum::<usize>();
        let dtype = if self.width() == 2 { "F16" } else { "F32" };
        // Wide elements first, so that all are aligned.
        let tensors = [
            ("ids.offsets", "I64", vec![count + 1], 8 * (count + 1)),
            ("labels", "I64", vec![count], 8 * count),
            (STAMPS, "I64", vec![count], 8 * count),
            ("features", dtype, vec![count, self.dim], count * self.dim * self.width()),
            ("ids.bytes", "U8", vec![texts], texts),
        ];
        let mut header = Map::new();
        let classes = Value::from(rows.classes).to_string();
        let about = json!({
            "class_names": classes,
            BACKBONE: rows.backbone,
            IMAGES: rows.images,
        });
        header.insert("__metadata__".into(), about);
        let mut place = 0;
        for (name, dtype, shape, length) in tensors {
            let at = [place, place + length];
            header.insert(name.into(), json!({"dtype": dtype, "shape": shape, "data_offsets": at}));
            place += length;
        }
        let mut header = serde_json::to_vec(&header)?;
        header.resize(header.len().next_multiple_of(8), b' ');
        w.write_all(&(header.len() as u64).to_le_bytes())?;
        w.write_all(&header)?;
        let labels = rows.labels.iter().map(|label| label.map_or(-1, |class| class as i64));
        let stamps = rows.stamps.iter().map(|&stamp| stamp as i64);
        offsets.into_iter().chain(labels).chain(stamps).try_for_each(|n| w.write_all(&n.to_le_bytes()))?;
        features.write(w)?;
        rows.ids.iter().try_for_each(|id| w.write_all(id.as_bytes()))
    }
}

fn labels(w: &mut impl Write, rows: &RowInfo) -> io::Result<()> {
    let mut csv = csv::Writer::from_writer(w);
    csv.write_record(["id", "label"])?;
    for (id, label) in rows.ids.iter().zip(&rows.labels) {
        csv.write_record([id.as_str(), label.map_or("", |class| &rows.classes[class])])?;
    }
    csv.flush()
}

/// The name of a file of labels beside that of features.
pub(super) fn beside(features: &Path, ending: &str) -> PathBuf {
    let stem = features.file_stem().unwrap_or_default().to_string_lossy();
    features.with_file_name(format!("{stem}-labels.{ending}"))
}
