//! Named points: accuracy against time, balanced against imbalanced pools.

use crate::canvas::{Canvas, SMALL};
use crate::draw::scene::{Mark, Point, Rect, Stroke, Text, simplify};
use crate::legend::{Key, KeySample};
use crate::marker::Marker;
use crate::palette::{self, MUTED};
use crate::scale::{Reach, Scale};
use crate::{Axis, Figure, Result};

/// Points in groups, each with a label beside it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scatter {
    /// Title of the figure.
    pub title: String,
    /// A sentence below the title.
    pub subtitle: String,
    /// The x axis.
    pub x: Axis,
    /// The y axis.
    pub y: Axis,
    /// The groups, each with a colour and a marker.
    pub groups: Vec<ScatterGroup>,
    /// Draws the line y = x.
    pub diagonal: bool,
}

/// Points of one kind.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ScatterGroup {
    /// Its name in the legend.
    pub name: String,
    /// The points.
    pub points: Vec<ScatterPoint>,
}

/// One point; a point that is not finite is left out.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ScatterPoint {
    /// The label beside it; none if empty.
    pub label: String,
    /// Where along x.
    pub x: f64,
    /// Where along y.
    pub y: f64,
}

impl Scatter {
    /// Draws the points.
    pub fn figure(&self) -> Result<Figure> {
        let shown = || {
            let groups = self.groups.iter().enumerate();
            let points = groups.flat_map(|(i, g)| g.points.iter().map(move |p| (i, p)));
            points.filter(|(_, p)| self.x.shows(p.x) && self.y.shows(p.y))
        };
        let key = |(i, group): (usize, &ScatterGroup)| {
            let (color, marker) = (palette::series(i), Marker::series(i));
            Key::new(&group.name, KeySample::Marker { color, marker })
        };
        let keys: Vec<Key> = self.groups.iter().enumerate().map(key).collect();
        let mut canvas = Canvas::new(&self.title, &self.subtitle, &keys);
        let y = canvas.y_axis(&self.y, shown().map(|(_, p)| p.y), Reach::Round, 340.0)?;
        let x = canvas.x_axis(&self.x, shown().map(|(_, p)| p.x), true)?;
        let place = |(group, p): (usize, &'_ ScatterPoint)| (group, (x.at(p.x), y.at(p.y)));
        let diagonal = if self.diagonal { diagonal(&x, &y) } else { Vec::new() };

        let mut marks = Vec::new();
        if diagonal.len() > 1 {
            let stroke = Stroke { dash: &[4.0, 4.0], ..Stroke::solid(MUTED, 1.2) };
            marks.push(Mark::line(simplify(&diagonal, 0.1), stroke));
        }
        let marker = |(group, at)| Marker::series(group).mark(at, palette::series(group));
        marks.extend(shown().map(place).map(marker));
        canvas.push_inside(marks, 6.0);

        let plot = canvas.plot;
        let labels = shown().map(|p| PlacedPoint { label: &p.1.label, at: place(p).1 });
        let labels: Vec<PlacedPoint> = labels.collect();
        let mut taken: Vec<Rect> = labels.iter().map(PlacedPoint::covers).collect();
        taken.extend(diagonal.iter().map(|(x, y)| Rect::new(*x, *y, 0.0, 0.0).grown(3.0)));
        for p in labels.iter().filter(|p| !p.label.is_empty() && plot.contains(p.at)) {
            let (text, leader) = p.place_label(&plot, &mut taken);
            canvas.push_inside(leader.into_iter().collect(), 0.0);
            canvas.push(text);
        }
        Ok(canvas.finish())
    }
}

/// The line y = x as many points, because it is a curve if one axis is logarithmic.
fn diagonal(x: &Scale, y: &Scale) -> Vec<Point> {
    let (low, high) = (x.low.max(y.low), x.high.min(y.high));
    if low >= high {
        return Vec::new();
    }
    let values = (0..=128).map(|i| low + (high - low) * f64::from(i) / 128.0);
    values.map(|v| (x.at(v), y.at(v))).collect()
}

/// A point with its pixels.
struct PlacedPoint<'a> {
    label: &'a str,
    at: Point,
}

impl PlacedPoint<'_> {
    /// The area that the marker covers.
    fn covers(&self) -> Rect {
        Rect::new(self.at.0, self.at.1, 0.0, 0.0).grown(6.0)
    }

    /// The label, placed around the point where it stays in the plot and covers least of what is `taken`; in a crowd it
    /// is placed further away, with a line that leads to it.
    fn place_label(&self, plot: &Rect, taken: &mut Vec<Rect>) -> (Text, Option<Mark>) {
        let text = Text::new(self.at, self.label, SMALL).fit(plot.width / 2.0);
        let (width, height) = (text.width(), SMALL + 1.0);
        let (x, y) = self.at;
        let (right, left, middle) = (x + 9.0, x - 9.0 - width, x - width / 2.0);
        let (above, level, below) = (y - 5.0 - height, y - height / 2.0, y + 5.0);
        let others = [
            (left, level),
            (right - 2.0, above),
            (right - 2.0, below),
            (left + 2.0, above),
            (left + 2.0, below),
            (middle, y - 7.0 - height),
            (middle, y + 7.0),
            (x + 6.0, level),
            (x - 6.0 - width, level),
        ];
        let cost = |rect: &Rect| {
            let covered: f64 = taken.iter().map(|t| rect.overlap(t)).sum();
            covered + 4.0 * (rect.width * rect.height - rect.overlap(plot))
        };
        let near = others.into_iter().map(|(x, y)| (Rect::new(x, y, width, height), 0.0, None));
        let far = rings().map(|(dx, dy)| {
            let centre = (x + dx + dx.signum() * (width / 2.0 + 2.0), y + dy);
            let place = Rect::new(centre.0 - width / 2.0, centre.1 - height / 2.0, width, height);
            let line = [self.at, (x + dx, y + dy)];
            // Distance has a cost, and the line should cross nothing.
            (place, 0.5 * dx.hypot(dy) + 30.0 * crossings(&line, taken), Some(line))
        });
        let mut best = Rect::new(right, level, width, height);
        let (mut least, mut leader) = (cost(&best), None);
        for (next, extra, line) in near.chain(far) {
            // The first of equals stays, so that labels stand to the right where possible.
            if cost(&next) + extra < least - 0.5 {
                (best, least, leader) = (next, cost(&next) + extra, line);
            }
        }
        taken.push(best);
        let baseline = best.y + 0.5 * height + 0.36 * SMALL;
        let leader = leader.map(|[from, to]| Mark::segment(from, to, MUTED, 0.8));
        (Text { at: (best.x, baseline), ..text }, leader)
    }
}

/// Offsets at growing distances, beginning to the right.
fn rings() -> impl Iterator<Item = Point> {
    const REACH: [f64; 4] = [24.0, 40.0, 60.0, 84.0];
    REACH.into_iter().flat_map(|reach| {
        // Never straight up or down, because a label begins or ends at its line.
        [0.0, 30.0, -30.0, 60.0, -60.0, 180.0, 150.0, -150.0, 120.0, -120.0].map(|degrees: f64| {
            let (sin, cos) = degrees.to_radians().sin_cos();
            (reach * cos, reach * sin)
        })
    })
}

/// The number of points along a line that lie in what is taken, except in areas around its beginning.
fn crossings(&[from, to]: &[Point; 2], taken: &[Rect]) -> f64 {
    let at = |t: f64| (from.0 + t * (to.0 - from.0), from.1 + t * (to.1 - from.1));
    let others = || taken.iter().filter(|rect| !rect.contains(from));
    let points = (1..=12).map(|i| at(f64::from(i) / 12.0));
    points.map(|point| others().filter(|rect| rect.contains(point)).count() as f64).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: f64, y: f64) -> PlacedPoint<'static> {
        PlacedPoint { label: "a label", at: (x, y) }
    }

    const PLOT: Rect = Rect { x: 0.0, y: 0.0, width: 400.0, height: 300.0 };

    /// Places the labels of some points, checks that none overlaps another, and counts the leader lines.
    fn leaders(points: &[PlacedPoint]) -> usize {
        let mut taken: Vec<Rect> = points.iter().map(PlacedPoint::covers).collect();
        let leads = points.iter().filter(|p| p.place_label(&PLOT, &mut taken).1.is_some()).count();
        let labels = &taken[points.len()..];
        assert_eq!(labels.len(), points.len());
        for (i, a) in labels.iter().enumerate() {
            assert!(a.overlap(&PLOT) > 0.99 * a.width * a.height);
            assert!(labels[i + 1..].iter().all(|b| a.overlap(b) == 0.0));
        }
        leads
    }

    #[test]
    fn labels_do_not_overlap_and_leave_a_crowd() {
        leaders(&[at(200.0, 150.0), at(206.0, 152.0), at(203.0, 146.0)]);
        let crowd: Vec<_> = (0..7).map(|i| at(200.0 + f64::from(i), 150.0)).collect();
        assert!(leaders(&crowd) >= 2);
    }

    #[test]
    fn a_label_at_the_right_edge_stands_to_the_left() {
        let (text, leader) = at(395.0, 100.0).place_label(&PLOT, &mut Vec::new());
        assert!(text.at.0 + text.width() < 395.0 && leader.is_none());
    }
}
