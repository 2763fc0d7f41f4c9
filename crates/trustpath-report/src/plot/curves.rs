//! Curves with intervals: accuracy against selected instances, rounds, α or dimension.

use super::{half_width, interval, whisker};
use crate::canvas::Canvas;
use crate::draw::scene::{Mark, Point, Stroke, Style, simplify};
use crate::legend::{Key, KeySample};
use crate::marker::Marker;
use crate::palette;
use crate::scale::{Reach, Scale};
use crate::{Axis, Figure, Result};

/// Several curves over one x axis.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Curves {
    /// Title of the figure.
    pub title: String,
    /// A sentence below the title.
    pub subtitle: String,
    /// The x axis.
    pub x: Axis,
    /// The y axis.
    pub y: Axis,
    /// The curves.
    pub curves: Vec<Curve>,
    /// How intervals are shown.
    pub interval: Interval,
}

/// How the interval of a point is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Interval {
    /// A band along the curve.
    #[default]
    Band,
    /// A bar at each point.
    Bars,
}

/// One curve.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Curve {
    /// Its name in the legend.
    pub name: String,
    /// Its points in the order in which they are joined.
    pub points: Vec<CurvePoint>,
}

/// One point of a curve; one that is not finite leaves a gap.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CurvePoint {
    /// Where.
    pub x: f64,
    /// The estimate.
    pub y: f64,
    /// Half the width of its interval; zero for none.
    pub error: f64,
}

/// Curves with more points have no markers.
const MOST_MARKERS: usize = 25;

impl Curves {
    /// Draws the curves.
    pub fn figure(&self) -> Result<Figure> {
        let shown = || {
            let points = self.curves.iter().flat_map(|c| c.points.iter());
            points.filter(|p| self.x.shows(p.x) && self.y.shows(p.y))
        };
        let key = |(i, curve): (usize, &Curve)| {
            Key::new(&curve.name, KeySample::Line { stroke: stroke(i), marker: marker(i, curve) })
        };
        let keys: Vec<Key> = self.curves.iter().enumerate().map(key).collect();
        let mut canvas = Canvas::new(&self.title, &self.subtitle, &keys);
        let ends = shown().flat_map(|p| interval(p.y, p.error));
        let y = canvas.y_axis(&self.y, ends, Reach::Round, 300.0)?;
        let x = canvas.x_axis(&self.x, shown().map(|p| p.x), false)?;

        let (mut behind, mut front) = (Vec::new(), Vec::new());
        for (i, curve) in self.curves.iter().enumerate() {
            for run in curve.points.split(|p| !(self.x.shows(p.x) && self.y.shows(p.y))) {
                match self.interval {
                    Interval::Band => behind.extend(band(run, i, &x, &y)),
                    Interval::Bars => behind.extend(bars(run, i, &x, &y)),
                }
                let line: Vec<Point> = run.iter().map(|p| (x.at(p.x), y.at(p.y))).collect();
                if line.len() > 1 {
                    front.push(Mark::line(simplify(&line, 0.1), stroke(i)));
                }
                // A single point between gaps is visible by its marker only.
                let marker = marker(i, curve).or((line.len() == 1).then_some(Marker::Circle));
                let points = marker.iter().flat_map(|m| line.iter().map(move |p| (m, *p)));
                front.extend(points.map(|(marker, p)| marker.mark(p, palette::series(i))));
            }
        }
        canvas.push_inside(behind, 0.0);
        canvas.push_inside(front, 6.0);
        Ok(canvas.finish())
    }
}

fn stroke(i: usize) -> Stroke {
    Stroke { dash: palette::dash(i), ..Stroke::solid(palette::series(i), 2.0) }
}

fn marker(i: usize, curve: &Curve) -> Option<Marker> {
    (curve.points.len() <= MOST_MARKERS).then(|| Marker::series(i))
}

fn band(run: &[CurvePoint], i: usize, x: &Scale, y: &Scale) -> Option<Mark> {
    if run.len() < 2 || run.iter().all(|p| half_width(p.error) == 0.0) {
        return None;
    }
    let end = |p: &CurvePoint, k: usize| (x.at(p.x), y.end(interval(p.y, p.error)[k]));
    let upper: Vec<Point> = run.iter().map(|p| end(p, 2)).collect();
    let lower: Vec<Point> = run.iter().rev().map(|p| end(p, 1)).collect();
    let points = [simplify(&upper, 0.1), simplify(&lower, 0.1)].concat();
    Some(Mark::polygon(points, Style::fill(palette::series(i).alpha(0.17))))
}

fn bars(run: &[CurvePoint], i: usize, x: &Scale, y: &Scale) -> Vec<Mark> {
    let bar = |p: &CurvePoint| {
        let (x, [_, low, high]) = (x.at(p.x), interval(p.y, p.error).map(|v| y.end(v)));
        whisker((x, low), (x, high), palette::series(i))
    };
    run.iter().filter(|p| half_width(p.error) > 0.0).flat_map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(ys: &[f64], error: f64) -> (usize, usize) {
        let point = |(i, y): (usize, &f64)| CurvePoint { x: i as f64, y: *y, error };
        let points = ys.iter().enumerate().map(point).collect();
        let curves = vec![Curve { name: String::new(), points }];
        let svg = Curves { curves, ..Curves::default() }.figure().unwrap().svg();
        let tree = roxmltree::Document::parse(&svg).unwrap();
        let count = |what: &str, value: &str| tree.descendants().filter(|n| n.attribute(what) == Some(value)).count();
        (count("stroke-width", "2"), count("fill-opacity", "0.17"))
    }

    #[test]
    fn a_missing_value_is_a_gap_in_line_and_band() {
        assert_eq!(lines(&[1.0, 2.0, 1.5, 3.0], 0.0), (1, 0));
        assert_eq!(lines(&[1.0, 2.0, f64::NAN, 3.0, 1.0], 0.0), (2, 0));
        // A point between gaps is a marker without a line.
        assert_eq!(lines(&[1.0, f64::NAN, 3.0, 1.0], 0.0), (1, 0));
        // Each piece has its own band.
        assert_eq!(lines(&[1.0, 2.0, f64::NAN, 3.0, 1.0], 0.5), (2, 2));
        assert_eq!(lines(&[1.0, 2.0], f64::NAN), (1, 0));
    }
}
