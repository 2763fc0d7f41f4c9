//! CIFAR-FS from CIFAR-100's own archive for Python: the pickles `train` and `test` hold `data`, N × 3072
//! bytes in planes, and `fine_labels`; `meta` holds `fine_label_names`. All 600 pictures of a class are used, and
//! the classes are divided as for CIFAR-FS.

use super::named::Named;
use super::pickled::{Sections, as_many, entry};
use super::stored::{Item, Store};
use super::{Draft, Kind};
use crate::Result;
use crate::pickle::Document;
use crate::source::Source;

const FOLDER: &str = "cifar-100-python/";

/// The folder that has the three files.
fn root(source: &Source) -> Option<String> {
    let roots = source
        .names()
        .filter_map(|name| name.strip_suffix("meta"))
        .filter(|root| root.is_empty() || root.ends_with(FOLDER));
    let whole = |root: &&str| {
        ["train", "test"].iter().all(|file| source.contains(&format!("{root}{file}")))
    };
    roots.into_iter().find(whole).map(String::from)
}

pub(super) fn is_here(source: &Source) -> bool {
    root(source).is_some()
}

pub(super) fn read(source: Source) -> Result<Draft> {
    let kind = Kind::CifarFs;
    let root = root(&source).unwrap_or_default();
    let document = |file: &str| Document::read(&source.section(&format!("{root}{file}"))?, 0);
    let meta = document("meta")?;
    let names = meta.texts(entry(&meta, "fine_label_names")?);
    let names = names.ok_or_else(|| meta.refuse("its class names are no texts"))?;
    let mut named = Named::new(kind, |name| names.iter().any(|here| here == name));
    let mut items = Vec::new();
    let mut sections = Sections::default();
    for part in ["train", "test"] {
        let doc = document(part)?;
        let labels = doc.ints(entry(&doc, "fine_labels")?)?;
        let labels = labels.ok_or_else(|| doc.refuse("its labels are no numbers"))?;
        let array = doc.array(entry(&doc, "data")?)?;
        let array = array.ok_or_else(|| doc.refuse("its pictures are no array"))?;
        let (count, place) = sections.pixels(&doc, &array, true)?;
        as_many(&doc, count, labels.len())?;
        for (row, label) in labels.into_iter().enumerate() {
            let name = usize::try_from(label).ok().and_then(|label| names.get(label));
            let name = name.ok_or_else(|| {
                doc.refuse(format!("picture {row} has the label {label}, which has no name"))
            })?;
            let class = Some(named.number(name, None));
            let id = format!("{name}/{part}-{row:05}");
            items.push(Item { id, class, stored: place(row) });
        }
    }
    let store = Store { source, sections: sections.finish() };
    Ok(Draft { name: kind.to_string(), kind, classes: named.classes, items, store })
}
