//! The layout that every plot shares: heading, legend, then axes around the data.

use crate::draw::font::{self, Weight};
use crate::draw::scene::{Anchor, Mark, Rect, Scene, Style, Text};
use crate::legend::{self, Key};
use crate::palette::{GRID, INK, MUTED, WHITE};
use crate::scale::{Reach, Scale};
use crate::{Axis, Error, Figure, Result};

/// Width of every figure: that of a README.
pub(crate) const WIDTH: f64 = 700.0;
/// Margin around the figure.
pub(crate) const MARGIN: f64 = 20.0;
/// Size of tick labels.
pub(crate) const SMALL: f64 = 12.5;
const CAPTION: f64 = 13.0;
const INNER: f64 = WIDTH - 2.0 * MARGIN;

/// A figure under construction, filled from top to bottom.
pub(crate) struct Canvas {
    title: String,
    subtitle: String,
    marks: Vec<Mark>,
    /// The y coordinate of the next element.
    pub top: f64,
    /// The area of the data, set by the y axis.
    pub plot: Rect,
}

impl Canvas {
    /// Writes the heading and the legend.
    pub fn new(title: &str, subtitle: &str, keys: &[Key]) -> Self {
        let mut canvas = Self {
            title: title.to_owned(),
            subtitle: subtitle.to_owned(),
            marks: Vec::new(),
            top: MARGIN,
            plot: Rect::new(MARGIN, MARGIN, INNER, 0.0),
        };
        for line in font::wrap(title, 17.0, Weight::Bold, INNER) {
            canvas.top += 21.0;
            canvas.push(Text::new((MARGIN, canvas.top - 6.0), line, 17.0).bold());
        }
        for line in font::wrap(subtitle, 13.0, Weight::Regular, INNER) {
            canvas.top += 18.0;
            canvas.push(Text::new((MARGIN, canvas.top - 5.0), line, 13.0).color(MUTED));
        }
        canvas.top += 8.0;
        canvas.top += legend::draw(keys, MARGIN, canvas.top, INNER, &mut canvas.marks);
        canvas
    }

    /// Adds a mark in front of the others.
    pub fn push(&mut self, mark: impl Into<Mark>) {
        self.marks.push(mark.into());
    }

    /// Adds marks that are clipped to the plot, extended by `margin` so that markers on its edge are complete.
    pub fn push_inside(&mut self, marks: Vec<Mark>, margin: f64) {
        self.marks.push(Mark::Clip { rect: self.plot.grown(margin), marks });
    }

    /// Fits a scale to the values of an axis.
    fn scale(&self, axis: &Axis, values: impl Iterator<Item = f64>, reach: Reach) -> Result<Scale> {
        let scale = Scale::new(axis, values, reach)?;
        scale.ok_or_else(|| Error::NothingToDraw { title: self.title.clone() })
    }

    /// Draws the y axis of a plot of the given height: its caption on top, then a grid line at each round value.
    pub fn y_axis(
        &mut self,
        axis: &Axis,
        values: impl Iterator<Item = f64>,
        reach: Reach,
        height: f64,
    ) -> Result<Scale> {
        let scale = self.scale(axis, values, reach)?;
        self.top += 18.0;
        let caption = Text::new((MARGIN, self.top), axis.caption(), CAPTION);
        self.push(caption.color(MUTED).fit(INNER));
        self.top += 16.0;
        let scale = scale.over(self.top + height, self.top);
        let ticks = scale.ticks(38.0);
        let widths = ticks.iter().map(|(_, label)| font::width(label, SMALL, Weight::Regular));
        let widest = widths.fold(0.0, f64::max);
        let left = MARGIN + widest + 9.0;
        self.plot = Rect::new(left, self.top, WIDTH - MARGIN - 4.0 - left, height);
        for (value, label) in ticks {
            let y = scale.at(value);
            self.push(Mark::segment((left, y), (self.plot.right(), y), GRID, 1.0));
            let label = Text::new((left - 9.0, y + 0.36 * SMALL), label, SMALL);
            self.push(label.anchor(Anchor::End).color(MUTED));
        }
        self.top = self.plot.bottom();
        Ok(scale)
    }

    /// Draws the x axis below the plot: round values, and the caption centred below them.
    pub fn x_axis(&mut self, axis: &Axis, values: impl Iterator<Item = f64>, grid: bool) -> Result<Scale> {
        let Rect { x: left, y: top, .. } = self.plot;
        let (right, bottom) = (self.plot.right(), self.plot.bottom());
        let scale = self.scale(axis, values, Reach::Padded)?.over(left, right);
        for (value, label) in scale.ticks(70.0) {
            let x = scale.at(value);
            if grid {
                self.push(Mark::segment((x, top), (x, bottom), GRID, 1.0));
            }
            self.push(Mark::segment((x, bottom), (x, bottom + 5.0), INK, 1.0));
            let label = Text::new((x, bottom + 19.0), label, SMALL);
            self.push(label.anchor(Anchor::Middle).color(MUTED));
        }
        self.push(Mark::segment((left, bottom), (right, bottom), INK, 1.0));
        let caption = Text::new(((left + right) / 2.0, bottom + 40.0), axis.caption(), CAPTION);
        self.push(caption.anchor(Anchor::Middle).color(MUTED).fit(INNER));
        self.top = bottom + 44.0;
        Ok(scale)
    }

    /// Divides the x axis among named groups and returns the middle and the width of each.
    pub fn groups(&mut self, names: &[String]) -> Vec<(f64, f64)> {
        let bottom = self.plot.bottom();
        let width = self.plot.width / names.len().max(1) as f64;
        let places: Vec<_> = (0..names.len()).map(|i| (self.plot.x + (i as f64 + 0.5) * width, width)).collect();
        let mut lowest = bottom;
        for (name, (middle, _)) in names.iter().zip(&places) {
            let lines = font::wrap(name, SMALL, Weight::Regular, width - 8.0);
            for (i, line) in lines.iter().enumerate() {
                let y = bottom + 19.0 + 15.0 * i as f64;
                self.push(Text::new((*middle, y), line, SMALL).anchor(Anchor::Middle));
                lowest = lowest.max(y);
            }
        }
        self.top = lowest + 4.0;
        places
    }

    /// The finished figure on a white background.
    pub fn finish(mut self) -> Figure {
        let height = (self.top + MARGIN - 4.0).ceil();
        let background = Rect::new(0.0, 0.0, WIDTH, height);
        self.marks.insert(0, Mark::rect(background, Style::fill(WHITE)));
        let scene = Scene { width: WIDTH, height, marks: self.marks };
        Figure { scene, title: self.title, description: self.subtitle }
    }
}
