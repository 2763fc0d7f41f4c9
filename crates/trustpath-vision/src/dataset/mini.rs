//! miniImageNet as pickles, in two forms.
//!
//! `mini-imagenet-cache-{train,val,test}.pkl` hold `image_data`, bytes of shape N × 84 × 84 × 3, and
//! `class_dict`, the rows of each WordNet id. `miniImageNet_category_split_*.pickle` hold the same pictures as
//! `data`, `labels`, and `catname2label`, the label of each WordNet id; of the files for base classes the one
//! for training counts.

use std::str::FromStr;

use super::named::Named;
use super::pickled::{Sections, as_many, entry};
use super::stored::{Item, Store};
use super::{Draft, Kind, Split};
use crate::Result;
use crate::pickle::Document;
use crate::source::Source;

/// The split that a file is called after.
fn split(name: &str) -> Option<Split> {
    let file = name.rsplit('/').next()?;
    let stem = file.strip_suffix(".pkl").or_else(|| file.strip_suffix(".pickle"))?;
    let part = stem
        .strip_prefix("mini-imagenet-cache-")
        .or_else(|| stem.strip_prefix("miniImageNet_category_split_"))?;
    Split::from_str(if part == "train_phase_train" { "train" } else { part }).ok()
}

pub(super) fn is_here(source: &Source) -> bool {
    source.names().any(|name| split(name).is_some())
}

pub(super) fn read(source: Source) -> Result<Draft> {
    let kind = Kind::MiniImagenet;
    let mut found = Vec::new();
    let mut sections = Sections::default();
    for name in source.names() {
        let Some(split) = split(name) else { continue };
        let doc = Document::read(&source.section(name)?, 0)?;
        let (classes, images) = match doc.entry(doc.root(), "class_dict") {
            Some(_) => (rows_by_class(&doc)?, "image_data"),
            None => (rows_by_label(&doc)?, "data"),
        };
        let array = doc.array(entry(&doc, images)?)?;
        let array = array.ok_or_else(|| doc.refuse(format!("its {images} are no array")))?;
        let (count, place) = sections.pixels(&doc, &array, false)?;
        as_many(&doc, count, classes.iter().map(|(_, rows)| rows.len()).sum())?;
        for (class, rows) in classes {
            let place = |row: i64| {
                let row = usize::try_from(row).ok().filter(|&row| row < count);
                row.map(|row| (row, place(row))).ok_or_else(|| {
                    doc.refuse(format!("{class} has a row that is none of its {count} pictures"))
                })
            };
            let rows = rows.into_iter().map(place).collect::<Result<Vec<_>>>()?;
            found.push((class, split, rows));
        }
    }
    let mut named = Named::new(kind, |name| found.iter().any(|(class, ..)| class == name));
    let mut items = Vec::new();
    for (name, split, rows) in found {
        let class = Some(named.number(&name, Some(split)));
        for (row, stored) in rows {
            items.push(Item { id: format!("{name}/{row:05}"), class, stored });
        }
    }
    let store = Store { source, sections: sections.finish() };
    Ok(Draft { name: kind.to_string(), kind, classes: named.classes, items, store })
}

/// Classes with their rows, in the order of the pictures.
fn rows_by_class(doc: &Document) -> Result<Vec<(String, Vec<i64>)>> {
    let classes = doc.entries(entry(doc, "class_dict")?).unwrap_or_default();
    let mut all = Vec::new();
    for (name, rows) in classes {
        let name = doc.text(*name).ok_or_else(|| doc.refuse("one of its classes has no name"))?;
        let rows = doc.ints(*rows)?;
        all.push((name, rows.ok_or_else(|| doc.refuse("the rows of a class are no numbers"))?));
    }
    all.sort_by_key(|(_, rows)| rows.iter().min().copied());
    Ok(all)
}

fn rows_by_label(doc: &Document) -> Result<Vec<(String, Vec<i64>)>> {
    let labels = doc.ints(entry(doc, "labels")?)?;
    let labels = labels.ok_or_else(|| doc.refuse("its labels are no numbers"))?;
    let names = doc.entries(entry(doc, "catname2label")?).unwrap_or_default();
    let mut all = Vec::new();
    for (name, label) in names {
        let (Some(name), Some(label)) = (doc.text(*name), doc.int(*label)) else {
            return Err(doc.refuse("one of its classes has no name or label"));
        };
        let rows = (0..).zip(&labels).filter(|(_, of)| **of == label).map(|(row, _)| row).collect();
        all.push((name, rows));
    }
    all.sort_by_key(|(_, rows): &(_, Vec<i64>)| rows.first().copied());
    Ok(all)
}
