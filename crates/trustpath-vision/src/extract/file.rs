//! The finished file: features with the names of their images and classes.
//!
//! A `.safetensors` file holds the tensors `features`, `labels`, `ids.bytes` and `ids.offsets`, the names of the
//! classes under `class_names` in its metadata, and what a later extraction needs to know which of its features can be
//! reused. Beside `NAME.npy` is `NAME-labels.csv` with an id and the name of a class for each row. An image without a
//! class is labelled −1, or not at all.

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use trustpath_table::{Format, npy, write_atomically};

use super::ExtractedFrom;
use super::cached::{BACKBONE, FeatureRows, IMAGES, STAMPS};
use crate::dataset::Dataset;
use crate::weights::FloatPrecision;
use crate::{Error, Result};

/// Where features go, and in which precision.
pub(super) struct FeatureFile {
    path: PathBuf,
    format: Format,
    precision: FloatPrecision,
    dim: usize,
}

impl FeatureFile {
    /// Refuses at once what could not be written in the end.
    pub fn new(path: &Path, precision: FloatPrecision, dim: usize) -> Result<Self> {
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
            FloatPrecision::F16 => 2,
            FloatPrecision::F32 => 4,
        }
    }

    /// Whether it records what it was made from.
    pub fn records_origin(&self) -> bool {
        self.format == Format::Safetensors
    }

    /// Writes the features of a dataset, complete or not at all.
    pub fn write(&self, features: &FeatureRows, dataset: &Dataset, from: &ExtractedFrom) -> Result<()> {
        if self.format != Format::Npy {
            return Ok(write_atomically(&self.path, |w| self.tensors(w, features, dataset, from))?);
        }
        write_atomically(beside(&self.path, "csv"), |w| labels(w, dataset))?;
        let descr = if self.width() == 2 { "'<f2'" } else { "'<f4'" };
        Ok(write_atomically(&self.path, |w| {
            npy::write_header(w, descr, &[dataset.len(), self.dim])?;
            features.write(w)
        })?)
    }

    fn tensors(
        &self,
        w: &mut impl Write,
        features: &FeatureRows,
        dataset: &Dataset,
        from: &ExtractedFrom,
    ) -> io::Result<()> {
        let (count, ids) = (dataset.len(), ids(dataset));
        let mut offsets = vec![0i64];
        for id in &ids {
            offsets.push(offsets[offsets.len() - 1] + id.len() as i64);
        }
        let texts = ids.iter().map(String::len).sum::<usize>();
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
        let classes = Value::from(dataset.classes()).to_string();
        let about = json!({"class_names": classes, BACKBONE: from.backbone, IMAGES: from.images});
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
        let labels = (0..count).map(|row| dataset.class(row).map_or(-1, |class| class as i64));
        let stamps = dataset.stamps().into_iter().map(|stamp| stamp as i64);
        offsets.into_iter().chain(labels).chain(stamps).try_for_each(|n| w.write_all(&n.to_le_bytes()))?;
        features.write(w)?;
        ids.iter().try_for_each(|id| w.write_all(id.as_bytes()))
    }
}

fn labels(w: &mut impl Write, dataset: &Dataset) -> io::Result<()> {
    let mut csv = csv::Writer::from_writer(w);
    csv.write_record(["id", "label"])?;
    for (row, id) in ids(dataset).iter().enumerate() {
        csv.write_record([id.as_str(), dataset.class(row).map_or("", |class| &dataset.classes()[class])])?;
    }
    csv.flush()
}

/// The ids of all rows; where one is that of several images, with the class before it.
fn ids(dataset: &Dataset) -> Vec<String> {
    let rows = 0..dataset.len();
    let mut seen = HashSet::new();
    if rows.clone().all(|row| seen.insert(dataset.id(row))) {
        return rows.map(|row| dataset.id(row).to_owned()).collect();
    }
    let with_class = |row| {
        let class = dataset.class(row).map_or("", |class| dataset.classes()[class].as_str());
        format!("{class}/{}", dataset.id(row))
    };
    rows.map(with_class).collect()
}

/// The name of a file of labels beside that of features.
pub(super) fn beside(features: &Path, ending: &str) -> PathBuf {
    let stem = features.file_stem().unwrap_or_default().to_string_lossy();
    features.with_file_name(format!("{stem}-labels.{ending}"))
}
