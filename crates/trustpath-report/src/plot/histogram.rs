//! A histogram with a density curve.

use crate::canvas::Canvas;
use crate::draw::scene::{Mark, Point, Rect, Stroke, Style, simplify};
use crate::legend::{Key, KeySample};
use crate::palette::{self, WHITE};
use crate::scale::Reach;
use crate::{Axis, Error, Figure, Result};

/// Counts over bins of equal width.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Histogram {
    /// Title of the figure.
    pub title: String,
    /// A sentence below the title.
    pub subtitle: String,
    /// The axis of the values.
    pub x: Axis,
    /// The axis of the counts.
    pub y: Axis,
    /// What was counted, in the legend; empty for no legend.
    pub name: String,
    /// The counts.
    pub bins: Bins,
    /// A density to compare with.
    pub density: Density,
}

/// Bins of equal width and their counts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Bins {
    /// Where the first bin begins.
    pub low: f64,
    /// Width of a bin.
    pub width: f64,
    /// Count of each bin.
    pub counts: Vec<u64>,
}

/// A curve of densities, which is scaled to the counts (times total count and bin width).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Density {
    /// Its name in the legend.
    pub name: String,
    /// Value and density, by ascending value.
    pub points: Vec<(f64, f64)>,
}

impl Bins {
    /// Counts the finite values in bins of the width 2 IQR n^(−1/3) (Freedman and Diaconis), 5 to 60 of them.
    ///
    /// ```
    /// use trustpath_report::Bins;
    /// let bins = Bins::of(&[0.0, 0.1, 0.2, 0.2, 0.4, f64::NAN]);
    /// assert_eq!(bins.counts.iter().sum::<u64>(), 5);
    /// ```
    pub fn of(values: &[f64]) -> Self {
        let mut sorted: Vec<f64> = values.iter().copied().filter(|v| Axis::default().shows(*v)).collect();
        sorted.sort_by(f64::total_cmp);
        let (Some(low), Some(high)) = (sorted.first().copied(), sorted.last().copied()) else {
            return Self::default();
        };
        if high - low <= 1e-12 * high.abs().max(low.abs()) {
            let width = if low == 0.0 { 1.0 } else { 0.1 * low.abs() };
            return Self { low: low - width / 2.0, width, counts: vec![sorted.len() as u64] };
        }
        let quartile = |part: f64| sorted[((sorted.len() - 1) as f64 * part).round() as usize];
        let wanted = 2.0 * (quartile(0.75) - quartile(0.25)) / (sorted.len() as f64).cbrt();
        let bins = ((high - low) / wanted).ceil().clamp(5.0, 60.0);
        let bins = if wanted > 0.0 { bins } else { 60.0 };
        let width = (high - low) / bins;
        let mut counts = vec![0; bins as usize];
        let last = counts.len() - 1;
        sorted.iter().for_each(|v| counts[(((v - low) / width) as usize).min(last)] += 1);
        Self { low, width, counts }
    }

    fn edge(&self, i: usize) -> f64 {
        self.low + i as f64 * self.width
    }

    fn total(&self) -> f64 {
        self.counts.iter().map(|c| *c as f64).sum()
    }
}

impl Histogram {
    /// Draws the histogram.
    pub fn figure(&self) -> Result<Figure> {
        let bins = &self.bins;
        if !(bins.width > 0.0 && bins.total() > 0.0) {
            return Err(Error::NothingToDraw { title: self.title.clone() });
        }
        let points = self.density.points.iter();
        let scaled = points.map(|(value, density)| (*value, density * bins.total() * bins.width));
        let shown = |p: &(f64, f64)| self.x.shows(p.0) && self.y.shows(p.1);
        let curve: Vec<(f64, f64)> = scaled.filter(shown).collect();

        let style = Style::fill(palette::series(0).tint(0.62)).outlined(WHITE, 0.75);
        let stroke = Stroke::solid(palette::series(1), 2.2);
        let swatch = KeySample::Swatch { style, hatched: false };
        let line = KeySample::Line { stroke, marker: None };
        let keys = [Key::new(&self.name, swatch), Key::new(&self.density.name, line)];
        let mut canvas = Canvas::new(&self.title, &self.subtitle, &keys);
        let heights = bins.counts.iter().map(|c| *c as f64).chain(curve.iter().map(|p| p.1));
        let y = canvas.y_axis(&self.y, heights, Reach::FromZero, 280.0)?;
        let x = canvas.x_axis(&self.x, (0..=bins.counts.len()).map(|i| bins.edge(i)), false)?;
        // On a logarithmic axis the bars stand on its lower end.
        let floor = y.at(y.low);
        let bar = |i: usize| {
            let (left, right) = (x.at(bins.edge(i)), x.at(bins.edge(i + 1)));
            let top = y.at(bins.counts[i] as f64);
            Mark::rect(Rect::new(left, top, right - left, floor - top), style)
        };
        let placed = |i: &usize| y.places(bins.counts[*i] as f64) && x.places(bins.edge(*i));
        let mut marks: Vec<Mark> = (0..bins.counts.len()).filter(placed).map(bar).collect();
        let line: Vec<Point> = curve.iter().map(|(v, c)| (x.at(*v), y.at(*c))).collect();
        if line.len() > 1 {
            marks.push(Mark::line(simplify(&line, 0.1), stroke));
        }
        canvas.push_inside(marks, 0.0);
        Ok(canvas.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_finite_value_is_counted_once() {
        let values = (0..1000).map(|i| (i as f64 * 0.7).sin()).chain([f64::NAN]);
        let bins = Bins::of(&values.collect::<Vec<_>>());
        assert_eq!(bins.counts.iter().sum::<u64>(), 1000);
        assert!((5..=60).contains(&bins.counts.len()));
        // A sine spends most of its time near its extremes.
        assert!(bins.counts[0] > bins.counts[bins.counts.len() / 2]);
    }

    #[test]
    fn awkward_values_do_not_panic() {
        assert_eq!(Bins::of(&[]), Bins::default());
        assert_eq!(Bins::of(&[3.0, 3.0]).counts, [2]);
        assert_eq!(Bins::of(&[0.0]).counts, [1]);
        assert_eq!(Bins::of(&[0.0, 0.0, 0.0, 0.0, 1.0]).counts.iter().sum::<u64>(), 5);
        assert!(Histogram::default().figure().is_err());
    }

    #[test]
    fn a_density_is_scaled_to_the_counts() {
        // Ten values per bin: a uniform density is level with the bars.
        let bins = Bins { low: 0.0, width: 0.1, counts: vec![10; 10] };
        let density = Density { name: "uniform".into(), points: vec![(0.0, 1.0), (1.0, 1.0)] };
        let plot = Histogram { bins, density, ..Histogram::default() };
        let svg = plot.figure().unwrap().svg();
        let tree = roxmltree::Document::parse(&svg).unwrap();
        let bar = tree.descendants().rfind(|n| n.tag_name().name() == "rect").unwrap();
        let top: f64 = bar.attribute("y").unwrap().parse().unwrap();
        let line = tree.descendants().rfind(|n| n.tag_name().name() == "path").unwrap();
        let ends = line.attribute("d").unwrap();
        let level = ends.split(['M', 'L']).skip(1).all(|p| p.ends_with(&format!(" {top}")));
        assert!(level, "{ends} {top}");
    }
}
