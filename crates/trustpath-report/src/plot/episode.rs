//! The instances that an episode selected: a row per class and a column per round, correct pseudo-labels on the left of a
//! cell and wrong ones on the right.

use crate::canvas::{Canvas, MARGIN, SMALL, WIDTH};
use crate::draw::font::{self, Weight};
use crate::draw::scene::{Anchor, Mark, Rect, Stroke, Style, Text};
use crate::error::same_length;
use crate::legend::{Key, KeySample};
use crate::palette::{CORRECT, GRID, MUTED, WHITE, WRONG};
use crate::{Error, Figure, Image, Result};

/// The instances selected in an episode.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EpisodeGrid {
    /// Title of the figure.
    pub title: String,
    /// A sentence below the title.
    pub subtitle: String,
    /// Names of the classes.
    pub classes: Vec<String>,
    /// The rounds, from left to right.
    pub rounds: Vec<EpisodeRound>,
}

/// The instances that one round selected.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EpisodeRound {
    /// Its name.
    pub name: String,
    /// A note below the name, such as the accuracy.
    pub note: String,
    /// One cell per class.
    pub cells: Vec<EpisodeCell>,
}

/// The instances that one round selected for one class.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EpisodeCell {
    /// Instances whose pseudo-label is correct.
    pub right: Selected,
    /// Instances whose pseudo-label is wrong.
    pub wrong: Selected,
    /// A note below, such as the accuracy of the class.
    pub note: String,
}

/// Selected instances, with or without images.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Selected {
    /// Their number.
    Count(usize),
    /// An image of each.
    Images(Vec<Image>),
}

/// More rounds continue in a second grid below.
const MOST_ROUNDS: usize = 4;
/// Further images on one side of a cell are only counted.
const MOST_IMAGES: usize = 20;
/// Width of the names of the classes.
const NAMES: f64 = 100.0;
const TILE: f64 = 30.0;
const GAP: f64 = 3.0;
const PADDING: f64 = 6.0;
/// Gap between correct and wrong.
const BETWEEN: f64 = 8.0;
const NOTE: f64 = 17.0;

impl EpisodeGrid {
    /// Draws the grid.
    pub fn figure(&self) -> Result<Figure> {
        if self.classes.is_empty() || self.rounds.is_empty() {
            return Err(Error::NothingToDraw { title: self.title.clone() });
        }
        for round in &self.rounds {
            let what = || format!("cells of the round \"{}\" for the classes", round.name);
            same_length(round.cells.len(), self.classes.len(), what)?;
        }
        let key = |name: &str, correct: bool| {
            Key::new(name, KeySample::Swatch { style: style(correct, true), hatched: false })
        };
        let keys = [key("correct pseudo-label (left)", true), key("wrong pseudo-label (right)", false)];
        let mut canvas = Canvas::new(&self.title, &self.subtitle, &keys);
        let grids = self.rounds.len().div_ceil(MOST_ROUNDS);
        let columns = self.rounds.len().div_ceil(grids);
        self.rounds.chunks(columns).for_each(|rounds| self.grid(rounds, columns, &mut canvas));
        canvas.top -= 8.0;
        Ok(canvas.finish())
    }

    /// A grid of some rounds: a row per class, a column per round.
    fn grid(&self, rounds: &[EpisodeRound], columns: usize, canvas: &mut Canvas) {
        let column = (WIDTH - 2.0 * MARGIN - NAMES) / columns as f64;
        let width = column - 4.0;
        let left = |i: usize| MARGIN + NAMES + i as f64 * column + 4.0;
        canvas.top += 22.0;
        for (i, round) in rounds.iter().enumerate() {
            let name = Text::new((left(i), canvas.top), &round.name, SMALL).bold().fit(width);
            let after = name.width() + 8.0;
            let note = Text::new((left(i) + after, canvas.top), &round.note, SMALL);
            canvas.push(name);
            canvas.push(note.color(MUTED).fit(width - after));
        }
        canvas.top += 8.0;
        for (class, name) in self.classes.iter().enumerate() {
            let cells = || rounds.iter().map(|round| &round.cells[class]);
            let height = cells().map(|cell| cell_height(cell, width)).fold(0.0, f64::max);
            let lines = font::wrap(name, SMALL, Weight::Regular, NAMES - 4.0);
            // One line stands level with the tiles, several begin at the top.
            let first = canvas.top + if lines.len() > 1 { 17.0 } else { PADDING + TILE / 2.0 + 4.5 };
            for (i, line) in lines.into_iter().take(3).enumerate() {
                canvas.push(Text::new((MARGIN, first + 15.0 * i as f64), line, SMALL));
            }
            for (i, cell) in cells().enumerate() {
                draw_cell(cell, Rect::new(left(i), canvas.top, width, height), canvas);
            }
            canvas.top += height + 4.0;
        }
        canvas.top += 8.0;
    }
}

impl Default for Selected {
    fn default() -> Self {
        Self::Count(0)
    }
}

impl Selected {
    /// The number of tiles; the last one may state how many images are not shown.
    fn places(&self) -> usize {
        match self {
            Selected::Count(_) => 0,
            Selected::Images(images) => images.len().min(MOST_IMAGES + 1),
        }
    }
}

/// The fewest rows in which the images of both sides fit next to each other.
fn rows(right: usize, wrong: usize, width: f64) -> usize {
    let room = width - 2.0 * PADDING + GAP - if right > 0 && wrong > 0 { BETWEEN } else { 0.0 };
    let across = ((room / (TILE + GAP) + 1e-9) as usize).max(2);
    let most = right.max(wrong).max(1);
    (1..most).find(|rows| right.div_ceil(*rows) + wrong.div_ceil(*rows) <= across).unwrap_or(most)
}

fn cell_height(cell: &EpisodeCell, width: f64) -> f64 {
    let rows = rows(cell.right.places(), cell.wrong.places(), width) as f64;
    2.0 * PADDING + rows * (TILE + GAP) - GAP + if cell.note.is_empty() { 0.0 } else { NOTE }
}

fn draw_cell(cell: &EpisodeCell, rect: Rect, canvas: &mut Canvas) {
    canvas.push(Mark::rect(rect, Style::fill(GRID.tint(0.4))));
    let rows = rows(cell.right.places(), cell.wrong.places(), rect.width);
    for (selected, correct) in [(&cell.right, true), (&cell.wrong, false)] {
        match selected {
            Selected::Count(count) => draw_count(*count, correct, rect, canvas),
            Selected::Images(images) => draw_images(images, correct, rows, rect, canvas),
        }
    }
    if !cell.note.is_empty() {
        let note = Text::new((rect.x + PADDING, rect.bottom() - 7.0), &cell.note, SMALL - 1.0);
        canvas.push(note.color(MUTED).fit(rect.width - 8.0));
    }
}

/// Correct instances begin at the left edge of a cell, wrong ones end at its right edge.
fn left_of(width: f64, correct: bool, rect: Rect) -> f64 {
    if correct { rect.x + PADDING } else { rect.right() - PADDING - width }
}

fn draw_count(count: usize, correct: bool, rect: Rect, canvas: &mut Canvas) {
    let width = (rect.width - 2.0 * PADDING - BETWEEN) / 2.0;
    let left = left_of(width, correct, rect);
    let tile = Rect::new(left, rect.y + PADDING, width, TILE);
    let at = (left + width / 2.0, tile.y + TILE / 2.0 + 0.36 * 14.0);
    let text = Text::new(at, count.to_string(), 14.0).anchor(Anchor::Middle);
    if count == 0 {
        canvas.push(text.color(MUTED));
    } else {
        canvas.push(Mark::rect(tile, style(correct, true)));
        canvas.push(text.bold());
    }
}

fn draw_images(images: &[Image], correct: bool, rows: usize, rect: Rect, canvas: &mut Canvas) {
    let columns = images.len().min(MOST_IMAGES + 1).div_ceil(rows);
    let step = TILE + GAP;
    let left = left_of(columns as f64 * step - GAP, correct, rect);
    let place = |i: usize| {
        let (column, row) = ((i % columns) as f64, (i / columns) as f64);
        Rect::new(left + column * step, rect.y + PADDING + row * step, TILE, TILE)
    };
    for (i, image) in images.iter().take(MOST_IMAGES).enumerate() {
        // Twice the size at scale 1 is sharp enough, and keeps the SVG small.
        canvas.push(Mark::Image { rect: place(i), image: image.shrunk(2 * TILE as usize) });
        canvas.push(Mark::rect(place(i), style(correct, false)));
    }
    if images.len() > MOST_IMAGES {
        let rect = place(MOST_IMAGES);
        let text = format!("+{}", images.len() - MOST_IMAGES);
        let text = Text::new((rect.x + TILE / 2.0, rect.y + TILE / 2.0 + 4.0), text, SMALL - 1.0);
        canvas.push(text.anchor(Anchor::Middle).color(MUTED));
    }
}

/// A solid frame for correct instances, a dashed one for wrong instances.
fn style(correct: bool, filled: bool) -> Style {
    let (color, fill, dash): (_, _, &[f64]) =
        if correct { (CORRECT, CORRECT.tint(0.25), &[]) } else { (WRONG, WHITE, &[3.0, 2.0]) };
    let stroke = Stroke { dash, ..Stroke::solid(color, 1.6) };
    Style { fill: filled.then_some(fill), stroke: Some(stroke) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_take_the_fewest_possible_rows() {
        // Five tiles and the space between fit side by side.
        let width = 5.0 * (TILE + GAP) - GAP + BETWEEN + 2.0 * PADDING;
        assert_eq!(rows(5, 0, width), 1);
        assert_eq!(rows(3, 2, width), 1);
        assert_eq!(rows(5, 1, width), 2);
        assert_eq!(rows(21, 21, width), 11);
        assert_eq!(rows(0, 0, width), 1);
        // However narrow the cell, a column of each kind is drawn.
        assert_eq!(rows(3, 4, 1.0), 4);
    }

    #[test]
    fn every_round_needs_a_cell_per_class() {
        let round = EpisodeRound { cells: vec![EpisodeCell::default()], ..Default::default() };
        let (classes, rounds) = (vec!["a".into(), "b".into()], vec![round]);
        let grid = EpisodeGrid { classes, rounds, ..EpisodeGrid::default() };
        assert!(matches!(grid.figure(), Err(Error::Length { given: 1, expected: 2, .. })));
        assert!(matches!(EpisodeGrid::default().figure(), Err(Error::NothingToDraw { .. })));
    }
}
