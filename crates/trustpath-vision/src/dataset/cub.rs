//! CUB-200-2011 as published: `images.txt`, `classes.txt`, `image_class_labels.txt` and
//! `bounding_boxes.txt` beside `images/`. Pictures are cropped to their boxes.

use std::collections::HashMap;

use super::listed::is_path_end;
use super::named::Named;
use super::stored::{Item, Store, Stored};
use super::{Draft, Kind};
use crate::picture::Crop;
use crate::source::Source;
use crate::{Error, Result};

const IMAGES: &str = "images.txt";
const BOXES: &str = "bounding_boxes.txt";
const LABELS: &str = "image_class_labels.txt";
const CLASSES: &str = "classes.txt";

pub(super) fn is_here(source: &Source) -> bool {
    let has = |file: &str| source.names().any(|name| is_path_end(name, file));
    has(IMAGES) && (has(BOXES) || has(LABELS))
}

pub(super) fn read(source: Source, kind: Kind) -> Result<Draft> {
    let images = source.names().find(|name| is_path_end(name, IMAGES)).unwrap_or(IMAGES);
    let root = images[..images.len() - IMAGES.len()].to_string();
    let table = |file: &str| table(&source, &format!("{root}{file}"));
    let (images, boxes) = (table(IMAGES)?, table(BOXES)?);
    let (labels, names) = (table(LABELS)?, table(CLASSES)?);
    let mut named = Named::new(kind, |name| names.values().any(|here| here == name));
    let mut items = Vec::with_capacity(images.len());
    for (id, path) in &images {
        let lacks = |file: &str| Error::Read {
            name: format!("{root}{file}"),
            reason: format!("it has no line for image {id}, {path}; get the dataset again"),
        };
        let label = labels.get(id).ok_or_else(|| lacks(LABELS))?;
        let class = names.get(label).ok_or_else(|| lacks(CLASSES))?;
        let part = boxes.get(id).ok_or_else(|| lacks(BOXES))?;
        let crop = crop(part).ok_or_else(|| Error::Read {
            name: format!("{root}{BOXES}"),
            reason: format!("the box of image {id} is no x, y, width and height but {part:?}"),
        })?;
        let class = named.number(class, None);
        let id = format!("{root}images/{path}");
        items.push(Item { id, class: Some(class), stored: Stored::File(Some(crop)) });
    }
    let lost: Vec<&str> =
        items.iter().map(|item| item.id.as_str()).filter(|id| !source.contains(id)).collect();
    if let Some(first) = lost.first() {
        let reason = format!(
            "it lists {} pictures of which {} are not there, {first} first; get the dataset again",
            items.len(),
            lost.len()
        );
        return Err(Error::Read { name: format!("{root}{IMAGES}"), reason });
    }
    let store = Store { source, sections: Vec::new() };
    Ok(Draft { name: kind.to_string(), kind, classes: named.classes, items, store })
}

/// Lines of a number and what belongs to it.
fn table(source: &Source, name: &str) -> Result<HashMap<String, String>> {
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
        assert_eq!(
            crop("60.0 27.0 325.0 304.0"),
            Some(Crop { x: 60, y: 27, width: 325, height: 304 })
        );
        assert_eq!(crop("60.0 27.0 325.0"), None);
        assert_eq!(crop("60.0 nan 325.0 1"), None);
        assert_eq!(crop("60.0 -1 325.0 1"), None);
    }
}
