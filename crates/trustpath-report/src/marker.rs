//! Shapes that tell series apart without colour: markers for points, hatching for bars.

use crate::draw::scene::{Mark, Point, Rect, Style};
use crate::palette::{Color, WHITE};

/// The shape of a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Marker {
    Circle,
    Square,
    Triangle,
    Diamond,
    Inverted,
    Cross,
}

impl Marker {
    /// Marker of the i-th series; they repeat after six, the colours after seven, so that pairs repeat after 42.
    pub fn series(i: usize) -> Self {
        use Marker::*;
        [Circle, Square, Triangle, Diamond, Inverted, Cross][i % 6]
    }

    /// The marker around a point, with a thin white rim that lifts it off what lies beneath.
    pub fn mark(self, (x, y): Point, color: Color) -> Mark {
        let style = Style::fill(color).outlined(WHITE, 1.0);
        let corners =
            |list: &[(f64, f64)]| Mark::polygon(list.iter().map(|(dx, dy)| (x + dx, y + dy)).collect(), style);
        match self {
            Marker::Circle => Mark::circle((x, y), 4.4, style),
            Marker::Square => corners(&[(-3.9, -3.9), (3.9, -3.9), (3.9, 3.9), (-3.9, 3.9)]),
            Marker::Triangle => corners(&[(0.0, -5.2), (5.0, 3.8), (-5.0, 3.8)]),
            Marker::Diamond => corners(&[(0.0, -5.6), (5.2, 0.0), (0.0, 5.6), (-5.2, 0.0)]),
            Marker::Inverted => corners(&[(0.0, 5.2), (5.0, -3.8), (-5.0, -3.8)]),
            Marker::Cross => {
                let (a, b) = (1.7, 5.0);
                let arm = [(-a, -b), (a, -b), (a, -a)];
                let turns = [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)];
                let turned = |(c, s): Point| arm.map(|(x, y)| (c * x - s * y, s * x + c * y));
                corners(&turns.map(turned).concat())
            }
        }
    }
}

/// White diagonal lines over a rectangle.
pub(crate) fn hatch(rect: Rect) -> Mark {
    let step = 6.0;
    let lines = ((rect.width + rect.height) / step).ceil().clamp(0.0, 1000.0) as usize;
    let line = |x: f64| Mark::segment((x, rect.y), (x - rect.height, rect.bottom()), WHITE.alpha(0.75), 1.3);
    let marks = (1..lines).map(|i| line(rect.x + i as f64 * step)).collect();
    Mark::Clip { rect, marks }
}
