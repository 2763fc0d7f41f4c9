//! The regularisation path of one episode: ‖γᵢ(λ)‖ against λ, one line per instance.
//!
//! Read from the right: at large λ every γᵢ is zero. Walking λ down, the trustworthy instances are those whose line leaves
//! the axis last, in the lower left; a dot marks where the line of an accepted instance meets the axis.

use super::needed;
use crate::canvas::Canvas;
use crate::draw::scene::{Mark, Point, Stroke, Style, simplify};
use crate::legend::{Key, Sample};
use crate::marker::Marker;
use crate::palette::{CORRECT, Color, WHITE, WRONG};
use crate::scale::{Fit, Scale};
use crate::{Axis, Error, Figure, Result};

/// The regularisation path of one episode.
#[derive(Debug, Clone, PartialEq)]
pub struct PathPlot {
    /// Title of the figure.
    pub title: String,
    /// A sentence below the title.
    pub subtitle: String,
    /// The axis of λ, linear or logarithmic.
    pub x: Axis,
    /// The axis of ‖γᵢ‖.
    pub y: Axis,
    /// The grid of λ, in any order.
    pub lambdas: Vec<f64>,
    /// One line per instance.
    pub lines: Vec<PathLine>,
}

impl Default for PathPlot {
    fn default() -> Self {
        Self {
            title: "Regularisation path".into(),
            subtitle: String::new(),
            x: Axis::new("λ"),
            y: Axis::new("‖γᵢ(λ)‖, one line per unlabeled instance"),
            lambdas: Vec::new(),
            lines: Vec::new(),
        }
    }
}

/// The line of one instance.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PathLine {
    /// ‖γᵢ(λ)‖ at each λ of the grid.
    pub norms: Vec<f64>,
    /// Whether the pseudo-label is right.
    pub correct: bool,
    /// Whether the instance was taken into the training set.
    pub accepted: bool,
}

const DASH: &[f64] = &[5.0, 2.5];

impl PathPlot {
    /// Draws the path.
    pub fn figure(&self) -> Result<Figure> {
        for (i, line) in self.lines.iter().enumerate() {
            if line.norms.len() != self.lambdas.len() {
                return Err(Error::Length {
                    what: format!("norms of line {i} and the λ of the grid"),
                    given: line.norms.len(),
                    expected: self.lambdas.len(),
                });
            }
        }
        // λ from large to small, so that a dash pattern begins where the line leaves the axis.
        let mut order: Vec<usize> = (0..self.lambdas.len()).collect();
        order.sort_by(|a, b| self.lambdas[*b].total_cmp(&self.lambdas[*a]));

        let norms = self.lines.iter().flat_map(|l| l.norms.iter().copied());
        let y = needed(Scale::new(&self.y, norms, Fit::FromZero)?, &self.title)?;
        let x =
            needed(Scale::new(&self.x, self.lambdas.iter().copied(), Fit::Padded)?, &self.title)?;
        let mut canvas = Canvas::new(&self.title, &self.subtitle, &self.keys());
        let y = canvas.y_axis(&self.y, y, 330.0);
        let x = canvas.x_axis(&self.x, x, false);

        // Few lines lie over many: accepted over the others, wrong over right.
        let mut lines: Vec<&PathLine> = self.lines.iter().collect();
        lines.sort_by_key(|line| (line.accepted, !line.correct));
        let any_accepted = lines.iter().any(|l| l.accepted);
        let mut marks = Vec::new();
        let mut dots = Vec::new();
        for line in lines {
            let stroke = stroke(line.correct, line.accepted, any_accepted);
            for run in self.runs(line, &order, &x, &y) {
                marks.push(Mark::line(simplify(&run, 0.15), stroke));
            }
            if let Some(lambda) =
                self.vanishing(line, &order).filter(|l| line.accepted && x.places(*l))
            {
                let style = Style::fill(color(line.correct)).outlined(WHITE, 1.0);
                dots.push(Mark::circle((x.at(lambda), y.at(0.0)), 4.0, style));
            }
        }
        canvas.push_inside(marks, 1.0);
        canvas.push_inside(dots, 5.0);
        Ok(canvas.finish())
    }

    fn keys(&self) -> Vec<Key> {
        let any_accepted = self.lines.iter().any(|l| l.accepted);
        let key = |correct: bool, accepted: bool, name: &str| {
            let counts = |l: &&PathLine| l.correct == correct && (l.accepted || !accepted);
            let count = self.lines.iter().filter(counts).count();
            let marker = accepted.then_some(Marker::Circle);
            (count > 0).then(|| Key {
                name: format!("{name} ({count})"),
                sample: Sample::Line { stroke: stroke(correct, accepted, any_accepted), marker },
            })
        };
        [
            key(true, false, "correct pseudo-label"),
            key(false, false, "wrong pseudo-label"),
            key(true, true, "accepted, correct"),
            key(false, true, "accepted, wrong"),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// The pieces of a line between gaps, without its zeros but for the one where it leaves the axis.
    fn runs(&self, line: &PathLine, order: &[usize], x: &Scale, y: &Scale) -> Vec<Vec<Point>> {
        let value = |i: usize| (self.lambdas[i], line.norms[i]);
        let seen = |(lambda, norm): (f64, f64)| x.places(lambda) && y.places(norm);
        let mut runs: Vec<Vec<Point>> = vec![Vec::new()];
        for (k, i) in order.iter().enumerate() {
            let (lambda, norm) = value(*i);
            let next_rises = order.get(k + 1).is_some_and(|j| line.norms[*j] > 0.0);
            let came_down = k > 0 && line.norms[order[k - 1]] > 0.0;
            let drawn = seen((lambda, norm)) && (norm > 0.0 || next_rises || came_down);
            match runs.last_mut() {
                Some(run) if drawn => run.push((x.at(lambda), y.at(norm))),
                Some(run) if !run.is_empty() => runs.push(Vec::new()),
                _ => {}
            }
        }
        runs.retain(|run| run.len() > 1);
        runs
    }

    /// The smallest λ of the grid from which on the norm is zero.
    fn vanishing(&self, line: &PathLine, order: &[usize]) -> Option<f64> {
        order.iter().take_while(|i| line.norms[**i] == 0.0).last().map(|i| self.lambdas[*i])
    }
}

fn color(correct: bool) -> Color {
    if correct { CORRECT } else { WRONG }
}

/// Correct is solid, wrong dashed; accepted is heavy, and what is not accepted steps back.
fn stroke(correct: bool, accepted: bool, any_accepted: bool) -> Stroke {
    let (width, alpha) = match (accepted, any_accepted) {
        (true, _) => (2.2, 1.0),
        (false, true) => (1.1, 0.5),
        (false, false) => (1.3, 0.75),
    };
    Stroke { color: color(correct).alpha(alpha), width, dash: if correct { &[] } else { DASH } }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot() -> PathPlot {
        PathPlot {
            lambdas: vec![0.1, 0.2, 0.3, 0.4],
            lines: vec![
                PathLine { norms: vec![0.3, 0.1, 0.0, 0.0], correct: true, accepted: true },
                PathLine { norms: vec![0.9, 0.7, 0.4, 0.0], ..PathLine::default() },
            ],
            ..PathPlot::default()
        }
    }

    #[test]
    fn a_line_vanishes_where_its_norm_stays_zero() {
        let plot = plot();
        let order = [3, 2, 1, 0];
        assert_eq!(plot.vanishing(&plot.lines[0], &order), Some(0.3));
        assert_eq!(plot.vanishing(&plot.lines[1], &order), Some(0.4));
        let never = PathLine { norms: vec![1.0; 4], ..PathLine::default() };
        assert_eq!(plot.vanishing(&never, &order), None);
    }

    #[test]
    fn the_zeros_of_a_line_are_not_drawn_but_for_the_last() {
        let plot = plot();
        let x = Scale::new(&plot.x, plot.lambdas.iter().copied(), Fit::Padded).unwrap().unwrap();
        let runs = plot.runs(&plot.lines[0], &[3, 2, 1, 0], &x, &x);
        assert_eq!(runs.len(), 1);
        assert_eq!(runs[0].len(), 3);
    }

    #[test]
    fn the_legend_counts() {
        let names: Vec<String> = plot().keys().into_iter().map(|k| k.name).collect();
        assert_eq!(
            names,
            ["correct pseudo-label (1)", "wrong pseudo-label (1)", "accepted, correct (1)"]
        );
    }

    #[test]
    fn norms_must_match_the_grid() {
        let mut plot = plot();
        plot.lines[1].norms.pop();
        assert!(matches!(plot.figure(), Err(Error::Length { given: 3, expected: 4, .. })));
    }
}
