//! CIFAR-FS from the archive of CIFAR-100 for Python: the pickles `train` and `test` hold `data`, N × 3072 bytes in
//! planes, and `fine_labels`; `meta` holds `fine_label_names`. All 600 images of a class are used, and the classes are
//! divided as for CIFAR-FS.

use super::classes::ClassNumbers;
use super::pickled::{PickleSections, as_many, class_names, entry, integers};
use super::store::StoredImage;
use super::{DatasetKind, RawDataset};
use crate::Result;
use crate::pickle::Pickle;
use crate::source::FileTree;

const FOLDER: &str = "cifar-100-python/";

/// The folder that has the three files.
fn root(source: &FileTree) -> Option<String> {
    let complete = |root: &&str| {
        (root.is_empty() || root.ends_with(FOLDER))
            && ["train", "test"].iter().all(|file| source.contains(&format!("{root}{file}")))
    };
    let mut roots = source.names().filter_map(|name| name.strip_suffix("meta"));
    roots.find(complete).map(String::from)
}

pub(super) fn is_here(source: &FileTree) -> bool {
    root(source).is_some()
}

pub(super) fn read(source: FileTree) -> Result<RawDataset> {
    let kind = DatasetKind::CifarFs;
    let root = root(&source).unwrap_or_default();
    let document = |file: &str| Pickle::read(&source.section(&format!("{root}{file}"))?, 0);
    let meta = document("meta")?;
    let names = class_names(&meta, entry(&meta, "fine_label_names")?)?;
    let mut numbers = ClassNumbers::published(kind, |name| names.iter().any(|here| here == name));
    let mut items = Vec::new();
    let mut sections = PickleSections::default();
    for part in ["train", "test"] {
        let doc = document(part)?;
        let labels = integers(&doc, entry(&doc, "fine_labels")?)?;
        let (count, location) = sections.pixels(&doc, entry(&doc, "data")?, true)?;
        as_many(&doc, count, labels.len())?;
        for (row, label) in labels.into_iter().enumerate() {
            let name = usize::try_from(label).ok().and_then(|label| names.get(label));
            let name =
                name.ok_or_else(|| doc.refuse(format!("image {row} has the label {label}, which has no name")))?;
            let class = Some(numbers.number(name, None));
            let id = format!("{name}/{part}-{row:05}");
            items.push(StoredImage { id, class, location: location(row) });
        }
    }
    Ok(RawDataset::known(kind, numbers.classes, items, source, sections.finish()))
}
