//! Grouped bars with error bars: datasets × methods, improvement by initial accuracy, selectors.

use super::{half_width, interval, whisker};
use crate::canvas::{Canvas, SMALL};
use crate::draw::font::{self, Weight};
use crate::draw::scene::{Anchor, Mark, Rect, Style, Text};
use crate::error::same_length;
use crate::legend::{Key, KeySample, swatch};
use crate::palette::{self, INK, WHITE};
use crate::scale::{Reach, fixed};
use crate::{Axis, Figure, Result};

/// Groups of bars, one bar of each series in every group.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Bars {
    /// Title of the figure.
    pub title: String,
    /// A sentence below the title.
    pub subtitle: String,
    /// The axis of the values; it includes zero unless a range is given.
    pub y: Axis,
    /// Names of the groups, from left to right.
    pub groups: Vec<String>,
    /// The series.
    pub series: Vec<BarSeries>,
    /// Writes each value with this number of decimals above its bar, if there is room for all of them.
    pub decimals: Option<usize>,
}

/// One bar in each group.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BarSeries {
    /// Its name in the legend.
    pub name: String,
    /// One bar per group.
    pub bars: Vec<Bar>,
}

/// The height of a bar; a bar that is not finite is left out.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Bar {
    /// The value.
    pub value: f64,
    /// Half the width of its interval; zero for none.
    pub error: f64,
}

impl Bars {
    /// Draws the bars.
    pub fn figure(&self) -> Result<Figure> {
        for series in &self.series {
            same_length(series.bars.len(), self.groups.len(), || {
                format!("bars of the series \"{}\" for the groups", series.name)
            })?;
        }
        // A single series needs no legend.
        let style = |i: usize| (Style::fill(palette::series(i)), i % 2 == 1);
        let key = |(i, series): (usize, &BarSeries)| {
            let (style, hatched) = style(i);
            Key::new(&series.name, KeySample::Swatch { style, hatched })
        };
        let several = self.series.iter().enumerate().filter(|_| self.series.len() > 1);
        let keys: Vec<Key> = several.map(key).collect();
        let mut canvas = Canvas::new(&self.title, &self.subtitle, &keys);
        let bars = self.series.iter().flat_map(|s| &s.bars).filter(|b| self.y.shows(b.value));
        let ends = bars.flat_map(|b| interval(b.value, b.error));
        let y = canvas.y_axis(&self.y, ends, Reach::FromZero, 280.0)?;
        let places = canvas.groups(&self.groups);

        let floor = y.at(if y.places(0.0) { 0.0f64.clamp(y.low, y.high) } else { y.low });
        let width = places.first().map_or(0.0, |p| p.1);
        let slot = (0.8 * width / self.series.len() as f64).min(70.0);
        let decimals = self.decimals.filter(|d| self.labels_fit(*d, slot));
        let (mut inside, mut labels) = (Vec::new(), Vec::new());
        for (i, series) in self.series.iter().enumerate() {
            let offset = (i as f64 - self.series.len() as f64 / 2.0) * slot;
            for (bar, (middle, _)) in series.bars.iter().zip(&places) {
                if !(self.y.shows(bar.value) && y.places(bar.value)) {
                    continue;
                }
                let gap = (0.06 * slot).max(0.5);
                let top = y.at(bar.value);
                let left = middle + offset + gap;
                let rect = Rect::new(left, top.min(floor), slot - 2.0 * gap, (top - floor).abs());
                inside.extend(swatch(rect, style(i).0, style(i).1));
                let center = middle + offset + slot / 2.0;
                let [_, low, high] = interval(bar.value, bar.error).map(|value| y.end(value));
                if half_width(bar.error) > 0.0 {
                    inside.extend(whisker((center, low), (center, high), INK));
                }
                if let Some(decimals) = decimals {
                    let baseline = if bar.value < 0.0 { low.max(floor) + 14.0 } else { high - 6.0 };
                    let label = Text::new((center, baseline), fixed(bar.value, decimals), LABEL);
                    let width = label.width() + 4.0;
                    let left = center - width / 2.0;
                    let behind = Rect::new(left, baseline - LABEL, width, LABEL + 2.0);
                    labels.push(Mark::rect(behind, Style::fill(WHITE.alpha(0.8))));
                    labels.push(label.anchor(Anchor::Middle).into());
                }
            }
        }
        canvas.push_inside(inside, 0.0);
        labels.into_iter().for_each(|label| canvas.push(label));
        let (left, right) = (canvas.plot.x, canvas.plot.right());
        canvas.push(Mark::segment((left, floor), (right, floor), INK, 1.0));
        Ok(canvas.finish())
    }

    /// Labels are written for all bars or for none.
    fn labels_fit(&self, decimals: usize, slot: f64) -> bool {
        let bars = self.series.iter().flat_map(|s| &s.bars).filter(|b| b.value.is_finite());
        bars.map(|b| font::width(&fixed(b.value, decimals), LABEL, Weight::Regular)).all(|width| width <= slot + 1.0)
    }
}

const LABEL: f64 = SMALL - 1.0;

#[cfg(test)]
mod tests {
    use super::*;

    /// Top and height of the bars in the SVG; the first rectangle is the background.
    fn drawn(values: &[f64]) -> Vec<(f64, f64)> {
        let bars = values.iter().map(|v| Bar { value: *v, error: 0.0 }).collect();
        let series = vec![BarSeries { name: "a".into(), bars }];
        let groups = vec!["g".into(); values.len()];
        let svg = Bars { groups, series, ..Bars::default() }.figure().unwrap().svg();
        let tree = roxmltree::Document::parse(&svg).unwrap();
        let number = |n: roxmltree::Node, name: &str| n.attribute(name).unwrap().parse().unwrap();
        let rects = tree.descendants().filter(|n| n.tag_name().name() == "rect").skip(1);
        rects.map(|n| (number(n, "y"), number(n, "height"))).collect()
    }

    #[test]
    fn heights_are_in_proportion_and_negative_bars_hang() {
        let bars = drawn(&[1.0, 2.0, -1.0]);
        assert_eq!(bars.len(), 3);
        assert!((bars[1].1 - 2.0 * bars[0].1).abs() < 0.02);
        assert!((bars[2].1 - bars[0].1).abs() < 0.02);
        let floor = bars[0].0 + bars[0].1;
        assert!((bars[2].0 - floor).abs() < 0.02, "the negative bar begins at zero");
        assert_eq!(drawn(&[1.0, f64::NAN, 3.0]).len(), 2, "a missing value leaves its place empty");
    }

    #[test]
    fn a_series_needs_a_bar_per_group() {
        let series = vec![BarSeries { name: "a".into(), bars: vec![Bar::default()] }];
        let figure = Bars { series, ..Bars::default() }.figure();
        assert!(matches!(figure, Err(crate::Error::Length { given: 1, expected: 0, .. })));
    }
}
