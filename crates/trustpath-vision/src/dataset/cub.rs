//! CUB-200-2011 as published: `images.txt`, `classes.txt`, `image_class_labels.txt` and
//! `bounding_boxes.txt` beside `images/`. Images are cropped to their boxes.

use std::collections::HashMap;

use super::class_folders::is_path_end;
use super::classes::ClassNumbers;
use super::store::{ImageLocation, StoredImage};
use super::{DatasetKind, RawDataset};
use crate::image::Crop;
use crate::source::FileTree;
use crate::{Error, Result};

const IMAGES: &str = "images.txt";
const BOXES: &str = "bounding_boxes.txt";
const LABELS: &str = "image_class_labels.txt";
const CLASSES: &str = "classes.txt";

pub(super) fn is_here(source: &FileTree) -> bool {
    let has = |file: &str| source.names().any(|name| is_path_end(name, file));
    has(IMAGES) && (has(BOXES) || has(LABELS))
}

pub(super) fn read(source: FileTree, kind: DatasetKind) -> Result<RawDataset> {
    let images = source.names().find(|name| is_path_end(name, IMAGES)).unwrap_or(IMAGES);
    let root = images[..images.len() - IMAGES.len()].to_string();
    let table = |file: &str| table(&source, &format!("{root}{file}"));
    let (images, boxes) = (table(IMAGES)?, table(BOXES)?);
    let (labels, names) = (table(LABELS)?, table(CLASSES)?);
    let mut numbers = ClassNumbers::published(kind, |name| names.values().any(|here| here == name));
    let mut items = Vec::with_capacity(images.len());
    for (id, path) in &images {
        let lacks = |file: &str| {
            let reason = format!("it has no line for image {id}, {path}; get the dataset again");
            Error::read(format!("{root}{file}"), reason)
        };
        let label = labels.get(id).ok_or_else(|| lacks(LABELS))?;
        let class = names.get(label).ok_or_else(|| lacks(CLASSES))?;
        let part = boxes.get(id).ok_or_else(|| lacks(BOXES))?;
        let crop = crop(part).ok_or_else(|| {
            let reason = format!("the box of image {id} is not x, y, width and height but {part:?}");
            Error::read(format!("{root}{BOXES}"), reason)
        })?;
        let class = Some(numbers.number(class, None));
        let id = format!("{root}images/{path}");
        items.push(StoredImage { id, class, location: ImageLocation::File(Some(crop)) });
    }
    let lost: Vec<&str> = items.iter().map(|item| item.id.as_str()).filter(|id| !source.contains(id)).collect();
    if let Some(first) = lost.first() {
        let reason = format!(
            "it lists {} images of which {} are not there, {first} first; get the dataset again",
            items.len(),
            lost.len()
        );
        return Err(Error::read(format!("{root}{IMAGES}"), reason));
    }
    Ok(RawDataset::known(kind, numbers.classes, items, source, Vec::new()))
}

/// Lines of a number and what belongs to it.
fn table(source: &FileTree, name: &str) -> Result<HashMap<String, String>> {
    let text = source.text(name)?;
    let pairs = text.lines().filter_map(|line| line.trim().split_once(' '));
    Ok(pairs.map(|(id, rest)| (id.to_string(), rest.trim().to_string())).collect())
}

/// `x y width height` in pixels, written with a decimal point.
fn crop(text: &str) -> Option<Crop> {
    let mut numbers = text.split_whitespace().map(|word| word.parse::<f64>().ok());
    let mut next = || {
        let number = numbers.next()??;
        (number.is_finite() && (0.0..1e6).contains(&number)).then_some(number as usize)
    };
    Some(Crop { x: next()?, y: next()?, width: next()?, height: next()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_four_numbers() {
        assert_eq!(crop("60.0 27.0 325.0 304.0"), Some(Crop { x: 60, y: 27, width: 325, height: 304 }));
        assert_eq!(crop("60.0 27.0 325.0"), None);
        assert_eq!(crop("60.0 nan 325.0 1"), None);
        assert_eq!(crop("60.0 -1 325.0 1"), None);
    }
}
