//! The plots, one file each: a struct of plain data, and the method that draws it.

pub mod bars;
pub mod contact;
pub mod curves;
pub mod episode;
pub mod histogram;
pub mod path;
pub mod scatter;

use crate::draw::scene::{Mark, Point};
use crate::palette::Color;

/// A value and the ends of its interval.
fn interval(value: f64, error: f64) -> [f64; 3] {
    [value, value - half_width(error), value + half_width(error)]
}

/// The half-width of an interval, or zero if it is not a valid one.
fn half_width(error: f64) -> f64 {
    if error.is_finite() { error.max(0.0) } else { 0.0 }
}

/// An error bar between two points, with caps across its ends.
fn whisker(from: Point, to: Point, color: Color) -> [Mark; 3] {
    let cap = 3.5;
    let (dx, dy) = if from.0 == to.0 { (cap, 0.0) } else { (0.0, cap) };
    let line = |from, to| Mark::segment(from, to, color, 1.4);
    let across = |(x, y): Point| line((x - dx, y - dy), (x + dx, y + dy));
    [line(from, to), across(from), across(to)]
}
