//! tieredImageNet as pickles: `{train,val,test}_images_png.pkl` is a list of PNGs, each an array of bytes, and
//! `{train,val,test}_labels.pkl` has `label_specific`, a class number for each, and `label_specific_str`, the
//! names of the classes.

use std::collections::HashSet;
use std::str::FromStr;

use super::pickled::{Sections, as_many, entry};
use super::stored::{Item, Store};
use super::{Class, Draft, Kind, Split};
use crate::pickle::Document;
use crate::source::Source;
use crate::{Error, Result};

const IMAGES: &str = "_images_png.pkl";

fn split(name: &str) -> Option<Split> {
    let file = name.rsplit('/').next()?;
    Split::from_str(file.strip_suffix(IMAGES)?).ok()
}

pub(super) fn is_here(source: &Source) -> bool {
    source.names().any(|name| split(name).is_some())
}

pub(super) fn read(source: Source) -> Result<Draft> {
    let kind = Kind::TieredImagenet;
    let (mut classes, mut items) = (Vec::new(), Vec::new());
    let mut sections = Sections::default();
    for name in source.names() {
        let Some(split) = split(name) else { continue };
        let labels = format!("{}_labels.pkl", name.trim_end_matches(IMAGES));
        if !source.contains(&labels) {
            let reason = "it is not there beside its pictures; get both";
            return Err(Error::Read { name: labels, reason: reason.into() });
        }
        let (labels, names) = labels_of(&Document::read(&source.section(&labels)?, 0)?)?;
        let doc = Document::read(&source.section(name)?, 0)?;
        let pictures = doc.list(doc.root()).ok_or_else(|| doc.refuse("it is no list of PNGs"))?;
        as_many(&doc, pictures.len(), labels.len())?;
        let first = classes.len();
        let mut seen = HashSet::new();
        for name in names {
            // Different WordNet ids may have the same words.
            let mut unique = name.clone();
            for again in 2.. {
                if seen.insert(unique.clone()) {
                    break;
                }
                unique = format!("{name} ({again})");
            }
            classes.push(Class { name: unique, split: Some(split) });
        }
        let file = sections.file(&doc);
        for (row, (picture, label)) in pictures.iter().zip(labels).enumerate() {
            let class = usize::try_from(label).ok().map(|label| first + label);
            let class = class.filter(|&class| class < classes.len()).ok_or_else(|| {
                doc.refuse(format!("picture {row} has the label {label}, which has no name"))
            })?;
            let stored = sections.encoded(&doc, file, *picture)?;
            items.push(Item { id: format!("{split}/{row:06}"), class: Some(class), stored });
        }
    }
    let store = Store { source, sections: sections.finish() };
    Ok(Draft { name: kind.to_string(), kind, classes, items, store })
}

/// A class number for each picture, and the names of the classes.
fn labels_of(doc: &Document) -> Result<(Vec<i64>, Vec<String>)> {
    let numbers = match doc.entry(doc.root(), "labels") {
        Some(labels) => labels,
        None => entry(doc, "label_specific")?,
    };
    let numbers = doc.ints(numbers)?.ok_or_else(|| doc.refuse("its labels are no numbers"))?;
    let names = match doc.entry(doc.root(), "label_specific_str") {
        Some(names) => {
            doc.texts(names).ok_or_else(|| doc.refuse("its class names are no texts"))?
        }
        None => {
            let most = numbers.iter().max().copied().unwrap_or(-1).clamp(-1, numbers.len() as i64);
            (0..=most).map(|label| format!("{label:03}")).collect()
        }
    };
    Ok((numbers, names))
}
