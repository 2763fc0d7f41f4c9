//! A contact sheet with some images of each class, to check a dataset by eye.

use std::io::Write;
use std::path::Path;

use rayon::prelude::*;
use trustpath_report::{ContactRow, ContactSheet, Image};
use trustpath_table::write_atomically;
use trustpath_vision::dataset::{Dataset, DatasetSplit};

use crate::error::Result;
use crate::print;

/// Classes on a sheet.
const MOST_ROWS: usize = 120;
/// Up to this many rows are drawn twice as large.
const FEW_ROWS: usize = 60;

/// Draws some images of each class, spread over it; what cannot be read leaves its place empty. Gives how many
/// rows it has.
pub fn write(dataset: &Dataset, path: &Path) -> Result<usize> {
    let classes = dataset.classes();
    let mut members = vec![Vec::new(); classes.len()];
    for row in 0..dataset.len() {
        if let Some(class) = dataset.class(row) {
            members[class].push(row);
        }
    }
    let mut splits = vec![None; classes.len()];
    for split in DatasetSplit::ALL {
        for name in dataset.peek(split).classes() {
            if let Some(at) = classes.iter().position(|class| class == name) {
                splits[at] = Some(split);
            }
        }
    }
    let step = classes.len().div_ceil(MOST_ROWS).max(1);
    let shown: Vec<usize> = (0..classes.len()).step_by(step).collect();
    let row = |&class: &usize| {
        let count = print::count(members[class].len(), "image", "images");
        let note = splits[class].map_or(count.clone(), |split| format!("{split}, {count}"));
        ContactRow { name: classes[class].clone(), note, images: spread(dataset, &members[class]) }
    };
    let mut rows: Vec<ContactRow> = shown.par_iter().map(row).collect();
    if classes.is_empty() {
        let images = spread(dataset, &(0..dataset.len()).collect::<Vec<_>>());
        rows.push(ContactRow { name: "no class".into(), note: String::new(), images });
    }
    let count = rows.len();
    let which = match step {
        1 => String::new(),
        step => format!(", of which one in {step} is shown"),
    };
    let sheet = ContactSheet {
        title: dataset.name().into(),
        subtitle: format!(
            "{} of {}{which}",
            print::count(dataset.len(), "image", "images"),
            print::count(classes.len(), "class", "classes")
        ),
        rows,
    };
    let png = sheet.figure()?.png(if count <= FEW_ROWS { 2.0 } else { 1.0 })?;
    write_atomically(path, |file| file.write_all(&png))?;
    Ok(count)
}

/// As many images as fit in a row, spread over these.
fn spread(dataset: &Dataset, rows: &[usize]) -> Vec<Image> {
    let across = ContactSheet::ACROSS.min(rows.len());
    let image = |at: usize| {
        let image = dataset.image(rows[at * rows.len() / across]).ok()?;
        Image::new(image.width, image.height, image.rgb).ok()
    };
    (0..across).filter_map(image).collect()
}
