//! The regularisation path of one episode: ‖γᵢ(λ)‖ against λ, one line per instance.
//!
//! At large λ every γᵢ is zero. Lines that reach zero further left, at a smaller λ, belong to more trustworthy instances;
//! a dot marks where the line of an accepted instance reaches zero.

use crate::canvas::Canvas;
use crate::draw::scene::{Mark, Point, Stroke, Style, simplify};
use crate::error::same_length;
use crate::legend::{Key, KeySample};
use crate::marker::Marker;
use crate::palette::{CORRECT, Color, WHITE, WRONG};
use crate::scale::{Reach, Scale};
use crate::{Axis, Figure, Result};

/// The regularisation path of one episode.
#[derive(Debug, Clone, PartialEq, Default)]
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

/// The line of one instance.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PathLine {
    /// ‖γᵢ(λ)‖ at each λ of the grid.
    pub norms: Vec<f64>,
    /// Whether the pseudo-label is correct.
    pub correct: bool,
    /// Whether the instance was added to the training set.
    pub accepted: bool,
}

const DASH: &[f64] = &[5.0, 2.5];

impl PathPlot {
    /// Draws the path.
    pub fn figure(&self) -> Result<Figure> {
        for (i, line) in self.lines.iter().enumerate() {
            let what = || format!("norms of line {i} for the λ of the grid");
            same_length(line.norms.len(), self.lambdas.len(), what)?;
        }
        // λ from large to small, so that a dash pattern begins where the line leaves zero.
        let mut order: Vec<usize> = (0..self.lambdas.len()).collect();
        order.sort_by(|a, b| self.lambdas[*b].total_cmp(&self.lambdas[*a]));

        let mut canvas = Canvas::new(&self.title, &self.subtitle, &self.keys());
        let norms = self.lines.iter().flat_map(|l| l.norms.iter().copied());
        let y = canvas.y_axis(&self.y, norms, Reach::FromZero, 330.0)?;
        let x = canvas.x_axis(&self.x, self.lambdas.iter().copied(), false)?;

        // The rarer kinds are drawn on top: accepted over the others, wrong over correct.
        let mut lines: Vec<&PathLine> = self.lines.iter().collect();
        lines.sort_by_key(|line| (line.accepted, !line.correct));
        let any_accepted = lines.iter().any(|l| l.accepted);
        let (mut marks, mut dots) = (Vec::new(), Vec::new());
        for line in lines {
            let stroke = stroke(line.correct, line.accepted, any_accepted);
            let runs = self.runs(line, &order, &x, &y).into_iter();
            marks.extend(runs.map(|run| Mark::line(simplify(&run, 0.15), stroke)));
            let vanishing = self.vanishing(line, &order).filter(|_| line.accepted);
            if let Some(lambda) = vanishing.filter(|lambda| x.places(*lambda)) {
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
        let key = |(correct, accepted, name): (bool, bool, &str)| {
            let counts = |l: &&PathLine| l.correct == correct && (l.accepted || !accepted);
            let count = self.lines.iter().filter(counts).count();
            let marker = accepted.then_some(Marker::Circle);
            let stroke = stroke(correct, accepted, any_accepted);
            let sample = KeySample::Line { stroke, marker };
            (count > 0).then(|| Key::new(format!("{name} ({count})"), sample))
        };
        let kinds = [
            (true, false, "correct pseudo-label"),
            (false, false, "wrong pseudo-label"),
            (true, true, "accepted, correct"),
            (false, true, "accepted, wrong"),
        ];
        kinds.into_iter().filter_map(key).collect()
    }

    /// The pieces of a line between gaps, without its zeros except for the ones next to a positive norm.
    fn runs(&self, line: &PathLine, order: &[usize], x: &Scale, y: &Scale) -> Vec<Vec<Point>> {
        let mut runs: Vec<Vec<Point>> = vec![Vec::new()];
        for (k, &i) in order.iter().enumerate() {
            let (lambda, norm) = (self.lambdas[i], line.norms[i]);
            let around = &order[k.saturating_sub(1)..order.len().min(k + 2)];
            let near_positive = around.iter().any(|j| line.norms[*j] > 0.0);
            let drawn = x.places(lambda) && y.places(norm) && near_positive;
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

/// Correct is solid, wrong dashed; accepted lines are heavy, and the others fade if there are accepted ones.
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
    fn only_the_last_zero_of_a_line_is_drawn() {
        let plot = plot();
        let x = Scale::new(&plot.x, plot.lambdas.iter().copied(), Reach::Padded).unwrap().unwrap();
        let runs = plot.runs(&plot.lines[0], &[3, 2, 1, 0], &x, &x);
        assert_eq!(runs.len(), 1);
        assert_eq!(runs[0].len(), 3);
    }

    #[test]
    fn the_legend_counts() {
        let names = plot().keys().into_iter().map(|k| k.name);
        let expected = ["correct pseudo-label (1)", "wrong pseudo-label (1)", "accepted, correct (1)"];
        assert!(names.eq(expected));
    }

    #[test]
    fn norms_must_match_the_grid() {
        let mut plot = plot();
        plot.lines[1].norms.pop();
        assert!(matches!(plot.figure(), Err(crate::Error::Length { given: 3, expected: 4, .. })));
    }
}
