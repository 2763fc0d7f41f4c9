//! The marks a figure is made of. Coordinates are pixels at scale 1, y downwards.

use super::font::Weight;
use super::image::Image;
use crate::palette::{Color, INK};

/// A point of the figure.
pub(crate) type Point = (f64, f64);

/// An upright rectangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rect {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Rect {
    pub fn new(x: f64, y: f64, width: f64, height: f64) -> Self {
        Self { x, y, width, height }
    }

    pub fn right(&self) -> f64 {
        self.x + self.width
    }

    pub fn bottom(&self) -> f64 {
        self.y + self.height
    }

    /// Area shared with another rectangle.
    pub fn overlap(&self, other: &Rect) -> f64 {
        let width = self.right().min(other.right()) - self.x.max(other.x);
        let height = self.bottom().min(other.bottom()) - self.y.max(other.y);
        width.max(0.0) * height.max(0.0)
    }

    /// The same rectangle with `margin` more (or, if negative, less) on every side.
    pub fn grown(&self, margin: f64) -> Rect {
        let Rect { x, y, width, height } = *self;
        Rect::new(x - margin, y - margin, width + 2.0 * margin, height + 2.0 * margin)
    }

    pub fn contains(&self, (x, y): Point) -> bool {
        (self.x..=self.right()).contains(&x) && (self.y..=self.bottom()).contains(&y)
    }
}

/// How an outline is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Stroke {
    pub color: Color,
    pub width: f64,
    /// Lengths of dashes and gaps in turn; empty for a solid line.
    pub dash: &'static [f64],
}

impl Stroke {
    pub fn solid(color: Color, width: f64) -> Self {
        Self { color, width, dash: &[] }
    }
}

/// Fill and outline of a shape.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Style {
    pub fill: Option<Color>,
    pub stroke: Option<Stroke>,
}

impl Style {
    pub fn fill(color: Color) -> Self {
        Self { fill: Some(color), stroke: None }
    }

    pub fn outlined(self, color: Color, width: f64) -> Self {
        Self { stroke: Some(Stroke::solid(color, width)), ..self }
    }
}

/// The outlines that marks may have.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shape {
    Rect(Rect),
    Circle { center: Point, radius: f64 },
    Line(Vec<Point>),
    Polygon(Vec<Point>),
}

/// Which end of a text its position names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// One line of text; `at` is on the baseline.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Text {
    pub at: Point,
    pub content: String,
    pub size: f64,
    pub weight: Weight,
    pub anchor: Anchor,
    pub color: Color,
}

impl Text {
    pub fn new(at: Point, content: impl Into<String>, size: f64) -> Self {
        let (weight, anchor) = (Weight::Regular, Anchor::Start);
        Self { at, content: content.into(), size, weight, anchor, color: INK }
    }

    pub fn anchor(self, anchor: Anchor) -> Self {
        Self { anchor, ..self }
    }

    pub fn color(self, color: Color) -> Self {
        Self { color, ..self }
    }

    pub fn bold(self) -> Self {
        Self { weight: Weight::Bold, ..self }
    }

    /// The text cut to a width, with an ellipsis where something was cut.
    pub fn fit(self, room: f64) -> Self {
        Self { content: super::font::fit(&self.content, self.size, self.weight, room), ..self }
    }

    pub fn width(&self) -> f64 {
        super::font::width(&self.content, self.size, self.weight)
    }

    /// The x coordinate at which the text begins.
    pub fn left(&self) -> f64 {
        match self.anchor {
            Anchor::Start => self.at.0,
            Anchor::Middle => self.at.0 - self.width() / 2.0,
            Anchor::End => self.at.0 - self.width(),
        }
    }
}

/// One drawn element.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Mark {
    Shape(Shape, Style),
    Text(Text),
    Image {
        rect: Rect,
        image: Image,
    },
    /// Marks that are visible only inside the rectangle.
    Clip {
        rect: Rect,
        marks: Vec<Mark>,
    },
}

impl Mark {
    pub fn rect(rect: Rect, style: Style) -> Self {
        Mark::Shape(Shape::Rect(rect), style)
    }

    pub fn circle(center: Point, radius: f64, style: Style) -> Self {
        Mark::Shape(Shape::Circle { center, radius }, style)
    }

    pub fn line(points: Vec<Point>, stroke: Stroke) -> Self {
        Mark::Shape(Shape::Line(points), Style { fill: None, stroke: Some(stroke) })
    }

    /// A straight line between two points.
    pub fn segment(from: Point, to: Point, color: Color, width: f64) -> Self {
        Self::line(vec![from, to], Stroke::solid(color, width))
    }

    pub fn polygon(points: Vec<Point>, style: Style) -> Self {
        Mark::Shape(Shape::Polygon(points), style)
    }
}

impl From<Text> for Mark {
    fn from(text: Text) -> Self {
        Mark::Text(text)
    }
}

/// A drawing: its size, and its marks from back to front.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Scene {
    pub width: f64,
    pub height: f64,
    pub marks: Vec<Mark>,
}

/// Drops the points of a line that lie within `tolerance` of the line through those kept (Douglas–Peucker).
pub(crate) fn simplify(points: &[Point], tolerance: f64) -> Vec<Point> {
    if points.len() < 3 {
        return points.to_vec();
    }
    let mut keep = vec![false; points.len()];
    (keep[0], keep[points.len() - 1]) = (true, true);
    let mut spans = vec![(0, points.len() - 1)];
    while let Some((first, last)) = spans.pop() {
        let farthest = (first + 1..last)
            .map(|i| (i, distance(points[i], points[first], points[last])))
            .max_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((i, away)) = farthest
            && away > tolerance
        {
            keep[i] = true;
            spans.extend([(first, i), (i, last)]);
        }
    }
    points.iter().zip(keep).filter_map(|(p, kept)| kept.then_some(*p)).collect()
}

/// Distance of `p` from the segment between `a` and `b`.
fn distance(p: Point, a: Point, b: Point) -> f64 {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let length = dx * dx + dy * dy;
    let along = ((p.0 - a.0) * dx + (p.1 - a.1) * dy) / length;
    let along = if length > 0.0 { along.clamp(0.0, 1.0) } else { 0.0 };
    (p.0 - a.0 - along * dx).hypot(p.1 - a.1 - along * dy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_straight_line_keeps_its_ends_and_a_corner_stays() {
        let straight: Vec<Point> = (0..50).map(|i| (i as f64, 2.0 * i as f64)).collect();
        assert_eq!(simplify(&straight, 0.05), vec![straight[0], straight[49]]);
        let corner = vec![(0.0, 0.0), (1.0, 1.0), (2.0, 2.0), (3.0, 1.0), (4.0, 0.0)];
        assert_eq!(simplify(&corner, 0.05), vec![corner[0], corner[2], corner[4]]);
    }

    #[test]
    fn dropped_points_were_within_the_tolerance() {
        let wave: Vec<Point> = (0..400).map(|i| (i as f64, 40.0 * (i as f64 / 30.0).sin())).collect();
        let kept = simplify(&wave, 0.3);
        assert!(kept.len() < 150);
        for p in &wave {
            let near = kept.windows(2).map(|w| distance(*p, w[0], w[1])).fold(f64::MAX, f64::min);
            assert!(near <= 0.3, "{p:?} is {near} away");
        }
    }

    #[test]
    fn overlap_is_the_shared_area() {
        let a = Rect::new(0.0, 0.0, 4.0, 4.0);
        assert_eq!(a.overlap(&Rect::new(2.0, 3.0, 10.0, 10.0)), 2.0);
        assert_eq!(a.overlap(&Rect::new(5.0, 0.0, 1.0, 1.0)), 0.0);
    }
}
