//! A contact sheet: a row per class with its name, a note and some of its images.

use crate::canvas::{Canvas, MARGIN, SMALL, WIDTH};
use crate::draw::scene::{Mark, Rect, Style, Text};
use crate::palette::{GRID, MUTED};
use crate::{Error, Figure, Image, Result};

/// Images of classes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ContactSheet {
    /// Title of the figure.
    pub title: String,
    /// A sentence below the title.
    pub subtitle: String,
    /// The classes, from top to bottom.
    pub rows: Vec<ContactRow>,
}

/// Images of one class.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ContactRow {
    /// Its name.
    pub name: String,
    /// A note below the name, such as the number of images.
    pub note: String,
    /// Some of its images; at most [`ContactSheet::ACROSS`] are drawn.
    pub images: Vec<Image>,
}

/// Width of the names of the classes.
const NAMES: f64 = 156.0;
const TILE: f64 = 52.0;
const GAP: f64 = 3.0;

impl ContactSheet {
    /// The number of images that fit in a row.
    pub const ACROSS: usize = ((WIDTH - 2.0 * MARGIN - NAMES + GAP) / (TILE + GAP)) as usize;

    /// Draws the sheet.
    pub fn figure(&self) -> Result<Figure> {
        if self.rows.is_empty() {
            return Err(Error::NothingToDraw { title: self.title.clone() });
        }
        let mut canvas = Canvas::new(&self.title, &self.subtitle, &[]);
        for row in &self.rows {
            row.draw(&mut canvas);
            canvas.top += TILE + GAP;
        }
        Ok(canvas.finish())
    }
}

impl ContactRow {
    fn draw(&self, canvas: &mut Canvas) {
        let middle = canvas.top + TILE / 2.0;
        let line = |text: &str, y: f64| Text::new((MARGIN, y), text, SMALL).fit(NAMES - 10.0);
        let baseline = if self.note.is_empty() { middle + 4.5 } else { middle - 3.0 };
        canvas.push(line(&self.name, baseline));
        canvas.push(line(&self.note, middle + 13.0).color(MUTED));
        for place in 0..ContactSheet::ACROSS {
            let left = MARGIN + NAMES + place as f64 * (TILE + GAP);
            let rect = Rect::new(left, canvas.top, TILE, TILE);
            canvas.push(match self.images.get(place) {
                // Twice the size at scale 1 is sharp enough, and keeps the SVG small.
                Some(image) => Mark::Image { rect, image: image.shrunk(2 * TILE as usize) },
                None => Mark::rect(rect, Style::fill(GRID.tint(0.35))),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_class_has_a_row_and_an_empty_sheet_is_refused() {
        let image = Image::new(1, 1, vec![200, 0, 0]).unwrap();
        let row = |name: &str, count| ContactRow {
            name: name.into(),
            note: format!("{count} images"),
            images: vec![image.clone(); count],
        };
        let sheet = |rows| ContactSheet { title: "Pets".into(), subtitle: String::new(), rows };
        let svg = sheet(vec![row("cat", 3), row("dog", 99)]).figure().unwrap().svg();
        assert!(svg.contains("cat") && svg.contains("99 images"));
        assert_eq!(svg.matches("<image").count(), 3 + ContactSheet::ACROSS);
        assert!(matches!(sheet(vec![]).figure(), Err(Error::NothingToDraw { .. })));
    }
}
