//! tieredImageNet as pickles: `{train,val,test}_images_png.pkl` is a list of PNGs, each an array of bytes, and
//! `{train,val,test}_labels.pkl` has `label_specific`, a class number for each, and `label_specific_str`, the names of
//! the classes.

use std::collections::HashSet;
use std::str::FromStr;

use super::pickled::{PickleSections, as_many, class_names, entry, integers};
use super::store::StoredImage;
use super::{Class, DatasetKind, DatasetSplit, RawDataset};
use crate::pickle::Pickle;
use crate::source::{FileTree, file_name};
use crate::{Error, Result};

const IMAGES: &str = "_images_png.pkl";

fn split(name: &str) -> Option<DatasetSplit> {
    DatasetSplit::from_str(file_name(name).strip_suffix(IMAGES)?).ok()
}

pub(super) fn is_here(source: &FileTree) -> bool {
    source.names().any(|name| split(name).is_some())
}

pub(super) fn read(source: FileTree) -> Result<RawDataset> {
    let (mut classes, mut items) = (Vec::new(), Vec::new());
    let mut sections = PickleSections::default();
    for name in source.names() {
        let Some(split) = split(name) else { continue };
        let labels = format!("{}_labels.pkl", name.trim_end_matches(IMAGES));
        if !source.contains(&labels) {
            return Err(Error::read(labels, "it is not there beside its images; get both"));
        }
        let (labels, names) = labels_of(&Pickle::read(&source.section(&labels)?, 0)?)?;
        let doc = Pickle::read(&source.section(name)?, 0)?;
        let images = doc.list(doc.root).ok_or_else(|| doc.refuse("it is not a list of PNGs"))?;
        as_many(&doc, images.len(), labels.len())?;
        let first = classes.len();
        let mut seen = HashSet::new();
        for name in names {
            // Different WordNet ids may have the same words.
            let mut unique = name.clone();
            let mut again = 2..;
            while !seen.insert(unique.clone()) {
                unique = format!("{name} ({})", again.next().unwrap_or(0));
            }
            classes.push(Class { name: unique, split: Some(split) });
        }
        let file = sections.file(&doc);
        for (row, (image, label)) in images.iter().zip(labels).enumerate() {
            let class = usize::try_from(label).ok().map(|label| first + label);
            let class = class
                .filter(|&class| class < classes.len())
                .ok_or_else(|| doc.refuse(format!("image {row} has the label {label}, which has no name")))?;
            let location = sections.encoded(&doc, file, *image)?;
            items.push(StoredImage { id: format!("{split}/{row:06}"), class: Some(class), location });
        }
    }
    Ok(RawDataset::known(DatasetKind::TieredImagenet, classes, items, source, sections.finish()))
}

/// A class number for each image, and the names of the classes.
fn labels_of(doc: &Pickle) -> Result<(Vec<i64>, Vec<String>)> {
    let numbers = match doc.entry(doc.root, "labels") {
        Some(labels) => labels,
        None => entry(doc, "label_specific")?,
    };
    let numbers = integers(doc, numbers)?;
    let names = match doc.entry(doc.root, "label_specific_str") {
        Some(names) => class_names(doc, names)?,
        None => {
            let most = numbers.iter().max().copied().unwrap_or(-1).clamp(-1, numbers.len() as i64);
            (0..=most).map(|label| format!("{label:03}")).collect()
        }
    };
    Ok((numbers, names))
}
