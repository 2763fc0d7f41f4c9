//! The plots, one file each: a struct of plain data, and how it is drawn.

pub mod bars;
pub mod contact;
pub mod curves;
pub mod episode;
pub mod histogram;
pub mod path;
pub mod scatter;

use crate::draw::scene::{Mark, Point, Stroke};
use crate::palette::Color;
use crate::scale::Scale;
use crate::{Error, Result};

/// The scale, or the error that there is nothing to draw.
fn needed(scale: Option<Scale>, title: &str) -> Result<Scale> {
    scale.ok_or_else(|| Error::NothingToDraw { title: title.to_owned() })
}

/// The half-width of an interval if it is one, else zero.
fn half_width(error: f64) -> f64 {
    if error.is_finite() { error.max(0.0) } else { 0.0 }
}

/// An error bar between two points, with caps across its ends.
fn whisker(from: Point, to: Point, color: Color) -> [Mark; 3] {
    let cap = 3.5;
    let (dx, dy) = if from.0 == to.0 { (cap, 0.0) } else { (0.0, cap) };
    let stroke = Stroke::solid(color, 1.4);
    let across = |(x, y): Point| Mark::line(vec![(x - dx, y - dy), (x + dx, y + dy)], stroke);
    [Mark::line(vec![from, to], stroke), across(from), across(to)]
}
