//! miniImageNet as pickles, in two forms.
//!
//! `mini-imagenet-cache-{train,val,test}.pkl` hold `image_data`, bytes of shape N × 84 × 84 × 3, and `class_dict`, the
//! rows of each WordNet id. `miniImageNet_category_split_*.pickle` hold the same images as `data`, `labels`, and
//! `catname2label`, the label of each WordNet id; of the files for base classes the one for training counts.

use std::str::FromStr;

use super::classes::ClassNumbers;
use super::pickled::{PickleSections, as_many, entry, integers};
use super::store::StoredImage;
use super::{DatasetKind, DatasetSplit, RawDataset};
use crate::Result;
use crate::pickle::Pickle;
use crate::source::{FileTree, file_name};

/// The split that a file is named after.
fn split(name: &str) -> Option<DatasetSplit> {
    let file = file_name(name);
    let stem = file.strip_suffix(".pkl").or_else(|| file.strip_suffix(".pickle"))?;
    let part =
        stem.strip_prefix("mini-imagenet-cache-").or_else(|| stem.strip_prefix("miniImageNet_category_split_"))?;
    DatasetSplit::from_str(if part == "train_phase_train" { "train" } else { part }).ok()
}

pub(super) fn is_here(source: &FileTree) -> bool {
    source.names().any(|name| split(name).is_some())
}

pub(super) fn read(source: FileTree) -> Result<RawDataset> {
    let kind = DatasetKind::MiniImagenet;
    let mut class_rows = Vec::new();
    let mut sections = PickleSections::default();
    for name in source.names() {
        let Some(split) = split(name) else { continue };
        let doc = Pickle::read(&source.section(name)?, 0)?;
        let (classes, images) = match doc.entry(doc.root, "class_dict") {
            Some(_) => (rows_by_class(&doc)?, "image_data"),
            None => (rows_by_label(&doc)?, "data"),
        };
        let (count, location) = sections.pixels(&doc, entry(&doc, images)?, false)?;
        as_many(&doc, count, classes.iter().map(|(_, rows)| rows.len()).sum())?;
        for (class, rows) in classes {
            let located = |row: i64| {
                let row = usize::try_from(row).ok().filter(|&row| row < count);
                row.map(|row| (row, location(row)))
                    .ok_or_else(|| doc.refuse(format!("{class} has a row that is none of its {count} images")))
            };
            let rows = rows.into_iter().map(located).collect::<Result<Vec<_>>>()?;
            class_rows.push((class, split, rows));
        }
    }
    let is_here = |name: &str| class_rows.iter().any(|(class, ..)| class == name);
    let mut numbers = ClassNumbers::published(kind, is_here);
    let mut items = Vec::new();
    for (name, split, rows) in class_rows {
        let class = Some(numbers.number(&name, Some(split)));
        for (row, location) in rows {
            items.push(StoredImage { id: format!("{name}/{row:05}"), class, location });
        }
    }
    Ok(RawDataset::known(kind, numbers.classes, items, source, sections.finish()))
}

/// Classes with their rows, in the order of the images.
fn rows_by_class(doc: &Pickle) -> Result<Vec<(String, Vec<i64>)>> {
    let mut all = Vec::new();
    for (name, rows) in doc.entries(entry(doc, "class_dict")?).unwrap_or_default() {
        let name = doc.text(*name).ok_or_else(|| doc.refuse("one of its classes has no name"))?;
        all.push((name, integers(doc, *rows)?));
    }
    all.sort_by_key(|(_, rows)| rows.iter().min().copied());
    Ok(all)
}

fn rows_by_label(doc: &Pickle) -> Result<Vec<(String, Vec<i64>)>> {
    let labels = integers(doc, entry(doc, "labels")?)?;
    let mut all = Vec::new();
    for (name, label) in doc.entries(entry(doc, "catname2label")?).unwrap_or_default() {
        let (Some(name), Some(label)) = (doc.text(*name), doc.int(*label)) else {
            return Err(doc.refuse("one of its classes has no name or label"));
        };
        let rows = (0..).zip(&labels).filter(|(_, of)| **of == label).map(|(row, _)| row).collect();
        all.push((name, rows));
    }
    all.sort_by_key(|(_, rows): &(_, Vec<i64>)| rows.first().copied());
    Ok(all)
}
