//! The legend: a row of samples with names above the plot, where it never covers data.

use crate::draw::scene::{Mark, Point, Rect, Stroke, Style, Text};
use crate::marker::{Marker, hatch};
use crate::palette::Color;

const SIZE: f64 = 13.0;
const ROW: f64 = 21.0;
const GAP: f64 = 7.0;
const BETWEEN: f64 = 22.0;

/// How an entry is shown.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum KeySample {
    Line { stroke: Stroke, marker: Option<Marker> },
    Marker { color: Color, marker: Marker },
    Swatch { style: Style, hatched: bool },
}

impl KeySample {
    fn width(&self) -> f64 {
        match self {
            KeySample::Line { .. } => 26.0,
            KeySample::Marker { .. } => 11.0,
            KeySample::Swatch { .. } => 20.0,
        }
    }
}

/// An entry of the legend.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Key {
    pub name: String,
    pub sample: KeySample,
}

impl Key {
    pub fn new(name: impl Into<String>, sample: KeySample) -> Self {
        Self { name: name.into(), sample }
    }
}

/// Draws the entries in rows from (left, top), and gives their height.
pub(crate) fn draw(keys: &[Key], left: f64, top: f64, room: f64, marks: &mut Vec<Mark>) -> f64 {
    let (mut x, mut y) = (left, top);
    for key in keys.iter().filter(|key| !key.name.is_empty()) {
        let before = key.sample.width() + GAP;
        let mut name = Text::new((0.0, 0.0), &key.name, SIZE).fit(room - before);
        let width = before + name.width();
        if x > left && x + width > left + room {
            (x, y) = (left, y + ROW);
        }
        name.at = (x + before, y + ROW / 2.0 + 0.36 * SIZE);
        sample(&key.sample, (x, y + ROW / 2.0), marks);
        marks.push(name.into());
        x += width + BETWEEN;
    }
    if x > left { y + ROW - top } else { 0.0 }
}

/// A filled rectangle, hatched on request.
pub(crate) fn swatch(rect: Rect, style: Style, hatched: bool) -> impl Iterator<Item = Mark> {
    [Mark::rect(rect, style)].into_iter().chain(hatched.then(|| hatch(rect)))
}

fn sample(sample: &KeySample, (x, y): Point, marks: &mut Vec<Mark>) {
    let width = sample.width();
    match sample {
        KeySample::Line { stroke, marker } => {
            marks.push(Mark::line(vec![(x, y), (x + width, y)], *stroke));
            if let Some(marker) = marker {
                marks.push(marker.mark((x + width / 2.0, y), stroke.color.alpha(1.0)));
            }
        }
        KeySample::Marker { color, marker } => marks.push(marker.mark((x + width / 2.0, y), *color)),
        KeySample::Swatch { style, hatched } => {
            marks.extend(swatch(Rect::new(x + 1.0, y - 6.5, width - 2.0, 13.0), *style, *hatched));
        }
    }
}
